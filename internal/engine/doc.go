// Package engine runs Everystate on one machine: the coordinator's core and the
// workers in one process, with an exchange that passes slices, on one store in
// the run's directory.
//
// It is the driver of the core: it performs the core's effects and feeds the
// results back. The core decides and the workers do the work; neither belongs
// here. A Run belongs to one goroutine, except for Progress.
//
// A run may be kept in a bucket as well. A log there trails the journal: an entry
// that commits a layer goes in only after the layer's object. Goroutines that
// Explore and Checkpoint start and wait for write it. Only a session's first
// entry is in the log before the journal, so of two processes at most one gets
// the session.
//
// Stored is a run as a bucket has it. Rebuild makes a directory of it and trusts
// none of its input.
package engine
