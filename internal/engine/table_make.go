package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/everystate/everystate/coordinator/history"
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

	phase  history.Phase
	table  *table.Table
	search table.Search
	layer  table.Layer
}

// Begin begins an attempt.
func (m *tableMaker) Begin(a worker.Attempt) { m.attempt = a }

// Expand makes the layer of the attempt.
func (m *tableMaker) Expand(ctx context.Context) (int64, error) {
	var err error
	phase := history.Phase(m.attempt.Target.Phase)
	switch m.attempt.Source {
	case worker.FromStarts:
		if err = m.begin(phase); err == nil {
			m.layer, err = m.search.Begin(m.run.board.Puzzle.Starts())
		}
	case worker.FromGoals:
		var goals []uint64
		if goals, err = m.reachableGoals(ctx); err == nil {
			err = m.begin(phase)
		}
		if err == nil {
			m.layer, err = m.search.Begin(goals)
		}
	case worker.FromSuccessors, worker.FromPredecessors:
		if m.search == nil || m.phase != phase {
			err = m.resume(phase)
		}
		if err == nil {
			m.search.Tell(layerStatesOf(m.attempt.Expand), &m.progress.Expanded, &m.progress.Written)
			m.layer, err = m.search.Next(ctx)
		}
	default:
		err = fmt.Errorf("source %d: a table cannot be made from it", m.attempt.Source)
	}
	if err == nil && m.layer.Depth != m.attempt.Target.Layer {
		err = fmt.Errorf("the table is at layer %d, but layer %d is due", m.layer.Depth, m.attempt.Target.Layer)
	}
	if err == nil {
		m.run.tables.Made(m.search, phase, m.layer)
	}
	m.progress.Generated.Add(m.layer.Generated)
	return m.layer.Generated, err
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

// begin begins a phase with an empty table.
func (m *tableMaker) begin(p history.Phase) (err error) {
	before := m.table
	m.phase, m.table = p, m.run.tables.Space.NewTableOf(uint8(p))
	m.search, err = m.run.tables.NewSearch(p, m.table, before)
	return err
}

// resume continues a phase from its stored table.
func (m *tableMaker) resume(p history.Phase) error {
	t, edges, err := m.run.tables.Read(p)
	if err != nil {
		return err
	}
	layers := m.run.history.Layers(p)
	m.phase, m.table = p, t
	if m.search, err = m.run.tables.NewSearch(p, t, nil); err == nil {
		m.search.Resume(layers[len(layers)-1].Depth, edges)
	}
	return err
}

// reachableGoals returns the goals that the forward phase found.
func (m *tableMaker) reachableGoals(ctx context.Context) ([]uint64, error) {
	if m.phase != history.Forward || m.table == nil {
		var err error
		if m.table, _, err = m.run.tables.Read(history.Forward); err != nil {
			return nil, err
		}
		m.phase = history.Forward
	}
	if err := stored.GoalsFit(&m.run.history, m.run.board.Puzzle); err != nil {
		return nil, err
	}
	return stored.Goals(ctx, m.table, m.run.board.Puzzle, m.run.opts.Workers)
}

// Write returns the layer that Expand made.
func (m *tableMaker) Write(context.Context) (worker.Result, error) {
	var res worker.Result
	// The core adds up goals and digests, so it does not matter which part has them.
	goals := m.layer.Goals
	for part, states := range m.layer.PartStates {
		some := min(goals, states)
		res.Parts = append(res.Parts, worker.PartResult{Part: partition.ID(part), States: states, Goals: some})
		goals -= some
	}
	res.Parts[0].Digest = m.layer.Digest
	return res, nil
}

// Forget does nothing: what is not committed is not stored.
func (m *tableMaker) Forget(store.SegmentID) {}

// End ends an attempt.
func (m *tableMaker) End() error { return nil }

// Close closes the maker.
func (m *tableMaker) Close() error { return nil }

// A table is written whole, seldom enough that writing takes only a fraction of the
// time, and often enough that a kill usually costs only seconds.
const (
	tableInterval     = 2 * time.Second
	tableIntervalTime = 10 // times as long as writing took
)

// tableKeeper holds journal entries back until the table that they need is stored.
type tableKeeper struct {
	maker   *tableMaker
	pending [][]byte
	last    time.Time
	took    time.Duration
}

// writeGuess is how long writing may take that was not measured yet: a table of many
// gigabytes is not written two seconds after its run began.
func writeGuess(bytes int64) time.Duration { return time.Duration(bytes) } // 1 GB/s

// due reports whether it is time to store the table again.
func (k *tableKeeper) due() bool {
	interval := k.maker.run.opts.tableInterval
	if interval == 0 {
		interval = max(tableInterval, tableIntervalTime*k.took)
	}
	return time.Since(k.last) >= interval
}

// store stores the table as of the last committed layer of its phase, and then the
// entries that wait for it.
func (k *tableKeeper) store() error {
	if k == nil || len(k.pending) == 0 || k.maker.search == nil {
		return nil
	}
	m := k.maker
	r, began := m.run, time.Now()
	layers := r.history.Layers(m.phase)
	depth := layers[len(layers)-1].Depth
	edges := m.search.Edges()
	if m.search.Depth() > depth { // the last layer has no states, or was not committed
		edges = m.layer.Generated
		m.search.Withdraw()
	}
	if err := r.tables.Write(m.table, m.phase, depth, edges); err != nil {
		return err
	}
	for i, entry := range k.pending {
		if err := r.store.AppendJournal(entry, i == len(k.pending)-1); err != nil {
			return err
		}
	}
	k.pending = nil
	k.last = time.Now()
	k.took = k.last.Sub(began)
	return r.tables.Drop()
}
