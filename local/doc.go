// Package local runs Everystate on one machine: the coordinator's core and the
// workers in one process, over an exchange that hands slices over, on one store
// in the run's directory.
//
// It is the driver of the core: it performs the core's effects and feeds back
// what comes of them. Decisions are the core's, work is the workers'; neither
// belongs here. A Run belongs to one goroutine, except for Progress.
package local
