package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/table/stored"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/store/bucket"
	"github.com/everystate/everystate/worker"
	"github.com/everystate/everystate/worker/ahead"
	"github.com/everystate/everystate/worker/door"
	"github.com/everystate/everystate/worker/exchange"
	"github.com/everystate/everystate/worker/keptrun"
)

// engine performs orders, one goroutine at a time.
type engine struct {
	desk    *desk
	stores  *stores
	peers   *exchange.Peers
	buckets *bucket.Pool
	stats   *Stats
	meter   *meter
	door    *door.Door
	log     *slog.Logger

	lanesMax    int
	memoryBytes int64

	gatherStates int64 // of layers that a run no longer needs, until they are removed

	// receiver takes what other workers send for the attempt under way.
	receiver exchange.Current[receiver]
	// broken is set when a store has met an error that it cannot survive.
	broken atomic.Bool

	kept      *keptRun         // the run being worked on
	openedFor history.Identity // the identity given when it was opened
	chunks    *worker.Chunks
	lanes     []*lane
	clean     bool // what earlier attempts left has been deleted
	holds     *holds
	removed   map[string]dropped // what has been removed of runs

	early      *ahead.Work // what is fetched in the background, nil if there is nothing
	earlyHolds *holds      // for that
	wait       func(failures int) time.Duration

	work      *attempt          // the attempt begun
	run       *assigned         // the run as of that time
	targets   []store.SegmentID // of the last attempt: several if this worker has made layers alone
	active    []*lane           // lanes that have partitions of the attempt
	workCtx   func() context.Context
	stop      context.CancelFunc
	lastEpoch uint32 // of the last attempt of the run that was begun
	endErr    error  // from the end of the last attempt
}

// lane is a worker with its outbound candidates.
type lane struct {
	worker *worker.Worker
	out    *exchange.Outbound
	parts  []partition.ID // in the attempt under way
}

// loop performs orders until ctx ends.
func (e *engine) loop(ctx context.Context) {
	for {
		e.follow(ctx, e.desk.wanted())
		if e.broken.Load() {
			// A lane may be parked in the store for good, with all that it holds.
			return
		}
		select {
		case <-ctx.Done():
			e.leave()
			return
		case <-e.desk.ordered:
		}
	}
}

// follow does what the order says. It returns when that is reached, or when another
// order is in force.
func (e *engine) follow(ctx context.Context, w want) {
	if e.work != nil && e.work != w.attempt {
		e.end()
	}
	if e.kept != nil && (w.run == nil || w.run.name != e.kept.Name || !keptrun.Same(w.run.spec, e.kept.Spec) || w.run.id != e.openedFor || e.kept.damaged.Load()) {
		e.leave()
	}
	if err := e.fetchAhead(ctx, w); err != nil {
		e.log.Warn("cannot fetch partitions ahead of their move", "run", w.run.name, "error", err)
		e.desk.gotAhead(ahead.Got{Number: w.early.number, Forward: len(w.run.layers[forward]), Goal: len(w.run.layers[goal])})
	}
	if w.attempt == nil {
		e.tidy(w.dropped)
		return
	}
	if e.work == nil {
		if !e.desk.workable(w.attempt) {
			return
		}
		if err := e.begin(ctx, w); err != nil {
			e.fail(w.attempt, e.kept, err)
			return
		}
	}
	for e.work != nil && ctx.Err() == nil && e.desk.workable(e.work) {
		more, err := e.step()
		if err != nil && ctx.Err() == nil {
			e.fail(e.work, e.kept, err)
		}
		if err != nil || !more {
			return
		}
	}
}

// fail reports why an attempt failed, unless the attempt was cancelled. It is safe for
// concurrent use.
func (e *engine) fail(at *attempt, kept *keptRun, err error) {
	if !e.desk.workable(at) {
		return
	}
	if kept != nil && kept.Store.Err() != nil {
		err = kept.Store.Err()
	}
	e.stats.Failures.Add(1)
	log := e.log.With("run", nameOf(kept), "layer", at.target.Layer)
	if in := new(worker.PartitionError); errors.As(err, &in) {
		log = log.With("partition", in.Partition)
	}
	log.Warn("an attempt failed", "attempt", at.target.String(), "error", err)
	if kept != nil {
		e.stores.noteDamage(kept.Name, err)
	}
	e.desk.fail(at, failureOf(err))
	if kept != nil && kept.Store.Err() != nil {
		e.stats.broken.Store(true)
		e.broken.Store(true) // after the report to the coordinator is ready
	}
}

func nameOf(kept *keptRun) string {
	if kept == nil {
		return ""
	}
	return kept.Name
}

