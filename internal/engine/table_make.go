package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine/pace"
	"github.com/everystate/everystate/internal/table"
	"github.com/everystate/everystate/internal/table/stored"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/worker"
)

// maker makes layers on command: a worker of the pipeline, or tableMaker.
type maker interface {
	Begin(a worker.Attempt)
	Expand(ctx context.Context) (generated int64, err error)
	Write(ctx context.Context) (worker.Result, error)
	Forget(target store.SegmentID)
	End() error
	Close() error
}

var (
	_ maker = (*worker.Worker)(nil)
	_ maker = (*tableMaker)(nil)
)

// tableMaker makes layers by passes over a table. There is only one, which keeps all
// processors busy by itself.
type tableMaker struct {
	run      *Run
	attempt  worker.Attempt
	progress worker.Progress

	making *stored.Making
	keeper *tableKeeper
}

// newTableMaker returns what makes a run's table, and what stores it.
func newTableMaker(r *Run) *tableMaker {
	m := &tableMaker{run: r}
	m.keeper = &tableKeeper{maker: m, pace: pace.New(r.tables.WriteBytes(), r.opts.tableInterval)}
	m.making = r.tables.Make(m.keeper.pace.DueWithin, m.keeper.storeWithin)
	return m
}

// Begin begins an attempt.
func (m *tableMaker) Begin(a worker.Attempt) { m.attempt = a }

// Expand makes the layer of the attempt.
func (m *tableMaker) Expand(ctx context.Context) (int64, error) {
	var err error
	phase := history.Phase(m.attempt.Target.Phase)
	switch m.attempt.Source {
	case worker.FromStarts, worker.FromGoals:
		err = m.making.Begin(ctx, phase)
	case worker.FromSuccessors, worker.FromPredecessors:
		m.keeper.pace.Begin()
		err = m.making.Next(ctx, phase, layerStatesOf(m.attempt.Expand), &m.progress.Expanded, &m.progress.Written)
	default:
		err = fmt.Errorf("source %d: a table cannot be made from it", m.attempt.Source)
	}
	layer := m.making.Layer()
	if err == nil && layer.Depth != m.attempt.Target.Layer {
		err = fmt.Errorf("the table is at layer %d, but layer %d is due", layer.Depth, m.attempt.Target.Layer)
	}
	if err != nil {
		return 0, err
	}
	m.progress.Generated.Add(layer.Generated)
	return layer.Generated, nil
}

func layerStatesOf(layers []worker.Layer) int64 {
	var n int64
	for _, l := range layers {
		for _, states := range l.PartStates {
			n += states
		}
	}
	return n
}

// Write returns the layer that Expand made.
func (m *tableMaker) Write(context.Context) (worker.Result, error) {
	layer := m.making.Layer()
	res := worker.Result{Parts: make([]worker.PartResult, 0, len(layer.PartStates))}
	// The core adds up goals and digests, so it does not matter which part has them.
	goals, more := layer.Goals, layer.Represented-layer.States
	for part, states := range layer.PartStates {
		some, represented := min(goals, states), int64(0)
		if layer.Represented > 0 && states > 0 {
			represented, more = states+more, 0
		}
		res.Parts = append(res.Parts, worker.PartResult{Part: partition.ID(part), States: states, Goals: some, Represented: represented})
		goals -= some
	}
	res.Parts[0].Digest = layer.Digest
	return res, nil
}

// Forget does nothing: what is not committed is not stored.
func (m *tableMaker) Forget(store.SegmentID) {}

// End ends an attempt.
func (m *tableMaker) End() error { return nil }

// Close does nothing: the table is stored afterwards, and then closed.
func (m *tableMaker) Close() error { return nil }

// tableKeeper holds journal entries back until the table that they need is stored.
type tableKeeper struct {
	maker   *tableMaker
	pending [][]byte
	pace    *pace.Pace
}

// storeWithin stores the table as of the last committed layer, with what has been made of the
// next one. It is called by the maker, while nothing else happens.
func (k *tableKeeper) storeWithin(part table.Part) error {
	m := k.maker
	if !m.making.IsPaged() && k.pace.Little() {
		return nil // stopped, with little done: not worth writing a table
	}
	return k.keep(func() error { return m.making.StoreWithin(part) })
}

// store stores the table as of the last committed layer of its phase, and then the
// entries that wait for it.
func (k *tableKeeper) store(ended bool) error {
	if len(k.pending) == 0 || !k.maker.making.UnderWay() {
		return nil
	}
	return k.keep(func() error { return k.maker.making.Store(ended) })
}

// keep stores the table, then the entries that wait for it, and drops what neither needs.
func (k *tableKeeper) keep(storeTable func() error) error {
	r, began := k.maker.run, time.Now()
	if err := storeTable(); err != nil {
		return err
	}
	for i, entry := range k.pending {
		if err := r.store.AppendJournal(entry, i == len(k.pending)-1); err != nil {
			return err
		}
	}
	k.pending = nil
	k.pace.Wrote(began)
	return k.maker.making.Settle()
}

// close stores what is left, and closes the files.
func (k *tableKeeper) close() error {
	if k == nil {
		return nil
	}
	return errors.Join(k.store(false), k.maker.making.Close())
}
