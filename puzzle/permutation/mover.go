package permutation

import (
	"math/bits"
	"slices"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/permutation/ranking"
)

// mover applies all moves to a state at once.
type mover struct {
	coder *coder
	moves []move
	parts []part // of a key, if keys are ranks
}

// part is one coordinate of a key or several consecutive ones, with their digits of
// the key as its rank. The effect of moves is looked up in a table, or computed if the
// table would be too large.
type part struct {
	size, stride uint64
	members      []member
	table        []uint32 // by rank, then by move: the rank it leads to
}

// member is the effect of the moves on one coordinate.
type member struct {
	*coordinate
	weight uint64 // of its rank in that of the part
	moves  []partMove
}

// partMove is the effect of one move on a coordinate. Places are indices into its
// places.
type partMove struct {
	From, By []uint8
	first    int      // the first place that changes
	changed  []uint8  // from, for the places from the first to the last that change
	weights  []uint64 // of their digits, if items are distinct
}

// Bounds of the table of a part, at 4 bytes per entry: of one coordinate, which is
// slow without; and of several, which should stay in a fast cache.
const (
	tableEntriesMax  = 1 << 20
	joinedEntriesMax = 1 << 18
)

func newMover(c *coder, moves []move) mover {
	m := mover{coder: c, moves: moves}
	entries := uint64(len(moves))
	for i := 0; i < len(c.ranked); {
		p := part{size: c.ranked[i].size}
		end := i + 1
		for end < len(c.ranked) && p.size <= joinedEntriesMax/entries/c.ranked[end].size {
			p.size *= c.ranked[end].size
			end++
		}
		p.stride = c.ranked[end-1].stride
		for ; i < end; i++ {
			part := member{coordinate: c.ranked[i], weight: c.ranked[i].stride / p.stride}
			for _, t := range moves {
				part.moves = append(part.moves, part.move(t))
			}
			p.members = append(p.members, part)
		}
		if p.size <= tableEntriesMax/entries {
			p.setTable(len(moves))
		}
		m.parts = append(m.parts, p)
	}
	return m
}

// move returns the effect of a move on a coordinate.
func (c *coordinate) move(t move) partMove {
	n := len(c.places)
	m := partMove{From: make([]uint8, n), By: make([]uint8, n), first: n}
	last := n - 1
	for i, place := range c.places {
		m.From[i] = uint8(slices.Index(c.places, int(t.From[place])))
		m.By[i] = t.By[place]
		if int(m.From[i]) != i {
			m.first, last = min(m.first, i), i
		}
	}
	if c.distinct && n < len(ranking.Factorials) {
		m.changed = m.From[m.first : last+1]
		for i := m.first; i <= last; i++ {
			m.weights = append(m.weights, ranking.Factorials[n-1-i])
		}
	}
	return m
}

// setTable fills the table.
func (p *part) setTable(moves int) {
	p.table = make([]uint32, 0, p.size*uint64(moves))
	ranks := make([]uint64, moves)
	for rank := range p.size {
		clear(ranks)
		p.add(ranks, rank, 1)
		for _, r := range ranks {
			p.table = append(p.table, uint32(r))
		}
	}
}

// add adds to keys the rank that each move leads to, times a stride.
func (p *part) add(keys []uint64, rank, stride uint64) {
	for i := range p.members {
		m := &p.members[i]
		m.add(keys, rank/m.weight, stride*m.weight)
		rank %= m.weight
	}
}

// append appends the result of each move on a state.
func (m *mover) append(state []uint64, out *puzzle.Edges) {
	if m.parts == nil {
		m.appendFields(state, out)
		return
	}
	n, at := len(m.moves), len(out.Keys)
	out.Keys = slices.Grow(out.Keys, n)[:at+n]
	keys := out.Keys[at:]
	clear(keys)
	rest := state[0]
	for i := len(m.parts) - 1; i >= 0; i-- {
		p := &m.parts[i]
		rank := rest
		if i > 0 {
			rest = rank / p.size
			rank -= rest * p.size
		}
		if p.table == nil {
			p.add(keys, rank, p.stride)
			continue
		}
		row := p.table[rank*uint64(n):][:len(keys)]
		for j := range keys {
			keys[j] += uint64(row[j]) * p.stride
		}
	}
}

// appendFields is append for keys of fields.
func (m *mover) appendFields(state []uint64, out *puzzle.Edges) {
	c := m.coder
	var pieces, turned, newPieces, newTurned [placesMax]uint8
	places := len(c.start.pieces)
	a := arrangement{pieces[:places], turned[:places]}
	b := arrangement{newPieces[:places], newTurned[:places]}
	c.decode(a, state)
	n := len(m.moves) * c.keyWords
	out.Keys = slices.Grow(out.Keys, n)
	for _, t := range m.moves {
		apply(t, b, a, c.moduli)
		c.system.settle(b)
		at := len(out.Keys)
		out.Keys = out.Keys[:at+c.keyWords]
		c.encode(out.Keys[at:], b)
	}
}

// add adds to keys the rank that each move leads to, times a stride.
func (c *member) add(keys []uint64, rank, stride uint64) {
	switch {
	case c.labels == nil:
		c.addTurns(keys, rank, stride)
	case c.distinct && len(c.places) < len(ranking.Factorials):
		c.addDistinct(keys, rank, stride)
	default:
		c.addAlike(keys, rank, stride)
	}
}

func (c *member) addTurns(keys []uint64, rank, stride uint64) {
	var items [placesMax]uint8
	c.Unrank(items[:len(c.places)], rank)
	digits, modulus := c.digits(), uint64(c.modulus)
	for j := range c.moves {
		m := &c.moves[j]
		by, total := m.By[:digits], uint64(0)
		for i, from := range m.From[:digits] {
			item := uint64(items[from&(placesMax-1)]) + uint64(by[i])
			if item >= modulus {
				item -= modulus
			}
			total = total*modulus + item
		}
		keys[j] += total * stride
	}
}

// addDistinct computes only the digits from the first to the last place that a move
// changes: the places before and after hold the same pieces.
func (c *member) addDistinct(keys []uint64, rank, stride uint64) {
	var (
		items  [32]uint8
		left   [32]uint32 // the items at a place and after it
		before [33]uint64 // the rank of the digits before a place
	)
	n := len(c.places)
	ranking.ToDistinct(items[:n], rank)
	left[0] = 1<<n - 1
	for i := range n {
		bit := uint32(1) << (items[i] & 31)
		left[i+1&31] = left[i&31] &^ bit
		digit := bits.OnesCount32(left[i&31] & (bit - 1))
		before[i+1] = before[i] + uint64(digit)*ranking.Factorials[n-1-i]
	}
	for j := range c.moves {
		m := &c.moves[j]
		first := m.first & 31
		total := rank + before[first] - before[(first+len(m.changed))&31]
		left := left[first]
		weights := m.weights[:len(m.changed)]
		for i, from := range m.changed {
			bit := uint32(1) << (items[from&31] & 31)
			total += uint64(bits.OnesCount32(left&(bit-1))) * weights[i]
			left &^= bit
		}
		keys[j] += total * stride
	}
}

func (c *member) addAlike(keys []uint64, rank, stride uint64) {
	var items, moved [placesMax]uint8
	n := len(c.places)
	c.Unrank(items[:n], rank)
	for j := range c.moves {
		for i, from := range c.moves[j].From {
			moved[i] = items[from]
		}
		keys[j] += c.Rank(moved[:n]) * stride
	}
}
