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
	table  *table.Table // nil if the search keeps pages
	search table.Search
	layer  table.Layer
	within bool         // a part of the next layer had been made before
	save   *tableKeeper // saves what has been made of a layer
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
		err = m.beginAtGoals(ctx, phase)
	case worker.FromSuccessors, worker.FromPredecessors:
		if m.search == nil || m.phase != phase {
			err = m.resume(ctx, phase)
		}
		if err == nil {
			m.save.beginLayer()
			m.search.Tell(layerStatesOf(m.attempt.Expand), &m.progress.Expanded, &m.progress.Written)
			m.layer, err = m.search.Next(ctx)
		}
	default:
		err = fmt.Errorf("source %d: a table cannot be made from it", m.attempt.Source)
	}
	if err == nil && m.layer.Depth != m.attempt.Target.Layer {
		err = fmt.Errorf("the table is at layer %d, but layer %d is due", m.layer.Depth, m.attempt.Target.Layer)
	}
	if err == nil && !m.within {
		err = m.run.tables.Made(m.search, phase, m.layer)
	}
	m.within = m.within && err != nil
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

// beginAtGoals makes layer 0 of the goal phase.
func (m *tableMaker) beginAtGoals(ctx context.Context, p history.Phase) error {
	if err := stored.GoalsFit(&m.run.history, m.run.board.Puzzle); err != nil {
		return err
	}
	forward, err := m.forward()
	if err != nil {
		return err
	}
	goals := []uint64(nil)
	if !m.run.tables.Paged() {
		if goals, err = stored.Goals(ctx, forward, m.run.board.Puzzle, m.run.opts.Workers); err != nil {
			return err
		}
	}
	if err := m.begin(p); err != nil {
		return err
	}
	if pages, ok := m.search.(*table.Ranged); ok { // there may be many
		m.layer, err = pages.BeginEach(ctx, func(f func(keys []uint64)) error {
			return stored.EachGoal(ctx, forward, m.run.board.Puzzle, f)
		})
		return err
	}
	m.layer, err = m.search.Begin(goals)
	return err
}

// forward returns the table of the forward phase, which has ended.
func (m *tableMaker) forward() (*table.Table, error) {
	if m.phase == history.Forward && m.table != nil {
		return m.table, nil
	}
	var err error
	m.table, err = m.run.tables.Open(history.Forward)
	m.phase = history.Forward
	return m.table, err
}

// begin begins a phase with an empty table.
func (m *tableMaker) begin(p history.Phase) (err error) {
	before := m.table
	m.phase, m.table = p, nil
	if m.run.tables.Paged() {
		m.search, err = m.run.tables.BeginPages(p)
	} else {
		m.table = m.run.tables.Space.NewTableOf(uint8(p))
		m.search, err = m.run.tables.NewSearch(p, m.table, before)
	}
	if err == nil {
		m.search.Save(m.save.dueWithin, m.save.storeWithin)
	}
	return err
}

