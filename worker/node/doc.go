// Package node is the worker process: it asks the coordinator what to do, does
// it with the workers of package worker on a store of its own, exchanges
// candidates with the other worker processes, and answers questions about the
// records that it keeps.
//
//	session   calls the coordinator, takes orders, tells what has been reached
//	engine    performs orders: opens runs, goes through the stages of attempts
//	outbound  carries candidates to the owners of their partitions
//	receiver  takes the candidates that others send
//	records   serves what is stored
//
// The session and the engine are a goroutine each, and share a desk: the order
// in force on the one side, what has been reached on the other. The session
// never waits for the engine, so that the lease lives through long stages; an
// order that voids the work under way cancels it.
//
// A process has one data directory, and in it a lasting name: partitions that
// were written under the name are found again by it. Nothing is deleted but what
// an attempt that was not committed has left.
//
// Nothing that arrives is believed: orders are checked against what is known,
// and what does not fit makes the process ask for everything again; blocks are
// checked record by record, so that no record reaches a puzzle that it could not
// have made itself.
package node
