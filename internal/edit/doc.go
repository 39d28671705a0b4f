// Package edit answers what somebody who changes a board wants to know after each
// change: how many states it has, whether it can be solved and in how many moves, and
// what the hardest start with the same pieces is. It also writes a board in the
// notations of its family.
//
// It explores in memory, within [Limits], and stops as soon as its context ends: the next
// change has come. A space that is too large gets the answer of a bounded search, which
// says that it is one. An answer is the same every time, unless a time limit has cut it
// short.
//
// The package must never write to a disk, nor know of runs, requests or pages.
package edit
