// Package conformance holds the test that a result does not depend on where it
// was computed: every board of testdata/truth/rush-hour.json, and the small ones of
// the other families, are explored in process and by clusters of 1, 2, 3 and 7
// workers, with mutual TLS and without, and all of them must agree on the digest, on
// every layer, on goals and on the hardest states, and with what is known of the
// board.
//
// A cluster is a coordinator and workers in this process, which talk gRPC over
// loopback. One serves all runs of a size and transport, which wait in its queue.
//
// `go test` takes a part of the boards, chosen by their names, so that every
// size and transport has a share, and a few of the other families, dealt out over
// them; `make thorough` takes all of them:
//
//	EVERYSTATE_THOROUGH=1 go test -count=1 -timeout 60m ./internal/test/conformance
package conformance
