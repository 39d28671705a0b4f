package depths

import (
	"errors"
	"maps"
	"slices"

	"github.com/everystate/everystate/store"
)

// A table may get only partitions of which the store lacks nothing but the last layers:
// with a gap, the table would not be what it says. Which these are outlives the process:
// while a partition is got from elsewhere, it is not one of them, however that ends. They
// are the records of one segment; a later one, with a greater layer, replaces it.

// heldPhases is added to a phase to number the segment that says which partitions are held.
// That must be less than tablePhases: files of the store that hold both this segment and
// records of layers then do not overlap the table, and freeing its space need not rewrite it.
const heldPhases = 1 << 3

var heldShape = store.Shape{Stride: 1, KeyBits: 32, MoveBits: 2}

// held are the partitions that are held.
type held struct {
	id    store.SegmentID
	parts map[uint32]bool
}

func readHeld(s *store.Store, phase uint8) (h held, err error) {
	h.id = store.SegmentID{Phase: phase + heldPhases}
	h.parts = make(map[uint32]bool)
	var stale []store.SegmentID
	known := false
	err = store.EachPart(s, h.id.Phase, func(id store.SegmentID, _ uint32) {
		if known {
			stale = append(stale, h.id)
		}
		h.id, known = id, true
	})
	for _, id := range stale {
		err = errors.Join(err, store.DropPart(s, id, 0))
	}
	if err != nil || !known {
		return h, err
	}
	c, err := s.NewCursor(heldShape, h.id, 0)
	if err != nil {
		return h, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	for {
		recs, err := c.Next()
		if err != nil || len(recs) == 0 {
			return h, err
		}
		for _, rec := range recs {
			h.parts[uint32(rec>>heldShape.MoveBits)] = true
		}
	}
}

// Held returns the partitions of which the store lacks nothing but the last layers, in
// order; none if that was never noted, or if there is no table.
func (t *Table) Held() []uint32 {
	if t == nil {
		return nil
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	return slices.Sorted(maps.Keys(t.held.parts))
}

// Hold notes that the store lacks nothing of partitions but the last layers. When it
// returns, that is on disk, and so is what was written before.
func (t *Table) Hold(parts []uint32) error {
	return t.note(func(held map[uint32]bool) {
		for _, p := range parts {
			held[p] = true
		}
	})
}

// Release notes that the store may lack anything of partitions from now on, unless there is
// no table.
func (t *Table) Release(parts []uint32) error {
	if t == nil {
		return nil
	}
	return t.note(func(held map[uint32]bool) {
		for _, p := range parts {
			delete(held, p)
		}
	})
}

// note writes which partitions are held, if change changes that.
func (t *Table) note(change func(held map[uint32]bool)) error {
	t.noting.Lock()
	defer t.noting.Unlock()
	was, next := t.held, held{t.held.id, maps.Clone(t.held.parts)}
	change(next.parts)
	if maps.Equal(was.parts, next.parts) {
		return nil
	}
	next.id.Layer++
	if len(next.parts) > 0 {
		recs := make([]uint64, 0, len(next.parts))
		for _, p := range slices.Sorted(maps.Keys(next.parts)) {
			recs = append(recs, uint64(p)<<heldShape.MoveBits)
		}
		w := t.store.NewWriter(heldShape, next.id)
		defer w.Abort()
		if err := errors.Join(w.Append(0, recs, nil), w.EndPartition(nil)); err != nil {
			return err
		}
		if _, err := w.Finish(); err != nil {
			return err
		}
	}
	err := store.DropPart(t.store, was.id, 0) // later in the same log
	if err == nil {
		err = t.store.Sync()
	}
	if err != nil {
		return err
	}
	t.mu.Lock()
	t.held = next
	t.mu.Unlock()
	return nil
}
