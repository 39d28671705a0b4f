// Package marking lets some pieces of a single set of unlike pieces decide which of the
// symmetric states of a permutation puzzle stands for the others, and numbers those that do,
// so that a table holds them alone (puzzle.Orbits).
//
// It must never know a notation, nor change what a key is.
package marking

import (
	"math"
	"math/bits"
	"slices"

	"github.com/everystate/everystate/puzzle/coordinates"
	"github.com/everystate/everystate/puzzle/permutation/folding"
	"github.com/everystate/everystate/puzzle/permutation/ranking"
	"github.com/everystate/everystate/puzzle/permutation/structure"
)

// Bounds of the pieces that are not marked: so many, and preferably seven.
const (
	othersMin, othersMax = 4, 8
	othersBest           = 7
)

// Marks are some pieces of an orbit of unlike pieces, which symmetries map to one another.
// The image of where they lie does not depend on the rest of a state, so they can decide
// which state stands for the others where the whole orbit has too many arrangements. They
// are immutable and safe for concurrent use.
type Marks struct {
	part     *folding.Part
	split    *coordinates.Split // without tables
	numberOf [256]uint8         // by label: marked pieces come first
	labels   []uint8            // by number
	itemOf   []uint8            // by number: the item of the part

	to    [][]uint8 // by symmetry and place of the part: the place of its image
	names [][]uint8 // by symmetry and number of a piece: what the piece becomes

	// Best and Least hold, by rank, the symmetries under which the image of the marked pieces
	// has the least rank, as bits, and that rank.
	Best  []uint64
	Least []uint32
}

// New marks pieces of the only part of a puzzle's states, or returns nil if that is not
// possible: of all unions of orbits of pieces, those that leave seven others, or else as
// nearly as possible as many, first fewer; of these the first, where orbits in the order of
// their least pieces count like the digits of a binary number, the first lowest.
func New(list []structure.Automorphism, inverse []int, parts []folding.Part) *Marks {
	if len(parts) != 1 || !parts[0].Distinct || len(parts[0].Places) > coordinates.PlacesMax || len(parts[0].Places) < 2*othersMin {
		return nil
	}
	m := &Marks{part: &parts[0]}
	marked := m.choose(list)
	if marked == 0 {
		return nil
	}
	n := len(m.part.Places)
	shape := coordinates.Shape{Places: n, Marked: bits.OnesCount(marked)}
	m.split = coordinates.NewLocator(shape)
	m.setNumbers(list, marked)
	m.Best, m.Least = structure.Best(inverse, uint64(m.split.Outer), func(ranks []uint64, of uint64) {
		var at, moved [coordinates.PlacesMax]uint8
		m.split.Place(at[:shape.Marked], int(of))
		for g := range list {
			for piece, place := range at[:shape.Marked] {
				moved[m.names[g][piece]] = m.to[g][place]
			}
			ranks[g] = uint64(m.split.OuterOf(moved[:shape.Marked]))
		}
	})
	return m
}

// choose returns the items of the marked pieces as bits, 0 if there are none.
func (m *Marks) choose(list []structure.Automorphism) (marked uint) {
	var orbits []uint
	seen := uint(0)
	for item, label := range m.part.Labels {
		if seen>>item&1 != 0 {
			continue
		}
		orbit := uint(0)
		for g := range list {
			orbit |= 1 << m.part.Local[list[g].Pieces[label]]
		}
		orbits, seen = append(orbits, orbit), seen|orbit
	}
	n, nearest := len(m.part.Places), math.MaxInt
	for set := range uint(1) << len(orbits) {
		union := uint(0)
		for i, orbit := range orbits {
			if set>>i&1 != 0 {
				union |= orbit
			}
		}
		others := n - bits.OnesCount(union)
		far := 2 * max(others-othersBest, othersBest-others)
		if others > othersBest {
			far++
		}
		if others >= othersMin && others <= othersMax && far < nearest && structure.Fits(list, ranking.Factorials[n]/ranking.Factorials[others]) {
			marked, nearest = union, far
		}
	}
	return marked
}

// setNumbers numbers the pieces, and sets what symmetries do to them and to places.
func (m *Marks) setNumbers(list []structure.Automorphism, marked uint) {
	for _, wanted := range []uint{1, 0} {
		for item, label := range m.part.Labels {
			if marked>>item&1 == wanted {
				m.numberOf[label] = uint8(len(m.labels))
				m.labels, m.itemOf = append(m.labels, label), append(m.itemOf, uint8(item))
			}
		}
	}
	for g := range list {
		var to, names []uint8
		for _, place := range m.part.Places {
			to = append(to, uint8(slices.Index(m.part.Places, int(list[g].To[place]))))
		}
		for _, label := range m.labels {
			names = append(names, m.numberOf[list[g].Pieces[label]])
		}
		m.to, m.names = append(m.to, to), append(m.names, names)
	}
}

// Of returns the rank of where the marked pieces lie.
func (m *Marks) Of(v *structure.View) int {
	var at [256]uint8
	for i, place := range m.part.Places {
		at[m.numberOf[v.Pieces[v.From[place]]]] = uint8(i)
	}
	return m.split.OuterOf(at[:m.split.Marked])
}
