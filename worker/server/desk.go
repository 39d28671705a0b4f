package server

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/everystate/everystate/coordinator/history"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/store/naming"
	"github.com/everystate/everystate/worker"
	"github.com/everystate/everystate/worker/ahead"
	"github.com/everystate/everystate/worker/keptrun"
)

// failureBytesMax bounds the text of a failure in a report.
const failureBytesMax = 4 << 10

// want is the order in force.
type want struct {
	run     *assigned
	attempt *attempt
	stage   everystatev1.Stage // to be reached in the attempt
	dropped map[string]dropped // by run
	early   *early             // to be fetched in the background, nil if there is nothing
}

// reached is what the engine has reached in the attempt in force.
type reached struct {
	stage      everystatev1.Stage
	generated  int64
	partitions []*everystatev1.PartitionReport
	bytes      int64
	sent, took []*everystatev1.CandidateTally
	made       []*everystatev1.MadeLayer // alone
	failure    failure
}

// failure is why a worker cannot continue an attempt; without a text there is none.
type failure struct {
	text      string
	kind      everystatev1.FailureKind
	known     uint32          // the greatest known epoch of the run, if that is why
	unreached string          // the worker that was not reached, if that is why
	lacking   store.SegmentID // the layer that nobody has, if that is why
}

// desk is what the session and the engine share. It is safe for concurrent use.
type desk struct {
	self string // the worker's name

	// ordered and achieved, each with room for one message, signal a new order and
	// something new to report.
	ordered, achieved chan struct{}

	mu      sync.Mutex // guards the fields below
	order   uint64
	want    want
	reached reached
	cancel  context.CancelFunc // cancels the work on want.attempt; nil if none is under way

	got     ahead.Got    // of want.early
	fetched atomic.Int64 // records, in the attempt to move partitions

	lanes             []*worker.Progress // of the attempt
	expanded, written int64              // by the lanes before it
}

func newDesk(self string) *desk {
	return &desk{self: self, ordered: make(chan struct{}, 1), achieved: make(chan struct{}, 1)}
}

func tell(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // told already
	}
}

// take puts an order in force, again or for the first time. If the order is invalid, the
// worker forgets all layers and asks for them again.
func (d *desk) take(res *everystatev1.SynchronizeResponse) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.order = res.GetOrder()
	next, err := d.read(res.GetRun())
	if err != nil && d.want.run != nil {
		next = want{run: &assigned{name: d.want.run.name, spec: d.want.run.spec, id: d.want.run.id, named: d.want.run.named}}
	}
	next.dropped = droppedOf(res.GetDropped())
	if next.early != nil || d.want.early != nil {
		tell(d.ordered)
	}
	d.want.early = next.early
	same := next.attempt != nil && d.want.attempt != nil && next.run == d.want.run &&
		next.attempt.target == d.want.attempt.target
	if same {
		next.attempt = d.want.attempt
		if next.stage > d.want.stage {
			d.want = next
			tell(d.ordered)
		}
		return err
	}
	if d.cancel != nil {
		d.cancel()
		d.cancel = nil
	}
	d.want, d.reached, d.lanes = next, reached{}, nil
	tell(d.ordered)
	return err
}

// read decodes an order. The run stays the same object as long as it is the same run.
func (d *desk) read(o *everystatev1.RunOrder) (want, error) {
	if o == nil {
		return want{}, nil
	}
	if !naming.IsRun(o.GetRun()) {
		return want{}, fmt.Errorf("run %.140q: not a run's name", o.GetRun())
	}
	id, err := wire.IdentityOf(o.GetRunIdentity())
	if err != nil {
		return want{}, fmt.Errorf("run %s: %w", o.GetRun(), err)
	}
	if o.GetSpec() != nil {
		if err := partition.Check(int(o.GetSpec().GetPartitions())); err != nil {
			return want{}, fmt.Errorf("run %s: %w", o.GetRun(), err)
		}
	}
	run := d.want.run
	other := run == nil || run.name != o.GetRun() || run.id != id
	switch {
	case other && o.GetSpec() == nil:
		return want{}, fmt.Errorf("run %s: its puzzle is not known", o.GetRun())
	case other || o.GetSpec() != nil && !(run.knowsNothing() && keptrun.Same(o.GetSpec(), run.spec)):
		// An order with a spec is followed by all layers again.
		run = &assigned{name: o.GetRun(), spec: o.GetSpec(), id: id, named: history.DepthsOf(o.GetSpec().GetKeptLayers())}
	}
	run.bucket = o.GetBucket()
	for _, r := range o.GetLayers() {
		if err := run.add(r); err != nil {
			return want{}, fmt.Errorf("run %s: %v layer %d: %w", run.name, r.GetPhase(), r.GetDepth(), err)
		}
	}
	w := want{run: run}
	if w.early, err = run.readAhead(o.GetAhead()); err != nil {
		return want{}, fmt.Errorf("run %s: ahead: %w", run.name, err)
	}
	if o.GetAttempt() == nil {
		return w, nil
	}
	at, err := run.readAttempt(o.GetAttempt(), d.self)
	if err != nil {
		return want{}, fmt.Errorf("run %s: attempt: %w", run.name, err)
	}
	w.attempt, w.stage = at, o.GetAttempt().GetStage()
	return w, nil
}

