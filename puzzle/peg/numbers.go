package peg

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/everystate/everystate/puzzle"
)

var (
	_ puzzle.Numbered      = plain{}
	_ puzzle.FlipNumbering = (*numbering)(nil)
)

// numbering numbers states by the bits of their keys in another order: about every third
// board of a position class can be reached.
type numbering struct {
	bits    int
	keys    spread // from numbers
	numbers spread // from keys
	flips   []puzzle.Flip
}

// Numbering says which bits of numbers jumps flip. Each hole of a board is a sum of bits of
// its key, so that a jump has three conditions.
func (p plain) Numbering() puzzle.Numbering {
	const bitsMax = 40
	count := len(p.coset.vectors)
	if count == 0 || count > bitsMax {
		return nil
	}
	order := p.order()
	toKey, toNumber := make([][]uint64, count), make([][]uint64, count)
	for i, bit := range order {
		toKey[i], toNumber[bit] = []uint64{1 << bit}, []uint64{1 << i}
	}
	n := &numbering{bits: count, keys: newSpread([]uint64{0}, toKey), numbers: newSpread([]uint64{0}, toNumber)}
	for _, r := range p.rules {
		flip := puzzle.Flip{Bits: n.numbers.image(r.delta)}
		for _, hole := range []int{r.from, r.over, r.to} {
			at := p.at[hole]
			of := uint64(0)
			for i, v := range p.coset.vectors {
				of |= v >> at & 1 << i
			}
			peg := hole != r.to
			flip.Ifs = append(flip.Ifs, puzzle.Parity{Of: n.numbers.image(of), Odd: peg != (p.coset.base>>at&1 == 1)})
		}
		n.flips = append(n.flips, flip)
	}
	return n
}

// order returns, for each bit of a number, the bit of the key. The first ones, those of a word,
// are those that change the fewest holes. Boards that differ in them alone often have as many
// pegs, so that they are in one layer: of the English board twice as many as in the order of
// the keys. The others follow so that jumps flip no more than the first bits of a number where
// that is possible, and lead to numbers that are near.
func (g *game) order() []int {
	const inWord = 6
	left := make([]int, len(g.coset.vectors))
	for i := range left {
		left[i] = i
	}
	slices.SortStableFunc(left, func(a, b int) int {
		return cmp.Compare(bits.OnesCount64(g.coset.vectors[a]), bits.OnesCount64(g.coset.vectors[b]))
	})
	var order []int
	taken := uint64(0)
	for len(left) > 0 {
		next, most := 0, -1
		for i, bit := range left {
			if len(order) < inWord {
				break
			}
			near := 0
			for j := range g.rules {
				missing := bits.OnesCount64(g.rules[j].delta &^ (taken | 1<<bit))
				near += [...]int{1000, 30, 1, 0}[missing]
			}
			if near > most {
				next, most = i, near
			}
		}
		order = append(order, left[next])
		taken |= 1 << left[next]
		left = slices.Delete(left, next, next+1)
	}
	return order
}

// Count returns how many keys there are.
func (n *numbering) Count() uint64 { return 1 << n.bits }

// Number returns the number of a key.
func (n *numbering) Number(key uint64) (uint64, bool) { return n.numbers.image(key), true }

// AppendKeys appends the keys of numbers.
func (n *numbering) AppendKeys(keys, numbers []uint64) []uint64 {
	const low = 1<<16 - 1
	high, image := uint64(0), uint64(0)
	for _, number := range numbers {
		if number&^low != high {
			high = number &^ low
			image = n.keys.image(high)
		}
		keys = append(keys, image^n.keys.image16(number&low))
	}
	return keys
}

// Flips returns the jumps.
func (n *numbering) Flips() []puzzle.Flip { return n.flips }
