// Package core decides what a run does next. It is a state machine: an event
// goes in, effects come out, and whoever drives it performs the effects and
// feeds what comes of them back as events.
//
//	core      a run's layers, attempt by attempt; plan: what a layer is made from
//	straight  when workers need not be told each stage of it
//	alone     when one worker makes layers without the others
//	edges     when all moves are made once more, reversed, for goal distances
//	commit    when a layer is complete; conservation: whether all that was sent arrived
//	homes     where partitions are; placement: where they should be
//	ahead     what workers fetch while layers are made, before partitions move to them;
//	          lacking: what they restore meanwhile, once partitions have moved to them
//	backlog   when the bucket lags too far behind; ticks: when an attempt is made again
//	units     who does which unit of a sweep
//	roster    which workers are present, and which are given up
//	queue     which run is next; claim: what makes it this coordinator's
//	pace      when to report that a run makes no progress
//
// The driver supplies the time, in Ticks.
//
// Workers either share one store, or have disks of their own (Options.Placed). With
// disks of their own, each partition is kept by one worker, which has all its
// committed records; before a layer begins, the core decides which worker that is and
// has workers move partitions where necessary. Durable events tell it what can be
// restored from the bucket.
//
// The core performs no I/O, reads no clock and starts no goroutine, so tests can drive
// it step by step through every order of events. One goroutine owns it. It must never
// commit a layer unless every partition was reported in one and the same attempt, and
// never two layers at one depth. It must never forget a layer except by Rewind, which
// it requests only when the one worker that had records of it is lost, or nobody has
// records of it any more.
package core
