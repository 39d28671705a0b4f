// Package wire says which version of the messages between the processes of a cluster
// this program speaks, and whether it understands another. It must never look at a
// message itself.
package wire

import "fmt"

// Version counts up when a process of the version before would misunderstand what
// is said: a new meaning, not a new field that may be left out. Who says no version,
// or 0, is of a time before it was said, and speaks 1.
const Version = 1

// Check returns an error if a process that says that it speaks a version is not
// understood here. Both are named, as is what to do: it is the line that somebody
// reads who has upgraded half of a cluster.
func Check(who string, says uint32) error {
	if says == 0 || says == Version {
		return nil
	}
	return fmt.Errorf("%s speaks version %d of the protocol and this program version %d: install the same version of everystate on all of the cluster", who, says, Version)
}
