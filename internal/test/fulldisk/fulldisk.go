// Package fulldisk is a disk for tests that has no room left for some files, as a file
// system of Pebble's that fails on demand. It is for tests only.
package fulldisk

import (
	"slices"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// A Fault has operations of some kinds on some files fail with ENOSPC, once it is on.
// It is an injector of errorfs.
type Fault struct {
	On    atomic.Bool
	Kinds []errorfs.OpKind
	// Path is what the paths of these files contain.
	Path string
}

// Writes are the operations that write to a file.
func Writes() []errorfs.OpKind { return []errorfs.OpKind{errorfs.OpFileWrite, errorfs.OpFileWriteAt} }

// Syncs are those that sync one.
func Syncs() []errorfs.OpKind {
	return []errorfs.OpKind{errorfs.OpFileSync, errorfs.OpFileSyncData, errorfs.OpFileSyncTo}
}

func (f *Fault) String() string { return f.Path }

// MaybeError returns the error of an operation that fails.
func (f *Fault) MaybeError(op errorfs.Op) error {
	if f.On.Load() && slices.Contains(f.Kinds, op.Kind) && strings.Contains(op.Path, f.Path) {
		return &pathError{op.Path, syscall.ENOSPC}
	}
	return nil
}

// pathError is like the errors of package os, which wrap an errno.
type pathError struct {
	path string
	err  error
}

func (e *pathError) Error() string { return e.path + ": " + e.err.Error() }
func (e *pathError) Unwrap() error { return e.err }
