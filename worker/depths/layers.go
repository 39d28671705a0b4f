package depths

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/worker"
)

// States returns how many states layers have in a partition.
func States(layers []worker.Layer, part uint32) (states int64) {
	for _, l := range layers {
		states += l.PartStates[part]
	}
	return states
}

// Share is what a worker keeps of a run.
type Share struct {
	Parts  []uint32
	Layers []worker.Layer // of the table's phase; nil if they are not known
}

// States returns how many states layers from first up to but excluding end have in it, more
// than any bound that matters if that is not known.
func (s Share) States(first, end uint32) (states int64) {
	if s.Layers == nil {
		return math.MaxInt32
	}
	for _, part := range s.Parts {
		states += States(s.Layers[first:end], part)
	}
	return states
}

// lastWith returns the last of layers that has states in a partition, or nil.
func lastWith(layers []worker.Layer, part uint32) *worker.Layer {
	for depth := len(layers) - 1; depth >= 0; depth-- {
		if layers[depth].PartStates[part] > 0 {
			return &layers[depth]
		}
	}
	return nil
}

// Covers returns how many layers the table has of a partition, and whether they are the
// first of layers, a run's: they are not if some were made again since, or if the run has
// fewer, where a partition was away for a while.
func (t *Table) Covers(layers []worker.Layer, part uint32) (n uint32, sound bool) {
	id, has := t.Part(part)
	if !has {
		return 0, true
	}
	if int64(id.Layer) > int64(len(layers)) {
		return id.Layer, false
	}
	last := lastWith(layers[:id.Layer], part)
	return id.Layer, last != nil && last.Segment.Epoch == id.Epoch
}

// ForgetOthers forgets those of partitions of which the table does not have the first of
// layers, and returns them: none if there is no table.
func (t *Table) ForgetOthers(layers []worker.Layer, parts []uint32) (forgotten []uint32, err error) {
	if t == nil {
		return nil, nil
	}
	for _, part := range parts {
		if _, sound := t.Covers(layers, part); !sound {
			if err := t.Forget(part); err != nil {
				return forgotten, err
			}
			forgotten = append(forgotten, part)
		}
	}
	return forgotten, nil
}

// Weed forgets partitions that are not whole any more, after damage, or not of layers.
func (t *Table) Weed(ctx context.Context, layers []worker.Layer, partitions uint32) error {
	for part := range partitions {
		if err := ctx.Err(); err != nil {
			return err
		}
		states, err := t.Count(part)
		if err != nil && !store.IsCorruption(err) {
			return err
		}
		n, sound := t.Covers(layers, part)
		if sound && err == nil && states == States(layers[:n], part) {
			continue
		}
		if err := t.Forget(part); err != nil {
			return err
		}
	}
	return nil
}

// ErrBlock reports a block that cannot be one of the table: not encoded as such, or of
// states that are out of range, out of order, or of no depth.
var ErrBlock = errors.New("a block does not belong to this run")

// Fill makes layers, with which the run begins, what the table has of a partition. read
// passes blocks, as Blocks does, to its argument. They are checked one by one, and so is the
// number of their states, before anything is replaced.
func (t *Table) Fill(layers []worker.Layer, part uint32, read func(add func(block []byte) error) error) error {
	last := lastWith(layers, part)
	if last == nil {
		return nil
	}
	id := store.SegmentID{Layer: uint32(len(layers)), Epoch: last.Segment.Epoch}
	return t.replace(part, id, func(write func(recs []uint64) error) error {
		var recs []uint64
		var states int64
		next := uint64(0) // the least key that may come next
		err := read(func(block []byte) error {
			var ok bool
			if recs, ok = t.shape.DecodeBlock(recs[:0], block); !ok {
				return ErrBlock
			}
			for _, rec := range recs {
				key := rec >> t.shape.MoveBits
				if key < next || key>>t.shape.KeyBits != 0 || rec&3 >= Modulo {
					return ErrBlock
				}
				next = key + 1
			}
			states += int64(len(recs))
			return write(recs)
		})
		if want := States(layers, part); err == nil && states != want {
			err = fmt.Errorf("%d states arrived of %d", states, want)
		}
		return err
	})
}

// ErrEnd reports a number of layers that is out of range.
var ErrEnd = errors.New("a table does not have so many layers")

// Blocks passes a partition, with all layers above and including depth, to add, block by
// block. add may keep them.
func (t *Table) Blocks(ctx context.Context, part, depth uint32, add func(block []byte) error) (err error) {
	if depth == math.MaxUint32 {
		return ErrEnd
	}
	c, err := t.Cursor(part, depth+1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	for ctx.Err() == nil {
		recs, err := c.Next()
		if err != nil || len(recs) == 0 {
			return err
		}
		if err := add(t.shape.AppendBlock(nil, recs)); err != nil {
			return err
		}
	}
	return ctx.Err()
}
