// Package worker turns one layer of a breadth-first search into the next: it
// expands the states of its partitions, sends their successors to the owners of
// the partitions these fall in, and, when all have done so, sorts what it was
// sent, drops what repeats or was visited before, and writes the rest.
//
//	expand -> partition -> exchange -> deduplicate -> write
//
// A Worker is one pipeline on one goroutine: a process has as many as it should
// use cores. Only Deliver is called from other goroutines, and it blocks while
// what has arrived is being spilled, so that memory stays within its bounds.
//
// A worker decides nothing: what to expand, what to exclude and what counts as
// committed is told to it by an Attempt, which is the coordinator's core's plan in
// other words, on one machine and on many. What it writes depends on the states alone, never on
// the order of arrival, the number of workers or the memory it has: ties between
// moves that lead to one state go to the least move.
package worker
