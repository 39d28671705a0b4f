// Package engine runs Everystate on one machine: the coordinator's core and the
// workers in one process, over an exchange that hands slices over, on one store
// in the run's directory.
//
// It is the driver of the core: it performs the core's effects and feeds back
// what comes of them. Decisions are the core's, work is the workers'; neither
// belongs here. A Run belongs to one goroutine, except for Progress.
//
// A run may be kept in a bucket as well. A log there follows behind the journal:
// an entry that commits a layer is in it only when the layer's object is. It is
// written by goroutines that Explore and Checkpoint start and wait for. Only a
// session's first entry is in the log before it is in the journal, so that of two
// processes at most one has the session.
//
// What a bucket has of a run is read as a Stored, and made a directory by
// Rebuild, which trusts nothing that it is given.
package engine
