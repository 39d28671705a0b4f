package engine

import (
	"cmp"
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/internal/frontier"
	"github.com/everystate/everystate/internal/platform/memory"
	"github.com/everystate/everystate/internal/tablemaker"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/worker"
)

// statusInterval bounds the age of the status file while layers are committed.
const statusInterval = time.Second

// Explore continues the run as far as want asks. It returns why it stopped, or
// ctx.Err() if ctx was cancelled; whatever was committed stays.
//
// If the run is kept in a bucket, Explore first fetches what only the bucket has,
// and the bucket has everything when Explore returns without an error. It returns an
// *ElsewhereError if the run continues elsewhere, and a *BucketError if the bucket
// refuses it for good.
func (r *Run) Explore(ctx context.Context, want history.Want) (history.Reason, error) {
	if r.opts.Bucket != nil {
		return r.exploreKept(ctx, want)
	}
	return r.explore(ctx, want)
}

func (r *Run) explore(ctx context.Context, want history.Want) (history.Reason, error) {
	want = want.For(r.board.Puzzle, &r.history)
	r.began = false
	if want.GoalDistance && r.spec.Keep.Frontier {
		return 0, fmt.Errorf("%s: %w", r.dir, frontier.ErrNoDistances)
	}
	if r.history.Exhausted(want.GoalDistance) {
		return history.Exhausted, nil
	}
	if err := r.makeWritable(); err != nil {
		return 0, err
	}
	if err := r.beginSession(ctx, want); err != nil {
		return 0, err
	}
	if err := r.writeStatus(); err != nil {
		return 0, err
	}
	if r.spec.Store == history.Table {
		if err := r.tables.Fit(r.opts.MemoryBytes); err != nil {
			return 0, err
		}
		if err := r.tables.Forget(); err != nil {
			return 0, err
		}
	}
	defer memory.Reserve(r.opts.MemoryBytes)()
	r.live.start()
	reason, err := newDriver(r, want).drive(ctx)
	if fatal := r.store.Err(); fatal != nil {
		return 0, fatal
	}
	if r.tables != nil {
		err = errors.Join(err, r.tables.Forget())
	}
	if err != nil && ctx.Err() != nil {
		return 0, ctx.Err()
	}
	if failure := new(puzzle.FailureError); errors.As(err, &failure) {
		r.failure = failure.Error()
		if r.tables == nil {
			// Workers find failures in any order.
			if first := r.Space().FirstFailure(ctx); first != nil {
				r.failure = first.Error()
				return 0, first
			}
		}
	}
	return reason, err
}

// beginSession begins a session, so that no epoch is used twice.
func (r *Run) beginSession(ctx context.Context, want history.Want) error {
	first := r.history.NextSession(0)
	if first == 0 {
		return fmt.Errorf("%s: the run has been resumed too often", r.dir)
	}
	id, err := r.history.Identity(), error(nil)
	fresh := !id.Known()
	if fresh {
		_, err = crand.Read(id[:])
	}
	if err != nil {
		return fmt.Errorf("make the run's identity: %w", err)
	}
	session := journal.Session(first, by(), rand.Uint64(), id)
	if r.backup != nil {
		if err := r.backup.beginSession(ctx, session, want); err != nil {
			return err
		}
	}
	if err := r.store.AppendJournal(session, true); err != nil {
		return err
	}
	r.history.AddSession(first)
	r.history.AddIdentity(id)
	r.began = true
	if _, err := os.Stat(filepath.Join(r.dir, originFile)); r.opts.FS == nil && (fresh || errors.Is(err, os.ErrNotExist)) {
		return writeOrigin(r, r.dir)
	}
	return nil
}

// driver performs the effects of a core with workers of its own process.
type driver struct {
	run    *Run
	core   *core.Core
	events chan core.Event
	lanes  []*lane
	owners *ownerTable       // nil with a table
	tables *tablemaker.Maker // nil without a table

	remover frontier.Remover

	// layers are the committed layers of each phase in the worker's terms, as far as
	// an attempt has needed them.
	layers [history.Goal + 1][]worker.Layer

	journal  *store.SharedSync
	began    time.Time // when the present attempt began
	lastTold time.Time // when the status file was written
}

