package client

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/partition"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/query"
	"github.com/everystate/everystate/store"
)

// records reads a run's layers through the coordinator. Calls end when the
// client is closed.
type records struct {
	client *Client
	run    string
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

func (r *records) part(l core.Layer, part partition.ID) *everystatev1.LayerPart {
	return &everystatev1.LayerPart{
		Run: r.run, Phase: everystatev1.Phase(l.Phase), Depth: l.Depth, Epoch: uint64(l.Epoch), Partition: uint32(part),
	}
}

// Find looks up the record with the key of rec.
func (r *records) Find(layer core.Layer, part partition.ID, rec, dst []uint64) ([]uint64, bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), callWait)
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
		return dst, false, r.damaged(layer, part, "another record than the one that was asked for")
	}
	return append(dst, found...), true, nil
}

func (r *records) damaged(layer core.Layer, part partition.ID, what string) error {
	return &store.CorruptionError{
		Where: fmt.Sprintf("%s/%s: phase %d, layer %d, partition %d", r.client.addr, r.run, layer.Phase, layer.Depth, part),
		What:  what,
	}
}

// Cursor reads a partition of a layer.
func (r *records) Cursor(layer core.Layer, part partition.ID) (query.Cursor, error) {
	ctx, cancel := context.WithCancel(context.Background())
	stream, err := r.client.records.ReadBlocks(ctx, &everystatev1.ReadBlocksRequest{Part: r.part(layer, part)})
	if err != nil {
		defer cancel()
		return nil, r.client.explain(ctx, r.run, err)
	}
	return &cursor{
		records: r, layer: layer, part: part, cancel: cancel, left: layer.PartStates[part],
		recv: stream.Recv, last: make([]uint64, 0, r.shape.Stride),
	}, nil
}

// cursor decodes the blocks of a stream.
type cursor struct {
	records *records
	layer   core.Layer
	part    partition.ID

	recv   func() (*everystatev1.ReadBlocksResponse, error)
	cancel context.CancelFunc
	left   int64    // states that are still to come
	last   []uint64 // the last record of the block before
	buf    []uint64
}

// Next returns the records of the next block. Blocks come from another machine:
// that none is missing, and all in order, is looked at here.
func (c *cursor) Next() ([]uint64, error) {
	r := c.records
	res, err := c.recv()
	if errors.Is(err, io.EOF) {
		if c.left != 0 {
			return nil, r.damaged(c.layer, c.part, fmt.Sprintf("%d states are missing", c.left))
		}
		return nil, nil
	}
	if err != nil {
		return nil, r.client.explain(context.Background(), r.run, err)
	}
	if !store.CheckBlock(res.GetBlock()) {
		return nil, r.damaged(c.layer, c.part, "checksum does not match")
	}
	recs, ok := r.shape.DecodeBlock(c.buf[:0], res.GetBlock())
	if !ok || len(recs) == 0 {
		return nil, r.damaged(c.layer, c.part, "is not a block of this run")
	}
	c.buf = recs
	stride := r.shape.Stride
	if len(c.last) > 0 && r.shape.Compare(c.last, recs) >= 0 {
		return nil, r.damaged(c.layer, c.part, "blocks are not in order")
	}
	c.last = append(c.last[:0], recs[len(recs)-stride:]...)
	if c.left -= int64(len(recs) / stride); c.left < 0 {
		return nil, r.damaged(c.layer, c.part, "holds more states than were committed")
	}
	return recs, nil
}

// Close ends the stream.
func (c *cursor) Close() error {
	c.cancel()
	return nil
}
