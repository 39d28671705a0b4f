// Package server is the worker process: it asks the coordinator what to do, does it with
// the workers of package worker on a store of its own, exchanges candidates with the
// other worker processes, keeps the partitions assigned to it, and answers questions
// about the records that it keeps.
//
//	session   calls the coordinator, takes orders, tells what has been reached
//	engine    performs orders: opens runs, goes through the stages of attempts
//	alone     makes layers without other workers
//	receiver  takes the candidates that others send
//	holds     knows what is here of committed layers, and gets what is not: from
//	          the workers that keep it, or from the bucket; lacking: when some is enough
//	ahead     gets partitions in the background that are to be kept here soon
//	uploader  writes this worker's shares of committed layers into buckets, when package
//	          upload says so
//	records   serves what is stored
//
// The session and the engine are a goroutine each, and share a desk: the order in force
// on one side, what has been reached on the other. The session never waits for the
// engine, so the lease survives long stages; an order that voids the work under way
// cancels it. The uploader is a third goroutine, with one more for each object: it works
// while layers are made.
//
// A process has one data directory, which holds its persistent name: partitions written
// under that name are found by it again. What is here of a partition of a layer is
// whole, because it was written at once. Two things are deleted: what an uncommitted
// attempt has left, and runs that the coordinator says were deleted. Partitions that
// have moved away, or that were got ahead and did not move here, stay.
//
// It must never trust what arrives: orders are checked against what is known, and one
// that does not fit makes the process ask for everything again; blocks are checked
// record by record, so that no record reaches a puzzle that it could not have made
// itself.
package server
