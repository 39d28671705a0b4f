// Package wire is what coordinator and worker share of the contract between them:
// which version of it this program speaks, whether it understands another, and how
// the words of package history are said in it. It must never decide anything.
package wire

import "fmt"

// Version counts up when a process of the version before would misunderstand what
// is said: a new meaning, not a new field that may be left out. Who says no version,
// or 0, is of a time before it was said, and speaks 1. Version 2 has the plan of a
// layer in orders, and the kind of a failure in reports.
const Version = 2

// Check returns an error if a process that says that it speaks a version is not
// understood here. Both are named, as is what to do: it is the line that somebody
// reads who has upgraded half of a cluster.
func Check(who string, says uint32) error {
	says = max(1, says)
	if says == Version {
		return nil
	}
	return fmt.Errorf("%s speaks version %d of the protocol and this program version %d: install the same version of everystate on all of the cluster", who, says, Version)
}
