package worker

import (
	"math/bits"

	"github.com/everystate/everystate/store"
)

// Where candidates are dense among the possible keys, as when a puzzle ranks its
// states perfectly, a bucket needs no hash table: it has a bit and a byte for
// every key. Candidates, duplicates and visited states index them directly, and
// what remains is in order.
const (
	// denseRangeBits is the number of key bits of a dense bucket: its bits stay
	// in a core's L1 cache and its bytes in L2.
	denseRangeBits = 17

	// denseKeysMax is the number of keys per candidate up to which a bucket is
	// dense. Unused keys are skipped 64 at a time.
	denseKeysMax = 128

	// denseBucketBitsMax bounds the number of dense buckets of a partition.
	denseBucketBitsMax = 20

	// denseMoveBits is the number of bits of a move that fits in a byte together
	// with a mark for none.
	denseMoveBits = 7
)

// denseBuckets reports whether the candidates of a partition are dense among its
// keys; if so, bucketBits is the logarithm of the number of buckets to split them
// into.
func denseBuckets(shape store.Shape, keyBits uint, candidates int) (bucketBits uint, dense bool) {
	if shape.Stride > 1 || shape.MoveBits > denseMoveBits || keyBits > denseRangeBits+denseBucketBitsMax ||
		uint64(candidates)*denseKeysMax < 1<<keyBits {
		return 0, false
	}
	if keyBits > denseRangeBits {
		bucketBits = keyBits - denseRangeBits
	}
	return bucketBits, true
}

// denseSpace is the memory for a dense bucket: for every key, whether it is among
// the candidates, and a mark for the least move that leads to it. All is zero
// between uses.
type denseSpace struct {
	present []uint64 // one bit per key
	marks   []byte   // 255 less the move, 0 for none
}

func (d *denseSpace) grow(keyBits uint) {
	keys := max(64, 1<<keyBits)
	if len(d.marks) < keys {
		d.marks, d.present = make([]byte, keys), make([]uint64, keys/64)
	}
}

// freshDense is freshSparse for a dense bucket: the keys that have its number above
// their lowest keyBits bits.
func (s *sortSpace) freshDense(recs []uint64, bucket uint64, keyBits uint, shape store.Shape, visited []stream) ([]uint64, error) {
	s.dense.grow(keyBits)
	keys := max(64, 1<<keyBits)
	present, marks := s.dense.present[:keys/64], s.dense.marks[:keys]
	defer clear(present)
	defer clear(marks)
	moveBits := shape.MoveBits & 63
	keyMask, moveMask := uint64(1)<<keyBits-1, uint64(1)<<moveBits-1
	for _, r := range recs {
		key := r >> moveBits & keyMask
		marks[key] = max(marks[key], ^byte(r&moveMask))
		present[key>>6] |= 1 << (key & 63)
	}
	first := bucket << keyBits
	for i := range visited {
		if err := visited[i].erase(present, first, keyBits); err != nil {
			return nil, err
		}
	}
	s.out = grow(s.out, len(recs)+denseAtOnce)
	out, n := s.out[:len(recs)+denseAtOnce], 0
	for i, word := range present {
		if word == 0 {
			continue
		}
		// Take denseAtOnce states unconditionally, even if there are fewer, so
		// that the processor does not mispredict how many there are.
		group, at := marks[i*64:i*64+64], first+uint64(i)*64
		some := out[n : n+denseAtOnce : n+denseAtOnce]
		left := word
		for j := range some {
			bit := uint64(bits.TrailingZeros64(left)) & 63
			some[j] = (at+bit)<<moveBits | uint64(^group[bit])
			left &= left - 1
		}
		n += bits.OnesCount64(word)
		for k := n - bits.OnesCount64(left); left != 0; k++ {
			bit := uint64(bits.TrailingZeros64(left)) & 63
			out[k] = (at+bit)<<moveBits | uint64(^group[bit])
			left &= left - 1
		}
	}
	return out[:n], nil
}

// denseAtOnce is how many states of 64 keys are taken without a branch.
const denseAtOnce = 4

// erase clears the bits of the keys that the stream has. present has a bit for each
// of 1<<keyBits keys from first on.
func (s *stream) erase(present []uint64, first uint64, keyBits uint) error {
	last, moveBits := first+1<<keyBits-1, s.moveBits&63
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
			key := r>>moveBits - first
			present[key>>6] &^= 1 << (key & 63)
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
