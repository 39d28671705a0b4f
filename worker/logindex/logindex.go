// Package logindex knows, from the log of a run in a bucket, which objects hold which
// layers. It must not know what a worker has.
package logindex

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"

	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/store/bucket"
)

// Object is an object in a bucket that holds partitions of a layer.
type Object struct {
	Name  string
	Parts []uint32
}

// ErrNotThere reports that a bucket lacks a layer.
var ErrNotThere = errors.New("does not have")

// Index knows which objects of a bucket hold which layers of a run. It is safe for concurrent
// use.
type Index struct {
	turn    chan struct{} // room for one; taken like a mutex, even while reading the log, so that waiters can be cancelled
	entries int           // of the log, read so far
	objects map[store.SegmentID][]*Object
}

// New returns an index that has read nothing yet.
func New() *Index { return &Index{turn: make(chan struct{}, 1)} }

// Forget makes the next read start from the beginning of the log.
func (x *Index) Forget() {
	x.turn <- struct{}{}
	defer func() { <-x.turn }()
	x.entries, x.objects = 0, nil
}

// Objects returns the objects of a layer, according to the log in the bucket.
func (x *Index) Objects(ctx context.Context, bkt *bucket.Run, id store.SegmentID) ([]*Object, error) {
	select {
	case x.turn <- struct{}{}:
		defer func() { <-x.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if objects := x.objects[id]; objects != nil {
		return objects, nil
	}
	if err := x.read(ctx, bkt); err != nil {
		return nil, err
	}
	objects := x.objects[id]
	if objects == nil {
		return nil, fmt.Errorf("%s %w %v", bkt.URL(), ErrNotThere, id)
	}
	return objects, nil
}

// read reads the new entries of the log.
func (x *Index) read(ctx context.Context, bkt *bucket.Run) error {
	entries, err := bkt.Log(ctx, x.entries)
	if err != nil {
		return err
	}
	if x.objects == nil {
		x.objects = make(map[store.SegmentID][]*Object)
	}
	for _, body := range entries {
		var e everystatev1.JournalEntry
		if err := proto.Unmarshal(body, &e); err != nil {
			return fmt.Errorf("%s: log entry %d cannot be read: %w", bkt.URL(), x.entries, err)
		}
		if l := e.GetLayer(); l != nil {
			phase, err := wire.PhaseOf(l.GetPhase())
			if err != nil {
				return fmt.Errorf("%s: log entry %d: %w", bkt.URL(), x.entries, err)
			}
			id := store.SegmentID{Phase: uint8(phase), Layer: l.GetDepth(), Epoch: uint32(l.GetEpoch())}
			for _, o := range l.GetObjects() {
				x.objects[id] = append(x.objects[id], &Object{o.GetName(), o.GetPartitions()})
			}
		}
		x.entries++
	}
	return nil
}
