package store

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/internal/test/crashdisk"
)

func journalOf(tb testing.TB, s *Store) (entries []string) {
	tb.Helper()
	err := s.Journal(func(entry []byte) error {
		entries = append(entries, string(entry))
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return entries
}

// Entries come back in order, and go on behind the last when the store is
// opened again.
func TestJournal(t *testing.T) {
	disk := vfs.NewMem()
	var want []string
	for round := range 3 {
		s := openMem(t, disk, Options{})
		if got := journalOf(t, s); !slices.Equal(got, want) {
			t.Errorf("round %d: %q, want %q", round, got, want)
		}
		for i := range 130 {
			entry := fmt.Sprintf("entry %d of round %d", i, round)
			if i == 0 {
				entry = ""
			}
			if err := s.AppendJournal([]byte(entry), i%3 == 0); err != nil {
				t.Fatal(err)
			}
			want = append(want, entry)
		}
		closeStore(t, s)
	}
	s := openMem(t, disk, Options{ReadOnly: true})
	if got := journalOf(t, s); !slices.Equal(got, want) {
		t.Errorf("read only: %q, want %q", got, want)
	}
	mine := errors.New("mine")
	calls := 0
	err := s.Journal(func([]byte) error {
		calls++
		return mine
	})
	if !errors.Is(err, mine) || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
	closeStore(t, s)
}

func TestJournalEntrySize(t *testing.T) {
	s := openMem(t, vfs.NewMem(), Options{})
	largest := bytes.Repeat([]byte("x"), EntryBytesMax)
	if err := s.AppendJournal(append(largest, 'x'), false); err == nil {
		t.Error("an entry that is too large is taken")
	}
	if err := s.AppendJournal(largest, true); err != nil {
		t.Error(err)
	}
	if got := journalOf(t, s); len(got) != 1 || got[0] != string(largest) {
		t.Errorf("%d entries", len(got))
	}
	closeStore(t, s)
}

// A synced entry survives a crash, with all that was written before it; of what
// was not synced, at most the end is missing.
func TestJournalAfterCrash(t *testing.T) {
	disk := crashdisk.New()
	s := openMem(t, disk, Options{})
	id := SegmentID{Phase: 1, Layer: 1, Epoch: 1}
	writeSegment(t, s, narrowShape(), id, [][]uint64{{1 << 5, 2 << 5}})
	for i, sync := range []bool{false, false, true, false} {
		if err := s.AppendJournal([]byte{byte(i)}, sync); err != nil {
			t.Fatal(err)
		}
	}
	crashed := openMem(t, disk.Cut(), Options{})
	if got := journalOf(t, crashed); len(got) < 3 || !slices.Equal(got[:3], []string{"\x00", "\x01", "\x02"}) {
		t.Errorf("after the crash: %q", got)
	}
	if got, _ := readPart(t, crashed, narrowShape(), id, 0); len(got) != 2 {
		t.Errorf("after the crash: %d records", len(got))
	}
	closeStore(t, crashed)
	closeStore(t, s)
}

func TestDamagedJournal(t *testing.T) {
	for _, test := range []struct {
		name   string
		damage func(s *Store) error
		want   string
		atOpen bool
	}{
		{"missing", func(s *Store) error { return s.db.Delete(journalKey(2), pebble.Sync) }, "journal entry 2: is missing", false},
		{"first missing", func(s *Store) error { return s.db.Delete(journalKey(0), pebble.Sync) }, "journal entry 0: is missing", false},
		{"another's bytes", func(s *Store) error {
			value, closer, err := s.db.Get(journalKey(1))
			if err != nil {
				return err
			}
			return errors.Join(s.db.Set(journalKey(3), value, pebble.Sync), closer.Close())
		}, "journal entry 3: checksum does not match", false},
		{"short", func(s *Store) error { return s.db.Set(journalKey(3), []byte{1, 2}, pebble.Sync) }, "journal entry 3: checksum does not match", false},
		{"empty", func(s *Store) error { return s.db.Set(journalKey(3), nil, pebble.Sync) }, "journal entry 3: checksum does not match", false},
		{"foreign key", func(s *Store) error { return s.db.Set([]byte("jab"), nil, pebble.Sync) }, "a journal key has the wrong length", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			disk := vfs.NewMem()
			s := openMem(t, disk, Options{})
			for i := range 5 {
				if err := s.AppendJournal(fmt.Appendf(nil, "entry %d", i), false); err != nil {
					t.Fatal(err)
				}
			}
			if err := test.damage(s); err != nil {
				t.Fatal(err)
			}
			closeStore(t, s)
			s, err := Open("run", Options{FS: disk})
			if test.atOpen {
				if !IsCorruption(err) || !strings.Contains(err.Error(), test.want) {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			err = s.Journal(func([]byte) error { return nil })
			if !IsCorruption(err) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v", err)
			}
			closeStore(t, s)
		})
	}
}
