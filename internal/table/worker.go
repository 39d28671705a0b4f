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

// worker is one worker of a search: it finds which states of a block are in the next
// layer. It reads all blocks of the last layer, and writes only to its own block.
type worker struct {
	search *passes

	// Of the current block: the items that may be in the next layer and were not found
	// yet, and all that may be.
	open, unseen [wordsMax]uint64
	// The items found in the next layer, by increasing move, and how many there are
	// after each move that found any.
	items [puzzle.NoItem + 1]uint16
	found int
	links []linked
	hits  [wordsMax]hit
	// touched are the blocks in which states of the next layer were found, as long as
	// they are few.
	touched []int32

	keys    []uint64
	weights []uint64
	marks   []bool

	// Where ranks are folded: the set of moves that lead to an item, by item and empty
	// between blocks, and for the items found.
	setOf      *[puzzle.NoItem + 1]uint64
	sets       []uint64
	imageLinks []puzzle.Move // of images of the items found

	salt   digest.Salt
	code   code
	states int64
	goals  int64
	edges  int64
	// represented is that of a Layer.
	represented int64
	busy        int
	digest      digest.Digest
	parts       []int64
}

// linked gives a link to the items before end that have none yet.
type linked struct {
	move puzzle.Move
	end  int
}

func newWorker(s *passes) *worker {
	return &worker{search: s, parts: make([]int64, s.table.space.Scheme.Partitions())}
}

// reset clears the counts.
func (w *worker) reset(depth uint32) {
	w.salt, w.code = digest.LayerSalt(w.search.phase, depth), codeOf(depth)
	w.states, w.goals, w.represented, w.edges, w.busy, w.digest = 0, 0, 0, 0, 0, digest.Digest{}
	w.touched = w.touched[:0]
	clear(w.parts)
}

// block finds the states of a block that are in the next layer: its items that a move
// leads to from the last layer. Moves are tried in order, so the first one that does
// is the link. Each move is tried from the items of the last layer or from the open
// items, whichever are fewer.
func (w *worker) block(block int) {
	s, space := w.search, w.search.table.space
	open := w.setOpen(block)
	w.clear()
	if s.flips != nil {
		w.flipInto(block, open)
		w.settle(block)
		return
	}
	if space.folds != nil {
		w.foldInto(block, open)
		w.settle(block)
		return
	}
	if space.Ranks.Orbits != nil {
		w.orbitsInto(block, open)
		w.settle(block)
		return
	}
	actions := space.Ranks.Actions
	for i := 0; i < len(actions) && open > w.found; i++ {
		back := &actions[actions[i].Inverse]
		from := back.Blocks[block]
		if from < 0 || s.counts[from] == 0 {
			continue
		}
		front := s.front[int(from)*space.words:][:space.words]
		backRow := back.Row(block)
		switch {
		case space.identity[backRow]:
			w.same(front)
		case int(s.counts[from]) > open-w.found:
			w.pull(front, space.Ranks.Rows[backRow])
		default:
			w.push(front, space.Ranks.Rows[actions[i].Row(int(from))])
		}
		w.link(actions[i].Move)
	}
	w.settle(block)
}

// clear forgets what was found of the previous block.
func (w *worker) clear() { w.found, w.links = 0, w.links[:0] }

// link gives a link to what was found since the last call.
func (w *worker) link(move puzzle.Move) {
	if n := len(w.links); w.found > 0 && (n == 0 || w.links[n-1].end < w.found) {
		w.links = append(w.links, linked{move, w.found})
	}
}

// setOpen sets which items may be in the next layer, and returns their number.
func (w *worker) setOpen(block int) int {
	t, words := w.search.table, w.search.table.space.words
	low, high := t.low[block*words:][:words], t.high[block*words:][:words]
	lowFlip, highFlip := uint64(0), uint64(0) // unseen: both bits are 0
	if w.search.replay {
		lowFlip, highFlip = -uint64(w.code&1), -uint64(w.code>>1)
	}
	open := w.open[:words]
	for i := range open {
		open[i] = ^((low[i] ^ lowFlip) | (high[i] ^ highFlip))
	}
	open[words-1] &= t.space.lastWord
	if s := w.search.within; s != nil {
		for i := range open {
			open[i] &= s.low[block*words+i] | s.high[block*words+i]
		}
	}
	n := 0
	for _, word := range open {
		n += bits.OnesCount64(word)
	}
	copy(w.unseen[:words], open)
	return n
}

// same takes the open items that are in the last layer.
func (w *worker) same(front []uint64) {
	for i, word := range front {
		both := word & w.open[i]
		w.open[i] &^= both
		for ; both != 0; both &= both - 1 {
			w.items[w.found] = uint16(i*wordBits + bits.TrailingZeros64(both))
			w.found++
		}
	}
}

