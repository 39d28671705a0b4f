package store

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/gofrs/flock"
)

// A Lock keeps other processes out of a directory: a writer keeps everybody
// out, readers keep writers out.
type Lock struct{ unlock func() error }

// LockDir locks a directory, making it first if exclusive is set. It does not
// wait: if another process holds the lock it returns ErrLocked.
func LockDir(dir string, exclusive bool) (*Lock, error) { return LockDirBy(dir, lockFile, exclusive) }

// LockDirBy is LockDir by a file with another name than that of a run.
func LockDirBy(dir, name string, exclusive bool) (*Lock, error) {
	if exclusive {
		if err := MakeDir(vfs.Default, dir); err != nil {
			return nil, fmt.Errorf("make %s: %w", dir, err)
		}
	}
	path := filepath.Join(dir, name)
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("lock: %w", &os.PathError{Op: "open", Path: path, Err: errNotRegular})
	}
	// Anyone who may read the directory may ask about it, which takes a shared
	// lock.
	f := flock.New(path, flock.SetPermissions(0o644))
	try := f.TryLock
	if !exclusive {
		try = f.TryRLock
	}
	ok, err := try()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	if !ok {
		return nil, fmt.Errorf("%s: %w", dir, ErrLocked)
	}
	return &Lock{unlock: f.Unlock}, nil
}

const lockFile = "lock"

// Holds reports whether dir is the directory of a store, or is becoming one: a store has
// a lock file from the beginning, or a seal. A directory that merely has a database, as a
// sweep's, is none.
func Holds(fs vfs.FS, dir string) bool {
	for _, name := range []string{lockFile, sealFile} {
		if _, err := fs.Stat(fs.PathJoin(dir, name)); err == nil {
			return true
		}
	}
	return false
}

// LockDirOf is an exclusive LockDir for a directory of any file system. A file
// system other than the operating system's has no readers in other processes.
func LockDirOf(fs vfs.FS, dir string) (*Lock, error) {
	if fs == vfs.Default {
		return LockDir(dir, true)
	}
	if err := MakeDir(fs, dir); err != nil {
		return nil, fmt.Errorf("make %s: %w", dir, err)
	}
	held, err := fs.Lock(fs.PathJoin(dir, lockFile))
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	return &Lock{unlock: held.Close}, nil
}

// Unlock releases the lock. A nil one holds nothing.
func (l *Lock) Unlock() error {
	if l == nil {
		return nil
	}
	return l.unlock()
}
