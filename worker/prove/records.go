package prove

import (
	"context"
	"errors"
	"fmt"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/proof"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
)

// Stored is an open store of a run.
type Stored struct {
	Store  *store.Store
	Shape  store.Shape
	Space  query.Space // without history and records
	Damage func(error) // is told of damage that is found
}

// records are those of the partitions in a store.
type records struct{ *Stored }

// Find is part of query.Records. A proof looks nothing up.
func (r records) Find(context.Context, history.Layer, partition.ID, []uint64, []uint64) ([]uint64, bool, error) {
	return nil, false, errors.ErrUnsupported
}

// Cursor returns a cursor over partitions of a layer.
func (r records) Cursor(_ context.Context, l history.Layer, parts []partition.ID) (query.Cursor, error) {
	return &cursor{records: r, layer: l, parts: parts}, nil
}

// cursor reads partitions one after another, and counts the states of each.
type cursor struct {
	records
	layer  history.Layer
	parts  []partition.ID // not yet complete
	in     *store.Cursor  // of the first of parts; nil if it is not open
	states int64
}

// Next returns the records of the next block.
func (c *cursor) Next() (partition.ID, []uint64, error) {
	for len(c.parts) > 0 {
		part := c.parts[0]
		if c.in == nil {
			var err error
			if c.in, err = c.Store.NewCursor(c.Shape, store.SegmentID{Phase: uint8(c.layer.Phase), Layer: c.layer.Depth, Epoch: c.layer.Epoch}, uint32(part)); err != nil {
				return 0, nil, c.noted(err)
			}
			c.states = 0
		}
		recs, err := c.in.Next()
		if err != nil {
			return 0, nil, c.noted(err)
		}
		if len(recs) > 0 {
			c.states += int64(len(recs) / c.Shape.Stride)
			return part, recs, nil
		}
		if want := c.layer.PartStates[part]; c.states != want {
			return 0, nil, &proof.FaultError{What: fmt.Sprintf("%v layer %d, partition %d: %d states, but %d were committed", c.layer.Phase, c.layer.Depth, part, c.states, want)}
		}
		if err := c.Close(); err != nil {
			return 0, nil, err
		}
		c.parts = c.parts[1:]
	}
	return 0, nil, nil
}

// noted tells of damage.
func (c *cursor) noted(err error) error {
	c.Damage(err)
	return err
}

// Close closes the cursor.
func (c *cursor) Close() error {
	in := c.in
	c.in = nil
	if in == nil {
		return nil
	}
	return in.Close()
}
