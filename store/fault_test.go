package store

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/everystate/everystate/internal/test/crashdisk"
	"github.com/everystate/everystate/internal/test/fulldisk"
)

// use does all that a run does, and returns the first error.
func use(s *Store, recs []uint64) error {
	w := s.NewWriter(narrowShape(), SegmentID{Phase: 1, Layer: 2})
	defer w.Abort()
	if err := errors.Join(w.Append(0, recs, nil), w.EndPartition(nil)); err != nil {
		return err
	}
	if _, err := w.Finish(); err != nil {
		return err
	}
	f, err := s.NewScratch(narrowShape())
	if err != nil {
		return err
	}
	_, err = f.Spill(recs)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return errors.Join(s.AppendJournal([]byte("second"), true), s.DropFrom(1, 2))
}

// A full disk comes back as an error that says so, wherever it is met, and soon:
// Pebble neither ends the process nor tries for ever. If Pebble cannot survive
// it, the store is dead from then on, and says so to all; either way the
// directory can be opened again with all that was synced.
func TestDiskFull(t *testing.T) {
	writes, syncs := fulldisk.Writes(), fulldisk.Syncs()
	recs := randomRecords(rand.New(rand.NewPCG(1, 5)), narrowShape(), 3*BlockRecords)
	for _, test := range []struct {
		name  string
		path  string
		kinds []errorfs.OpKind
		batch int64
		fatal bool
	}{
		{"writing the log", ".log", writes, 1 << 20, true},
		{"syncing the log", ".log", syncs, 1 << 20, true},
		{"writing the manifest", "MANIFEST", writes, 10, true},
		{"syncing the manifest", "MANIFEST", syncs, 10, true},
		{"making a table", "/table-", []errorfs.OpKind{errorfs.OpCreate}, 10, false},
		{"writing a table", "/table-", writes, 10, false},
		{"syncing a table", "/table-", syncs, 10, false},
		{"making a scratch file", "/spill-", []errorfs.OpKind{errorfs.OpCreate}, 10, false},
		{"writing a scratch file", "/spill-", writes, 10, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			disk := crashdisk.New()
			fault := &fulldisk.Fault{Path: test.path, Kinds: test.kinds}
			s := openMem(t, errorfs.Wrap(disk, fault), Options{BatchBytes: test.batch})
			first := SegmentID{Phase: 1, Layer: 1}
			writeSegment(t, s, narrowShape(), first, [][]uint64{recs})
			if err := s.AppendJournal([]byte("first"), true); err != nil {
				t.Fatal(err)
			}
			if err := s.Err(); err != nil {
				t.Fatal(err)
			}
			fault.On.Store(true)
			err := use(s, recs)
			if !IsDiskFull(err) || IsCorruption(err) {
				t.Errorf("got %v", err)
			}
			checkFatal(t, s, test.fatal)
			fault.On.Store(false)
			if !test.fatal {
				if err := use(s, recs); err != nil {
					t.Errorf("there is room again: %v", err)
				}
				closeStore(t, s)
			} else if err := s.Close(); err != nil {
				t.Errorf("close: %v", err)
			}

			again := openMem(t, disk.Cut(), Options{})
			want := []string{"first"}
			if !test.fatal {
				want = append(want, "second")
			}
			if got := journalOf(t, again); !slices.Equal(got, want) {
				t.Errorf("opened again: journal %q, want %q", got, want)
			}
			if got, _ := readPart(t, again, narrowShape(), first, 0); !slices.Equal(got, recs) {
				t.Errorf("opened again: %d records, want %d", len(got), len(recs))
			}
			closeStore(t, again)
		})
	}
}

