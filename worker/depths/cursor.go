package depths

import (
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/everystate/everystate/store"
)

// Cursor returns a cursor over a partition with all layers up to but excluding end, whether
// they are in the table or not. The table must not cover more.
func (t *Table) Cursor(part, end uint32) (c *Cursor, err error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	id, has := t.parts[part]
	if id.Layer > end {
		return nil, fmt.Errorf("%w: partition %d covers %d layers, and %d are asked for", ErrAhead, part, id.Layer, end)
	}
	c = &Cursor{shape: t.shape, part: part, covered: id.Layer}
	if has {
		err = c.open(t.store, t.shape, id, Modulo)
	}
	if err == nil {
		c.layers, err = store.SegmentsOf(t.store, t.phase, id.Layer, end, part)
	}
	for _, layer := range c.layers {
		if err == nil {
			err = c.open(t.store, t.layer, layer, uint8(layer.Layer%Modulo))
		}
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// Passed returns an ErrAhead if a layer's records of one of the partitions are in the table
// by now, which may be nil for none.
func (t *Table) Passed(layer store.SegmentID, parts []uint32) error {
	if t == nil || layer.Phase != t.phase {
		return nil
	}
	for _, part := range parts {
		if at, has := t.Part(part); has && at.Layer > layer.Layer {
			return fmt.Errorf("%w than layer %d, as the run goes on: try again", ErrAhead, layer.Layer)
		}
	}
	return nil
}

// ErrAhead reports that the table covers more layers than are asked for.
var ErrAhead = errors.New("the table is further")

// Cursor merges the table's records of a partition with those of layers: window after
// window of keys, in which each source enters what it has.
type Cursor struct {
	shape   store.Shape
	part    uint32
	covered uint32            // layers that the table has
	layers  []store.SegmentID // merged with the table
	all     []*source         // to be closed
	sources []*source         // those that have more
	next    uint64            // the keys below have been merged
	window  window
	out     []uint64 // merged
	given   int      // how many of these the last call has returned
	err     error    // of the last call, and of all later ones
}

// windowKeys is the number of keys that are merged at a time.
const windowKeys = store.BlockRecords

// window holds the records of windowKeys adjacent keys: which keys have one, and their codes.
type window struct {
	has   [windowKeys / 64]uint64
	codes [windowKeys]uint8
}

// source is a segment being merged.
type source struct {
	cursor *store.Cursor
	shift  uint  // bits of links
	code   uint8 // of all its records, Modulo if they have codes
	recs   []uint64
}

func (c *Cursor) open(s *store.Store, shape store.Shape, id store.SegmentID, code uint8) error {
	cursor, err := s.NewCursor(shape, id, c.part)
	if err != nil {
		return err
	}
	from := &source{cursor: cursor, shift: shape.MoveBits, code: code}
	c.all = append(c.all, from)
	if from.recs, err = cursor.Next(); err == nil && len(from.recs) > 0 {
		c.sources = append(c.sources, from)
	}
	return err
}

// Next returns the next records, none at the end. The slice is valid until the next call.
func (c *Cursor) Next() ([]uint64, error) {
	c.out = append(c.out[:0], c.out[c.given:]...)
	for c.err == nil && len(c.out) < store.BlockRecords && len(c.sources) > 0 {
		c.err = c.merge()
	}
	if c.err != nil {
		return nil, c.err
	}
	c.given = min(len(c.out), store.BlockRecords)
	return c.out[:c.given:c.given], nil
}

// merge merges a window of keys, which begins with the least that is left.
func (c *Cursor) merge() error {
	base := uint64(math.MaxUint64)
	for _, from := range c.sources {
		base = min(base, from.recs[0]>>from.shift)
	}
	if base < c.next {
		return c.wrong()
	}
	left := c.sources[:0]
	for _, from := range c.sources {
		ok, err := from.enter(&c.window, base)
		if err != nil {
			return err
		}
		if !ok {
			return c.wrong()
		}
		if len(from.recs) > 0 {
			left = append(left, from)
		}
	}
	c.sources, c.next = left, base+windowKeys
	for i, word := range &c.window.has {
		for ; word != 0; word &= word - 1 {
			at := i*64 + bits.TrailingZeros64(word)
			c.out = append(c.out, (base+uint64(at))<<c.shape.MoveBits|uint64(c.window.codes[at]))
		}
		c.window.has[i] = 0
	}
	return nil
}

func (c *Cursor) wrong() error {
	return &store.CorruptionError{Where: fmt.Sprintf("table, partition %d", c.part), What: "has a state twice, keys out of order, or an invalid depth"}
}

// enter enters what the source has of a window. It is not ok if a key is there twice, or has
// no code. That keys of a block ascend has been checked when it was decoded.
func (f *source) enter(w *window, base uint64) (ok bool, err error) {
	for {
		for i, rec := range f.recs {
			at := rec>>f.shift - base
			if at >= windowKeys {
				f.recs = f.recs[i:]
				return true, nil
			}
			code, bit := f.code, uint64(1)<<(at%64)
			if code == Modulo {
				code = uint8(rec & 3)
			}
			if code >= Modulo || w.has[at/64]&bit != 0 {
				return false, nil
			}
			w.has[at/64] |= bit
			w.codes[at] = code
		}
		if f.recs, err = f.cursor.Next(); err != nil || len(f.recs) == 0 {
			return true, err
		}
	}
}

// Close closes the cursor.
func (c *Cursor) Close() error {
	var errs []error
	for _, f := range c.all {
		errs = append(errs, f.cursor.Close())
	}
	c.all, c.sources = nil, nil
	return errors.Join(errs...)
}
