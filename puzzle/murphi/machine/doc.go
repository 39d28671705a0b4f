// Package machine compiles a model to closures and runs its rules on the values of its
// variables.
//
// A Program does not change once it is compiled, and a Machine belongs to one
// goroutine. The work of rules is counted in steps, which are limited per move and for
// all moves of a state. A rule is aborted if it exceeds them, reads a variable without
// a value, leaves a range, or breaks an assertion. The package must never allocate
// while rules run, nor keep anything between calls.
package machine
