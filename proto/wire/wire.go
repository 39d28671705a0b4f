// Package wire is what coordinator and worker share of the protocol between them:
// which version this program speaks, whether it understands another, and how the
// types of package history are encoded. It must never decide anything.
package wire

import "fmt"

// Version increases when a process of the previous version would misunderstand a
// message: for a new meaning, not for a new optional field. A process that sends no
// version, or 0, predates versions and speaks 1. Version 2 added the plan of a layer
// to orders, and the kind of a failure to reports; version 3 plans that read or make
// reversed moves; version 4 streams of candidates that are kept from one attempt to the
// next.
const Version = 4

// Check returns an error if this program does not understand the version that
// another process speaks. The error names both versions and what to do, for somebody
// who has upgraded half of a cluster.
func Check(who string, says uint32) error {
	says = max(1, says)
	if says == Version {
		return nil
	}
	return fmt.Errorf("%s speaks version %d of the protocol and this program version %d: install the same version of everystate on all of the cluster", who, says, Version)
}
