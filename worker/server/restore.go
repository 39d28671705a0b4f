package server

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/everystate/everystate/store/bucket"
	"github.com/everystate/everystate/worker/logindex"
)

// restore gets a share of a layer from the bucket, and waits while the bucket cannot be
// reached.
func (h *holds) restore(ctx context.Context, run *assigned, m missingShare, records *atomic.Int64) error {
	for failures := 1; ; failures++ {
		err := h.tryRestore(ctx, run, m, records)
		switch {
		case err == nil || ctx.Err() != nil:
			return err
		case bucket.IsCorruption(err) || errors.Is(err, bucket.ErrNotExist) || errors.Is(err, logindex.ErrNotThere):
			return &lackError{m.layer, err}
		case !bucket.Retryable(err):
			return err
		}
		if err := bucket.Wait(ctx, failures); err != nil {
			return err
		}
	}
}

func (h *holds) tryRestore(ctx context.Context, run *assigned, m missingShare, records *atomic.Int64) error {
	bkt, err := h.buckets.Run(ctx, run.bucket)
	if err != nil {
		return err
	}
	objects, err := h.index.Objects(ctx, bkt, m.layer.Segment)
	if err != nil {
		return err
	}
	left := len(m.from.parts)
	for _, o := range objects {
		parts := slices.DeleteFunc(slices.Clone(m.from.parts), func(p uint32) bool {
			_, has := slices.BinarySearch(o.Parts, p)
			return !has
		})
		if len(parts) == 0 {
			continue
		}
		share := missingShare{m.layer, source{parts: parts}}
		err := h.write(share, records, func(f func(part uint32, block []byte) error) error {
			l, err := bkt.OpenLayer(ctx, o.Name)
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
		return fmt.Errorf("%s %w all of %v", run.bucket, logindex.ErrNotThere, m.layer.Segment)
	}
	return nil
}
