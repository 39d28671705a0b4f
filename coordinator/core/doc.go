// Package core decides what a run does next. It is a state machine: an event
// goes in, effects come out, and whoever drives it performs the effects and
// feeds what comes of them back as events.
//
//	core      a run's layers, attempt by attempt; plan: what a layer is made from
//	settle    where partitions are; placement: where they should be
//	backlog   when the bucket lags too far behind; ticks: when an attempt is made again
//	units     who does which unit of a sweep
//	roster    which workers are there, and who is given up
//	queue     which run is next; claim: what makes it this coordinator's
//	pace      when somebody is told that a run stands still
//
// Time is what a driver says it is, in Ticks, or passes between an effect and the
// event that answers it.
//
// Workers either share one store, or have disks of their own (Options.Placed).
// Then each partition has a home, which has all committed records of it; the core
// settles where before a layer is begun, and has workers move what has to be
// moved. What can be restored from outside of the workers it is told by Durable.
//
// It performs no I/O, knows no clock and starts no goroutine, so that tests can
// drive it step by step through every order of events. It is owned by one
// goroutine. It must never commit a layer of which not every partition has been
// reported in one and the same attempt, and never two layers at one depth. It
// must never forget a layer but by Rewind, which it asks for only when a worker
// is gone that alone had records of it.
package core
