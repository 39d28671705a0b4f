package peg

import (
	"math/bits"
	"slices"
)

// A board is a word with one bit per hole, set for a peg.
type board = uint64

// coset is a set of boards that differ by the vectors of a linear space. Its keys
// number them: key bit i is the board's bit pivots[i], and the other bits follow.
//
//	board = base ^ vectors[i] for each bit i of the key
//
// Vector i has the bit of pivot i and of no other pivot; base has none.
type coset struct {
	vectors []board
	pivots  []uint
	base    board
}

// newCoset returns the coset of a board under the space that vectors span.
func newCoset(vectors []board, member board) coset {
	var c coset
	for _, v := range vectors {
		v = c.reduce(v)
		if v == 0 {
			continue
		}
		pivot := uint(bits.TrailingZeros64(v))
		for i := range c.vectors {
			if c.vectors[i]>>pivot&1 != 0 {
				c.vectors[i] ^= v
			}
		}
		c.vectors = append(c.vectors, v)
		c.pivots = append(c.pivots, pivot)
	}
	slices.Sort(c.pivots)
	slices.SortFunc(c.vectors, func(v, w board) int {
		return bits.TrailingZeros64(c.pivotOf(v)) - bits.TrailingZeros64(c.pivotOf(w))
	})
	c.base = c.reduce(member)
	return c
}

// pivotOf returns the only pivot bit of a vector.
func (c *coset) pivotOf(v board) board {
	for _, p := range c.pivots {
		if v>>p&1 != 0 {
			return 1 << p
		}
	}
	return 0
}

// reduce returns the board without pivot bits that differs from b by a vector of the
// space.
func (c *coset) reduce(b board) board {
	for i := range c.vectors {
		if b&c.pivotOf(c.vectors[i]) != 0 {
			b ^= c.vectors[i]
		}
	}
	return b
}

// contains reports whether a board has a key.
func (c *coset) contains(b board) bool { return c.reduce(b) == c.base }

// key returns the key of a board, or the change of a key by a vector of the space.
func (c *coset) key(b board) uint64 {
	key := uint64(0)
	for i, p := range c.pivots {
		key |= b >> p & 1 << i
	}
	return key
}

// spread is an affine map from keys, by tables for each byte of a key: the images of a
// key are the sums of those of its bytes. Each key has width images.
type spread struct {
	width  int
	tables [][]uint64 // [byte of the key][value*width + image]
}

// newSpread makes the tables of the map that sends key 0 to base and adds vectors[i]
// for each bit i, both of width words.
func newSpread(base []uint64, vectors [][]uint64) spread {
	width := len(base)
	s := spread{width: width}
	for first := 0; first == 0 || first < len(vectors); first += 8 {
		table := make([]uint64, 256*width)
		for value := range 256 {
			row := table[value*width : (value+1)*width]
			if first == 0 {
				copy(row, base)
			}
			for i := range 8 {
				if value>>i&1 == 0 || first+i >= len(vectors) {
					continue
				}
				for n, word := range vectors[first+i] {
					row[n] ^= word
				}
			}
		}
		s.tables = append(s.tables, table)
	}
	return s
}

// images writes the images of a key.
func (s *spread) images(key uint64, dst []uint64) {
	dst = dst[:s.width]
	clear(dst)
	for _, table := range s.tables {
		row := table[int(key&255)*s.width:]
		for n := range dst {
			dst[n] ^= row[n]
		}
		key >>= 8
	}
}

// one returns one of the images of a key.
func (s *spread) one(key uint64, n int) uint64 {
	image := uint64(0)
	for _, table := range s.tables {
		image ^= table[int(key&255)*s.width+n]
		key >>= 8
	}
	return image
}

// image returns the image of a key that has only one.
func (s *spread) image(key uint64) uint64 {
	image := uint64(0)
	for _, table := range s.tables {
		image ^= table[key&255]
		key >>= 8
	}
	return image
}

// image16 returns what the first 16 bits of a key add to its image.
func (s *spread) image16(key uint64) uint64 {
	if len(s.tables) == 1 {
		return s.tables[0][key&255]
	}
	return s.tables[0][key&255] ^ s.tables[1][key>>8&255]
}