// failureOf returns what to report about a failure.
func failureOf(err error) failure {
	f := failure{text: cut(err.Error())}
	var lost *exchange.Error
	room := new(stored.MemoryError) // another worker may have it
	if errors.As(err, &lost) || errors.Is(err, worker.ErrStale) || store.IsCorruption(err) || errors.As(err, &room) {
		f.kind = everystatev1.FailureKind_FAILURE_KIND_INTERRUPTED
	}
	if errors.Is(err, worker.ErrNoEdges) {
		f.kind = everystatev1.FailureKind_FAILURE_KIND_EDGES_MISSING
	}
	if lacks := new(lackError); errors.As(err, &lacks) {
		f.kind, f.lacking = everystatev1.FailureKind_FAILURE_KIND_LACKING, lacks.layer.Segment
	}
	if lost != nil {
		f.unreached = lost.Peer
	}
	if behind := new(keptrun.BehindError); errors.As(err, &behind) {
		f.known = behind.Known
	}
	return f
}

// open opens the run and makes its lanes, unless that has been done.
func (e *engine) open(run *assigned) error {
	if e.kept != nil {
		return nil
	}
	kept, err := e.stores.take(run.name, run.spec)
	if err != nil {
		return err
	}
	if kept.One != nil {
		e.openTable(run, kept)
		return nil
	}
	partitions := kept.Scheme.Partitions()
	n := min(e.lanesMax, partitions)
	b := worker.Divide(e.memoryBytes, n, partitions)
	e.kept, e.openedFor = kept, run.id
	e.clean, e.lastEpoch, e.endErr = false, e.stores.lastEpoch(run.name), nil
	e.holds = newHolds(kept, e.peers, e.buckets, e.desk.self)
	e.chunks = worker.NewChunks(b.ChunkBytes, kept.Scheme.Stride())
	for range n {
		out := exchange.NewOutbound(e.chunks, e.peers, &e.stats.Counts)
		l := &lane{out: out, worker: worker.New(worker.Options{
			Puzzle:     kept.Puzzle,
			Scheme:     kept.Scheme,
			Store:      kept.Store,
			Exchange:   out,
			Chunks:     e.chunks,
			InboxBytes: b.InboxBytes,
			CacheBytes: b.LayerBytes,
		})}
		e.lanes = append(e.lanes, l)
		e.stats.work.Enter(run.name, &l.worker.Progress)
	}
	return nil
}

// leave ends what is under way and releases the run.
func (e *engine) leave() {
	if e.work != nil {
		e.end()
	}
	if e.kept == nil {
		return
	}
	e.stopAhead()
	for _, l := range e.lanes {
		l.out.Close()
	}
	if e.kept.One != nil {
		if err := e.kept.One.Rest(); err != nil {
			e.log.Warn("a table was not stored as far as it was made", "run", e.kept.Name, "error", err)
		}
	}
	if e.kept.Store.Err() == nil {
		for _, l := range e.lanes {
			if err := l.worker.Close(); err != nil {
				e.log.Warn("cannot remove spilled data of a run", "run", e.kept.Name, "error", err)
			}
		}
	}
	if err := e.stores.give(e.kept); err != nil {
		e.log.Warn("a run was not closed cleanly", "run", e.kept.Name, "error", err)
	}
	e.stats.work.Leave()
	e.kept, e.lanes, e.chunks, e.holds = nil, nil, nil, nil
}

// begin prepares an attempt. Candidates are accepted from then on.
func (e *engine) begin(ctx context.Context, w want) error {
	if err := e.open(w.run); err != nil {
		return err
	}
	if e.endErr != nil {
		return e.endErr
	}
	at := w.attempt
	if _, can := e.kept.Puzzle.(puzzle.Backward); at.plan.Source == worker.FromPredecessors && at.plan.Edges == 0 && !can {
		return errors.New("the order needs predecessors, which this puzzle cannot compute")
	}
	if at.target.Epoch <= e.lastEpoch {
		// What had arrived for it has been discarded.
		err := fmt.Errorf("epoch %d was abandoned, or is behind %d", at.target.Epoch, e.lastEpoch)
		return &keptrun.BehindError{Known: e.lastEpoch, Err: &exchange.Error{Err: err}}
	}
	if err := e.kept.Enter(at.target.Epoch, w.run.id); err != nil {
		return err
	}
	e.stores.begun(w.run.name, at.target.Epoch)
	if err := e.dropVoid(w.run); err != nil {
		return err
	}
	workCtx, cancel := context.WithCancel(ctx)
	if at.moves() {
		return e.beginMove(workCtx, cancel, w)
	}
	if e.kept.One != nil {
		return e.beginTable(workCtx, cancel, w)
	}
	if !e.desk.begin(at, cancel, nil) { // what follows may take long
		cancel()
		return nil
	}
	err := e.check(workCtx, w.run, at)
	if err == nil {
		err = e.removeOwn(w.run, w.dropped[w.run.name], at)
	}
	if err != nil {
		cancel()
		return err
	}
	e.divide(at)
	var progress []*worker.Progress
	for _, l := range e.active {
		progress = append(progress, &l.worker.Progress)
	}
	if !e.desk.begin(at, cancel, progress) {
		cancel()
		return nil
	}
	e.work, e.run, e.lastEpoch, e.stop = at, w.run, at.target.Epoch, cancel
	e.targets = append(e.targets[:0], at.target)
	e.workCtx = func() context.Context { return workCtx }
	e.stats.Attempts.Add(1)
	e.stats.work.At(int(at.target.Layer), len(at.own))
	e.start(at)
	return nil
}

