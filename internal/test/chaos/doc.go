// Package chaos holds tests that run a coordinator and workers as processes of
// their own, and do to them what happens to machines while a run of at least ten
// million states is under way: they are killed, paused for longer than a lease,
// lose their disks, come and go, and the network between them is cut. There is a
// second coordinator at times, by accident.
//
// Every run must end with what an undisturbed one in one process finds, whatever
// was done to it on the way, and no run may fail, or stand still once everybody is
// back. Of two coordinators at one run at most one goes on; the other says so in
// one line.
//
// Nothing is simulated, so that the tests take minutes, and where a fault hits
// depends on the time: `make chaos` runs them, and `go test ./...` only shows that
// they are there.
//
//	EVERYSTATE_CHAOS=1 EVERYSTATE_CHAOS_SEED=1 EVERYSTATE_CHAOS_FAULTS=50 go test -count=1 -v -timeout 60m ./internal/test/chaos -run TestProcesses
//
// A seed gives the same draws in the same order; what they hit is up to the
// machine. A test that fails prints its seed, what it did and when, and the ends
// of all logs, and keeps its directory.
//
// The tests are for Linux. Those that cut a network need to be root and the
// program ip (iproute2), to make hosts that are network namespaces, joined by veth
// pairs and a bridge; they say so where they cannot run.
package chaos
