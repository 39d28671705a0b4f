// Package core decides what a run does next. It is a state machine: an event
// goes in, effects come out, and whoever drives it performs the effects and
// feeds what comes of them back as events.
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
