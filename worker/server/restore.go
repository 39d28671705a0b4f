package server

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"google.golang.org/protobuf/proto"

	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/store/bucket"
)

// layerObject is an object in a bucket that holds partitions of a layer.
type layerObject struct {
	name  string
	parts []uint32
}

// errNotInBucket reports that a bucket lacks a layer.
var errNotInBucket = errors.New("does not have")

// restore gets a share of a layer from the bucket, and waits while the bucket cannot be
// reached.
func (h *holds) restore(ctx context.Context, run *assigned, m missingShare, records *atomic.Int64) error {
	for failures := 1; ; failures++ {
		err := h.tryRestore(ctx, run, m, records)
		switch {
		case err == nil || ctx.Err() != nil:
			return err
		case bucket.IsCorruption(err) || errors.Is(err, bucket.ErrNotExist) || errors.Is(err, errNotInBucket):
			return &lackError{m.layer, err}
		case !bucket.Retryable(err):
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(bucket.RetryAfter(failures)):
		}
	}
}

func (h *holds) tryRestore(ctx context.Context, run *assigned, m missingShare, records *atomic.Int64) error {
	bkt, err := h.buckets.Run(ctx, run.bucket)
	if err != nil {
		return err
	}
	objects, err := h.objects(ctx, bkt, m.layer.Segment)
	if err != nil {
		return err
	}
	left := len(m.from.parts)
	for _, o := range objects {
		parts := slices.DeleteFunc(slices.Clone(m.from.parts), func(p uint32) bool {
			_, has := slices.BinarySearch(o.parts, p)
			return !has
		})
		if len(parts) == 0 {
			continue
		}
		share := missingShare{m.layer, source{parts: parts}}
		err := h.write(share, records, func(f func(part uint32, block []byte) error) error {
			l, err := bkt.OpenLayer(ctx, o.name)
			if err != nil {
				return err
			}
			return l.ReadAll(ctx, parts, f)
		})
		if err != nil {
			return err
		}
		left -= len(parts)
	}
	if left > 0 {
		return fmt.Errorf("%s %w all of %v", run.bucket, errNotInBucket, m.layer.Segment)
	}
	return nil
}

// logIndex knows which objects of a bucket hold which layers. It is safe for concurrent
// use.
type logIndex struct {
	turn    chan struct{} // room for one; taken like a mutex, even while reading the log, so that waiters can be cancelled
	entries int           // of the log, read so far
	objects map[store.SegmentID][]*layerObject
}

func newLogIndex() *logIndex { return &logIndex{turn: make(chan struct{}, 1)} }

// forget makes the next read start from the beginning of the log.
func (x *logIndex) forget() {
	x.turn <- struct{}{}
	defer func() { <-x.turn }()
	x.entries, x.objects = 0, nil
}

// objects returns the objects of a layer, according to the log in the bucket.
func (h *holds) objects(ctx context.Context, bkt *bucket.Run, id store.SegmentID) ([]*layerObject, error) {
	select {
	case h.index.turn <- struct{}{}:
		defer func() { <-h.index.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if objects := h.index.objects[id]; objects != nil {
		return objects, nil
	}
	if err := h.index.read(ctx, bkt); err != nil {
		return nil, err
	}
	objects := h.index.objects[id]
	if objects == nil {
		return nil, fmt.Errorf("%s %w %v", bkt.URL(), errNotInBucket, id)
	}
	return objects, nil
}

// read reads the new entries of the log.
func (x *logIndex) read(ctx context.Context, bkt *bucket.Run) error {
	entries, err := bkt.Log(ctx, x.entries)
	if err != nil {
		return err
	}
	if x.objects == nil {
		x.objects = make(map[store.SegmentID][]*layerObject)
	}
	for _, body := range entries {
		var e everystatev1.JournalEntry
		if err := proto.Unmarshal(body, &e); err != nil {
			return fmt.Errorf("%s: log entry %d cannot be read: %w", bkt.URL(), x.entries, err)
		}
		if l := e.GetLayer(); l != nil {
			phase, err := phaseOf(l.GetPhase())
			if err != nil {
				return fmt.Errorf("%s: log entry %d: %w", bkt.URL(), x.entries, err)
			}
			id := store.SegmentID{Phase: phase, Layer: l.GetDepth(), Epoch: uint32(l.GetEpoch())}
			for _, o := range l.GetObjects() {
				x.objects[id] = append(x.objects[id], &layerObject{o.GetName(), o.GetPartitions()})
			}
		}
		x.entries++
	}
	return nil
}