// lane is a worker and the goroutine that it runs on.
type lane struct {
	id       history.WorkerID
	make     maker
	progress *worker.Progress
	worker   *worker.Worker // nil with a table
	exchange *localExchange // nil with a table
	commands chan any       // beginLane, or an effect
	endErr   error          // from ending the last attempt, reported by the next Begin
}

// beginLane is core.Begin with the attempt in the worker's terms.
type beginLane struct {
	core.Begin
	plan worker.Attempt
}

func newDriver(r *Run, want history.Want) *driver {
	r.live.reset(&r.history)
	d := &driver{
		run:      r,
		remover:  frontier.Remover{Store: r.store, Bytes: cmp.Or(r.opts.BatchBytes, 1<<20)},
		core:     core.New(r.spec, frontier.CoreOptions(r.board.Puzzle), r.history, want),
		journal:  store.ShareSyncs(r.store),
		lastTold: time.Now(),
	}
	if r.spec.Store == history.Table {
		m := newTableMaker(r)
		d.tables = m.make
		d.lanes = append(d.lanes, newLane(0, m, &m.progress))
	} else {
		ws := r.newWorkers()
		d.owners = ws.owners
		for i, w := range ws.all {
			l := newLane(history.WorkerID(i), w, &w.Progress)
			l.worker, l.exchange = w, ws.exchanges[i]
			d.lanes = append(d.lanes, l)
		}
	}
	// Each worker has at most one event in flight.
	d.events = make(chan core.Event, len(d.lanes))
	return d
}

func newLane(id history.WorkerID, m maker, progress *worker.Progress) *lane {
	// The end of one attempt and the beginning of the next fit in the channel.
	return &lane{id: id, make: m, progress: progress, commands: make(chan any, 2)}
}

// drive runs the core until it stops, ctx is cancelled, or the store fails.
func (d *driver) drive(ctx context.Context) (history.Reason, error) {
	for _, p := range []history.Phase{history.Forward, history.Goal} {
		if err := d.run.store.DropFrom(uint8(p), uint32(len(d.run.history.Layers(p)))); err != nil {
			return 0, err
		}
	}
	if err := d.remover.Remove(&d.run.history, d.run.backup.removable(), true); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var lanes sync.WaitGroup
	for _, l := range d.lanes {
		lanes.Go(func() { l.loop(ctx, d.events) })
	}
	reason, err := d.loop(ctx)
	cancel()
	for _, l := range d.lanes {
		close(l.commands)
	}
	if d.waitFor(&lanes) {
		for _, l := range d.lanes {
			err = errors.Join(err, l.make.Close())
		}
		err = errors.Join(err, d.tables.Close())
	}
	return reason, err
}

// waitFor waits for the lanes and reports true. After a fatal error of the store, a
// lane may be parked in it for good, and waitFor reports false.
func (d *driver) waitFor(lanes *sync.WaitGroup) bool {
	done := make(chan struct{})
	go func() {
		lanes.Wait()
		close(done)
	}()
	select {
	case <-done:
		return true
	case <-d.run.store.Failed():
		return false
	}
}

func (d *driver) loop(ctx context.Context) (history.Reason, error) {
	var pending []core.Effect
	var bucketFailed, bucketMoved chan struct{}
	if b := d.run.backup; b != nil {
		bucketFailed, bucketMoved = b.failed, b.moved
		if _, err := d.core.Step(b.durable()); err != nil { // no worker has joined yet
			return 0, err
		}
	}
	for i, l := range d.lanes {
		effects, err := d.core.Step(core.Joined{Worker: l.id, More: i < len(d.lanes)-1})
		if err != nil {
			return 0, err
		}
		pending = append(pending, effects...)
	}
	for {
		for len(pending) > 0 {
			effect := pending[0]
			pending = pending[1:]
			if stop, ok := effect.(core.Stop); ok {
				return stop.Reason, stop.Err
			}
			more, err := d.perform(effect)
			if err != nil {
				return 0, err
			}
			pending = append(pending, more...)
		}
		var ev core.Event
		select {
		case ev = <-d.events:
		case <-bucketMoved:
			ev = d.run.backup.durable()
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-bucketFailed:
			return 0, d.run.backup.failure()
		case <-d.run.store.Failed():
			return 0, d.run.store.Err()
		}
		var err error
		if pending, err = d.core.Step(ev); err != nil {
			return 0, err
		}
	}
}

