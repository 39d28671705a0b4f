package worker

import (
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
)

// A Sorter sorts and deduplicates the candidates of one partition before they
// are sent on. It reuses its memory, and is for one goroutine at a time.
type Sorter struct {
	shape store.Shape
	width uint
	space sortSpace
}

// NewSorter returns a Sorter for the records of a scheme.
func NewSorter(scheme partition.Scheme) *Sorter {
	width := scheme.LocalBits()
	if scheme.Narrow() {
		width += scheme.MoveBits()
	}
	return &Sorter{shape: ShapeOf(scheme), width: width}
}

// Distinct returns the records of a partition in order, and of those with equal
// keys the one with the least move: no other can become a link. It may change
// recs. The result is valid until the next call, or until recs changes.
func (s *Sorter) Distinct(recs []uint64) []uint64 {
	if s.shape.Stride == 1 {
		return s.space.distinctNarrow(recs, s.width, s.shape)
	}
	return s.space.distinctWide(recs, s.width, s.shape)
}
