package tiles

import (
	"math/bits"

	"github.com/everystate/everystate/puzzle"
)

// lanes are the tables of the moves of a shape.
//
// A hole that moves along its lane passes one tile and leaves the order of the tiles
// unchanged: only the hole's cell changes, and the key by 1.
//
// A hole that moves to an adjacent lane makes one tile pass the width-1 tiles between
// the hole's old and new cell: the order of width tiles, a segment, is rotated by one.
// This changes the segment's digits in the rank and no others, and their new values
// depend on them alone: each digit selects the next tile among those not before it.
// Together the digits of a segment form one number, below the product m of their
// radices and with a weight f, so
//
//	new key = key + turn[key / (f*cells) % m] * f*cells ± width
//
// where turn is the change of the number. Its values fit 16 bits: m is at most
// 15*14*13*12. Tables that small stay in the cache.
type lanes struct {
	shape shape
	turns []int16
	// cross has two entries per hole cell: to the next lane, and to the one before.
	cross [2 * cellsMax]crossing
	// cellsInverse is used to divide by the number of cells.
	cellsInverse uint64
	holes        [cellsMax][linksMax]hole
}

// A crossing moves the hole to an adjacent lane. Divisions are multiplications:
// for x < 1<<63 and 1<<shift < d, x/d is the high word of x*ceil(1<<(64+shift)/d),
// shifted; and for x*m < 1<<64, x%m is the high word of m times the low word of
// x*ceil(1<<64/m).
type crossing struct {
	divide  uint64 // by weight
	modulo  uint64 // by radix
	radix   uint64 // m, or 0 if there is no such lane
	weight  uint64 // f*cells
	hole    uint64 // the change of the hole's cell, modulo 1<<64
	first   uint32 // of the segment's entries in turns
	shift   uint8
	allowed bool
}

// apply returns the key after the crossing.
func (c *crossing) apply(turns []int16, key uint64) uint64 {
	quotient, _ := bits.Mul64(key, c.divide)
	number, _ := bits.Mul64(quotient>>(c.shift&63)*c.modulo, c.radix)
	turn := uint64(int64(turns[uint64(c.first)+number])) // modulo 1<<64
	return key + turn*c.weight + c.hole
}

// linksMax is the number of single steps, plus one for no link.
const linksMax = 5

// A hole lists the single steps of a hole, except the inverse of its last. The keys of
// all four are written one after another, each to its place: a key that is left out
// has the place of the next, which overwrites it.
type hole struct {
	next, before crossing
	places       [4]uint8
	count        uint8
	moves        [4]puzzle.Move
}

// The single steps of a hole, in the order of move ids.
const (
	stepNext    = iota // to the next lane
	stepBefore         // to the lane before
	stepForward        // along the lane
	stepBack
)

// newLanes builds the tables of a shape.
func newLanes(s shape) *lanes {
	l := &lanes{shape: s, cellsInverse: inverse(uint64(s.cells()))}
	l.turns = append(l.turns, 0) // for the crossings that do not exist
	for at := range s.cells() {
		if at+s.width() < s.cells() {
			l.cross[2*at] = l.crossing(at, true)
		}
		if at >= s.width() {
			l.cross[2*at+1] = l.crossing(at, false)
		}
		for link := range linksMax {
			l.holes[at][link] = l.hole(at, link)
		}
	}
	return l
}

// crossing makes the crossing of a hole to the next lane, or to the one before.
func (l *lanes) crossing(at int, next bool) crossing {
	tiles, width := l.shape.cells()-1, l.shape.width()
	first := at // tile of the segment
	hole := uint64(width)
	if !next {
		first -= width
		hole = -hole
	}
	left := tiles - first // tiles that are not before the segment
	radix := factorial(left) / factorial(left-width)
	c := crossing{
		modulo:  inverse(radix),
		radix:   radix,
		weight:  factorial(left-width) * uint64(l.shape.cells()),
		hole:    hole,
		first:   uint32(len(l.turns)), // a few hundred thousand
		allowed: true,
	}
	c.divide, c.shift = reciprocal(c.weight)
	for number := range radix {
		l.turns = append(l.turns, int16(int64(turned(number, left, width, next))-int64(number))) // see lanes
	}
	return c
}

// turned returns the number of a segment rotated by one: its last tile becomes the
// first if the hole goes to the next lane, and the first the last otherwise.
func turned(number uint64, left, width int, next bool) uint64 {
	var segment [cellsMax]int
	tiles := segment[:width]
	for i := width - 1; i >= 0; i-- {
		radix := uint64(left - i)
		tiles[i] = int(number % radix) // less than 16
		number /= radix
	}
	// From digits to tiles, numbered among those not before the segment.
	for i := width - 1; i >= 0; i-- {
		for j := i + 1; j < width; j++ {
			if tiles[j] >= tiles[i] {
				tiles[j]++
			}
		}
	}
	if next {
		last := tiles[width-1]
		copy(tiles[1:], tiles)
		tiles[0] = last
	} else {
		first := tiles[0]
		copy(tiles, tiles[1:])
		tiles[width-1] = first
	}
	// And back.
	for i := range tiles {
		for j := i + 1; j < width; j++ {
			if tiles[j] > tiles[i] {
				tiles[j]--
			}
		}
		number = number*uint64(left-i) + uint64(tiles[i]) // not negative
	}
	return number
}

// hole lists the steps of a hole that came there by a step, or by none.
func (l *lanes) hole(at, link int) hole {
	h := hole{next: l.cross[2*at], before: l.cross[2*at+1]}
	width := l.shape.width()
	allowed := [4]bool{h.next.allowed, h.before.allowed, at%width < width-1, at%width > 0}
	if link < 4 {
		allowed[link^1] = false
	}
	for step, ok := range allowed {
		h.places[step] = h.count
		if ok {
			h.moves[h.count] = puzzle.Move(step) // less than 4
			h.count++
		}
	}
	return h
}

// inverse returns ceil(1<<64 / d), modulo 1<<64.
func inverse(d uint64) uint64 { return ^uint64(0)/d + 1 }

// reciprocal returns ceil(1<<(64+shift) / d), where 1<<shift is the greatest power of
// two less than d, for d at least 2.
func reciprocal(d uint64) (factor uint64, shift uint8) {
	shift = uint8(bits.Len64(d-1) - 1) // less than 64
	quotient, remainder := bits.Div64(1<<shift, 0, d)
	if remainder > 0 {
		quotient++
	}
	return quotient, shift
}
