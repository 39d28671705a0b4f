// Package clustertest holds the tests of what a cluster survives: workers that
// come, go and lose their disks in the middle of a run, coordinators that are
// started again, lose everything, or are two by accident, a bucket that fails,
// and clients that send rubbish, too much, too slowly or never finish. Whatever
// happens, a run ends with exactly the states that are known of its board, or
// stands still and says who is being waited for and why.
//
// A cluster is real coordinators and workers in this process, which talk gRPC
// over loopback. A gate in front of the coordinator keeps a run in its middle for as
// long as a test needs, and leases are long where nobody is to be lost: no test
// depends on how fast the machine is. A process that is killed here still closes its
// files; internal/test/chaos kills for real.
//
// `go test` takes a directory as the bucket; `make s3` runs the same suite with
// a real S3 server:
//
//	EVERYSTATE_S3=1 go test -count=1 ./internal/test/clustertest
package clustertest
