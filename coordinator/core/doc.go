// Package core decides what a run does next. It is a state machine: an event
// goes in, effects come out, and whoever drives it performs the effects and
// feeds what comes of them back as events.
//
// It performs no I/O, knows no clock and starts no goroutine, so that tests can
// drive it step by step through every order of events. It is owned by one
// goroutine. It must never commit a layer of which not every partition has been
// reported in one and the same attempt, and never two layers at one depth.
package core
