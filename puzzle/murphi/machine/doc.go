// Package machine compiles a model to closures and runs its rules on the values of
// its variables.
//
// A Program does not change once it is compiled, and a Machine belongs to one
// goroutine. What a rule may do is counted in steps, of which a move and the moves of
// one state have so many: a rule that goes on without end is broken off, and so is
// one that reads a variable without a value, leaves a range, or breaks an assertion.
// It must never allocate while rules run, nor keep anything between calls.
package machine