// lanesBegin has the lanes begin an attempt at a layer.
func (e *engine) lanesBegin(at *attempt) (local []*worker.Worker, form worker.Form) {
	local = make([]*worker.Worker, len(at.owner))
	for _, l := range e.active {
		p := at.plan
		p.Parts, p.Found = l.parts, e.kept.Table.Lister(e.run.layers[forward])
		l.worker.Begin(p)
		for _, part := range l.parts {
			local[part] = l.worker
		}
	}
	form = worker.FormOf(e.kept.Scheme, at.plan.Source)
	at.roll.Lanes(len(e.active))
	for _, l := range e.active {
		l.out.Begin(exchange.Attempt{
			Run: e.kept.Name, Identity: at.run, Target: at.target, Form: form,
			Self: at.self, Names: at.names, Address: at.address, Owner: at.owner, Local: local, Roll: at.roll,
		})
	}
	return local, form
}

// start has the lanes begin an attempt at a layer, and accepts candidates.
func (e *engine) start(at *attempt) {
	local, form := e.lanesBegin(at)
	e.peers.Keep(at.address)
	kept := e.kept
	e.receiver.Set(&receiver{
		run: kept, at: at, form: form, local: local, chunks: e.chunks, stats: e.stats,
		fail: func(err error) { e.fail(at, kept, err) },
	})
	e.desk.achieve(at, func(r *reached) { r.stage = everystatev1.Stage_STAGE_BEGUN })
}

// beginMove prepares an attempt to move partitions to this worker.
func (e *engine) beginMove(ctx context.Context, cancel context.CancelFunc, w want) error {
	e.stopAhead()
	at := w.attempt
	run, err := w.run.with(at.uncommitted)
	if err != nil {
		cancel()
		return err
	}
	e.desk.fetched.Store(0)
	if !e.desk.begin(at, cancel, nil) {
		cancel()
		return nil
	}
	e.work, e.run, e.lastEpoch, e.stop, e.active = at, run, at.target.Epoch, cancel, nil
	e.targets = append(e.targets[:0], at.target)
	e.workCtx = func() context.Context { return ctx }
	e.stats.Attempts.Add(1)
	e.stats.work.At(int(at.target.Layer), len(at.own))
	return nil
}

// dropVoid deletes what uncommitted attempts have left: after opening the store, and
// when the previous attempt was not committed. An attempt under way is not void.
func (e *engine) dropVoid(run *assigned) error {
	void := slices.DeleteFunc(slices.Clone(e.targets), run.committed)
	if e.work != nil || e.clean && len(void) == 0 {
		return nil
	}
	for _, phase := range []uint8{forward, goal} {
		if err := e.kept.Store.DropFrom(phase, uint32(len(run.layers[phase]))); err != nil {
			return err
		}
	}
	if e.clean {
		for _, l := range e.lanes {
			for _, id := range void {
				l.worker.Forget(id)
			}
		}
	}
	e.clean = true
	return nil
}

// divide gives each lane adjacent partitions of this worker.
func (e *engine) divide(at *attempt) {
	e.active = e.lanes[:min(len(e.lanes), len(at.own))]
	n := len(e.active)
	for i, l := range e.active {
		l.parts = at.own[i*len(at.own)/n : (i+1)*len(at.own)/n]
	}
}

// end discards what is left of the attempt under way, committed or not.
func (e *engine) end() {
	e.stop()
	e.receiver.Set(nil)
	var errs []error
	for _, l := range e.active {
		errs = append(errs, l.worker.End())
	}
	e.endErr = errors.Join(errs...)
	e.work, e.stop, e.workCtx, e.active = nil, nil, nil, nil
}

