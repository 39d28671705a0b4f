package database

import (
	"cmp"
	"errors"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/test/crashdisk"
	"github.com/everystate/everystate/internal/test/fulldisk"
)

// fills has the disk full when so many units are committed.
type fills struct {
	*Database
	left  int
	fault *fulldisk.Fault
}

func (f *fills) Commit(unit int, found *sweep.Findings) error {
	if f.left--; f.left < 0 {
		f.fault.On.Store(true)
	}
	return f.Database.Commit(unit, found)
}

// A full disk comes back as an error that says so, wherever it is met: Pebble neither
// ends the process nor tries for ever. What is committed is kept, and the sweep goes
// on to the same end.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	e := enumeration(t)
	whole := create(t, vfs.NewMem(), e.Rules())
	if err := sweep.Run(t.Context(), e, sweep.Part{}, whole, 1); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name  string
		kinds []errorfs.OpKind
	}{
		{"writing the log", fulldisk.Writes()},
		{"syncing the log", fulldisk.Syncs()},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			disk := crashdisk.New()
			fault := &fulldisk.Fault{Path: ".log", Kinds: test.kinds}
			d := create(t, errorfs.Wrap(disk, fault), e.Rules())
			err := sweep.Run(t.Context(), e, sweep.Part{}, &fills{d, 5, fault}, 2)
			saved, synced := d.Sync()
			if err = cmp.Or(err, synced); !errors.Is(err, syscall.ENOSPC) {
				t.Fatalf("a full disk is %v", err)
			}
			if saved < 1 || saved > 5 {
				t.Errorf("%d units are saved, want 1 to 5", saved)
			}
			for _, err := range d.Records(ByDistance) {
				if !errors.Is(err, syscall.ENOSPC) {
					t.Errorf("a dead database answers %v", err)
				}
				break
			}
			if err := d.Close(); err != nil {
				t.Errorf("close: %v", err)
			}

			d = create(t, disk.Cut(), e.Rules())
			if n := d.Totals().Units; n < saved {
				t.Errorf("%d units are kept of %d that were saved", n, saved)
			}
			if err := sweep.Run(t.Context(), e, sweep.Part{}, d, 2); err != nil {
				t.Fatal(err)
			}
			if got, want := d.Totals(), whole.Totals(); got.Digest != want.Digest {
				t.Errorf("with room again %+v, want %+v", got, want)
			}
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// A disk that is full from the start, or when what was written is put in order, is
// told as well.
func TestFullDiskElsewhere(t *testing.T) {
	t.Parallel()
	for _, path := range []string{".log", "MANIFEST"} {
		fault := &fulldisk.Fault{Path: path, Kinds: fulldisk.Writes()}
		fault.On.Store(true)
		if _, err := Create("sweep", "rules\n", Options{FS: errorfs.Wrap(vfs.NewMem(), fault)}); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%s: a database on a full disk: %v", path, err)
		}
	}
	fault := &fulldisk.Fault{Path: ".sst", Kinds: []errorfs.OpKind{errorfs.OpCreate}}
	e := enumeration(t)
	d := create(t, errorfs.Wrap(vfs.NewMem(), fault), e.Rules())
	fault.On.Store(true)
	if _, err := d.db.AsyncFlush(); err != nil {
		t.Fatal(err)
	}
	<-d.guard.Failed()
	if err := sweep.Run(t.Context(), e, sweep.Part{}, d, 1); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a commit when a flush has failed: %v", err)
	}
	if err := d.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}
