package table

import "sync/atomic"

// A candidate is a number that a move leads to, and the move: the number's place within
// its range in the low bits, and the move in the others.
type candidate uint32

const (
	placeBits = 24
	placeMask = 1<<placeBits - 1
)

// noLink is greater than any move of a candidate.
const noLink = 1<<(32-placeBits) - 1

const (
	chunkSize  = 1 << 9 // candidates
	chunkBytes = chunkSize * 4
)

type chunk [chunkSize]candidate

// bucket holds the candidates of a range that one worker found.
type bucket struct {
	tail *chunk // nil if there are none
	n    int    // in the tail; chunkSize if there is none
	full []*chunk
}

// candidateBytesMin is how much memory a search needs for candidates.
const candidateBytesMin = 16 << 20

// heap is where workers get chunks from, within a budget for each generation.
type heap struct {
	used [2]atomic.Int64 // bytes, by generation
	max  int64           // of each
}

// buckets holds the candidates that one worker found, of one layer, by range.
type buckets struct {
	ranges []bucket
	// limit is the first range of which nothing is kept.
	limit int
	count int64 // of candidates since the last reset, with those not kept
}

// chunks hands chunks out and takes them back. It belongs to one worker.
type chunks struct {
	free []*chunk
	heap *heap
}

// get returns a chunk for a generation.
func (c *chunks) get(generation int) *chunk {
	c.heap.used[generation].Add(chunkBytes)
	if n := len(c.free); n > 0 {
		got := c.free[n-1]
		c.free = c.free[:n-1]
		return got
	}
	return new(chunk)
}

// put takes chunks back.
func (c *chunks) put(generation int, back ...*chunk) {
	c.heap.used[generation].Add(-chunkBytes * int64(len(back)))
	c.free = append(c.free, back...)
}

// drop drops the candidates of all ranges from one on.
func (b *buckets) drop(c *chunks, generation, from int) {
	for i := from; i < len(b.ranges); i++ {
		b.ranges[i].clear(c, generation)
	}
	b.limit = min(b.limit, from)
}

// clear empties a bucket.
func (b *bucket) clear(c *chunks, generation int) {
	if b.tail == nil {
		return
	}
	c.put(generation, b.full...)
	c.put(generation, b.tail)
	b.full, b.tail, b.n = b.full[:0], nil, chunkSize
}

// empty reports whether there are no candidates.
func (b *bucket) empty() bool { return b.tail == nil }

// each calls f with all candidates, some at a time.
func (b *bucket) each(f func([]candidate)) {
	for _, c := range b.full {
		f(c[:])
	}
	if b.tail != nil {
		f(b.tail[:b.n])
	}
}
