package engine

import "github.com/everystate/everystate/store"

// What the directory of a run may fail with, besides the errors of this package.
var (
	// ErrLocked says that another process is using the directory.
	ErrLocked = store.ErrLocked
	// ErrNotExist says that there is no run in the directory.
	ErrNotExist = store.ErrNotExist
)

// IsDiskFull reports whether an error says that the disk is full.
func IsDiskFull(err error) bool { return store.IsDiskFull(err) }

// IsCorruption reports whether an error says that stored or received bytes are
// damaged.
func IsCorruption(err error) bool { return store.IsCorruption(err) }
