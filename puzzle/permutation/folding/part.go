package folding

import (
	"github.com/everystate/everystate/puzzle/permutation/ranking"
	"github.com/everystate/everystate/puzzle/permutation/structure"
)

// A Part is a coordinate of the states: the pieces of an orbit, or their turns.
type Part struct {
	Places []int

	// Labels holds, for pieces, the piece that each item means; nil for turns. Distinct
	// says that all are different, each once.
	Labels   []uint8
	Local    *[256]uint8 // label to item
	Distinct bool

	// Ranks are below Size; a rank counts Stride in a key.
	Size, Stride uint64
	Ranking
}

// Ranking numbers lists of items, one per place.
type Ranking interface {
	Rank(items []uint8) uint64
	Unrank(items []uint8, rank uint64)
}

// placesMax is the greatest number of places.
const placesMax = 64

// state is an arrangement.
type state struct{ pieces, orients [placesMax]uint8 }

// take reads the items of a part.
func (p *Part) take(items *[placesMax]uint8, a *state) []uint8 {
	list := items[:len(p.Places)]
	for i, place := range p.Places {
		if p.Labels == nil {
			list[i] = a.orients[place&(placesMax-1)]
		} else {
			list[i] = p.Local[a.pieces[place&(placesMax-1)]]
		}
	}
	return list
}

// put writes the items of a part.
func (p *Part) put(a *state, items []uint8) {
	for i, place := range p.Places {
		if p.Labels == nil {
			a.orients[place] = items[i]
		} else {
			a.pieces[place] = p.Labels[items[i]]
		}
	}
}

// tabledMax bounds the ranks of parts whose reached ranks are listed.
const tabledMax = 1 << 22

// numbering numbers the ranks of a part that moves reach.
type numbering struct {
	*Part
	count int

	// Of pieces that all moves permute evenly, the ranks 2k and 2k+1 differ in the last
	// two places, so that one of them is reached.
	halved bool
	odd    uint8 // the parity that is reached

	ranks []uint32 // by index; nil if all are reached, or halved
	index []int32  // by rank: the index plus 1, or 0
}

// newNumbering numbers a part, or returns nil if it has too many ranks.
func newNumbering(p *Part, s *structure.System, start *state) *numbering {
	n := &numbering{Part: p}
	if p.Distinct {
		n.halved = true
		for i := range s.Moves {
			n.halved = n.halved && p.parityOf(&s.Moves[i]) == 0
		}
		size := p.Size
		if n.halved {
			var items [placesMax]uint8
			n.odd, size = ranking.Parity(p.take(&items, start)), size/2
		}
		if size > outerMax {
			return nil
		}
		n.count = int(size)
		return n
	}
	if p.Size > tabledMax {
		return nil
	}
	n.reach(s, start)
	return n
}

// reach lists the ranks that moves reach from the start.
func (n *numbering) reach(s *structure.System, start *state) {
	var items [placesMax]uint8
	n.index = make([]int32, n.Size)
	add := func(rank uint64) {
		if n.index[rank] == 0 {
			n.ranks = append(n.ranks, uint32(rank))
			n.index[rank] = int32(len(n.ranks))
		}
	}
	add(n.Rank(n.take(&items, start)))
	for at := 0; at < len(n.ranks); at++ {
		from := *start
		list := items[:len(n.Places)]
		n.Unrank(list, uint64(n.ranks[at]))
		n.put(&from, list)
		for i := range s.Moves {
			to := from
			turn(&to, &from, &s.Moves[i], s, n.Places)
			add(n.Rank(n.take(&items, &to)))
		}
	}
	n.count = len(n.ranks)
}

// turn applies a move to some places.
func turn(to, from *state, m *structure.Move, s *structure.System, places []int) {
	for _, place := range places {
		at := m.From[place]
		to.pieces[place] = from.pieces[at]
		orient := from.orients[at] + m.By[place]
		if modulus := s.Moduli[place]; orient >= modulus {
			orient -= modulus
		}
		to.orients[place] = orient
	}
}

// parityOf returns the parity of a move's effect on the places of a part.
func (p *Part) parityOf(m *structure.Move) uint8 {
	var from [placesMax]uint8
	for i, place := range p.Places {
		from[i] = m.From[place]
	}
	return ranking.Parity(from[:len(p.Places)])
}

// of returns the index of a state's part.
func (n *numbering) of(a *state) int {
	var items [placesMax]uint8
	rank := n.Rank(n.take(&items, a))
	switch {
	case n.halved:
		return int(rank >> 1)
	case n.index != nil:
		return int(n.index[rank]) - 1
	}
	return int(rank)
}

// unrank returns the items of an index.
func (n *numbering) unrank(items *[placesMax]uint8, index int) []uint8 {
	list := items[:len(n.Places)]
	switch {
	case n.halved:
		n.Unrank(list, uint64(index)<<1)
		if ranking.Parity(list) != n.odd {
			last := len(list) - 1
			list[last], list[last-1] = list[last-1], list[last]
		}
	case n.ranks != nil:
		n.Unrank(list, uint64(n.ranks[index]))
	default:
		n.Unrank(list, uint64(index))
	}
	return list
}

// even reports whether the pieces of a state have the parity that is reached.
func (n *numbering) even(a *state) bool {
	var items [placesMax]uint8
	return ranking.Parity(n.take(&items, a)) == n.odd
}
