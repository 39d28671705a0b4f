// Package depths keeps a worker's share of a table that workers divide: of each of its
// partitions, two bits for every state of the layers above a depth, which say how deep the
// state is, modulo three. The records of those layers are removed.
//
// What a partition has is one segment of the run's store, written whole and at once: its
// records are codes (store.Shape.Codes), sorted like those of layers. Its number is how
// many layers it covers, its epoch that of the last of them with a state in the partition.
// A greater one replaces it. So a kill at any time leaves the old one with the layers, or
// the new one.
//
// The package must never decide which layers go in, and never remove a layer before the
// segment with its states can no longer be lost.
package depths

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/worker"
)

// tablePhases is added to a phase to number the segments of its table.
const tablePhases = 1 << 4

// Modulo is what depths are kept modulo.
const Modulo = 3

// Shape returns the shape of the records of a table, for the records of a narrow scheme.
func Shape(s partition.Scheme) store.Shape {
	return store.Shape{Stride: 1, KeyBits: s.LocalBits(), MoveBits: 2, Codes: true}
}

// Table is what a store has of the table of a phase. It is safe for concurrent use, except
// for the methods that say otherwise.
type Table struct {
	store *store.Store
	phase uint8
	shape store.Shape // of the table's records
	layer store.Shape // of the layers' records

	noting sync.Mutex // held while held is changed

	mu sync.RWMutex // guards parts and held; while it is held no layer in use is removed
	// parts are the segments that hold the partitions; a partition without states has none.
	parts map[uint32]store.SegmentID
	held  held
}

// Open reads which partitions a store has of the table of a phase. layer is the shape of
// the records of layers.
func Open(s *store.Store, phase uint8, scheme partition.Scheme, layer store.Shape) (*Table, error) {
	t := &Table{store: s, phase: phase, shape: Shape(scheme), layer: layer, parts: make(map[uint32]store.SegmentID)}
	type part struct {
		id   store.SegmentID
		part uint32
	}
	var stale []part
	err := store.EachPart(s, phase+tablePhases, func(id store.SegmentID, p uint32) {
		if before, has := t.parts[p]; has {
			stale = append(stale, part{before, p}) // they come by layer, and by epoch
		}
		t.parts[p] = id
	})
	for _, s := range stale {
		if err == nil {
			err = store.DropPart(t.store, s.id, s.part)
		}
	}
	if err == nil {
		t.held, err = readHeld(s, phase)
	}
	return t, err
}

// Part returns the segment that holds a partition: its layer is how many layers it covers.
func (t *Table) Part(part uint32) (store.SegmentID, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	id, ok := t.parts[part]
	return id, ok
}

// Shape returns the shape of the table's records.
func (t *Table) Shape() store.Shape { return t.shape }

// Forget drops a partition.
func (t *Table) Forget(part uint32) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	id, ok := t.parts[part]
	if !ok {
		return nil
	}
	delete(t.parts, part)
	return store.DropPart(t.store, id, part)
}

