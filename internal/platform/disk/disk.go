// Package disk asks the operating system how large a file system is and what is
// free on it, and measures how fast it is. Only Probe writes, a file that it removes;
// where the system cannot be asked it says so rather than guess.
package disk

import "errors"

// Space is that of a file system, in bytes.
type Space struct {
	Size uint64
	Free uint64 // for this user
}

// ErrUnknown says that this system cannot be asked.
var ErrUnknown = errors.New("this system does not report free disk space")
