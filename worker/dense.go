package worker

import (
	"encoding/binary"
	"math/bits"

	"github.com/everystate/everystate/store"
)

// Where candidates are many for the keys there are, as they are if a puzzle ranks
// its states perfectly, a bucket needs no hash table: it has a byte for every key.
// Candidates, repetitions and visited states find their byte without a search,
// and what is left stands in order.
const (
	// denseRangeBits is the number of key bits of a dense bucket: its bytes
	// stay in a core's second cache.
	denseRangeBits = 17

	// denseKeysMax is the number of keys a candidate up to which a bucket is
	// dense. The keys that nobody has are passed over, eight at a time.
	denseKeysMax = 32

	// denseMoveBits is the number of bits of moves that fit a byte with a mark
	// for none.
	denseMoveBits = 7
)

// denseBuckets reports whether so many candidates of a partition are dense among
// its keys, and into how many buckets they are split then.
func denseBuckets(shape store.Shape, keyBits uint, candidates int) (bucketBits uint, dense bool) {
	if shape.Stride > 1 || shape.MoveBits > denseMoveBits || keyBits > denseRangeBits+bucketBitsMax {
		return 0, false
	}
	if keyBits > denseRangeBits {
		bucketBits = keyBits - denseRangeBits
	}
	return bucketBits, uint64(candidates)*denseKeysMax >= 1<<keyBits
}

// newDense is newSparse for a dense bucket, the keys of which are those with its
// number above their lowest keyBits bits.
func (s *sortSpace) newDense(recs []uint64, bucket uint64, keyBits uint, shape store.Shape, visited []stream) ([]uint64, error) {
	if len(s.marks) < 1<<keyBits {
		s.marks = make([]byte, max(8, 1<<keyBits))
	}
	marks := s.marks[:max(8, 1<<keyBits)]
	keyMask, moveMask := uint64(1)<<keyBits-1, uint64(1)<<shape.MoveBits-1
	// The least move has the greatest mark, and no candidate none.
	for _, r := range recs {
		mark := ^byte(r & moveMask)
		if p := &marks[r>>shape.MoveBits&keyMask]; *p < mark {
			*p = mark
		}
	}
	for i := range visited {
		if err := visited[i].erase(marks, bucket<<keyBits, keyBits); err != nil {
			clear(marks)
			return nil, err
		}
	}
	s.out = grow(s.out, len(recs))
	out, n := s.out[:len(recs)], 0
	first := bucket << keyBits
	for at := 0; at < len(marks); at += 8 {
		word := binary.LittleEndian.Uint64(marks[at:])
		if word == 0 {
			continue
		}
		binary.LittleEndian.PutUint64(marks[at:], 0)
		for word != 0 {
			shift := uint(bits.TrailingZeros64(word)) &^ 7
			key := first + uint64(at) + uint64(shift>>3)
			out[n] = key<<shape.MoveBits | uint64(^byte(word>>shift))
			n++
			word &^= 0xff << shift
		}
	}
	return out[:n], nil
}

// erase takes away the marks of the keys that the stream has from first on, as
// many as there are marks.
func (s *stream) erase(marks []byte, first uint64, keyBits uint) error {
	last, moveBits := first+1<<keyBits-1, s.moveBits
	for {
		recs := s.recs
		for len(recs) > 0 && recs[0]>>moveBits < first {
			recs = recs[1:] // of a bucket without candidates
		}
		n := len(recs)
		if n > 0 && recs[n-1]>>moveBits > last {
			n = 0
			for recs[n]>>moveBits <= last {
				n++
			}
		}
		for _, r := range recs[:n] {
			marks[r>>moveBits-first] = 0
		}
		s.recs = recs[n:]
		if len(s.recs) > 0 {
			return nil
		}
		if more, err := s.fillFrom(first); err != nil || !more {
			return err
		}
	}
}
