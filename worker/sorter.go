package worker

// A Sorter sorts and deduplicates the candidates of one partition before they
// are sent on. It reuses its memory, and is for one goroutine at a time.
type Sorter struct{ space sortSpace }

// Distinct returns the records of a partition in order, and of those with equal
// keys the one with the least move: no other can become a link. It may change
// recs. The result is valid until the next call, or until recs changes.
func (s *Sorter) Distinct(f Form, recs []uint64) []uint64 {
	width := f.scheme.LocalBits()
	switch {
	case f.edges:
		return distinctEdges(recs, f.shape)
	case f.shape.Stride == 1:
		return s.space.distinctNarrow(recs, width+f.scheme.MoveBits(), f.shape)
	}
	return s.space.distinctWide(recs, width, f.shape)
}
