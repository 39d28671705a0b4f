package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/platform/memory"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/internal/table/divided"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/layerstream"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
)

// dividedRecords are the records of a run that divides a table among its workers.
type dividedRecords struct {
	*records
	last   history.Layer   // that has been read of
	layers []history.Layer // up to that one
}

var _ divided.Source = (*dividedRecords)(nil)

// Depths asks for the depths of states, modulo three.
func (r *dividedRecords) Depths(ctx context.Context, parts []partition.ID, recs []uint64) (found []byte, err error) {
	for len(recs) > 0 {
		n := min(len(recs), layerstream.DepthsMax)
		req := &everystatev1.FindDepthsRequest{
			Run: r.run, RunIdentity: wire.Identity(r.id), Phase: wire.Phase(history.Forward), Depth: r.last.Depth, Epoch: uint64(r.last.Epoch), Records: recs[:n],
		}
		for _, part := range parts[:n] {
			req.Partitions = append(req.Partitions, uint32(part))
		}
		some, err := func() ([]byte, error) {
			ctx, cancel := context.WithTimeout(ctx, callWait)
			defer cancel()
			res, err := r.client.records.FindDepths(ctx, req)
			return res.GetDepths(), r.client.explain(ctx, r.run, err)
		}()
		if err == nil && (len(some) != n || slices.Max(some) > 3) {
			err = fmt.Errorf("%s/%s: %d depths of %d states", r.client.addr, r.run, len(some), n)
		}
		if err != nil {
			return nil, err
		}
		found, parts, recs = append(found, some...), parts[n:], recs[n:]
	}
	return found, nil
}

// Table reads the whole table, partition by partition, and counts.
func (r *dividedRecords) Table(ctx context.Context, f func(part partition.ID, local uint64, depth uint32) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var parts []uint32
	for part := range r.last.PartStates {
		parts = append(parts, uint32(part))
	}
	shape := store.Shape{Stride: 1, KeyBits: r.shape.KeyBits, MoveBits: 2, Codes: true}
	next := r.stream(ctx, r.last, parts, true)
	var recs []uint64
	got := make([]int64, len(parts))
	for {
		part, block, err := next()
		if errors.Is(err, io.EOF) {
			return r.whole(got)
		}
		if err != nil {
			return err
		}
		var ok bool
		if recs, ok = shape.DecodeBlock(recs[:0], block); !ok {
			return r.damaged(r.last, partition.ID(part), "is not a block of a table")
		}
		got[part] += int64(len(recs))
		for _, rec := range recs {
			local, depth := rec>>shape.MoveBits, uint32(rec&3)
			if depth > 2 || local>>shape.KeyBits != 0 {
				return r.damaged(r.last, partition.ID(part), "is not a block of this run's table")
			}
			if err := f(partition.ID(part), local, depth); err != nil {
				return err
			}
		}
	}
}

// whole checks that as many states came of each partition as were committed.
func (r *dividedRecords) whole(got []int64) error {
	want := make([]int64, len(got))
	for _, l := range r.layers {
		for part, n := range l.PartStates {
			want[part] += n
		}
	}
	for part := range got {
		if got[part] != want[part] {
			return r.damaged(r.last, partition.ID(part), fmt.Sprintf("%d states of the table, and %d were committed", got[part], want[part]))
		}
	}
	return nil
}

// made calls f with the blocks of a layer that is made again from the table.
func (r *Run) made(ctx context.Context, l history.Layer, f func(part uint32, block []byte) error) (err error) {
	c, err := r.again(ctx, l)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	shape := shapeOf(r.scheme)
	var block []byte
	for {
		part, recs, err := c.Next()
		if err != nil || len(recs) == 0 {
			return err
		}
		for some := range slices.Chunk(recs, store.BlockRecords*shape.Stride) {
			block = shape.AppendBlock(block[:0], some)
			if err := f(uint32(part), block); err != nil {
				return err
			}
		}
	}
}

// again returns a cursor over a layer that is made again from the table. A table that has
// more layers than the run had when its journal was read is read as it is by now.
func (r *Run) again(ctx context.Context, l history.Layer) (query.Cursor, error) {
	parts := make([]partition.ID, len(l.PartStates))
	for i := range parts {
		parts[i] = partition.ID(i)
	}
	r.mu.Lock()
	from := cmp.Or(r.later, r)
	r.mu.Unlock()
	for {
		c, err := from.Divided().Again(ctx, l, parts)
		if err == nil || !errors.Is(err, ErrRefused) {
			return c, err
		}
		later, failed := r.client.Open(ctx, r.name)
		if failed != nil || later.Entries() <= from.Entries() || !later.history.Has(l) {
			return nil, err
		}
		from = later
		r.mu.Lock()
		r.later = later
		r.mu.Unlock()
	}
}

// Divided returns the records of a run that divides a table, or nil if it keeps layers.
// They are kept until the journal has more layers from the starts.
func (r *Run) Divided() *divided.Records {
	layers := r.history.Layers(history.Forward)
	if r.spec.Store != history.DividedTable || len(layers) == 0 {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	last := layers[len(layers)-1]
	if r.divided == nil || r.dividedAt != last.Epoch {
		past := r.history
		r.divided, r.dividedAt = &divided.Records{
			Source: &dividedRecords{r.records(), last, layers}, Board: r.board, Scheme: r.scheme, History: &past,
			Workers: runtime.GOMAXPROCS(0), MemoryBytes: tableMemory(),
		}, last.Epoch
	}
	if known := r.divided.History; known.LastEpoch() != r.history.LastEpoch() || known.Exhausted(true) != r.history.Exhausted(true) {
		past := r.history
		r.divided = r.divided.With(&past)
	}
	return r.divided
}

// tableMemory returns how much memory a table that is read may take: half of the machine's.
func tableMemory() int64 {
	if total, _ := memory.Limit("/"); total > 0 {
		return total / 2
	}
	return math.MaxInt64
}
