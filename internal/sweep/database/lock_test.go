package database

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/internal/sweep"
)

// sweptDir sweeps into a directory of the machine's file system.
func sweptDir(t *testing.T) (dir, rules string) {
	t.Helper()
	e := enumeration(t)
	dir = filepath.Join(t.TempDir(), "sweep")
	d, err := Create(dir, e.Rules(), Options{Units: e.Units()})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(sweep.Run(t.Context(), e, sweep.Part{}, d, 1), d.Close()); err != nil {
		t.Fatal(err)
	}
	return dir, e.Rules()
}

// TestReadersShareADatabase has two readers ask at once, and keeps out whoever would
// write; a writer keeps everybody out.
func TestReadersShareADatabase(t *testing.T) {
	t.Parallel()
	dir, rules := sweptDir(t)
	var readers []*Database
	for range 2 {
		d, err := Open(dir, Options{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		readers = append(readers, d)
	}
	for i, d := range readers {
		if _, err := Open(dir, Options{}); !errors.Is(err, ErrRead) {
			t.Errorf("opened for writing beside %d readers: %v", len(readers)-i, err)
		}
		if _, err := Create(dir, rules, Options{}); !errors.Is(err, ErrRead) {
			t.Errorf("created beside %d readers: %v", len(readers)-i, err)
		}
		n := 0
		for _, err := range d.Records(ByDistance) {
			if n++; err != nil {
				t.Fatal(err)
			}
		}
		if n != 32 {
			t.Errorf("reader %d has %d records, want 32", i, n)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
	writer, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, readOnly := range []bool{true, false} {
		if _, err := Open(dir, Options{ReadOnly: readOnly}); !errors.Is(err, ErrInUse) || err.Error() != dir+": a sweep or db grade is writing to it: try again when that has finished" {
			t.Errorf("opened beside a writer, read-only %v: %v", readOnly, err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	d, err := Open(dir, Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// TestRefusedDatabaseIsNotLocked opens what cannot be opened, and can then write.
func TestRefusedDatabaseIsNotLocked(t *testing.T) {
	t.Parallel()
	dir, rules := sweptDir(t)
	if _, err := Create(dir, "other\n"+rules, Options{}); err == nil {
		t.Fatal("a database has other rules than its own")
	}
	empty := t.TempDir()
	if err := os.Mkdir(filepath.Join(empty, dbDir), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(empty, Options{ReadOnly: true}); !errors.Is(err, ErrNotExist) {
		t.Errorf("an empty database: %v", err)
	}
	for _, dir := range []string{dir, empty} {
		d, err := Create(dir, rules, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// untouched is a file system that must not be written.
type untouched struct {
	vfs.FS
	t *testing.T
}

func (u untouched) refuse(name string) error {
	u.t.Errorf("writes %s", name)
	return os.ErrPermission
}

func (u untouched) Create(name string, _ vfs.DiskWriteCategory) (vfs.File, error) {
	return nil, u.refuse(name)
}

func (u untouched) Remove(name string) error               { return u.refuse(name) }
func (u untouched) Rename(_, name string) error            { return u.refuse(name) }
func (u untouched) MkdirAll(n string, _ os.FileMode) error { return u.refuse(n) }

// TestReaderWritesNothing reads a complete database, and one whose log has units.
func TestReaderWritesNothing(t *testing.T) {
	t.Parallel()
	e := enumeration(t)
	for _, sealed := range []bool{true, false} {
		disk := vfs.NewMem()
		d := create(t, disk, e.Rules())
		if err := sweep.Run(t.Context(), e, sweep.Part{}, d, 1); err != nil {
			t.Fatal(err)
		}
		if sealed {
			if err := d.Seal(); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		d, err := Open("sweep", Options{FS: untouched{disk, t}, ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		if n := d.Totals().Records; n != 32 {
			t.Errorf("%d records, want 32", n)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}
