package estimate

import "slices"

// A set holds keys exactly, using open addressing.
type set struct {
	words int
	mask  uint64
	keys  []uint64 // words per slot
	taken []bool
	n     int
}

// depthMax bounds the number of layers explored.
const depthMax = 1 << 16

func newSet(words, statesMax int) *set {
	size := 1024
	for size < statesMax*3/2 {
		size *= 2
	}
	return &set{words: words, mask: uint64(size - 1), keys: make([]uint64, size*words), taken: make([]bool, size)}
}

// add adds a key, and reports whether it is new. There must be room.
func (s *set) add(key []uint64) bool {
	for i := hash(key) & s.mask; ; i = (i + 1) & s.mask {
		slot := s.keys[int(i)*s.words:][:s.words]
		if !s.taken[i] {
			copy(slot, key)
			s.taken[i] = true
			s.n++
			return true
		}
		if slices.Equal(slot, key) {
			return false
		}
	}
}

// hash mixes a key. For keys of one word it is a bijection, so equal hashes mean
// equal keys.
func hash(key []uint64) uint64 {
	var h uint64
	for _, w := range key {
		h = mix(h ^ w)
	}
	return h
}

// mix is the finalizer of splitmix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// A source is a sequence of pseudorandom numbers (splitmix64), determined by its
// seed.
type source uint64

func (s *source) next() uint64 {
	v := mix(uint64(*s))
	*s += 0x9e3779b97f4a7c15
	return v
}

// below returns a number from 0 to n-1. The bias of n in 2^32 does not matter for
// moves, of which there are at most 2^16.
func (s *source) below(n int) int { return int(s.next() >> 32 * uint64(n) >> 32) }
