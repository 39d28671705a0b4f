package engine

import "github.com/everystate/everystate/store"

// Errors of a run's directory, besides those of this package.
var (
	// ErrLocked reports that another process is using the directory.
	ErrLocked = store.ErrLocked
	// ErrNotExist reports that there is no run in the directory.
	ErrNotExist = store.ErrNotExist
)

// IsDiskFull reports whether err means that the disk is full.
func IsDiskFull(err error) bool { return store.IsDiskFull(err) }

// IsCorruption reports whether err means that stored or received bytes are
// damaged.
func IsCorruption(err error) bool { return store.IsCorruption(err) }