// step advances by one stage, and reports whether there may be more to do.
func (e *engine) step() (more bool, err error) {
	at := e.work
	stage, to := e.desk.stages(at)
	if to <= stage {
		return false, nil
	}
	began := time.Now()
	if at.moves() {
		if err := e.holdAll(at); err != nil {
			return false, err
		}
		e.meter.stage(everystatev1.Stage_STAGE_HELD, at, e.run.name, began)
		e.stats.Fetched.Add(e.desk.fetched.Load())
		e.desk.achieve(at, func(r *reached) { r.stage = everystatev1.Stage_STAGE_HELD })
		return false, nil
	}
	if e.kept.One != nil {
		return false, e.makeTable(at)
	}
	if at.alone != nil {
		return false, e.makeAlone(at)
	}
	switch stage {
	case everystatev1.Stage_STAGE_BEGUN:
		generated, err := e.expand()
		if err != nil {
			return false, err
		}
		e.meter.stage(everystatev1.Stage_STAGE_EXPANDED, at, e.kept.Name, began)
		var all []worker.Tally
		for _, l := range e.active {
			all = worker.JoinAll(all, l.out.Sent())
		}
		sent := exchange.Tallies(all)
		e.desk.achieve(at, func(r *reached) { r.stage, r.generated, r.sent = everystatev1.Stage_STAGE_EXPANDED, generated, sent })
		return true, nil
	case everystatev1.Stage_STAGE_EXPANDED:
		if err := at.roll.Wait(e.workCtx()); err != nil {
			return false, err
		}
		began = time.Now()
		parts, took, bytes, err := e.write()
		if err == nil {
			err = e.kept.Store.Sync()
		}
		if err != nil {
			return false, err
		}
		e.meter.stage(everystatev1.Stage_STAGE_WRITTEN, at, e.kept.Name, began)
		e.desk.achieve(at, func(r *reached) {
			r.stage, r.partitions, r.took, r.bytes = everystatev1.Stage_STAGE_WRITTEN, parts, took, bytes
		})
		return true, nil
	default:
		return false, nil
	}
}

// expand lets all lanes expand their shares. When it returns, everything they sent has
// arrived.
func (e *engine) expand() (generated int64, err error) {
	counts := make([]int64, len(e.active))
	err = e.together(func(ctx context.Context, i int, l *lane) (err error) {
		l.out.Open(ctx)
		counts[i], err = l.worker.Expand(ctx)
		if err != nil {
			return err
		}
		return l.out.Finish()
	})
	for _, n := range counts {
		generated += n
	}
	return generated, err
}

// write lets all lanes write their partitions.
func (e *engine) write() (parts []*everystatev1.PartitionReport, took []*everystatev1.CandidateTally, bytes int64, err error) {
	results := make([]worker.Result, len(e.active))
	err = e.together(func(ctx context.Context, i int, l *lane) (err error) {
		results[i], err = l.worker.Write(ctx)
		return err
	})
	if err != nil {
		return nil, nil, 0, err
	}
	var all []worker.Tally
	sampleLeft := history.SampleMax // the partitions of a lane follow those of the one before
	for _, r := range results {
		all = worker.JoinAll(all, r.Took)
		bytes += r.Bytes
		for _, p := range r.Parts {
			sample := p.Sample[:min(len(p.Sample), sampleLeft)]
			sampleLeft -= len(sample)
			parts = append(parts, &everystatev1.PartitionReport{
				Partition: uint32(p.Part), States: uint64(p.States), GoalStates: uint64(p.Goals), Digest: p.Digest.Bytes(),
				RepresentedStates: uint64(p.Represented), PrunedMoves: uint64(p.Pruned), Sample: wire.Sample(sample),
			})
		}
	}
	return parts, exchange.Tallies(all), bytes, nil
}

// together runs f for every active lane at the same time, and returns the first error:
// those that follow are its consequences.
func (e *engine) together(f func(ctx context.Context, i int, l *lane) error) error {
	ctx, cancel := context.WithCancelCause(e.workCtx())
	defer cancel(nil)
	var wait sync.WaitGroup
	for i, l := range e.active {
		wait.Go(func() {
			if err := f(ctx, i, l); err != nil {
				cancel(err)
			}
		})
	}
	done := make(chan struct{})
	go func() {
		wait.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-e.kept.Store.Failed():
		// A lane may be parked in the store for good.
		return e.kept.Store.Err()
	}
	return context.Cause(ctx)
}
