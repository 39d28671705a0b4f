package guard

import (
	"fmt"
	"io"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// FS returns the file system to give to Pebble. It withholds errors that Pebble would
// answer with a panic on a goroutine of its own: those of writing its log and of syncing
// directories. They become the fatal error, and the goroutine is parked. From then on
// every goroutine that would change the directory is parked as well, since the directory
// may be opened again.
//
// It takes no lock: Pebble's excludes readers, too, and is written even by them. Whoever
// opens Pebble ensures that nobody writes the directory while others use it.
func (g *Guard) FS(fs vfs.FS) vfs.FS { return guardFS{fs, g} }

type guardFS struct {
	vfs.FS
	guard *Guard
}

// Lock locks nothing.
func (guardFS) Lock(string) (io.Closer, error) { return io.NopCloser(nil), nil }

// alive returns unless there has been a fatal error.
func (g guardFS) alive() {
	if g.guard.Err() != nil {
		select {}
	}
}

func (g guardFS) Remove(name string) error {
	g.alive()
	return g.FS.Remove(name)
}

func (g guardFS) Rename(oldname, newname string) error {
	g.alive()
	return g.FS.Rename(oldname, newname)
}

func (g guardFS) Link(oldname, newname string) error {
	g.alive()
	return g.FS.Link(oldname, newname)
}

func (g guardFS) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	g.alive()
	f, err := g.FS.Create(name, category)
	return g.logFile(f, name, err)
}

func (g guardFS) ReuseForWrite(oldname, newname string, category vfs.DiskWriteCategory) (vfs.File, error) {
	g.alive()
	f, err := g.FS.ReuseForWrite(oldname, newname, category)
	return g.logFile(f, newname, err)
}

func (g guardFS) OpenDir(name string) (vfs.File, error) {
	f, err := g.FS.OpenDir(name)
	if err != nil {
		return nil, err
	}
	return g.file(f, name), nil
}

func (g guardFS) logFile(f vfs.File, name string, err error) (vfs.File, error) {
	if !strings.HasSuffix(name, ".log") {
		return f, err
	}
	g.guard.park(g.PathBase(name), err)
	return g.file(f, name), nil
}

func (g guardFS) file(f vfs.File, name string) vfs.File {
	return guardFile{File: f, guard: g.guard, name: g.PathBase(name)}
}

// park returns if err is nil; otherwise it records err as the fatal error and does
// not return.
func (g *Guard) park(name string, err error) {
	if err == nil {
		return
	}
	g.Park(fmt.Errorf("cannot write %s: %w", name, err))
}

// guardFile is a log file or a directory.
type guardFile struct {
	vfs.File
	guard *Guard
	name  string
}

// Preallocate does nothing: it would give Pebble's log its full size on disk from
// the start, which would be most of the size of a small run.
func (f guardFile) Preallocate(int64, int64) error { return nil }

func (f guardFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	f.guard.park(f.name, err)
	return n, nil
}

func (f guardFile) Sync() error {
	f.guard.park(f.name, f.File.Sync())
	return nil
}

func (f guardFile) SyncData() error {
	f.guard.park(f.name, f.File.SyncData())
	return nil
}

func (f guardFile) SyncTo(length int64) (fullSync bool, err error) {
	fullSync, err = f.File.SyncTo(length)
	f.guard.park(f.name, err)
	return fullSync, nil
}

func (f guardFile) Close() error {
	f.guard.park(f.name, f.File.Close())
	return nil
}
