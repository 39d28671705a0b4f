package exchange

import (
	"sync/atomic"

	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/worker"
)

// Share is a share of a committed layer that comes from a worker or from a bucket.
type Share struct {
	Layer  worker.Layer
	Parts  []uint32 // its partitions, ascending
	Shape  store.Shape
	Scheme partition.Scheme
	Moves  int // of the puzzle
}

// Write writes the share to a store at once, from the blocks that read passes to its
// argument, partitions in order. It checks, by their number and form, that they are the
// records that were committed, and counts them in records.
func (share *Share) Write(s *store.Store, records *atomic.Int64, read func(f func(part uint32, block []byte) error) error) error {
	w := s.NewWriter(share.Shape, share.Layer.Segment)
	defer w.Abort()
	counts := make(map[uint32]int64, len(share.Parts))
	last, begun := uint32(0), false
	var recs []uint64
	err := read(func(part uint32, block []byte) error {
		if begun && part != last {
			if err := w.EndPartition(nil); err != nil {
				return err
			}
		}
		last, begun = part, true
		var ok bool
		if recs, ok = share.Shape.DecodeBlock(recs[:0], block); !ok || !share.Scheme.Holds(partition.ID(part), recs, share.Moves) {
			return Errorf("partition %d: a block does not belong to this run", part)
		}
		n := int64(len(recs) / share.Shape.Stride)
		counts[part] += n
		records.Add(n)
		return w.Append(part, recs, nil)
	})
	if err != nil {
		return err
	}
	if err := w.EndPartition(nil); err != nil {
		return err
	}
	for _, p := range share.Parts {
		if counts[p] != share.Layer.PartStates[p] {
			return Errorf("partition %d: %d states arrived of %d", p, counts[p], share.Layer.PartStates[p])
		}
	}
	_, err = w.Finish()
	return err
}
