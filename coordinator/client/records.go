package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/query"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/layerstream"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
)

// records reads a run's layers through the coordinator. Calls end when their context
// is cancelled or the client is closed.
type records struct {
	client *Client
	run    string
	id     history.Identity
	shape  store.Shape
}

// shapeOf returns the shape of the records of a scheme.
func shapeOf(s partition.Scheme) store.Shape {
	shape := store.Shape{Stride: s.Stride(), MoveBits: s.MoveBits()}
	if s.Narrow() {
		shape.KeyBits = s.LocalBits()
	}
	return shape
}

func (r *records) part(l history.Layer, part partition.ID) *everystatev1.LayerPart {
	return &everystatev1.LayerPart{
		Run: r.run, RunIdentity: wire.Identity(r.id), Phase: wire.Phase(l.Phase), Depth: l.Depth, Epoch: uint64(l.Epoch), Partition: uint32(part),
	}
}

// Find looks up the record with the key of rec.
func (r *records) Find(ctx context.Context, layer history.Layer, part partition.ID, rec, dst []uint64) ([]uint64, bool, error) {
	ctx, cancel := context.WithTimeout(ctx, callWait)
	defer cancel()
	res, err := r.client.records.FindRecord(ctx, &everystatev1.FindRecordRequest{Part: r.part(layer, part), Record: rec})
	if err != nil {
		return dst, false, r.client.explain(ctx, r.run, err)
	}
	found := res.GetRecord()
	if len(found) == 0 {
		return dst, false, nil
	}
	if len(found) != r.shape.Stride || r.shape.Compare(found, rec) != 0 {
		return dst, false, r.damaged(layer, part, "a different record than the one requested")
	}
	return append(dst, found...), true, nil
}

func (r *records) damaged(layer history.Layer, part partition.ID, what string) error {
	return &store.CorruptionError{
		Where: fmt.Sprintf("%s/%s: phase %d, layer %d, partition %d", r.client.addr, r.run, layer.Phase, layer.Depth, part),
		What:  what,
	}
}

// Cursor returns a cursor over partitions of a layer.
func (r *records) Cursor(ctx context.Context, layer history.Layer, parts []partition.ID) (query.Cursor, error) {
	ctx, cancel := context.WithCancel(ctx)
	c := &cursor{records: r, layer: layer, parts: make([]uint32, len(parts)), cancel: cancel}
	for i, part := range parts {
		c.parts[i] = uint32(part)
	}
	c.blocks = r.blocks(ctx, layer, c.parts)
	return c, nil
}

// blocks returns a function that returns the blocks of partitions of a layer one by
// one, and io.EOF at the end. To stop early, cancel ctx.
func (r *records) blocks(ctx context.Context, layer history.Layer, parts []uint32) func() (part uint32, block []byte, err error) {
	return r.stream(ctx, layer, parts, false)
}

// stream is blocks of a layer, or of the table up to it.
func (r *records) stream(ctx context.Context, layer history.Layer, parts []uint32, table bool) func() (part uint32, block []byte, err error) {
	requests := slices.Collect(slices.Chunk(parts, layerstream.PartsMax))
	var in *layerstream.Reader
	return func() (uint32, []byte, error) {
		for {
			if in == nil {
				if len(requests) == 0 {
					return 0, nil, io.EOF
				}
				stream, err := r.client.records.ReadLayer(ctx, &everystatev1.ReadLayerRequest{
					Run: r.run, RunIdentity: wire.Identity(r.id), Phase: wire.Phase(layer.Phase), Depth: layer.Depth, Epoch: uint64(layer.Epoch),
					Partitions: requests[0], Table: table,
				})
				if err != nil {
					return 0, nil, r.explain(ctx, layer, err)
				}
				in = layerstream.NewReader(stream.Recv, requests[0])
				requests = requests[1:]
			}
			part, block, err := in.Next()
			switch {
			case err == nil:
				return part, block, nil
			case !errors.Is(err, io.EOF):
				return 0, nil, r.explain(ctx, layer, err)
			}
			in = nil
		}
	}
}

// explain turns an error of a stream into one for people.
func (r *records) explain(ctx context.Context, layer history.Layer, err error) error {
	if store.IsCorruption(err) || errors.Is(err, layerstream.ErrProtocol) {
		return &store.CorruptionError{
			Where: fmt.Sprintf("%s/%s: phase %d, layer %d", r.client.addr, r.run, layer.Phase, layer.Depth), What: err.Error(),
		}
	}
	return r.client.explain(ctx, r.run, err)
}

// cursor decodes the blocks of a stream.
type cursor struct {
	records *records
	layer   history.Layer
	cancel  context.CancelFunc

	parts  []uint32 // not yet complete
	blocks func() (part uint32, block []byte, err error)
	states int64    // of the first of parts, received so far
	last   []uint64 // the last record of the previous block, empty if that is of another partition
	buf    []uint64
}

// Next returns the records of the next block. As blocks come from another machine,
// it checks that none is missing and that all are in order.
func (c *cursor) Next() (partition.ID, []uint64, error) {
	r := c.records
	part, block, err := c.blocks()
	over := errors.Is(err, io.EOF)
	if err != nil && !over {
		return 0, nil, err
	}
	for len(c.parts) > 0 && (over || c.parts[0] != part) {
		if err := c.endPart(); err != nil {
			return 0, nil, err
		}
	}
	if over {
		return 0, nil, nil
	}
	id := partition.ID(part)
	recs, ok := r.shape.DecodeBlock(c.buf[:0], block)
	if !ok || len(recs) == 0 {
		return 0, nil, r.damaged(c.layer, id, "is not a block of this run")
	}
	c.buf = recs
	stride := r.shape.Stride
	if len(c.last) > 0 && r.shape.Compare(c.last, recs) >= 0 {
		return 0, nil, r.damaged(c.layer, id, "blocks out of order")
	}
	c.last = append(c.last[:0], recs[len(recs)-stride:]...)
	if c.states += int64(len(recs) / stride); c.states > c.layer.PartStates[part] {
		return 0, nil, r.damaged(c.layer, id, "has more states than were committed")
	}
	return id, recs, nil
}

// endPart checks that the partition is complete and moves on to the next.
func (c *cursor) endPart() error {
	part := partition.ID(c.parts[0])
	if missing := c.layer.PartStates[part] - c.states; missing != 0 {
		return c.records.damaged(c.layer, part, fmt.Sprintf("%d states are missing", missing))
	}
	c.parts, c.states, c.last = c.parts[1:], 0, c.last[:0]
	return nil
}

// Close ends the stream.
func (c *cursor) Close() error {
	c.cancel()
	return nil
}
