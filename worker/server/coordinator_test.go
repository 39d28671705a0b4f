package server

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"

	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/puzzle/digest"
)

const runName = "jam-93"

// fakeCoordinator serves sessions. Tests tell it what to order.
type fakeCoordinator struct {
	everystatev1.UnimplementedSessionServiceServer
	address string
	spec    *everystatev1.RunSpec

	mu      sync.Mutex // guards the fields below
	changed chan struct{}
	members map[string]*fakeMember
	layers  []*everystatev1.LayerRecord // committed
	epoch   uint64
}

type fakeMember struct {
	incarnation uint64
	address     string
	draining    bool
	order       uint64
	run         bool
	attempt     *everystatev1.AttemptOrder
	report      *everystatev1.RunReport
	taken       uint64
}

// newCoordinator serves on address, or anywhere if it is empty.
func newCoordinator(t *testing.T, spec *everystatev1.RunSpec, address string) *fakeCoordinator {
	t.Helper()
	if address == "" {
		address = "127.0.0.1:0"
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	f := &fakeCoordinator{
		address: listener.Addr().String(), spec: spec,
		changed: make(chan struct{}), members: make(map[string]*fakeMember), epoch: 1 << 20,
	}
	server := grpc.NewServer()
	everystatev1.RegisterSessionServiceServer(server, f)
	served := make(chan struct{})
	go func() {
		_ = server.Serve(listener)
		close(served)
	}()
	t.Cleanup(func() {
		server.Stop()
		<-served
	})
	return f
}

// touch wakes everybody who waits for a change. The mutex is held.
func (f *fakeCoordinator) touch() {
	close(f.changed)
	f.changed = make(chan struct{})
}

func (f *fakeCoordinator) Synchronize(ctx context.Context, req *everystatev1.SynchronizeRequest) (*everystatev1.SynchronizeResponse, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	m := f.members[req.GetWorker()]
	if m == nil || m.incarnation != req.GetIncarnation() {
		order := uint64(1)
		if m != nil {
			order = m.order + 1
		}
		m = &fakeMember{incarnation: req.GetIncarnation(), order: order}
		f.members[req.GetWorker()] = m
	}
	// A call that was given up may arrive behind the one that followed it.
	if old, now := m.report, req.GetReport(); req.GetOrder() > m.taken || old == nil ||
		req.GetOrder() == m.taken && (now.GetStage() >= old.GetStage() || now.GetRun() != old.GetRun()) {
		m.address, m.draining, m.report, m.taken = req.GetAddress(), req.GetDraining(), now, req.GetOrder()
	}
	f.touch()
	timeout := time.NewTimer(time.Second)
	defer timeout.Stop()
	for {
		res := f.answer(m)
		if m.order != req.GetOrder() || len(res.GetRun().GetLayers()) > 0 {
			return res, nil
		}
		changed := f.changed
		f.mu.Unlock()
		late := false
		select {
		case <-changed:
		case <-timeout.C:
			late = true
		case <-ctx.Done():
			late = true
		}
		f.mu.Lock()
		if late {
			return f.answer(m), ctx.Err()
		}
	}
}

func (f *fakeCoordinator) answer(m *fakeMember) *everystatev1.SynchronizeResponse {
	res := &everystatev1.SynchronizeResponse{Order: m.order, LeaseMillis: 3000, WireVersion: wire.Version, Released: m.draining && m.attempt == nil}
	if !m.run {
		return res
	}
	known := 0
	if m.report.GetRun() == runName {
		known = int(m.report.GetForwardLayers() + m.report.GetGoalLayers())
	}
	res.Run = &everystatev1.RunOrder{Run: runName, RunIdentity: identity}
	if known == 0 {
		res.Run.Spec = f.spec
	}
	// A few at a time, so that more than one answer is needed.
	res.Run.Layers = f.layers[known:min(len(f.layers), known+7)]
	if known+len(res.Run.Layers) == len(f.layers) {
		res.Run.Attempt = m.attempt
	}
	return res
}

// wait waits until cond holds, which is called with the mutex held.
func (f *fakeCoordinator) wait(t *testing.T, what string, cond func() bool) {
	t.Helper()
	timeout := time.NewTimer(60 * time.Second)
	defer timeout.Stop()
	f.mu.Lock()
	for !cond() {
		changed := f.changed
		f.mu.Unlock()
		select {
		case <-changed:
		case <-timeout.C:
			t.Fatalf("waited in vain until %s", what)
		}
		f.mu.Lock()
	}
	f.mu.Unlock()
}

// names returns the workers, when there are n.
func (f *fakeCoordinator) names(t *testing.T, n int) []string {
	t.Helper()
	var names []string
	f.wait(t, fmt.Sprintf("%d workers are there", n), func() bool {
		names = names[:0]
		for name := range f.members {
			names = append(names, name)
		}
		return len(names) == n
	})
	slices.Sort(names)
	return names
}

// order begins an attempt at the next layer of a phase: partitions go to the
// workers in turns. It returns the epoch.
func (f *fakeCoordinator) order(phase everystatev1.Phase, names []string, address func(name string) string) uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.epoch++
	depth := uint32(0)
	for _, l := range f.layers {
		if l.GetPhase() == phase {
			depth++
		}
	}
	var owners []*everystatev1.Owner
	for i, name := range names {
		o := &everystatev1.Owner{Worker: name, Address: f.members[name].address}
		if address != nil {
			o.Address = address(name)
		}
		for p := i; p < int(f.spec.GetPartitions()); p += len(names) {
			o.Partitions = append(o.Partitions, uint32(p))
		}
		owners = append(owners, o)
	}
	for _, name := range names {
		m := f.members[name]
		m.run, m.order = true, m.order+1
		m.attempt = &everystatev1.AttemptOrder{
			Epoch: f.epoch, Phase: phase, Depth: depth, Stage: everystatev1.Stage_STAGE_BEGUN, Owners: owners, Plan: f.plan(phase, depth),
		}
	}
	f.touch()
	return f.epoch
}

