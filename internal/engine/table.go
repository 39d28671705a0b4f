package engine

import (
	"errors"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/table/stored"
	"github.com/everystate/everystate/puzzle"
)

// StoreChoice is how a run is to keep its states.
type StoreChoice uint8

const (
	// StoreAny means StoreLayers for a new run, and accepts any existing run.
	StoreAny StoreChoice = iota
	// StoreLayers means history.Layers.
	StoreLayers
	// StoreTable means history.Table. Create refuses it where a table is not possible.
	StoreTable
	// StoreAuto means StoreTable for a new run where a table is possible and there are
	// a million ranks or more, else StoreLayers, and accepts any existing run.
	StoreAuto
)

var (
	// ErrNoTable reports that a puzzle's states cannot be kept as a table.
	ErrNoTable = stored.ErrNoRanks
	// ErrGoalsInLayers reports goal distances that a table cannot hold.
	ErrGoalsInLayers = stored.ErrGoalsInLayers
	// ErrTableInBucket reports that a run that keeps a table cannot be kept in a
	// bucket.
	ErrTableInBucket = errors.New("a run that keeps a table cannot be kept in a bucket: explore the board as layers in another directory (--store layers --run DIR)")
	// ErrKeptOtherwise reports that an existing run keeps its states differently.
	ErrKeptOtherwise = errors.New("how a run keeps its states cannot be changed: leave --store out, or name another run with --run DIR")
)

// TableMemoryError reports that a table does not fit the memory budget.
type TableMemoryError = stored.MemoryError

// tablesFor prepares the tables of a new run, or returns nil if it is to keep layers.
func (o *Options) tablesFor(p puzzle.Puzzle) (*stored.Tables, error) {
	if o.Store == StoreAny || o.Store == StoreLayers || o.Store == StoreAuto && (o.Bucket != nil || o.Keep != nil && o.Keep.Frontier) {
		return nil, nil
	}
	if o.Bucket != nil {
		return nil, ErrTableInBucket
	}
	t, err := stored.NewWithin(o.MemoryBytes, o.Store == StoreTable, p, o.Partitions, o.Workers, o.Preparing)
	if o.Store == StoreAuto && !errors.Is(err, stored.ErrStopped) && (err != nil || !stored.Worth(t)) {
		return nil, nil //nolint:nilerr // Layers are always possible.
	}
	if err == nil {
		t.SetPages(o.tablePages, o.tablePages > 0 && !o.tableWhole)
	}
	return t, err
}

// KeepsTable reports whether a new run of a puzzle with these options keeps a table.
func (o Options) KeepsTable(p puzzle.Puzzle) (bool, error) {
	o.ensureDefaults()
	t, err := o.tablesFor(p)
	return t != nil && err == nil, err
}

// tablesOf prepares the tables of an existing run, which have to fit the memory budget if
// it is about to be continued.
func tablesOf(r *Run, p puzzle.Puzzle) (t *stored.Tables, err error) {
	h, o := &r.history, &r.opts
	defer func() {
		if err == nil {
			t.MemoryBytes = o.MemoryBytes
			t.SetPages(o.tablePages, o.tablePages > 0 && !o.tableWhole)
		}
	}()
	if ended := h.Exhausted(false); !ended && !o.ReadOnly || ended && o.GoalDistance && h.Goals() > 0 && h.NeedsGoalPhase(p.Layout().Reversible) {
		return stored.Within(o.MemoryBytes, p, r.spec.Partitions, o.Workers, r.spec.Folded, o.Preparing)
	}
	return stored.Later(p, r.spec.Partitions, o.Workers, r.spec.Folded, o.Preparing)
}

// diskBytes returns the size of a run on disk in bytes.
func diskBytes(r *Run) int64 {
	n := r.store.DiskBytes()
	if r.tables != nil {
		n += r.tables.DiskBytes()
	}
	return n
}

// keeps returns a spec with how a new run keeps its states.
func (o *Options) keeps(spec history.Spec, tables *stored.Tables) history.Spec {
	if tables != nil {
		spec.Store, spec.Folded = history.Table, tables.Folded()
	}
	if o.Keep != nil {
		spec.Keep = *o.Keep
	}
	return spec
}
