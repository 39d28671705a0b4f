package table

import (
	"math/bits"
	"slices"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/digest"
)

// hand is one worker of a search: it looks which states of a block are in the next
// layer. It reads the last layer of all blocks, and writes to its own block alone.
type hand struct {
	search *Search
	open   []uint64 // of the block: the items that may be in the next layer

	// What has been found of the block.
	items []uint16
	moves []puzzle.Move

	keys  []uint64
	marks []bool

	salt   digest.Salt
	code   code
	states int64
	goals  int64
	edges  int64
	busy   int
	digest digest.Digest
	parts  []int64
}

func newHand(s *Search) *hand {
	return &hand{search: s, open: make([]uint64, s.table.space.words), parts: make([]int64, s.table.space.Scheme.Partitions())}
}

// reset forgets what has been counted.
func (h *hand) reset(depth uint32) {
	h.salt, h.code = digest.LayerSalt(h.search.phase, depth), codeOf(depth)
	h.states, h.goals, h.edges, h.busy, h.digest = 0, 0, 0, 0, digest.Digest{}
	clear(h.parts)
}

// block finds the states of a block that are in the next layer: its items that a move
// leads to from the last one. The moves are tried in order, so that the first one that
// does is the link. For each, either the items of the last layer are looked at or those
// that are open, whichever are fewer.
func (h *hand) block(block int) {
	s, space := h.search, h.search.table.space
	open := h.setOpen(block)
	h.items, h.moves = h.items[:0], h.moves[:0]
	actions := space.Ranks.Actions
	for i := 0; i < len(actions) && open > 0; i++ {
		back := &actions[actions[i].Inverse]
		from := back.Blocks[block]
		if from < 0 || s.counts[from] == 0 {
			continue
		}
		front := s.front[int(from)*space.words:][:space.words]
		row := actions[i].Row(int(from))
		before := len(h.items)
		switch {
		case space.identity[row]:
			h.same(front)
		case int(s.counts[from]) <= open:
			h.push(front, space.Ranks.Rows[row])
		default:
			h.pull(front, space.Ranks.Rows[back.Row(block)])
		}
		for range len(h.items) - before {
			h.moves = append(h.moves, actions[i].Move)
		}
		open -= len(h.items) - before
	}
	h.settle(block)
}

// setOpen sets which items may be in the next layer, and returns how many they are.
func (h *hand) setOpen(block int) int {
	t, words := h.search.table, h.search.table.space.words
	c := code(0)
	if h.search.again {
		c = h.code
	}
	n := 0
	for i := range h.open {
		h.open[i] = t.with(block*words+i, c)
		if i == words-1 {
			h.open[i] &= t.space.lastWord
		}
		n += bits.OnesCount64(h.open[i])
	}
	return n
}

// same takes the open items that are in the last layer.
func (h *hand) same(front []uint64) {
	for i, word := range front {
		both := word & h.open[i]
		h.open[i] &^= both
		for ; both != 0; both &= both - 1 {
			h.items = append(h.items, uint16(i*wordBits+bits.TrailingZeros64(both)))
		}
	}
}

// push takes the open items that a row leads to from the last layer.
func (h *hand) push(front []uint64, row []uint16) {
	open, items := h.open, h.items
	for i, word := range front {
		for ; word != 0; word &= word - 1 {
			to := row[i*wordBits+bits.TrailingZeros64(word)]
			if w, bit := int(to)/wordBits, uint64(1)<<(to%wordBits); w < len(open) && open[w]&bit != 0 {
				open[w] &^= bit
				items = append(items, to)
			}
		}
	}
	h.items = items
}

// pull takes the open items from which a row leads back to the last layer.
func (h *hand) pull(front []uint64, row []uint16) {
	items := h.items
	for i, word := range h.open {
		for ; word != 0; word &= word - 1 {
			item := uint16(i*wordBits + bits.TrailingZeros64(word))
			from := row[item]
			if w := int(from) / wordBits; w < len(front) && front[w]>>(from%wordBits)&1 != 0 {
				h.open[i] &^= word & -word
				items = append(items, item)
			}
		}
	}
	h.items = items
}

// settle writes down what has been found of a block.
func (h *hand) settle(block int) {
	s, words := h.search, h.search.table.space.words
	s.fresh[block] = uint32(len(h.items))
	if len(h.items) == 0 {
		return
	}
	next := s.next[block*words : (block+1)*words]
	clear(next)
	for _, item := range h.items {
		next[item/wordBits] |= 1 << (item % wordBits)
	}
	if s.again {
		h.busy++
		h.states += int64(len(h.items))
		return
	}
	for i, word := range next {
		s.table.mark(block*words+i, word, h.code)
	}
	h.account(block)
}

// account counts the states that have been found of a block.
func (h *hand) account(block int) {
	s, space := h.search, h.search.table.space
	h.busy++
	h.states += int64(len(h.items))
	h.countEdges(block)
	h.keys = space.Ranks.AppendKeys(h.keys[:0], block, h.items)
	for i, key := range h.keys {
		h.digest.AddNarrow(h.salt, key, h.moves[i])
		part, _ := space.Scheme.RecordNarrow(key, 0)
		h.parts[part]++
	}
	if s.goals {
		h.marks = slices.Grow(h.marks[:0], len(h.keys))[:len(h.keys)]
		space.Puzzle.Goals(h.keys, h.marks)
		for _, goal := range h.marks {
			if goal {
				h.goals++
			}
		}
	}
}

// countEdges counts the successors of the states that have been found of a block.
func (h *hand) countEdges(block int) {
	space := h.search.table.space
	if space.degrees != nil {
		h.edges += int64(space.degrees[block]) * int64(len(h.items))
		return
	}
	for i := range space.Ranks.Actions {
		a := &space.Ranks.Actions[i]
		if a.Blocks[block] < 0 {
			continue
		}
		domain := space.domains[a.Row(block)]
		for _, item := range h.items {
			h.edges += int64(domain[item/wordBits] >> (item % wordBits) & 1)
		}
	}
}
