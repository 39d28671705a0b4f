package worker

import (
	"math/bits"

	"github.com/everystate/everystate/store"
)

// A gathering is everything that has arrived for one partition: chunks in any order,
// and sorted extents in the scratch file. each visits it in order, one bucket at a
// time. A bucket is a range of the mixed keys, so sorting, dropping duplicates and
// comparing with other sorted segments all happen in the cache, one range after
// another.
type gathering struct {
	shape store.Shape
	width uint // bits of a record's first word that vary within the partition

	chunks  [][]uint64
	scratch *store.Scratch
	extents []store.Extent
	spilled int64 // records in the extents

	space *[]uint64 // buffer for splitting the chunks into buckets
	work  []uint64  // a bucket's records from all sources
}

// records returns how many records have arrived, less the duplicates dropped in
// spilling.
func (g *gathering) records(stride int) int64 {
	n := g.spilled
	for _, c := range g.chunks {
		n += int64(len(c) / stride)
	}
	return n
}

// slowSplitBits stands for 64 buckets, into which splitting takes twice as long as
// into half or twice as many (BenchmarkSplit): counters are read again about when the
// processor has stored them, and it mispredicts whether they have been.
const slowSplitBits = 6

// each calls f with the records of every bucket that has any: sorted, only the first
// of those with equal keys, and none whose key is in a visited segment. f may change
// them but must not retain them. The visited segments must be sorted; they are not
// read to their ends.
func (g *gathering) each(sorter *sortSpace, visited []stream, f func(recs []uint64) error) error {
	words := 0
	for _, c := range g.chunks {
		words += len(c)
	}
	total := words/g.shape.Stride + int(g.spilled)
	if total == 0 {
		return nil
	}
	keyBits := g.width - g.moveBits()
	// A bucket is a range of keys: records that differ only in the move stay together.
	bucketBits, isDense := denseBuckets(g.shape, keyBits, total)
	if !isDense && total > bucketRecords {
		bucketBits = min(uint(bits.Len(uint((total-1)/bucketRecords))), keyBits, bucketBitsMax)
	}
	if bucketBits == slowSplitBits && bucketBits < keyBits {
		bucketBits++
	}
	ends := g.split(words, bucketBits)
	streams := make([]stream, len(g.extents))
	for i, e := range g.extents {
		streams[i].source = g.scratch.Cursor(e)
	}
	for bucket := range len(ends) - 1 {
		recs := (*g.space)[ends[bucket]:ends[bucket+1]]
		var err error
		if len(streams) > 0 {
			if recs, err = g.merge(recs, streams, uint64(bucket), g.width-bucketBits, bucket == len(ends)-2); err != nil {
				return err
			}
		}
		if len(recs) == 0 {
			continue
		}
		if isDense {
			recs, err = sorter.freshDense(recs, uint64(bucket), keyBits-bucketBits, g.shape, visited)
		} else {
			recs, err = sorter.freshSparse(recs, g.width-bucketBits, g.shape, visited)
		}
		if err == nil && len(recs) > 0 {
			err = f(recs)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// freshSparse sorts the records of a bucket, which it may change, and returns the first
// record of each key that no visited segment has.
func (s *sortSpace) freshSparse(recs []uint64, width uint, shape store.Shape, visited []stream) (fresh []uint64, err error) {
	if shape.Stride == 1 {
		fresh = s.distinctNarrow(recs, width, shape)
	} else {
		fresh = s.distinctWide(recs, width, shape)
	}
	for i := range visited {
		if fresh, err = visited[i].subtract(fresh, shape); err != nil {
			return nil, err
		}
	}
	return fresh, nil
}

func (g *gathering) moveBits() uint {
	if g.shape.Stride == 1 {
		return g.shape.MoveBits
	}
	return 0 // the move has a word of its own
}

// split puts the records of the chunks into g.space, bucket by bucket, and returns
// where each bucket begins, followed by the end of the last.
func (g *gathering) split(words int, bucketBits uint) []int {
	*g.space = grow(*g.space, words)
	out := *g.space
	stride := g.shape.Stride
	next := make([]int, 1<<bucketBits+1)
	if bucketBits == 0 {
		n := 0
		for _, c := range g.chunks {
			n += copy(out[n:], c)
		}
		next[1] = n
		return next
	}
	shift := (g.width - bucketBits) & 63 // below 64, as there are buckets
	mask := uint64(1)<<bucketBits - 1
	for _, c := range g.chunks {
		for i := 0; i < len(c); i += stride {
			next[c[i]>>shift&mask+1] += stride
		}
	}
	for b := 1; b < len(next); b++ {
		next[b] += next[b-1]
	}
	at := append([]int(nil), next...)
	for _, c := range g.chunks {
		if stride == 1 {
			for _, r := range c {
				b := r >> shift & mask
				out[at[b]] = r
				at[b]++
			}
			continue
		}
		for i := 0; i < len(c); i += stride {
			b := c[i] >> shift & mask
			at[b] += copy(out[at[b]:], c[i:i+stride])
		}
	}
	return next
}

// merge returns the records of a bucket, recs and those in the streams, in no order.
func (g *gathering) merge(recs []uint64, streams []stream, bucket uint64, shift uint, last bool) ([]uint64, error) {
	g.work = append(g.work[:0], recs...)
	mask := ^uint64(0) >> (64 - g.width)
	stride := g.shape.Stride
	for i := range streams {
		s := &streams[i]
		for {
			if s.empty() {
				if more, err := s.fill(); err != nil {
					return nil, err
				} else if !more {
					break
				}
			}
			n := 0
			if last {
				n = len(s.recs)
			}
			for n < len(s.recs) && s.recs[n]&mask>>shift <= bucket {
				n += stride
			}
			g.work = append(g.work, s.recs[:n]...)
			s.recs = s.recs[n:]
			if len(s.recs) > 0 {
				break
			}
		}
	}
	return g.work, nil
}

// blockSource yields sorted records one block at a time, and none at the end.
type blockSource interface {
	Next() ([]uint64, error)
}

// A skipper is a blockSource that can skip blocks whose keys are all less than a key,
// given by its first word.
type skipper interface{ Skip(key uint64) }

// A stream is a sorted segment being read; recs is the rest of the present block.
// Narrow records have moveBits bits below their keys.
type stream struct {
	source   blockSource
	recs     []uint64
	moveBits uint
}

func (s *stream) empty() bool { return len(s.recs) == 0 }

// fill reads the next block, and reports false at the end of the segment.
func (s *stream) fill() (bool, error) {
	recs, err := s.source.Next()
	s.recs = recs
	return len(recs) > 0, err
}

// fillFrom is fill for a caller that needs nothing before a key, given by its first
// word.
func (s *stream) fillFrom(key uint64) (bool, error) {
	if sk, ok := s.source.(skipper); ok {
		sk.Skip(key)
	}
	return s.fill()
}

// subtract drops from recs, in place, the records whose keys the stream has. Both must
// be sorted. It reads the stream just beyond recs.
func (s *stream) subtract(recs []uint64, shape store.Shape) ([]uint64, error) {
	if shape.Stride == 1 {
		return s.subtractNarrow(recs, shape.MoveBits)
	}
	n := 0
	for i := 0; i < len(recs); i += shape.Stride {
		rec := recs[i : i+shape.Stride]
		has, err := s.seek(rec, shape)
		if err != nil {
			return nil, err
		}
		if !has {
			n += copy(recs[n:], rec)
		}
	}
	return recs[:n], nil
}

// mark sets marks[i] if the stream has the key of record i. Both must be sorted. It
// reads the stream just beyond recs.
func (s *stream) mark(marks []bool, recs []uint64, shape store.Shape) error {
	for i := range marks {
		if shape.Stride > 1 {
			has, err := s.seek(recs[i*shape.Stride:(i+1)*shape.Stride], shape)
			if err != nil {
				return err
			}
			marks[i] = marks[i] || has
			continue
		}
		key := recs[i] >> shape.MoveBits
		for s.empty() || s.recs[0]>>s.moveBits < key {
			if !s.empty() {
				s.recs = s.recs[1:]
				continue
			}
			if more, err := s.fillFrom(key); err != nil || !more {
				return err
			}
		}
		marks[i] = marks[i] || s.recs[0]>>s.moveBits == key
	}
	return nil
}

// seek advances to the first record whose key is not less than that of rec, and
// reports whether they are equal.
func (s *stream) seek(rec []uint64, shape store.Shape) (bool, error) {
	for {
		if s.empty() {
			if more, err := s.fillFrom(rec[0]); err != nil || !more {
				return false, err
			}
		}
		if c := shape.Compare(s.recs, rec); c >= 0 {
			return c == 0, nil
		}
		s.recs = s.recs[shape.Stride:]
	}
}

func (s *stream) subtractNarrow(recs []uint64, moveBits uint) ([]uint64, error) {
	n := 0
	for i, r := range recs {
		key := r >> moveBits
		for {
			for len(s.recs) > 0 && s.recs[0]>>s.moveBits < key {
				s.recs = s.recs[1:]
			}
			if len(s.recs) > 0 {
				break
			}
			if more, err := s.fillFrom(key); err != nil {
				return nil, err
			} else if !more {
				n += copy(recs[n:], recs[i:])
				return recs[:n], nil
			}
		}
		recs[n] = r
		if s.recs[0]>>s.moveBits != key {
			n++
		}
	}
	return recs[:n], nil
}