// identity tells the run from others.
var identity = bytes.Repeat([]byte{1}, 16)

// plan says how the next layer of a reversible puzzle is made.
func (f *fakeCoordinator) plan(phase everystatev1.Phase, depth uint32) *everystatev1.Plan {
	p := &everystatev1.Plan{CountGoals: phase == everystatev1.Phase_PHASE_FORWARD}
	switch {
	case depth > 0:
		p.Source = everystatev1.CandidateSource_CANDIDATE_SOURCE_SUCCESSORS
		p.Expand = []*everystatev1.LayerSpan{{Phase: phase, First: depth - 1, End: depth}}
		p.Exclude = []*everystatev1.LayerSpan{{Phase: phase, First: max(2, depth) - 2, End: depth}}
	case phase == everystatev1.Phase_PHASE_GOAL:
		p.Source = everystatev1.CandidateSource_CANDIDATE_SOURCE_GOALS
		for _, l := range f.layers {
			if l.GetGoalStates() > 0 {
				p.Expand = append(p.Expand, &everystatev1.LayerSpan{Phase: l.GetPhase(), First: l.GetDepth(), End: l.GetDepth() + 1})
			}
		}
	default:
		p.Source = everystatev1.CandidateSource_CANDIDATE_SOURCE_STARTS
	}
	return p
}

// raise orders the next stage.
func (f *fakeCoordinator) raise(names []string, stage everystatev1.Stage) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, name := range names {
		m := f.members[name]
		m.order++
		m.attempt = &everystatev1.AttemptOrder{
			Epoch: m.attempt.GetEpoch(), Phase: m.attempt.GetPhase(), Depth: m.attempt.GetDepth(),
			Stage: stage, Owners: m.attempt.GetOwners(), Plan: m.attempt.GetPlan(),
		}
	}
	f.touch()
}

// reach waits until all workers have reached a stage, or one has failed, and
// returns the failure.
func (f *fakeCoordinator) reach(t *testing.T, names []string, epoch uint64, stage everystatev1.Stage) string {
	t.Helper()
	failure := ""
	f.wait(t, fmt.Sprintf("%v of epoch %d", stage, epoch), func() bool {
		n := 0
		for _, name := range names {
			r := f.members[name].report
			if r.GetEpoch() != epoch {
				continue
			}
			if r.GetFailure() != "" {
				failure = r.GetFailureKind().String() + ": " + r.GetFailure()
				return true
			}
			if r.GetStage() >= stage {
				n++
			}
		}
		return n == len(names)
	})
	return failure
}

// stages takes an attempt that was ordered through its stages, the last included.
func (f *fakeCoordinator) stages(t *testing.T, names []string, epoch uint64, last everystatev1.Stage) {
	t.Helper()
	for stage := everystatev1.Stage_STAGE_BEGUN; stage <= last; stage++ {
		if stage > everystatev1.Stage_STAGE_BEGUN {
			f.raise(names, stage)
		}
		if failure := f.reach(t, names, epoch, stage); failure != "" {
			t.Fatalf("epoch %d failed: %s", epoch, failure)
		}
	}
}

// layer makes and commits the next layer, and reports whether there is one.
func (f *fakeCoordinator) layer(t *testing.T, phase everystatev1.Phase, names []string) bool {
	t.Helper()
	epoch := f.order(phase, names, nil)
	f.stages(t, names, epoch, everystatev1.Stage_STAGE_WRITTEN)
	f.mu.Lock()
	defer f.mu.Unlock()
	r := &everystatev1.LayerRecord{
		Phase: phase, Depth: f.members[names[0]].attempt.GetDepth(), Epoch: epoch,
		PartitionStates: make([]uint64, f.spec.GetPartitions()),
	}
	var sum digest.Digest
	for _, name := range names {
		report := f.members[name].report
		r.Generated += report.GetGenerated()
		last := -1
		for _, p := range report.GetPartitions() {
			if int(p.GetPartition()) <= last {
				t.Errorf("partition %d after %d", p.GetPartition(), last)
			}
			last = int(p.GetPartition())
			d, err := digest.FromBytes(p.GetDigest())
			if err != nil {
				t.Fatal(err)
			}
			sum.Add(d)
			r.States += p.GetStates()
			r.GoalStates += p.GetGoalStates()
			r.PartitionStates[p.GetPartition()] += p.GetStates()
		}
	}
	r.Digest = sum.Bytes()
	if r.GetStates() == 0 {
		return false
	}
	f.layers = append(f.layers, r)
	for _, name := range names {
		f.members[name].attempt = nil
	}
	return true
}

// phase makes all layers of a phase.
func (f *fakeCoordinator) phase(t *testing.T, phase everystatev1.Phase, names []string) {
	t.Helper()
	for f.layer(t, phase, names) {
	}
}

// addressOf returns where a worker is reached.
func (f *fakeCoordinator) addressOf(name string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.members[name].address
}

// committed returns the layers made so far.
func (f *fakeCoordinator) committed() []*everystatev1.LayerRecord {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.layers)
}

// summary is what is compared with the truth.
func (f *fakeCoordinator) summary() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var b strings.Builder
	for _, l := range f.layers {
		fmt.Fprintf(&b, "%d %d: %d states, %d goals, %x\n", l.GetPhase(), l.GetDepth(), l.GetStates(), l.GetGoalStates(), l.GetDigest())
	}
	return b.String()
}