// perform performs one effect and returns what follows from it at once.
func (d *driver) perform(effect core.Effect) ([]core.Effect, error) {
	switch e := effect.(type) {
	case core.Begin:
		d.begin(e)
	case core.Expand:
		d.lanes[e.Worker].commands <- e
	case core.Write:
		d.lanes[e.Worker].commands <- e
	case core.End:
		d.lanes[e.Worker].commands <- e
	case core.Wait:
		d.run.backup.setWaiting(true)
	case core.Unbalanced:
		// The core tries again, and stops if that does not help.
	case core.CommitLayer:
		e.Layer.Nanos = d.took()
		if err := d.commit(journal.Layer(e.Layer), false); err != nil {
			return nil, fmt.Errorf("commit %v layer %d: %w", e.Layer.Phase, e.Layer.Depth, err)
		}
		d.run.live.committed(e.Layer)
		return d.committed(e.Layer.Nanos, false)
	case core.CommitEnd:
		if err := d.commitEnd(&e.End); err != nil {
			return nil, fmt.Errorf("commit the end of phase %v: %w", e.End.Phase, err)
		}
		return d.committed(e.End.Nanos, true)
	default:
		return nil, fmt.Errorf("unknown effect %T", e)
	}
	return nil, nil
}

func (d *driver) begin(e core.Begin) {
	if e.Worker == 0 {
		if d.tables == nil || d.began.IsZero() {
			d.began = time.Now()
		}
		d.run.backup.setWaiting(false)
		d.run.live.begin(e.Attempt, d.core.History().SpanStates(e.Attempt.Expand), d.lanes)
	}
	l, plan := d.lanes[e.Worker], d.attemptOf(e.Attempt, e.Parts)
	if d.owners != nil {
		form := worker.FormOf(d.run.scheme, plan.Source)
		d.owners.stride = form.Shape().Stride
		for _, p := range e.Parts {
			d.owners.owner[p], d.owners.number[p] = l.worker, l.exchange.sender
		}
	}
	l.commands <- beginLane{e, plan}
}

// took returns the nanoseconds since the attempt began. With a table, the next one has the time
// that storing takes.
func (d *driver) took() int64 {
	now := time.Now()
	nanos := int64(now.Sub(d.began))
	if d.tables != nil {
		d.began = now
	}
	return nanos
}

// commitEnd records the end of a phase, with the time that storing a table takes.
func (d *driver) commitEnd(end *history.PhaseEnd) error {
	if d.tables == nil {
		end.Nanos = d.took()
		return d.commit(journal.End(*end), true)
	}
	d.tables.Hold(func() []byte {
		end.Nanos = d.took()
		return journal.End(*end)
	})
	return d.tables.Store(true)
}

// commit records an entry, after everything it refers to in the same log. Layers in
// quick succession share a sync.
func (d *driver) commit(entry []byte, sync bool) error {
	if d.tables != nil {
		d.tables.Hold(func() []byte { return entry })
		return nil
	}
	if err := d.journal.Append([][]byte{entry}, sync); err != nil {
		return err
	}
	if d.run.backup != nil {
		if err := d.run.backup.add(entry); err != nil {
			return err
		}
	}
	if now := time.Now(); now.Sub(d.lastTold) > statusInterval {
		d.lastTold = now
		return d.run.writeStatus()
	}
	return nil
}

func (d *driver) committed(nanos int64, phaseEnd bool) ([]core.Effect, error) {
	effects, err := d.core.Step(core.Committed{Nanos: nanos})
	d.run.history, d.run.failure = *d.core.History(), ""
	if err == nil {
		err = d.remover.Remove(&d.run.history, d.run.backup.removable(), phaseEnd)
	}
	if err == nil && d.tables != nil && (phaseEnd || d.tables.Due()) {
		if err = d.tables.Store(phaseEnd); err == nil { // the end of a phase is stored
			err = d.run.writeStatus()
		}
	}
	return effects, err
}

// loop performs the commands of a worker in order.
func (l *lane) loop(ctx context.Context, events chan<- core.Event) {
	for command := range l.commands {
		event, err := l.perform(ctx, command)
		if err != nil {
			event = core.Failed{Worker: l.id, Epoch: epochOf(command), Err: err}
		}
		if event == nil {
			continue
		}
		select {
		case events <- event:
		case <-ctx.Done():
		}
	}
}