// resume continues a phase from its stored table.
func (m *tableMaker) resume(ctx context.Context, p history.Phase) error {
	tables := m.run.tables
	saved, err := tables.SavedPages(p)
	if err != nil {
		return err
	}
	m.phase, m.table = p, nil
	if saved || tables.Paged() {
		pages, err := tables.ResumePages(ctx, p)
		if err != nil {
			return err
		}
		m.search, m.within = pages, pages.Within()
	} else {
		t, edges, part, err := tables.Read(p)
		if err != nil {
			return err
		}
		search, err := tables.NewSearch(p, t, nil)
		if err != nil {
			return err
		}
		layers := m.run.history.Layers(p)
		depth := layers[len(layers)-1].Depth
		if part != nil {
			search.ResumeWithin(depth, edges, *part)
		} else {
			search.Resume(depth, edges)
		}
		m.search, m.table, m.within = search, t, part != nil
	}
	m.search.Save(m.save.dueWithin, m.save.storeWithin)
	return nil
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

// Within a layer, a table is written, or what has changed of its pages, this often at most.
const withinInterval = 15 * time.Second

// tableKeeper holds journal entries back until the table that they need is stored.
type tableKeeper struct {
	maker   *tableMaker
	pending [][]byte
	last    time.Time
	took    time.Duration
	began   time.Time // the layer being made
}

// writeGuess is how long writing may take that was not measured yet: a table of many
// gigabytes is not written two seconds after its run began.
func writeGuess(bytes int64) time.Duration { return time.Duration(bytes) } // 1 GB/s

// due reports whether it is time to store the table again.
func (k *tableKeeper) due() bool { return k.since(k.last, tableInterval) }

// since reports whether as much time has passed as is to be between writes, at least.
func (k *tableKeeper) since(last time.Time, least time.Duration) bool {
	interval := k.maker.run.opts.tableInterval
	if interval == 0 {
		interval = max(least, tableIntervalTime*k.took)
	}
	return time.Since(last) >= interval
}

// beginLayer says that a layer is about to be made.
func (k *tableKeeper) beginLayer() { k.began = time.Now() }

// dueWithin reports whether it is time to store a table of which a layer is being made.
func (k *tableKeeper) dueWithin() bool {
	last := k.last
	if k.began.After(last) {
		last = k.began
	}
	return k.since(last, withinInterval)
}

// storeWithin stores the table as of the last committed layer, with what has been made of the
// next one. It is called by the maker, while nothing else happens.
func (k *tableKeeper) storeWithin(part table.Part) error {
	m := k.maker
	if _, pages := m.search.(*table.Ranged); !pages && time.Since(k.began) < withinInterval && m.run.opts.tableInterval == 0 {
		return nil // stopped, with little done: not worth writing a table
	}
	return k.write(m.search.Edges(), &part)
}

// store stores the table as of the last committed layer of its phase, and then the
// entries that wait for it.
func (k *tableKeeper) store(ended bool) error {
	if k == nil || len(k.pending) == 0 || k.maker.search == nil {
		return nil
	}
	m := k.maker
	depth := k.depth()
	edges := m.search.Edges()
	further := m.search.Depth() > depth // the last layer has no states, or was not committed
	if further {
		edges = m.layer.Generated
	}
	var part *table.Part
	switch s := m.search.(type) {
	case *table.Ranged:
		made, err := s.Flush(depth)
		if err != nil {
			return err
		}
		part = &made
	case table.InMemory:
		if further {
			s.Withdraw()
		}
	}
	if ended {
		part = nil
	}
	return k.write(edges, part)
}

// depth returns the depth of the last committed layer.
func (k *tableKeeper) depth() uint32 {
	layers := k.maker.run.history.Layers(k.maker.phase)
	return layers[len(layers)-1].Depth
}

// write writes the table, with what has been made of the next layer, and then the entries
// that wait for it. A table that is kept as pages is written as one once there is no part.
func (k *tableKeeper) write(edges int64, part *table.Part) error {
	m := k.maker
	r, began, depth := m.run, time.Now(), k.depth()
	_, pages := m.search.(*table.Ranged)
	err := error(nil)
	switch {
	case !pages:
		err = r.tables.Write(m.table, m.phase, depth, edges, part)
	case part != nil:
		err = r.tables.SavePages(m.phase, depth, edges, part)
	default:
		err = r.tables.WritePages(m.phase, depth, edges)
	}
	if err != nil {
		return err
	}
	for i, entry := range k.pending {
		if err := r.store.AppendJournal(entry, i == len(k.pending)-1); err != nil {
			return err
		}
	}
	k.pending = nil
	if pages && part == nil {
		m.search = nil
		if err := r.tables.EndPages(m.phase); err != nil {
			return err
		}
	}
	k.last = time.Now()
	k.took = k.last.Sub(began)
	if err := r.tables.Drop(); err != nil {
		return err
	}
	return r.tables.Release(m.phase)
}