// wanted returns the order in force, with the run's layers as of now.
func (d *desk) wanted() want {
	d.mu.Lock()
	defer d.mu.Unlock()
	w := d.want
	if w.run != nil {
		now := *w.run
		w.run = &now
	}
	return w
}

// stages returns the stage reached in an attempt and the stage to be reached, or none if
// the attempt is no longer wanted.
func (d *desk) stages(at *attempt) (has, to everystatev1.Stage) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.want.attempt != at {
		return everystatev1.Stage_STAGE_UNSPECIFIED, everystatev1.Stage_STAGE_UNSPECIFIED
	}
	return d.reached.stage, d.want.stage
}

// workable reports whether an attempt is wanted and has not failed.
func (d *desk) workable(at *attempt) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.want.attempt == at && d.reached.failure.text == ""
}

// begin registers how to cancel the work on an attempt, and how far the lanes that do it are. It
// reports false if the attempt is no longer wanted.
func (d *desk) begin(at *attempt, cancel context.CancelFunc, lanes []*worker.Progress) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.want.attempt != at {
		return false
	}
	d.cancel, d.lanes = cancel, lanes
	d.expanded, d.written = d.counts()
	return true
}

func (d *desk) counts() (expanded, written int64) {
	for _, w := range d.lanes {
		expanded += w.Expanded.Load()
		written += w.Written.Load()
	}
	return expanded, written
}

// achieve notes what has been reached in an attempt, if it is still wanted.
func (d *desk) achieve(at *attempt, note func(*reached)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.want.attempt != at {
		return
	}
	note(&d.reached)
	if d.reached.stage >= d.want.stage || d.reached.failure.text != "" {
		tell(d.achieved)
	}
}

// busy reports whether the engine has yet to reach what is ordered.
func (d *desk) busy() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.want.attempt != nil && d.reached.stage < d.want.stage && d.reached.failure.text == ""
}

// fail notes that an attempt failed. The first failure counts.
func (d *desk) fail(at *attempt, why failure) {
	d.achieve(at, func(r *reached) {
		if r.failure.text == "" {
			r.failure = why
		}
	})
}

// cut makes a text valid UTF-8 that fits in a message.
func cut(text string) string {
	text = strings.ToValidUTF8(text, "?")
	return strings.ToValidUTF8(text[:min(len(text), failureBytesMax)], "")
}

// report returns what has been reached, with the number of the order in force.
func (d *desk) report() (order uint64, r *everystatev1.RunReport) {
	d.mu.Lock()
	defer d.mu.Unlock()
	r = &everystatev1.RunReport{}
	if d.want.run == nil {
		return d.order, r
	}
	r.Run, r.RunIdentity = d.want.run.name, wire.Identity(d.want.run.id)
	r.ForwardLayers = uint32(len(d.want.run.layers[forward]))
	r.GoalLayers = uint32(len(d.want.run.layers[goal]))
	r.ForwardEpoch = uint64(d.want.run.lastEpoch(forward))
	r.GoalEpoch = uint64(d.want.run.lastEpoch(goal))
	if d.want.early != nil && d.want.early.number == d.got.Number {
		r.Ahead, r.AheadForward, r.AheadGoal = d.got.Number, uint32(d.got.Forward), uint32(d.got.Goal)
	}
	if d.want.attempt == nil {
		return d.order, r
	}
	r.Epoch = uint64(d.want.attempt.target.Epoch)
	r.Stage = d.reached.stage
	r.Generated = uint64(d.reached.generated)
	r.Partitions = d.reached.partitions
	r.Sent, r.Took, r.Made = d.reached.sent, d.reached.took, d.reached.made
	r.StoredBytes = uint64(d.reached.bytes)
	why := d.reached.failure
	r.Failure, r.FailureKind, r.KnownEpoch, r.Unreached = why.text, why.kind, uint64(why.known), why.unreached
	if why.kind == everystatev1.FailureKind_FAILURE_KIND_LACKING {
		r.LackingPhase, r.LackingDepth = wire.Phase(history.Phase(why.lacking.Phase)), why.lacking.Layer
	}
	if d.lanes != nil {
		expanded, written := d.counts()
		r.Expanded, r.Written = uint64(expanded-d.expanded), uint64(written-d.written)
	}
	if d.want.attempt.moves() {
		r.Written = uint64(d.fetched.Load())
	}
	return d.order, r
}