func epochOf(command any) uint32 {
	switch c := command.(type) {
	case beginLane:
		return c.Attempt.Epoch
	case core.Expand:
		return c.Epoch
	case core.Write:
		return c.Epoch
	case core.End:
		return c.Attempt.Epoch
	}
	return 0
}

func (l *lane) perform(ctx context.Context, command any) (core.Event, error) {
	switch c := command.(type) {
	case beginLane:
		if l.endErr != nil {
			return nil, l.endErr
		}
		if l.exchange != nil {
			clear(l.exchange.sent)
		}
		l.make.Begin(c.plan)
		return core.Began{Worker: l.id, Epoch: c.Attempt.Epoch}, nil
	case core.Expand:
		generated, err := l.make.Expand(ctx)
		ev := core.Expanded{Worker: l.id, Epoch: c.Epoch, Generated: generated}
		if l.exchange != nil {
			ev.Sent = carriedOf(l.exchange.sent)
		}
		return ev, err
	case core.Write:
		res, err := l.make.Write(ctx)
		return writtenOf(l.id, c.Epoch, res), err
	case core.End:
		if !c.Committed {
			l.make.Forget(targetOf(c.Attempt))
		}
		l.endErr = l.make.End()
		return nil, nil
	}
	return nil, fmt.Errorf("unknown command %T", command)
}

func targetOf(a core.Attempt) store.SegmentID {
	return store.SegmentID{Phase: uint8(a.Phase), Layer: a.Depth, Epoch: a.Epoch}
}

// attemptOf translates an attempt of the core into the worker's terms.
func (d *driver) attemptOf(a core.Attempt, parts []uint32) worker.Attempt {
	w := worker.Attempt{
		Target: targetOf(a), CountGoals: a.CountGoals,
		Expand: d.layersOf(a.Expand), Exclude: d.layersOf(a.Exclude), Within: d.layersOf(a.Within),
		Edges: a.Edges,
	}
	if a.Sample {
		w.SampleMax = history.SampleMax
	}
	switch a.Source {
	case core.FromStarts:
		w.Source = worker.FromStarts
	case core.FromGoals:
		w.Source = worker.FromGoals
	case core.FromSuccessors:
		w.Source = worker.FromSuccessors
	case core.FromPredecessors:
		w.Source = worker.FromPredecessors
	case core.FromMoves:
		w.Source = worker.FromMoves
	}
	for _, p := range parts {
		w.Parts = append(w.Parts, partition.ID(p))
	}
	return w
}

// layersOf returns the layers that spans name. The layers of a single span are a
// subslice of what the driver knows, whose elements never change, so their number
// does not matter.
func (d *driver) layersOf(spans []history.Span) []worker.Layer {
	var out []worker.Layer
	for i, s := range spans {
		known := d.layers[s.Phase]
		for _, l := range d.core.History().Layers(s.Phase)[len(known):] {
			known = append(known, worker.Layer{Segment: segmentID(l), PartStates: l.PartStates})
		}
		d.layers[s.Phase] = known
		some := known[s.First:s.End:s.End]
		if i == 0 {
			out = some
		} else {
			out = append(out, some...)
		}
	}
	return out
}

// carriedOf translates tallies into the core's terms.
func carriedOf(all []worker.Tally) []core.Carried {
	var out []core.Carried
	for i, t := range all {
		if t != (worker.Tally{}) {
			out = append(out, core.Carried{Peer: history.WorkerID(i), Records: t.Records, Sum: t.Sum})
		}
	}
	return out
}

func writtenOf(id history.WorkerID, epoch uint32, res worker.Result) core.Written {
	ev := core.Written{Expanded: core.Expanded{Worker: id, Epoch: epoch}, Bytes: res.Bytes, Took: carriedOf(res.Took)}
	ev.Parts = make([]core.Part, 0, len(res.Parts))
	for _, p := range res.Parts {
		ev.Parts = append(ev.Parts, core.Part{Part: uint32(p.Part), States: p.States, Goals: p.Goals, Represented: p.Represented, Pruned: p.Pruned, Digest: p.Digest, Sample: p.Sample})
	}
	return ev
}