// Add adds the layers up to but excluding end, which have been committed, to partitions of
// which the store lacks nothing but the last of these layers. What the table has of others
// stays as it is, and they are no longer held: the records of those layers, of all
// partitions, may be removed once it has returned. If the layers are known, their states are
// counted: a gap is reported as damage. With now, the space of what the table had before is
// free then. No other method that changes these partitions may be called meanwhile.
func (t *Table) Add(ctx context.Context, end uint32, own Share, workers int, now bool) error {
	var mu sync.Mutex
	made := make(map[uint32]store.SegmentID)
	group, ctx := errgroup.WithContext(ctx)
	for i := range workers {
		group.Go(func() error {
			some := own.Parts[i*len(own.Parts)/workers : (i+1)*len(own.Parts)/workers]
			for len(some) > 0 {
				n, done, err := t.add(ctx, some, own.Layers, end)
				if err != nil {
					return err
				}
				some = some[n:]
				mu.Lock()
				for part, id := range done {
					made[part] = id
				}
				mu.Unlock()
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("add layers to the table: %w", err)
	}
	// Small segments are in the store's log only. What is removed below and later is removed
	// by later entries of the same log.
	replaced := make(map[uint32]store.SegmentID)
	t.mu.Lock()
	for part, id := range made {
		if before, has := t.parts[part]; has {
			replaced[part] = before
		}
		t.parts[part] = id
	}
	t.mu.Unlock()
	for part, id := range replaced {
		if id == made[part] {
			continue
		}
		if err := store.DropPart(t.store, id, part); err != nil {
			return err
		}
	}
	err := t.note(func(held map[uint32]bool) {
		maps.DeleteFunc(held, func(part uint32, _ bool) bool { return !slices.Contains(own.Parts, part) })
	})
	if err != nil {
		return err
	}
	if now && len(replaced) > 0 {
		return store.Reclaim(t.store, t.phase+tablePhases)
	}
	return nil
}

// segmentRecords is about how many records are written at once.
const segmentRecords = 64 << 20

// add adds layers to the first n of some partitions, and returns where these are now.
func (t *Table) add(ctx context.Context, parts []uint32, layers []worker.Layer, end uint32) (n int, made map[uint32]store.SegmentID, err error) {
	made = make(map[uint32]store.SegmentID)
	writers := make(map[store.SegmentID]*store.Writer)
	defer func() {
		for _, w := range writers {
			w.Abort()
		}
	}()
	for records := 0; n < len(parts) && records < segmentRecords; n++ {
		part := parts[n]
		c, err := t.Cursor(part, end)
		if errors.Is(err, ErrAhead) {
			continue // of layers that the run no longer has
		}
		if err != nil {
			return 0, nil, err
		}
		if len(c.layers) == 0 {
			err := c.Close()
			if err == nil && layers != nil && States(layers[c.covered:end], part) > 0 {
				err = gap(part, end)
			}
			if err != nil {
				return 0, nil, err
			}
			continue
		}
		id := store.SegmentID{Phase: t.phase + tablePhases, Layer: end, Epoch: c.layers[len(c.layers)-1].Epoch}
		if writers[id] == nil {
			writers[id] = t.store.NewWriter(t.shape, id)
		}
		added, err := copyPart(ctx, writers[id], part, c)
		if err = errors.Join(err, c.Close()); err != nil {
			return 0, nil, err
		}
		if layers != nil && int64(added) != States(layers[:end], part) {
			return 0, nil, gap(part, end)
		}
		records += added
		made[part] = id
	}
	for _, w := range writers {
		if _, err := w.Finish(); err != nil {
			return 0, nil, err
		}
	}
	return n, made, nil
}

func gap(part, end uint32) error {
	return &store.CorruptionError{Where: fmt.Sprintf("partition %d", part), What: fmt.Sprintf("does not have all states of the first %d layers", end)}
}

// copyPart writes what a cursor has of a partition.
func copyPart(ctx context.Context, w *store.Writer, part uint32, c *Cursor) (records int, err error) {
	for ctx.Err() == nil {
		recs, err := c.Next()
		if err != nil {
			return records, err
		}
		if len(recs) == 0 {
			return records, w.EndPartition(nil)
		}
		records += len(recs)
		if err := w.Append(part, recs, nil); err != nil {
			return records, err
		}
	}
	return records, ctx.Err()
}

// replace writes a partition from records that read passes to its argument: codes of the
// layers up to but excluding the id's.
func (t *Table) replace(part uint32, id store.SegmentID, read func(func(recs []uint64) error) error) error {
	id.Phase = t.phase + tablePhases
	w := t.store.NewWriter(t.shape, id)
	defer w.Abort()
	err := read(func(recs []uint64) error { return w.Append(part, recs, nil) })
	if err == nil {
		err = w.EndPartition(nil)
	}
	if err == nil {
		_, err = w.Finish()
	}
	if err != nil {
		return err
	}
	t.mu.Lock()
	before, has := t.parts[part]
	t.parts[part] = id
	t.mu.Unlock()
	if has && before != id {
		return store.DropPart(t.store, before, part)
	}
	return nil
}

// Count returns how many states the table has of a partition, having compared every block
// with its checksum.
func (t *Table) Count(part uint32) (int64, error) {
	id, has := t.Part(part)
	if !has {
		return 0, nil
	}
	return t.store.Count(t.shape, id, part)
}

// Find returns one more than the depth modulo three of a state, of which rec is a record of
// any layer, or 0 if the store does not have it: neither in the table nor in a later layer.
func (t *Table) Find(part uint32, rec uint64) (code uint8, err error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	id, has := t.parts[part]
	if has {
		found, ok, err := t.store.Find(t.shape, id, part, []uint64{rec >> t.layer.MoveBits << t.shape.MoveBits}, nil)
		if err != nil {
			return 0, err
		}
		if ok {
			return codeOf(found[0])
		}
	}
	layers, err := store.SegmentsOf(t.store, t.phase, id.Layer, ^uint32(0), part)
	if err != nil {
		return 0, err
	}
	for _, layer := range layers {
		_, ok, err := t.store.Find(t.layer, layer, part, []uint64{rec}, nil)
		if err != nil {
			return 0, err
		}
		if ok {
			return uint8(layer.Layer%Modulo) + 1, nil
		}
	}
	return 0, nil
}

func codeOf(rec uint64) (uint8, error) {
	code := uint8(rec&3) + 1
	if code > Modulo {
		return 0, &store.CorruptionError{Where: "table", What: "a depth is not one of three"}
	}
	return code, nil
}
