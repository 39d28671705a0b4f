package depths

import (
	"fmt"

	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/worker"
)

// Lister returns how an attempt lists all states of a partition (worker.Attempt.Found) of
// layers, as Found does; nil if there is no table, so that the layers have them.
func (t *Table) Lister(layers []worker.Layer) func(part partition.ID) (worker.Found, error) {
	if t == nil {
		return nil
	}
	return func(part partition.ID) (worker.Found, error) { return t.Found(uint32(part), layers) }
}

// Found returns all states of a partition, those of the table and of the layers behind it,
// as records of layers with link 0. layers are all that have been committed: if the states are
// not as many, Next returns a store.CorruptionError.
func (t *Table) Found(part uint32, layers []worker.Layer) (worker.Found, error) {
	states := States(layers, part)
	if states == 0 {
		return new(found), nil
	}
	c, err := t.Cursor(part, uint32(len(layers)))
	if err != nil {
		return nil, err
	}
	return &found{cursor: c, shift: t.layer.MoveBits, states: states, left: states}, nil
}

// found is a cursor whose records are those of layers.
type found struct {
	cursor *Cursor // nil if there are no states
	shift  uint    // bits of links
	states int64   // that were committed,
	left   int64   // and have not been returned
	recs   []uint64
}

// Next returns the next records, none at the end. The slice is valid until the next call.
func (f *found) Next() ([]uint64, error) {
	if f.cursor == nil {
		return nil, nil
	}
	codes, err := f.cursor.Next()
	if err != nil {
		return nil, err
	}
	f.left -= int64(len(codes))
	if len(codes) == 0 && f.left != 0 || f.left < 0 {
		return nil, &store.CorruptionError{
			Where: fmt.Sprintf("table, partition %d", f.cursor.part),
			What:  fmt.Sprintf("%d states were committed, but %d are there", f.states, f.states-f.left),
		}
	}
	f.recs = f.recs[:0]
	for _, code := range codes {
		f.recs = append(f.recs, code>>f.cursor.shape.MoveBits<<f.shift)
	}
	return f.recs, nil
}

// Close closes the cursor.
func (f *found) Close() error {
	if f.cursor == nil {
		return nil
	}
	return f.cursor.Close()
}
