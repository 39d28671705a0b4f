// Package worker turns one layer of a breadth-first search into the next: it expands the
// states of its partitions, sends each successor to the owner of its partition and, when
// all workers have done so, sorts what it has received, drops duplicates and visited
// states, and writes the rest.
//
//	expand -> partition -> exchange -> deduplicate -> write
//
// A Worker is one pipeline on one goroutine: a process has one per core that it should
// use. Only Deliver is called from other goroutines, and it blocks while candidates are
// being spilled, so that memory stays bounded.
//
// A worker must never decide what to expand, what to exclude or what counts as committed:
// an Attempt, the plan of the coordinator's core in the worker's terms, tells it so on
// one machine as on many. What it writes depends on the states alone, never on the order
// of arrival, the number of workers or its memory: of several moves that lead to one
// state, the least wins.
package worker
