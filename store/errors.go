package store

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
)

// ErrLocked reports that another process is using the directory.
var ErrLocked = errors.New("in use by another process")

// ErrNotExist reports that there is no store in the directory.
var ErrNotExist = errors.New("no run here")

// CorruptionError reports bytes that differ from what was written.
type CorruptionError struct {
	// Where names the file, or the block by phase, layer and partition, or both.
	Where string
	// What is what is wrong there.
	What string
}

func (e *CorruptionError) Error() string {
	return fmt.Sprintf("corrupted: %s: %s", e.Where, e.What)
}

// IsCorruption reports whether err means that stored bytes are damaged.
func IsCorruption(err error) bool {
	var c *CorruptionError
	return errors.As(err, &c) || pebble.IsCorruptionError(err)
}

// IsDiskFull reports whether err means that the disk or a quota is full.
func IsDiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
