// Package server is the coordinator's process: it serves workers and clients,
// drives the core of the run that is being worked on, and keeps each run's
// journal and, if there is a bucket, the run's log in it.
//
//	server    what a coordinator is made of, and its end
//	queue     which run is worked on; start: what has to be there before it is
//	job       what there is to do for a run: layers, or the units of sweepjob
//	drive     steps the core and performs its effects; report: what workers say to it
//	session   answers workers; lease: what follows when they come and go
//	waiting   who is waited for, for people
//	backup    how far a bucket is; keeplog: the goroutine that fills it
//	runs      what clients ask of runs; records: what they ask of states
//
// It decides nothing that package core decides: who is there, which run is next, when
// it is this coordinator's, what is done for it, when something is tried again and when
// it is given up. It must never ask what kind a run is of, but where a job is made.
//
// One run is worked on at a time; at a commit another one may come first. One mutex guards everything; whoever holds it steps the core and
// performs its effects, which are entries in the journal and orders for workers.
// A worker's call waits, without the mutex, until there is an order that it has
// not seen. No call to a bucket is made with the mutex held: each run has a
// goroutine for that, which waits without it.
//
// The log in the bucket is a copy that follows behind the journal. An entry that
// commits a layer is in it only when all blocks of the layer are in the bucket,
// which workers upload. Where the log has what the journal has not, the log is
// right: another coordinator has gone on with the run. One that finds the number
// of its next entry taken stops its work on the run.
//
// The coordinator never sees a state: what workers send one another and what
// they keep passes it by, but for the records that clients ask for, which it
// hands through.
package server