// checkFatal checks that a store is dead, or that it is not.
func checkFatal(t *testing.T, s *Store, dead bool) {
	t.Helper()
	closed := false
	select {
	case <-s.Failed():
		closed = true
	default:
	}
	if closed != dead || (s.Err() != nil) != dead {
		t.Errorf("failed %t, error %v, want failed %t", closed, s.Err(), dead)
	}
	if !dead {
		return
	}
	if !IsDiskFull(s.Err()) || !strings.HasPrefix(s.Err().Error(), "run: cannot write") {
		t.Errorf("the fatal error is %v", s.Err())
	}
	// Nothing hangs from now on.
	w := s.NewWriter(narrowShape(), SegmentID{Phase: 1, Layer: 3})
	err := errors.Join(w.Append(0, []uint64{32}, nil), w.EndPartition(nil))
	if err == nil {
		_, err = w.Finish()
	}
	w.Abort()
	for name, err := range map[string]error{
		"Finish":        err,
		"AppendJournal": s.AppendJournal([]byte("more"), true),
	} {
		if !IsDiskFull(err) {
			t.Errorf("%s on a dead store: %v", name, err)
		}
	}
}

// A flush in the background that fails ends the store as well, here when it is
// closed.
func TestDiskFullInBackground(t *testing.T) {
	disk := crashdisk.New()
	fault := &fulldisk.Fault{Path: ".sst", Kinds: []errorfs.OpKind{errorfs.OpCreate}}
	s := openMem(t, errorfs.Wrap(disk, fault), Options{})
	if err := s.AppendJournal([]byte("first"), true); err != nil {
		t.Fatal(err)
	}
	fault.On.Store(true)
	if err := s.Close(); !IsDiskFull(err) {
		t.Errorf("close: %v", err)
	}
	if _, err := disk.Stat("run/" + sealFile); err == nil {
		t.Error("a store that failed is sealed")
	}
	again := openMem(t, disk.Cut(), Options{})
	if got := journalOf(t, again); !slices.Equal(got, []string{"first"}) {
		t.Errorf("opened again: %q", got)
	}
	closeStore(t, again)
}

// A store that cannot be sealed is closed nevertheless, and is as after a crash.
func TestSealFails(t *testing.T) {
	for _, kind := range []errorfs.OpKind{errorfs.OpCreate, errorfs.OpFileWrite, errorfs.OpFileSync, errorfs.OpRename} {
		t.Run(fmt.Sprint(kind), func(t *testing.T) {
			disk := vfs.NewMem()
			fault := &fulldisk.Fault{Path: "run/" + sealFile, Kinds: []errorfs.OpKind{kind}}
			s := openMem(t, errorfs.Wrap(disk, fault), Options{})
			if err := s.AppendJournal([]byte("first"), true); err != nil {
				t.Fatal(err)
			}
			fault.On.Store(true)
			if err := s.Close(); !IsDiskFull(err) {
				t.Errorf("close: %v", err)
			}
			if sealed, err := verifyFiles(disk); sealed || err != nil {
				t.Errorf("sealed %t, %v", sealed, err)
			}
			again := openMem(t, disk, Options{})
			if got := journalOf(t, again); !slices.Equal(got, []string{"first"}) {
				t.Errorf("opened again: %q", got)
			}
			closeStore(t, again)
		})
	}
}

func TestErrorClasses(t *testing.T) {
	corrupted := fmt.Errorf("read: %w", &CorruptionError{Where: "here", What: "is not there"})
	for _, test := range []struct {
		err           error
		corrupt, full bool
	}{
		{nil, false, false},
		{errors.New("other"), false, false},
		{corrupted, true, false},
		{errors.Join(errors.New("other"), corrupted), true, false},
		{fmt.Errorf("write: %w", syscall.ENOSPC), false, true},
		{fmt.Errorf("write: %w", syscall.EDQUOT), false, true},
		{syscall.EIO, false, false},
	} {
		if IsCorruption(test.err) != test.corrupt || IsDiskFull(test.err) != test.full {
			t.Errorf("%v: corruption %t, disk full %t", test.err, IsCorruption(test.err), IsDiskFull(test.err))
		}
	}
	if got := corrupted.Error(); got != "read: corrupted: here: is not there" {
		t.Errorf("the message is %q", got)
	}
}
