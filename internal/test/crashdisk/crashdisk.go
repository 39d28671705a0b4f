// Package crashdisk is a disk in memory whose power can be cut while programs use it.
//
// A MemFS of Pebble can be cloned as a crash would leave it. Its Link and ReuseForWrite
// take the lock that cloning takes twice, one inside the other: a clone that is asked for
// in between, and they, wait for each other for ever. A Disk keeps the two apart. Tests
// that clone a disk in use take one, and none clones a MemFS in use by itself.
package crashdisk

import (
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// Disk is a disk in memory, safe for concurrent use. Close its files before or after a
// clone is made of it: clones are independent of it.
type Disk struct {
	vfs.FS // what is asked of it, other than below
	files  *vfs.MemFS
	mu     sync.Mutex // held while links are made, files are taken over, and for clones
}

// New returns an empty disk.
func New() *Disk { return Of(vfs.NewCrashableMem()) }

// Of returns the disk of a file system that can be cloned.
func Of(files *vfs.MemFS) *Disk { return &Disk{FS: files, files: files} }

// Link makes a link.
func (d *Disk) Link(oldname, newname string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.files.Link(oldname, newname)
}

// ReuseForWrite renames a file and opens it for writing.
func (d *Disk) ReuseForWrite(oldname, newname string, c vfs.DiskWriteCategory) (vfs.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.files.ReuseForWrite(oldname, newname, c)
}

// Clone returns what a crash at this moment leaves, as cfg says.
func (d *Disk) Clone(cfg vfs.CrashCloneCfg) *vfs.MemFS {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.files.CrashClone(cfg)
}

// Cut returns what remains of the disk if the power fails now: what was synced.
func (d *Disk) Cut() *vfs.MemFS { return d.Clone(vfs.CrashCloneCfg{}) }

// Cuts records what a power cut before each write leaves.
type Cuts struct {
	disk *Disk
	also func(errorfs.Op)

	mu     sync.Mutex // held while a clone is made: operations meanwhile have none
	clones []*vfs.MemFS
}

// Record returns the disk as a file system whose writes are recorded, and the record.
// Of writes at the same time, one is recorded. Also, if not nil, is called before every
// operation.
func (d *Disk) Record(also func(errorfs.Op)) (vfs.FS, *Cuts) {
	c := &Cuts{disk: d, also: also}
	return errorfs.Wrap(d, c), c
}

func (c *Cuts) String() string { return "a disk whose power is cut" }

// MaybeError records a write. It fails none.
func (c *Cuts) MaybeError(op errorfs.Op) error {
	if c.also != nil {
		c.also(op)
	}
	if op.Kind.ReadOrWrite() == errorfs.OpIsWrite && c.mu.TryLock() {
		defer c.mu.Unlock()
		c.clones = append(c.clones, c.disk.Cut())
	}
	return nil
}

// Cut records a power cut now.
func (c *Cuts) Cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clones = append(c.clones, c.disk.Cut())
}

// All returns what each power cut so far left, in their order.
func (c *Cuts) All() []*vfs.MemFS {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.clones)
}
