package sokoban

import (
	"math"
	"math/bits"

	"github.com/everystate/everystate/puzzle"
)

// cellsMax bounds the cells of a level: a bit for each and the player's field must fit
// the widest key.
const cellsMax = 64*puzzle.WordsMax - 9

// binomialsMax bounds the entries of a codec's table, since a collection holds
// thousands of levels. Levels of 64 cells need far fewer.
const binomialsMax = 1 << 13

// cellSet is a set of cells, cell c at bit c%64 of word c/64.
type cellSet [puzzle.WordsMax]uint64

func (s *cellSet) has(c int) bool { return s[c>>6]>>(c&63)&1 != 0 }
func (s *cellSet) add(c int)      { s[c>>6] |= 1 << (c & 63) }
func (s *cellSet) remove(c int)   { s[c>>6] &^= 1 << (c & 63) }

// codec packs a set of boxes and the player's cell into a key.
//
// If it fits and the table is not too large, a key is one word: rank*cells + player,
// with the colexicographic rank of the set: the sum of choose(c(i), i) over its cells
// c(1) < c(2) < ..., with i from 1. All ranks below choose(cells, boxes) occur.
//
// Otherwise a key has one bit per cell, cell 0 at the most significant bit of word 0,
// and the player's cell in the lowest bits of the last word:
//
//	word 0     cell 0 | cell 1 | ... | cell 63
//	word w-1   cell 64w-64 | ... | 0...0 | player
type codec struct {
	cells, boxCount int
	keyBits         int

	ranked bool
	ranks  uint64 // number of sets of boxes
	// binomials[i*stride+c] is choose(c, i), for i up to boxes and c up to cells.
	binomials []uint64
	stride    int

	playerBits uint
}

func newCodec(cells, boxes int) *codec {
	c := &codec{cells: cells, boxCount: boxes, playerBits: uint(bits.Len(uint(cells - 1)))}
	c.tabulate()
	if c.ranked {
		c.keyBits = max(1, bits.Len64(c.ranks*uint64(cells)-1))
		return c
	}
	words := (cells + int(c.playerBits) + 63) / 64
	c.keyBits = 64 * words
	return c
}

// tabulate fills the binomials and decides whether keys are ranked.
func (c *codec) tabulate() {
	c.stride = c.cells + 1
	if (c.boxCount+2)*c.stride > binomialsMax {
		return
	}
	c.binomials = make([]uint64, (c.boxCount+2)*c.stride)
	for n := range c.stride {
		c.binomials[n] = 1
		for i := 1; i <= c.boxCount && i <= n; i++ {
			sum, carry := bits.Add64(c.binomials[i*c.stride+n-1], c.binomials[(i-1)*c.stride+n-1], 0)
			if carry != 0 {
				sum = math.MaxUint64 // stays at the maximum: sums only grow
			}
			c.binomials[i*c.stride+n] = sum
		}
	}
	c.ranks = c.binomials[c.boxCount*c.stride+c.cells]
	high, _ := bits.Mul64(c.ranks, uint64(c.cells))
	c.ranked = high == 0
	if !c.ranked {
		c.binomials = nil
	}
}

// words returns the number of words of a key.
func (c *codec) words() int { return (c.keyBits + 63) / 64 }

// encode writes the key of a state.
func (c *codec) encode(key []uint64, boxes *cellSet, player int) {
	if c.ranked {
		key[0] = c.rank(boxes)*uint64(c.cells) + uint64(player)
		return
	}
	for w := range key {
		key[w] = bits.Reverse64(boxes[w])
	}
	key[len(key)-1] |= uint64(player)
}

// rank returns the rank of a set of boxes.
func (c *codec) rank(boxes *cellSet) uint64 {
	sum, row := uint64(0), 0
	for w, word := range boxes {
		for ; word != 0; word &= word - 1 {
			row += c.stride
			sum += c.binomials[row+w<<6+bits.TrailingZeros64(word)]
		}
	}
	return sum
}

// decode reads a key. If it is not the key of a set of boxes and a cell, ok is false.
func (c *codec) decode(key []uint64, boxes *cellSet) (player int, ok bool) {
	*boxes = cellSet{}
	if c.ranked {
		rank := key[0] / uint64(c.cells)
		if rank >= c.ranks {
			return 0, false
		}
		c.unrank(rank, boxes)
		return int(key[0] % uint64(c.cells)), true
	}
	last := len(key) - 1
	field := uint64(1)<<c.playerBits - 1
	player = int(key[last] & field)
	count := 0
	for w, word := range key {
		if w == last {
			word &^= field
		}
		boxes[w] = bits.Reverse64(word)
		count += bits.OnesCount64(word)
	}
	if left := c.cells - 64*last; left <= 0 {
		ok = boxes[last] == 0 && (left == 0 || boxes[last-1]>>(64+left) == 0)
	} else {
		ok = left == 64 || boxes[last]>>left == 0
	}
	return player, ok && count == c.boxCount && player < c.cells
}

// unrank adds the boxes of a rank to an empty set.
func (c *codec) unrank(rank uint64, boxes *cellSet) {
	cell := c.cells
	for i := c.boxCount; i > 0; i-- {
		row := c.binomials[i*c.stride : (i+1)*c.stride]
		for cell--; row[cell] > rank; cell-- {
			continue
		}
		rank -= row[cell]
		boxes.add(cell)
	}
}
