// Package layerobject copies what a store has of a layer into an object of a
// bucket, and reads a layer from its objects. It does not decode blocks, but
// verifies the checksum of each.
package layerobject

import (
	"context"
	"errors"
	"fmt"

	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/store/bucket"
)

// Write writes partitions of a layer as an object. parts must be in increasing
// order, and each must have at least one block in the store. It returns the size
// of the object in bytes, which is durable by then.
func Write(ctx context.Context, bkt *bucket.Run, object string, from *store.Store, shape store.Shape, id store.SegmentID, parts []uint32) (bytes int64, err error) {
	w, err := bkt.NewLayer(ctx, object)
	if err != nil {
		return 0, err
	}
	return write(w, from, shape, id, parts)
}

// Rewrite is like Write for an object that the bucket has lost or damaged, and that
// had a size.
func Rewrite(ctx context.Context, bkt *bucket.Run, object string, size int64, from *store.Store, shape store.Shape, id store.SegmentID, parts []uint32) (bytes int64, err error) {
	w, err := bkt.RewriteLayer(ctx, object, size)
	if err != nil {
		return 0, err
	}
	return write(w, from, shape, id, parts)
}

func write(w *bucket.LayerWriter, from *store.Store, shape store.Shape, id store.SegmentID, parts []uint32) (bytes int64, err error) {
	defer w.Abort()
	var block []byte
	for _, part := range parts {
		if block, err = copyBlocks(w, from, shape, id, part, block); err != nil {
			return 0, err
		}
	}
	return w.Close()
}

// ErrNoRecords reports that a store has no record of a partition that is to be written.
var ErrNoRecords = errors.New("there are no records to upload")

// copyBlocks copies the blocks of a partition through the buffer block, which it
// returns for reuse.
func copyBlocks(w *bucket.LayerWriter, from *store.Store, shape store.Shape, id store.SegmentID, part uint32, block []byte) (_ []byte, err error) {
	c, err := from.NewCursor(shape, id, part)
	if err != nil {
		return block, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	for n := 0; ; n++ {
		if block, err = c.NextBlock(block[:0]); err != nil {
			return block, err
		}
		switch {
		case len(block) == 0 && n == 0:
			return block, fmt.Errorf("%v, partition %d: %w", id, part, ErrNoRecords)
		case len(block) == 0:
			return block, nil
		}
		if err := w.Append(part, block); err != nil {
			return block, err
		}
	}
}
