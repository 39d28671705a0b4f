package clustertest

import (
	"context"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/everystate/everystate/coordinator/client"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

// gate keeps the runs of a coordinator in the middle for as long as a test likes,
// however fast or slow the machine is. While it is closed, the coordinator does not hear
// that a worker has written its partitions of a layer: the worker keeps calling, is
// present and has all but finished. pass lets one attempt through.
//
// When it opens, it answers for the worker at once, so nobody waits for the next call.
type gate struct {
	mu      sync.Mutex
	closed  bool
	passed  map[attempt]bool
	held    attempt       // the last one kept back, zero if there is none
	changed chan struct{} // closed when more may pass
}

type attempt struct {
	run   string
	epoch uint64
}

func newGate() *gate { return &gate{passed: make(map[attempt]bool), changed: make(chan struct{})} }

// set closes or opens the gate. It forgets what has passed, as a coordinator that has
// lost its data may use epochs again.
func (g *gate) set(closed bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed, g.held = closed, attempt{}
	clear(g.passed)
	g.wake()
}

func (g *gate) wake() {
	close(g.changed)
	g.changed = make(chan struct{})
}

// pass lets the attempt that is kept back through, if there is one.
func (g *gate) pass() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.held == (attempt{}) {
		return
	}
	g.passed[g.held] = true
	g.held = attempt{}
	g.wake()
}

// keep returns the report to give the coordinator instead, and a channel closed when
// that changes; nil if the report may pass.
func (g *gate) keep(req *everystatev1.SynchronizeRequest) (*everystatev1.SynchronizeRequest, <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	r := req.GetReport()
	at := attempt{r.GetRun(), r.GetEpoch()}
	if !g.closed || g.passed[at] || r.GetStage() != everystatev1.Stage_STAGE_WRITTEN || r.GetFailure() != "" {
		return nil, nil
	}
	g.held = at
	before := proto.CloneOf(req)
	before.Report.Stage = everystatev1.Stage_STAGE_EXPANDED
	before.Report.Partitions, before.Report.StoredBytes, before.Report.Took = nil, 0, nil
	return before, g.changed
}

// intercept is an interceptor of the coordinator's calls.
func (g *gate) intercept(ctx context.Context, req any, _ *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	r, ok := req.(*everystatev1.SynchronizeRequest)
	for ok {
		before, changed := g.keep(r)
		if before == nil {
			break
		}
		waits, cancel := context.WithCancel(ctx)
		over := make(chan struct{})
		go func() {
			defer close(over)
			select {
			case <-changed:
				cancel()
			case <-waits.Done():
			}
		}()
		res, err := handler(waits, before)
		cancelled := waits.Err() != nil && ctx.Err() == nil
		cancel()
		<-over
		if err == nil || !cancelled {
			return res, err
		}
	}
	return handler(ctx, req)
}

// hold keeps every run at its first layers from now on. entries, layers and shares let
// layers through one by one; exact lets all through.
func (c *coordinator) hold() {
	c.t.Helper()
	c.gate.set(true)
}

// layers lets one layer after the other through until is returns true.
func (c *coordinator) layers(run, what string, is func(s client.Status, workers map[string]client.Worker) bool) {
	c.t.Helper()
	c.untilRun(run, what, func(s client.Status, workers map[string]client.Worker) bool {
		if is(s, workers) {
			return true
		}
		if s.State.Over() {
			c.t.Fatalf("the run is %v, with %d entries, before it %s: %s %+v", s.State, s.Entries, what, s.Failure, workers)
		}
		c.gate.pass()
		return false
	})
}