// push takes the open items that a row leads to from the last layer. Which these are
// is unpredictable, so the loop has no branch: it writes down every item, and the
// next item overwrites it unless it counts.
func (w *worker) push(front []uint64, row []uint16) {
	n := uint(w.found)
	for i, word := range front {
		for ; word != 0; word &= word - 1 {
			to := row[i*wordBits+bits.TrailingZeros64(word)]
			open := &w.open[to/wordBits]
			take := *open >> (to % wordBits) & 1
			*open &^= take << (to % wordBits)
			w.items[n&puzzle.NoItem] = to
			n += uint(take)
		}
	}
	w.found = int(n)
}

// pull takes the open items from which a row leads back to the last layer.
func (w *worker) pull(front []uint64, row []uint16) {
	n := uint(w.found)
	for i := range front {
		word := w.open[i]
		left := word
		for ; word != 0; word &= word - 1 {
			bit := uint(bits.TrailingZeros64(word))
			from := row[uint(i)*wordBits+bit]
			at := int(from) / wordBits
			if at >= len(front) {
				continue // NoItem
			}
			take := front[at] >> (from % wordBits) & 1
			left &^= take << (bit % wordBits)
			w.items[n&puzzle.NoItem] = uint16(uint(i)*wordBits + bit)
			n += uint(take)
		}
		w.open[i] = left
	}
	w.found = int(n)
}

// settle stores what was found of a block.
func (w *worker) settle(block int) {
	s, words := w.search, w.search.table.space.words
	s.fresh[block] = uint32(w.found)
	if w.found == 0 {
		return
	}
	if len(w.touched) < touchedMax {
		w.touched = append(w.touched, int32(block))
	}
	next, open, unseen := s.next[block*words:][:words], w.open[:words], w.unseen[:words]
	for i := range next {
		next[i] = unseen[i] &^ open[i]
	}
	if !s.replay {
		s.table.markBlock(block, next, w.code)
	}
	if s.flips != nil {
		w.setBusyWords(block, next)
	}
	w.account(block)
}

// account counts the states found in a block.
func (w *worker) account(block int) {
	s, space := w.search, w.search.table.space
	w.busy++
	w.states += int64(w.found) * space.Weight(block)
	if s.replay && !s.counted {
		return
	}
	w.countEdges(block)
	if space.folds != nil {
		w.accountImages(block)
		return
	}
	w.keys = space.Ranks.AppendKeys(w.keys[:0], block, w.items[:w.found])
	first := 0
	for _, l := range w.links {
		w.digest.AddAll(w.salt, w.keys[first:l.end], l.move)
		first = l.end
	}
	space.Scheme.CountNarrow(w.parts, w.keys)
	w.countGoals(w.keys)
	switch {
	case space.weighted == nil || s.phase != FromStarts:
	case space.Ranks.Orbits != nil && space.Ranks.Orbits.Valid[block] == nil:
		w.represented += int64(w.found) * int64(space.Ranks.Orbits.Symmetries)
	default:
		w.weights = slices.Grow(w.weights[:0], len(w.keys))[:len(w.keys)]
		space.weighted.Weights(w.keys, w.weights)
		for _, weight := range w.weights {
			w.represented += int64(weight)
		}
	}
}

// countGoals counts the goals among states found, if they are to be counted so.
func (w *worker) countGoals(keys []uint64) {
	if !w.search.goals {
		return
	}
	w.marks = slices.Grow(w.marks[:0], len(keys))[:len(keys)]
	w.search.table.space.Puzzle.Goals(keys, w.marks)
	for _, goal := range w.marks {
		if goal {
			w.goals++
		}
	}
}

// countEdges counts the successors of the states found in a block.
func (w *worker) countEdges(block int) {
	space := w.search.table.space
	if space.flips != nil {
		return // they are counted when they are made
	}
	if space.degrees != nil {
		w.edges += int64(space.degrees[block]) * int64(w.found) * space.Weight(block)
		return
	}
	if space.Ranks.Orbits != nil {
		w.countOrbitEdges(block)
		return
	}
	for i := range space.Ranks.Actions {
		a := &space.Ranks.Actions[i]
		if a.Blocks[block] < 0 {
			continue
		}
		domain, edges := space.domains[a.Row(block)], int64(0)
		for _, item := range w.items[:w.found] {
			edges += int64(domain[item/wordBits] >> (item % wordBits) & 1)
		}
		w.edges += edges * space.Weight(block)
	}
}
