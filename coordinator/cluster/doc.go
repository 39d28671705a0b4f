// Package cluster is the coordinator's process: it serves workers and clients,
// drives the core of the run that is being worked on, and keeps each run's
// journal.
//
// Runs are worked on one after the other, in the order in which they were
// submitted. One mutex guards everything; whoever holds it steps the core and
// performs its effects, which are entries in the journal and orders for workers.
// A worker's call waits, without the mutex, until there is an order that it has
// not seen.
//
// The coordinator never sees a state: what workers send one another and what
// they keep passes it by, but for the records that clients ask for, which it
// hands through.
package cluster
