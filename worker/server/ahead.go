package server

import (
	"context"
	"fmt"
	"math"

	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/worker/ahead"
)

// early are partitions that this worker is to have soon, with who keeps them now.
type early struct {
	number  uint64
	sources []source
}

// readAhead checks what this worker is to get ahead.
func (a *assigned) readAhead(o *everystatev1.Ahead) (*early, error) {
	if o == nil {
		return nil, nil //nolint:nilnil // there is nothing to get
	}
	if n := o.GetNumber(); n == 0 || n > math.MaxUint32 {
		return nil, fmt.Errorf("number %d", n)
	}
	from, err := a.readSources(o.GetSources())
	return &early{o.GetNumber(), from}, err
}

// gotAhead notes what is here of the partitions that are wanted ahead.
func (d *desk) gotAhead(got ahead.Got) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.want.early != nil && d.want.early.number == got.Number && d.got != got {
		d.got = got
		tell(d.achieved)
	}
}

// fetchAhead has the partitions that are wanted ahead fetched in the background, and stops
// that if none are. It is called between attempts, and begins again where layers were
// added since. What cannot be fetched after some tries counts as got: the attempt that moves
// the partitions says why.
func (e *engine) fetchAhead(ctx context.Context, w want) error {
	if e.early != nil && (w.early == nil || !e.early.Is(w.early.number)) {
		e.stopAhead()
	}
	if w.early == nil || w.run.knowsNothing() || w.attempt != nil && w.attempt.moves() {
		return nil
	}
	if e.early == nil {
		if err := e.open(w.run); err != nil {
			return err
		}
		if err := e.kept.Enter(uint32(w.early.number), w.run.id); err != nil {
			return err
		}
		if err := e.dropVoid(w.run); err != nil {
			return err
		}
		e.early, e.earlyHolds = ahead.New(w.early.number, func() { tell(e.desk.ordered) }), newHolds(e.kept, e.peers, e.buckets, e.desk.self)
		clear(e.holds.held) // the move looks at what is here then
	}
	holds := e.earlyHolds
	e.early.Begin(ctx, len(w.run.layers[forward]), len(w.run.layers[goal]), e.wait, func(ctx context.Context) error {
		return holds.fetch(ctx, w.run, w.early.sources, &e.stats.Fetched)
	}, func(got ahead.Got, err error) {
		if err != nil {
			e.log.Warn("cannot fetch partitions ahead of their move", "run", w.run.name, "error", err)
		}
		e.desk.gotAhead(got)
	})
	return nil
}

// stopAhead stops what is fetched in the background, and waits for that.
func (e *engine) stopAhead() {
	if e.early != nil {
		e.early.Stop(e.kept.Store.Failed())
		e.early, e.earlyHolds = nil, nil
	}
}
