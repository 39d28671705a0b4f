package engine

import (
	"context"
	"fmt"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/table"
	"github.com/everystate/everystate/internal/tablemaker"
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
	make     *tablemaker.Maker
	attempt  worker.Attempt
	progress worker.Progress
	layer    table.Layer
}

// newTableMaker returns what makes a run's table, and stores it before the journal's entries.
func newTableMaker(r *Run) *tableMaker {
	return &tableMaker{make: tablemaker.New(r.tables, tablemaker.Options{Journal: r.store.AppendJournal, Interval: r.opts.tableInterval})}
}

// Begin begins an attempt.
func (m *tableMaker) Begin(a worker.Attempt) { m.attempt = a }

// Expand makes the layer of the attempt.
func (m *tableMaker) Expand(ctx context.Context) (int64, error) {
	if m.attempt.Source == worker.FromMoves {
		return 0, fmt.Errorf("source %d: a table cannot be made from it", m.attempt.Source)
	}
	to := m.attempt.Target
	var err error
	m.layer, err = m.make.Layer(ctx, history.Phase(to.Phase), to.Layer, layerStatesOf(m.attempt.Expand), &m.progress.Expanded, &m.progress.Written)
	if err != nil {
		return 0, err
	}
	m.progress.Generated.Add(m.layer.Generated)
	return m.layer.Generated, nil
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
	l := &m.layer
	parts := core.Divide(core.Part{States: l.States, Goals: l.Goals, Represented: l.Represented, Digest: l.Digest}, l.PartStates)
	res := worker.Result{Parts: make([]worker.PartResult, 0, len(parts))}
	for _, p := range parts {
		res.Parts = append(res.Parts, worker.PartResult{Part: partition.ID(p.Part), States: p.States, Goals: p.Goals, Represented: p.Represented, Digest: p.Digest})
	}
	return res, nil
}

// Forget does nothing: what is not committed is not stored.
func (m *tableMaker) Forget(store.SegmentID) {}

// End ends an attempt.
func (m *tableMaker) End() error { return nil }

// Close does nothing: the table is stored afterwards, and then closed.
func (m *tableMaker) Close() error { return nil }
