package crashdisk

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

func create(t *testing.T, fs vfs.FS, name string, sync bool) {
	t.Helper()
	f, err := fs.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte(name)); err != nil {
		t.Fatal(err)
	}
	if sync {
		if err := f.Sync(); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	dir, err := fs.OpenDir("/")
	if err != nil {
		t.Fatal(err)
	}
	if err := dir.Sync(); err != nil {
		t.Fatal(err)
	}
}

// A disk is cloned while files of it are linked and taken over.
func TestClonedInUse(t *testing.T) {
	d := New()
	var users sync.WaitGroup
	for u := range 2 {
		users.Go(func() {
			for i := range 400 {
				name := fmt.Sprintf("%d-%d", u, i)
				create(t, d, name, false)
				if err := d.Link(name, name+".link"); err != nil {
					t.Error(err)
				}
				f, err := d.ReuseForWrite(name, name+".new", vfs.WriteCategoryUnspecified)
				if err != nil {
					t.Error(err)
					return
				}
				if err := errors.Join(f.Close(), d.Remove(name+".new"), d.Remove(name+".link")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() {
		users.Wait()
		close(done)
	}()
	for n := 0; ; n++ {
		select {
		case <-done:
			t.Logf("%d clones", n)
			return
		default:
			d.Cut()
		}
	}
}

// Each write is preceded by a power cut that leaves what was synced before it.
func TestRecord(t *testing.T) {
	var n int
	fs, cuts := New().Record(func(errorfs.Op) { n++ })
	create(t, fs, "a", true)
	create(t, fs, "b", false)
	all := cuts.All()
	if n == 0 || len(all) == 0 {
		t.Fatalf("%d operations, %d cuts", n, len(all))
	}
	if names, err := all[0].List("/"); err != nil || len(names) > 0 {
		t.Errorf("before the first write there are %v, %v", names, err)
	}
	last := all[len(all)-1]
	if f, err := last.Stat("a"); err != nil || f.Size() != 1 {
		t.Errorf("what was synced is %v, %v", f, err)
	}
	if f, err := last.Stat("b"); err == nil && f.Size() > 0 {
		t.Errorf("what was not synced has %d bytes", f.Size())
	}
}
