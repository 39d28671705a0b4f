package worker

import (
	"math"
	"math/bits"
	"slices"

	"github.com/everystate/everystate/store"
)

// bucketRecords is the number of records sorted at a time: few enough to stay in
// a core's cache with their copy.
const bucketRecords = 16 << 10

// bucketBitsMax bounds the number of buckets of a partition, and so the memory
// for their bounds.
const bucketBitsMax = 16

// sortSpace is the memory for sorting, besides the records themselves.
type sortSpace struct {
	table  []uint64
	out    []uint64
	places []uint32
	dense  denseSpace
}

// free marks an empty slot. A record of fewer than 64 bits never looks like it.
const free = ^uint64(0)

// distinctNarrow returns the records of a bucket in order, and only the first of
// those with equal keys. The records are of a narrow shape, and agree above their
// lowest width bits.
//
// Candidates repeat: in a space where a state has b successors, nearly b of them
// are the same state. So duplicates are dropped before sorting, in a hash table
// whose slot is given by the leading bits of the key. As the mix has spread the
// keys evenly, no other hash is needed, and the table is in order except for
// records displaced from occupied slots; a final insertion sort puts those in
// place. A bucket's table fits in a core's cache.
func (s *sortSpace) distinctNarrow(recs []uint64, width uint, shape store.Shape) []uint64 {
	n, moveBits := len(recs), shape.MoveBits
	if n <= 24 || shape.KeyBits+moveBits == 64 {
		slices.Sort(recs)
		return uniqueNarrow(recs, moveBits)
	}
	// The slot depends on the key alone, not on the move below it.
	slotBits := min(uint(bits.Len(uint(n+n/2))), width-moveBits)
	size := tableSize(slotBits)
	s.table = grow(s.table, size)
	table := s.table[:size]
	for i := range table {
		table[i] = free
	}
	shift := width - slotBits
	mask := uint64(1)<<width - 1
	for _, r := range recs {
		key := r >> moveBits
		i := r & mask >> shift
		for ; i < uint64(len(table)); i++ {
			t := table[i]
			if t == free {
				table[i] = r
				break
			}
			if t>>moveBits == key {
				table[i] = min(t, r)
				break
			}
		}
		if i == uint64(len(table)) {
			// The keys are not evenly spread after all, as in a tiny space.
			slices.Sort(recs)
			return uniqueNarrow(recs, moveBits)
		}
	}
	s.out = grow(s.out, n+1)
	out := s.out[:n+1]
	kept := 0
	for _, t := range table {
		out[kept] = t
		if t != free {
			kept++
		}
	}
	out = out[:kept]
	insertionSort(out)
	return out
}

// tableSize returns how many slots a table has. Records are displaced by few slots; those
// at the end, into a margin. A table is filled and read once for each bucket, so that of
// a few hundred records should not be mostly margin.
func tableSize(slotBits uint) int {
	slots := 1 << slotBits
	return slots + min(64+slots/8, 1<<10)
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

// uniqueNarrow drops, in place, all but the first of the records with equal keys.
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

// distinctWide is distinctNarrow for records of several words, whose first words
// agree above their lowest width bits. The table holds record numbers.
func (s *sortSpace) distinctWide(recs []uint64, width uint, shape store.Shape) []uint64 {
	stride := shape.Stride
	n := len(recs) / stride
	if n <= 24 || n >= math.MaxUint32 {
		return uniqueWide(s.sortWide(recs, stride), shape)
	}
	slotBits := min(uint(bits.Len(uint(n+n/2))), width)
	size := tableSize(slotBits)
	if len(s.places) < size {
		s.places = make([]uint32, size)
	}
	places := s.places[:size]
	clear(places)
	shift := width - slotBits
	mask := ^uint64(0) >> (64 - width)
	for i := range n {
		rec := recs[i*stride : (i+1)*stride]
		at := rec[0] & mask >> shift
		for ; at < uint64(size); at++ {
			p := places[at]
			if p == 0 {
				places[at] = uint32(i) + 1
				break
			}
			other := recs[int(p-1)*stride : int(p)*stride]
			if shape.Compare(other, rec) != 0 {
				continue
			}
			if rec[stride-1] < other[stride-1] {
				places[at] = uint32(i) + 1
			}
			break
		}
		if at == uint64(size) {
			// The keys are not evenly spread after all, as in a tiny space.
			return uniqueWide(s.sortWide(recs, stride), shape)
		}
	}
	order := places[:0]
	for _, p := range places {
		if p == 0 {
			continue
		}
		rec := recs[int(p-1)*stride : int(p)*stride]
		order = append(order, p)
		for j := len(order) - 1; j > 0; j-- {
			before := recs[int(order[j-1]-1)*stride : int(order[j-1])*stride]
			if shape.Compare(before, rec) < 0 {
				break
			}
			order[j], order[j-1] = order[j-1], order[j]
		}
	}
	s.out = grow(s.out, len(order)*stride)
	out := s.out[:0]
	for _, p := range order {
		out = append(out, recs[int(p-1)*stride:int(p)*stride]...)
	}
	return out
}

// sortWide sorts records of several words. It sorts their indices and moves each
// record once.
func (s *sortSpace) sortWide(recs []uint64, stride int) []uint64 {
	n := len(recs) / stride
	order := make([]uint32, n)
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int {
		return slices.Compare(recs[int(a)*stride:int(a+1)*stride], recs[int(b)*stride:int(b+1)*stride])
	})
	s.out = grow(s.out, len(recs))
	out := s.out[:0]
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
