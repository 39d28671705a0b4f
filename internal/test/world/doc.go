// Package world simulates what ships: coordinators, workers and their clients as they
// are, with their gRPC, their stores and the code that talks to buckets, in one
// process and in virtual time. A seed draws what goes wrong; whatever that is, a run
// ends with the layers of an undisturbed one, or says honestly why it does not, and
// no answer about a committed layer is ever taken back.
//
//	simulation   seeds, their number and the report
//	world        machines with disks and processes, and the person who operates them
//	fault        what goes wrong, and when
//	observer     asks all the time, and holds every answer against the truth
//	end          what must be true when everything is over
//	network      connections; disk: files; cloud: the bucket; dice: what is drawn
//	stream       candidates that come again
//
// Only four things are not those of a real cluster: the clock, which is that of
// testing/synctest; the network, in memory, which delays, stalls in one direction or
// both, breaks, and breaks for one side only; the disks, in memory, which fill up,
// lose what was not synced, come back empty, as they once were, or damaged; and the
// bucket, by store/bucket/cloudtest.
//
// When faults happen and which they are is a function of the seed. What the processes
// do in the same instant of virtual time is up to Go's scheduler, so that a seed
// replays the faults exactly, and what follows from them often: a failure
// prints its seed and a trace, and
//
//	go test ./internal/test/world -run Simulation -seed N -again 20
//
// runs it again until it fails.
//
// Package internal/test/plants has bugs that it has to find.
//
// The package must never hold a second coordinator or worker, nor an option that only
// a simulation would set differently from a program, but for the seams that lead to
// the four things above. It must never sleep in real time, and never touch a real
// file, socket or bucket.
package world
