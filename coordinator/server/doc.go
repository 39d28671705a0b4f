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
// It must not decide anything that package core decides: which workers are present,
// which run is next, when it is this coordinator's, what is done for it, and when
// something is retried or given up. It must never ask what kind of run it has, except
// where a job is made.
//
// One run is worked on at a time; at a commit another one may come first. One mutex
// guards everything; its holder steps the core and performs the effects, which are
// entries in the journal and orders for workers. A worker's call waits, without the
// mutex, until there is an order that it has not seen. No call to a bucket is made with
// the mutex held: each run has a goroutine for that, which waits without it.
//
// The log in the bucket is a copy that follows the journal. It has an entry that commits
// a layer only once all blocks of the layer, which workers upload, are in the bucket.
// Where the log has entries that the journal lacks, the log is right: another
// coordinator has continued the run. A coordinator that finds the number of its next
// entry taken stops its work on the run.
//
// The coordinator never sees a state: what workers send one another and what they keep
// does not pass through it, except for records that clients ask for, which it passes on.
package server
