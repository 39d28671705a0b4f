package store

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/internal/test/crashdisk"
)

func TestReadOnlyNeedsStore(t *testing.T) {
	disk := vfs.NewMem()
	if _, err := Open("run", Options{FS: disk, ReadOnly: true}); !errors.Is(err, ErrNotExist) {
		t.Errorf("no directory: %v", err)
	}
	if err := disk.MkdirAll("run", 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Open("run", Options{FS: disk, ReadOnly: true}); !errors.Is(err, ErrNotExist) {
		t.Errorf("an empty directory: %v", err)
	}
	if names, err := disk.List("run"); err != nil || len(names) > 0 {
		t.Errorf("made by a reader: %v, %v", names, err)
	}
}

// A reader changes nothing, and several read at once.
func TestReadOnlyChangesNothing(t *testing.T) {
	disk, files := sealedStore(t)
	before := map[string]string{}
	for _, path := range files {
		before[path] = string(readFile(t, disk, path))
	}
	a, b := openMem(t, disk, Options{ReadOnly: true}), openMem(t, disk, Options{ReadOnly: true})
	for _, s := range []*Store{a, b} {
		if got := journalOf(t, s); !slices.Equal(got, []string{"entry"}) {
			t.Errorf("journal %q", got)
		}
		if err := s.AppendJournal([]byte("more"), true); err == nil {
			t.Error("a reader appends to the journal")
		}
	}
	closeStore(t, a)
	closeStore(t, b)
	names, err := disk.List("run/db")
	if err != nil || len(names) != len(files) {
		t.Errorf("%d files, there were %d: %v", len(names), len(files), err)
	}
	for path, body := range before {
		if string(readFile(t, disk, path)) != body {
			t.Errorf("%s is changed", path)
		}
	}
}

func TestScratchIsEmptied(t *testing.T) {
	disk := vfs.NewMem()
	s := openMem(t, disk, Options{})
	f, err := s.NewScratch(narrowShape())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Spill([]uint64{32, 64}); err != nil {
		t.Fatal(err)
	}
	if names, err := disk.List("run/scratch"); err != nil || len(names) != 1 {
		t.Errorf("in scratch: %v, %v", names, err)
	}
	closeStore(t, s)
	closeStore(t, openMem(t, disk, Options{ReadOnly: true}))
	if names, err := disk.List("run/scratch"); err != nil || len(names) != 1 {
		t.Errorf("in scratch after a reader, who must not touch it: %v, %v", names, err)
	}
	closeStore(t, openMem(t, disk, Options{}))
	if names, err := disk.List("run/scratch"); err != nil || len(names) != 0 {
		t.Errorf("in scratch after a writer: %v, %v", names, err)
	}
}

// Directories that are made are durable: what is synced in them survives.
func TestNewDirectoriesAreDurable(t *testing.T) {
	disk := crashdisk.New()
	const dir = "runs/of/today"
	s, err := Open(dir, Options{FS: disk})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.AppendJournal([]byte("entry"), true); err != nil {
		t.Fatal(err)
	}
	crashed, err := Open(dir, Options{FS: disk.Cut(), ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := journalOf(t, crashed); len(got) != 1 {
		t.Errorf("%d entries after the crash", len(got))
	}
	closeStore(t, crashed)
	closeStore(t, s)
}

func TestLockDir(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs", "one")
	if _, err := LockDir(dir, false); err == nil || errors.Is(err, ErrLocked) {
		t.Errorf("a reader locks a directory that is not there: %v", err)
	}
	lock := func(exclusive bool) *Lock {
		t.Helper()
		l, err := LockDir(dir, exclusive)
		if err != nil {
			t.Fatalf("exclusive %t: %v", exclusive, err)
		}
		return l
	}
	refused := func(exclusive bool) {
		t.Helper()
		l, err := LockDir(dir, exclusive)
		if !errors.Is(err, ErrLocked) || l != nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("exclusive %t: %v", exclusive, err)
		}
	}
	unlock := func(locks ...*Lock) {
		t.Helper()
		for _, l := range locks {
			if err := l.Unlock(); err != nil {
				t.Error(err)
			}
		}
	}
	writer := lock(true)
	refused(true)
	refused(false)
	unlock(writer)

	first, second := lock(false), lock(false)
	refused(true)
	unlock(first)
	refused(true)
	unlock(second)
	unlock(lock(true))
	if _, err := os.Stat(filepath.Join(dir, "lock")); err != nil {
		t.Error(err)
	}
}

// A directory on the machine's own file system is used by default.
func TestOpenOnDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	s, err := Open(dir, Options{BatchBytes: 10})
	if err != nil {
		t.Fatal(err)
	}
	writeSegment(t, s, narrowShape(), SegmentID{Phase: 1}, [][]uint64{{32, 64}})
	closeStore(t, s)
	s, err = Open(dir, Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := readPart(t, s, narrowShape(), SegmentID{Phase: 1}, 0); !slices.Equal(got, []uint64{32, 64}) {
		t.Errorf("got %v", got)
	}
	closeStore(t, s)
}
