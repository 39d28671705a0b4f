package table

import (
	"math/bits"
	"slices"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/digest"
)

// wordsMax is the greatest number of words of a block: they have a bit for any item,
// and for NoItem.
const wordsMax = (puzzle.NoItem + 1) / wordBits

// hand is one worker of a search: it finds which states of a block are in the next
// layer. It reads all blocks of the last layer, and writes only to its own block.
type hand struct {
	search *Search

	// Of the current block: the items that may be in the next layer.
	open [wordsMax]uint64
	// The items found in the next layer, by increasing move, and how many there are
	// after each move that found any.
	items [puzzle.NoItem + 1]uint16
	found int
	links []linked

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

// linked gives a link to the items before end that have none yet.
type linked struct {
	move puzzle.Move
	end  int
}

func newHand(s *Search) *hand {
	return &hand{search: s, parts: make([]int64, s.table.space.Scheme.Partitions())}
}

// reset clears the counts.
func (h *hand) reset(depth uint32) {
	h.salt, h.code = digest.LayerSalt(h.search.phase, depth), codeOf(depth)
	h.states, h.goals, h.edges, h.busy, h.digest = 0, 0, 0, 0, digest.Digest{}
	clear(h.parts)
}

// block finds the states of a block that are in the next layer: its items that a move
// leads to from the last layer. Moves are tried in order, so the first one that does
// is the link. Each move is tried from the items of the last layer or from the open
// items, whichever are fewer.
func (h *hand) block(block int) {
	s, space := h.search, h.search.table.space
	open := h.setOpen(block)
	h.clear()
	actions := space.Ranks.Actions
	for i := 0; i < len(actions) && open > h.found; i++ {
		back := &actions[actions[i].Inverse]
		from := back.Blocks[block]
		if from < 0 || s.counts[from] == 0 {
			continue
		}
		front := s.front[int(from)*space.words:][:space.words]
		row := actions[i].Row(int(from))
		switch {
		case space.identity[row]:
			h.same(front)
		case int(s.counts[from]) <= open-h.found:
			h.push(front, space.Ranks.Rows[row])
		default:
			h.pull(front, space.Ranks.Rows[back.Row(block)])
		}
		h.link(actions[i].Move)
	}
	h.settle(block)
}

// clear forgets what was found of the previous block.
func (h *hand) clear() { h.found, h.links = 0, h.links[:0] }

// link gives a link to what was found since the last call.
func (h *hand) link(move puzzle.Move) {
	if n := len(h.links); h.found > 0 && (n == 0 || h.links[n-1].end < h.found) {
		h.links = append(h.links, linked{move, h.found})
	}
}

// setOpen sets which items may be in the next layer, and returns their number.
func (h *hand) setOpen(block int) int {
	t, words := h.search.table, h.search.table.space.words
	c := code(0)
	if h.search.again {
		c = h.code
	}
	n := 0
	for i := range h.open[:words] {
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
			h.items[h.found] = uint16(i*wordBits + bits.TrailingZeros64(both))
			h.found++
		}
	}
}

// push takes the open items that a row leads to from the last layer. Which these are
// is unpredictable, so the loop has no branch: it writes down every item, and the
// next item overwrites it unless it counts.
func (h *hand) push(front []uint64, row []uint16) {
	n := uint(h.found)
	for i, word := range front {
		for ; word != 0; word &= word - 1 {
			to := row[i*wordBits+bits.TrailingZeros64(word)]
			open := &h.open[to/wordBits]
			take := *open >> (to % wordBits) & 1
			*open &^= take << (to % wordBits)
			h.items[n&puzzle.NoItem] = to
			n += uint(take)
		}
	}
	h.found = int(n)
}

// pull takes the open items from which a row leads back to the last layer.
func (h *hand) pull(front []uint64, row []uint16) {
	n := uint(h.found)
	for i := range front {
		word := h.open[i]
		left := word
		for ; word != 0; word &= word - 1 {
			bit := uint(bits.TrailingZeros64(word))
			from := row[uint(i)*wordBits+bit]
			w := int(from) / wordBits
			if w >= len(front) {
				continue // NoItem
			}
			take := front[w] >> (from % wordBits) & 1
			left &^= take << (bit % wordBits)
			h.items[n&puzzle.NoItem] = uint16(uint(i)*wordBits + bit)
			n += uint(take)
		}
		h.open[i] = left
	}
	h.found = int(n)
}

// settle stores what was found of a block.
func (h *hand) settle(block int) {
	s, words := h.search, h.search.table.space.words
	s.fresh[block] = uint32(h.found)
	if h.found == 0 {
		return
	}
	next := s.next[block*words : (block+1)*words]
	clear(next)
	for _, item := range h.items[:h.found] {
		next[item/wordBits] |= 1 << (item % wordBits)
	}
	if s.again && !s.counted {
		h.busy++
		h.states += int64(h.found)
		return
	}
	for i, word := range next {
		if !s.again {
			s.table.mark(block*words+i, word, h.code)
		}
	}
	h.account(block)
}

// account counts the states found in a block.
func (h *hand) account(block int) {
	s, space := h.search, h.search.table.space
	h.busy++
	h.states += int64(h.found)
	h.countEdges(block)
	h.keys = space.Ranks.AppendKeys(h.keys[:0], block, h.items[:h.found])
	first := 0
	for _, l := range h.links {
		for _, key := range h.keys[first:l.end] {
			h.digest.AddNarrow(h.salt, key, l.move)
			part, _ := space.Scheme.RecordNarrow(key, 0)
			h.parts[part]++
		}
		first = l.end
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

// countEdges counts the successors of the states found in a block.
func (h *hand) countEdges(block int) {
	space := h.search.table.space
	if space.degrees != nil {
		h.edges += int64(space.degrees[block]) * int64(h.found)
		return
	}
	for i := range space.Ranks.Actions {
		a := &space.Ranks.Actions[i]
		if a.Blocks[block] < 0 {
			continue
		}
		domain := space.domains[a.Row(block)]
		for _, item := range h.items[:h.found] {
			h.edges += int64(domain[item/wordBits] >> (item % wordBits) & 1)
		}
	}
}
