// Package faults holds tests that run the program as processes of its own and do
// to them what happens to processes: they are killed, interrupted, stopped and
// continued, their disk fills up, another one is at work in the same directory,
// and they may not write where they should.
//
// A run must end with the digest of an undisturbed one whatever was done to it on
// the way. What cannot go on must say so in one line on standard error, with the
// exit code that docs/CLI.md has for it, and without a stack trace.
//
// Faults at each single file operation are simulated in package local. Here
// nothing is simulated, so that the tests take minutes, and where a fault hits
// depends on the time: `make faults` runs them, and `go test ./...` only shows
// that they are there. They print what they did, and the seed of what is random:
//
//	EVERYSTATE_FAULTS=1 EVERYSTATE_SEED=1 go test -count=1 -v ./internal/test/faults -run TestKill
//
// A seed gives the same faults in the same order; how far a process has come when
// one hits it is up to the machine.
//
// The tests that fill a disk or are about file permissions need Linux, some need
// to be root, to mount a small file system. They say so where they cannot run.
package faults
