// Package disk asks the operating system for the size and free space of a file
// system, and measures its speed. Only Probe writes, to a file that it removes. If
// the system cannot be asked, the package must say so, never guess.
package disk

import "errors"

// Space is the space of a file system, in bytes.
type Space struct {
	Size uint64
	Free uint64 // for this user
}

// ErrUnknown reports that this system cannot be asked.
var ErrUnknown = errors.New("this system does not report free disk space")
