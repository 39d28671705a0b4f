package store

import (
	"fmt"
	"io"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// guardFS is the file system that Pebble sees. It leaves locking to Lock, which
// knows readers from writers, and it keeps errors from Pebble that it answers
// with a panic on a goroutine of its own: those of writing its log. They become
// the store's fatal error, and the goroutine is parked.
type guardFS struct {
	vfs.FS
	s *Store
}

func (guardFS) Lock(string) (io.Closer, error) { return io.NopCloser(nil), nil }

func (g guardFS) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := g.FS.Create(name, category)
	return g.logFile(f, name, err)
}

func (g guardFS) ReuseForWrite(oldname, newname string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := g.FS.ReuseForWrite(oldname, newname, category)
	return g.logFile(f, newname, err)
}

func (g guardFS) OpenDir(name string) (vfs.File, error) {
	f, err := g.FS.OpenDir(name)
	if err != nil {
		return nil, err
	}
	return guardFile{File: f, s: g.s, name: name}, nil
}

func (g guardFS) logFile(f vfs.File, name string, err error) (vfs.File, error) {
	if !strings.HasSuffix(name, ".log") {
		return f, err
	}
	g.s.park(name, err)
	return guardFile{File: f, s: g.s, name: name}, nil
}

// park returns if there is no error; otherwise it makes the error the store's
// fatal one and does not return.
func (s *Store) park(name string, err error) {
	if err == nil {
		return
	}
	s.fail(fmt.Errorf("cannot write %s: %w", s.fs.PathBase(name), err))
	select {}
}

// guardFile is a log file or a directory.
type guardFile struct {
	vfs.File
	s    *Store
	name string
}

// Preallocate does nothing: a log of Pebble's would take its full size on disk
// from the start, which is most of what a small run takes.
func (f guardFile) Preallocate(int64, int64) error { return nil }

func (f guardFile) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	f.s.park(f.name, err)
	return n, nil
}

func (f guardFile) Sync() error {
	f.s.park(f.name, f.File.Sync())
	return nil
}

func (f guardFile) SyncData() error {
	f.s.park(f.name, f.File.SyncData())
	return nil
}

func (f guardFile) SyncTo(length int64) (fullSync bool, err error) {
	fullSync, err = f.File.SyncTo(length)
	f.s.park(f.name, err)
	return fullSync, nil
}

func (f guardFile) Close() error {
	f.s.park(f.name, f.File.Close())
	return nil
}
