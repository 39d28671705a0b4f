package engine

import (
	"errors"

	"github.com/everystate/everystate/internal/table/stored"
	"github.com/everystate/everystate/puzzle"
)

// StoreChoice says how a run keeps its states.
type StoreChoice uint8

const (
	// StoreAny is StoreLayers for a run that is made, and right for any that exists.
	StoreAny StoreChoice = iota
	// StoreLayers is history.Layers.
	StoreLayers
	// StoreTable is history.Table. Create refuses it where it cannot be had.
	StoreTable
	// StoreAuto is StoreTable for a run that is made where that can be had, else
	// StoreLayers, and right for any that exists.
	StoreAuto
)

var (
	// ErrNoTable says that a puzzle's states cannot be kept as a table.
	ErrNoTable = stored.ErrNoRanks
	// ErrTableInBucket says that a run that keeps a table cannot be in a bucket.
	ErrTableInBucket = errors.New("a run that keeps a table cannot be kept in a bucket: use --store layers")
	// ErrKeptOtherwise says that a run that exists keeps its states otherwise.
	ErrKeptOtherwise = errors.New("how a run keeps its states cannot be changed: leave --store out, or name another run with --run DIR")
)

// TableMemoryError says that a table does not fit the memory budget.
type TableMemoryError = stored.MemoryError

// tablesFor prepares the tables of a run that is to be made, or returns nil if it is to
// keep layers.
func (o *Options) tablesFor(p puzzle.Puzzle) (*stored.Tables, error) {
	if o.Store == StoreAny || o.Store == StoreLayers || o.Store == StoreAuto && o.Bucket != nil {
		return nil, nil
	}
	if o.Bucket != nil {
		return nil, ErrTableInBucket
	}
	t, err := stored.New(p, o.Partitions, o.Workers)
	if err == nil {
		err = t.Fit(o.MemoryBytes)
	}
	if err != nil && o.Store == StoreAuto {
		return nil, nil
	}
	return t, err
}

// diskBytes returns what a run takes on disk.
func diskBytes(r *Run) int64 {
	n := r.store.DiskBytes()
	if r.tables != nil {
		n += r.tables.DiskBytes()
	}
	return n
}
