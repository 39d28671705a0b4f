package worker

import (
	"math/bits"
	"slices"

	"github.com/everystate/everystate/store"
)

// bucketRecords is the number of records that are sorted at a time: few enough
// to stay in a core's cache with their copy.
const bucketRecords = 16 << 10

// bucketBitsMax bounds the number of buckets of a partition, and with it the
// memory for their bounds.
const bucketBitsMax = 16

// sortSpace is the memory that sorting needs besides the records themselves.
type sortSpace struct {
	tmp   []uint64
	count []uint32
}

// sortNarrow sorts the records of a bucket, which agree above their lowest
// width bits and are spread evenly over these, because that is what the mix is
// for. One counting pass by the next bits brings nearly every record to its
// place, and insertion does the rest. It returns the sorted records, which lie
// either in recs or in the space.
func (s *sortSpace) sortNarrow(recs []uint64, width uint) []uint64 {
	n := len(recs)
	if n <= 24 {
		insertionSort(recs)
		return recs
	}
	slotBits := min(uint(bits.Len(uint(n)))-1, width)
	shift := width - slotBits
	mask := uint64(1)<<slotBits - 1
	slots := 1 << slotBits
	if cap(s.count) < slots+1 {
		s.count = make([]uint32, 2*slots+1)
	}
	count := s.count[:slots+1]
	clear(count)
	for _, r := range recs {
		count[r>>shift&mask+1]++
	}
	var most uint32
	for i := 1; i < len(count); i++ {
		most = max(most, count[i])
		count[i] += count[i-1]
	}
	s.tmp = grow(s.tmp, n)
	out := s.tmp[:n]
	for _, r := range recs {
		slot := r >> shift & mask
		out[count[slot]] = r
		count[slot]++
	}
	if shift == 0 {
		return out
	}
	if most > 64 {
		// Many repetitions, or keys of so few bits that the mix cannot spread
		// them. Slots end where the next begins.
		start := uint32(0)
		for slot := range slots {
			end := count[slot]
			slices.Sort(out[start:end])
			start = end
		}
		return out
	}
	insertionSort(out)
	return out
}

func insertionSort(a []uint64) {
	for i := 1; i < len(a); i++ {
		v := a[i]
		j := i
		for j > 0 && a[j-1] > v {
			a[j] = a[j-1]
			j--
		}
		a[j] = v
	}
}

// uniqueNarrow drops, in place, all but the first of the records with one key.
func uniqueNarrow(recs []uint64, moveBits uint) []uint64 {
	if len(recs) == 0 {
		return recs
	}
	n := 1
	last := recs[0] >> moveBits
	for _, r := range recs[1:] {
		key := r >> moveBits
		recs[n] = r
		if key != last {
			n++
		}
		last = key
	}
	return recs[:n]
}

// sortWide sorts records of several words. It sorts pointers to them, so to
// speak: rows are moved once.
func (s *sortSpace) sortWide(recs []uint64, stride int) []uint64 {
	n := len(recs) / stride
	order := make([]uint32, n)
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int {
		return slices.Compare(recs[int(a)*stride:int(a+1)*stride], recs[int(b)*stride:int(b+1)*stride])
	})
	s.tmp = grow(s.tmp, len(recs))
	out := s.tmp[:0]
	for _, i := range order {
		out = append(out, recs[int(i)*stride:int(i+1)*stride]...)
	}
	return out
}

func uniqueWide(recs []uint64, shape store.Shape) []uint64 {
	stride := shape.Stride
	n := 0
	for i := 0; i < len(recs); i += stride {
		if n > 0 && shape.Compare(recs[n-stride:], recs[i:]) == 0 {
			continue
		}
		copy(recs[n:], recs[i:i+stride])
		n += stride
	}
	return recs[:n]
}

func grow(s []uint64, n int) []uint64 {
	if cap(s) < n {
		return make([]uint64, n+n/4)
	}
	return s[:n]
}
