package world

import (
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/everystate/everystate/internal/test/crashdisk"
)

// disk is the disk of a machine. Each process has a file system of its own on it, so a
// dead process can no longer write to it.
type disk struct {
	files *crashdisk.Disk
	full  atomic.Bool

	once    *crashdisk.Disk // as it was at some time
	begun   bool            // the run had been begun then
	damaged bool            // it was damaged then
	wrong   string          // what was done to it that lost durable data
}

func newDisk() *disk { return &disk{files: crashdisk.New()} }

// fs returns the disk's file system for processes.
func (d *disk) fs() vfs.FS { return errorfs.Wrap(d.files, d) }

func (d *disk) String() string { return "a disk that may be full" }

// MaybeError fails writes that grow a file while the disk is full.
func (d *disk) MaybeError(op errorfs.Op) error {
	if !d.full.Load() {
		return nil
	}
	switch op.Kind {
	case errorfs.OpFileWrite, errorfs.OpFileWriteAt, errorfs.OpCreate, errorfs.OpMkdirAll:
		return &os.PathError{Op: "write", Path: op.Path, Err: syscall.ENOSPC}
	default:
		return nil
	}
}

// detach leaves the files to the processes that have them open, and continues with what
// a killed process or a power failure leaves: of the unsynced blocks, this percentage
// survives.
func (d *disk) detach(unsyncedPercent int, r *draw) {
	d.files = crashdisk.Of(d.files.Clone(vfs.CrashCloneCfg{
		UnsyncedDataPercent: unsyncedPercent, RNG: rand.New(rand.NewPCG(r.next(), r.next())),
	}))
}

// remember keeps the present state of the disk for goBack.
func (d *disk) remember(r *draw) {
	d.damaged = d.wrong == "damaged"
	d.once = crashdisk.Of(d.files.Clone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: rand.New(rand.NewPCG(r.next(), r.next()))}))
}

// damage changes a byte of one of the files that hold data, and reports which.
func (d *disk) damage(r *draw) (string, error) {
	var all []string
	if err := d.walk("/", &all); err != nil {
		return "", err
	}
	var data []string
	for _, f := range all {
		if strings.HasSuffix(f, ".sst") || strings.HasSuffix(f, ".log") {
			data = append(data, f)
		}
	}
	if len(data) == 0 {
		return "", nil
	}
	name := data[r.n(len(data))]
	f, err := d.files.Open(name)
	if err != nil {
		return "", err
	}
	body, err := io.ReadAll(f)
	if err = errors.Join(err, f.Close()); err != nil || len(body) == 0 {
		return "", err
	}
	body[r.n(len(body))] ^= byte(1 << r.n(8))
	out, err := d.files.Create(name, vfs.WriteCategoryUnspecified)
	if err != nil {
		return "", err
	}
	_, err = out.Write(body)
	return name, errors.Join(err, out.Sync(), out.Close())
}

// bend changes a byte in the middle of every table, where it is: whoever has it open reads
// the change too. It returns the number of tables.
func (d *disk) bend() (tables int, err error) {
	var all []string
	if err := d.walk("/", &all); err != nil {
		return 0, err
	}
	for _, name := range all {
		if !strings.HasSuffix(name, ".sst") || strings.Contains(name, "/damaged/") {
			continue
		}
		f, err := d.files.OpenReadWrite(name, vfs.WriteCategoryUnspecified)
		if err != nil {
			return 0, err
		}
		info, err := f.Stat()
		if err != nil {
			return 0, err
		}
		b := make([]byte, 1)
		at := info.Size() / 3
		if _, err := f.ReadAt(b, at); err != nil {
			return 0, err
		}
		b[0] ^= 4
		if _, err := f.WriteAt(b, at); err != nil {
			return 0, err
		}
		if err := f.Close(); err != nil {
			return 0, err
		}
		tables++
	}
	return tables, nil
}

func (d *disk) walk(dir string, out *[]string) error {
	names, err := d.files.List(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		at := path.Join(dir, name)
		info, err := d.files.Stat(at)
		if err != nil {
			return err
		}
		if !info.IsDir() {
			*out = append(*out, at)
			continue
		}
		if err := d.walk(at, out); err != nil {
			return err
		}
	}
	return nil
}
