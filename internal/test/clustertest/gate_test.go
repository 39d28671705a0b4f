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
// however fast or slow the machine is. While it is closed, the coordinator does not
// hear that a worker has written its partitions of a layer: the worker goes on
// calling, is there and has all but finished. pass lets one attempt through.
//
// It opens again by answering for the worker at once, so that nobody waits for the
// next call.
type gate struct {
	mu      sync.Mutex
	closed  bool
	passed  map[attempt]bool
	held    attempt       // the last one that was kept back, zero if there is none
	changed chan struct{} // closed when more may pass
}

type attempt struct {
	run   string
	epoch uint64
}

func newGate() *gate { return &gate{passed: make(map[attempt]bool), changed: make(chan struct{})} }

// set closes or opens the gate. What passed is forgotten, as epochs may be used again
// by a coordinator that has lost its data.
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

// pass lets the attempt through that is kept back, if there is one.
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

// keep returns what the coordinator is to hear in place of a report, and when that
// changes; nil if it may hear the report.
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

// intercept is in front of the coordinator.
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

// hold keeps every run at its first layers from now on. entries, layers and shares
// let layers through one by one, exact lets all through.
func (c *coordinator) hold() {
	c.t.Helper()
	c.gate.set(true)
}

// layers lets layer after layer through until a run is as it should be.
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
