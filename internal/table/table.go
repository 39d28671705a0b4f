// Package table enumerates spaces whose states have ranks (puzzle.Dense) or numbers
// (puzzle.Numbered) with two bits per state: unseen, or the depth modulo three. With ranks
// a layer is a pass over the table, and no candidate is stored, sorted or sent. As moves
// are reversible, or the space is graded, the depth of a state and its link, the least
// move from the layer before, follow from the table.
//
// It must find the same states, depths, links, counts and digests as the workers do
// for any puzzle. It must never use files, journals or clocks.
package table

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/partition"
)

const wordBits = 64

// code is what a table holds of a state: 0 if it is unseen, otherwise one more than
// its depth modulo three.
type code uint8

const depthCodes = 3

// Planes returns a depth's code as what a word of each plane is where all items have it.
func Planes(depth uint32) (low, high uint64) {
	c := codeOf(depth)
	return -uint64(c & 1), -uint64(c >> 1)
}

func codeOf(depth uint32) code { return code(depth%depthCodes) + 1 }

// before returns the code of the depth one less.
func (c code) before() code {
	if c == 1 {
		return depthCodes
	}
	return c - 1
}

// Space describes a puzzle's tables: the ranks of its states.
type Space struct {
	Ranks  *puzzle.Ranks
	Puzzle puzzle.Puzzle
	Scheme partition.Scheme

	numbers puzzle.Numbering // nil if moves are actions on blocks and items
	flips   []puzzle.Flip    // nil unless they flip bits of numbers
	// candidateBytes bounds the memory for candidates of a search of numbers.
	candidateBytes int64

	words    int    // per block
	pageBits uint   // of a place within its page
	lastWord uint64 // the bits of the last word that stand for items

	weighted puzzle.Weighted // nil if each state stands for itself
	folds    *folds          // nil unless the ranks are folded
	identity []bool          // by row: whether it maps each item to itself
	domains  [][]uint64
	degrees  []uint16 // by block: how many moves its states have; nil where items differ
	colours  []uint8  // by block, so that every action changes it; nil if there are none
}

// NewSpace prepares tables for a puzzle with ranks.
func NewSpace(p puzzle.Puzzle, r *puzzle.Ranks, scheme partition.Scheme) *Space {
	s := &Space{Ranks: r, Puzzle: p, Scheme: scheme, words: (r.Size + wordBits - 1) / wordBits, pageBits: PageBitsMax, folds: newFolds(r.Fold)}
	s.lastWord = ^uint64(0) >> (s.words*wordBits - r.Size)
	s.identity, s.domains = make([]bool, len(r.Rows)), make([][]uint64, len(r.Rows))
	s.colours = coloursOf(p, r)
	s.weighted, _ = p.(puzzle.Weighted)
	partial := false
	for i, row := range r.Rows {
		s.identity[i] = true
		s.domains[i] = make([]uint64, s.words)
		for item, to := range row {
			s.identity[i] = s.identity[i] && int(to) == item
			if to == puzzle.NoItem {
				partial = true
			} else {
				s.domains[i][item/wordBits] |= 1 << (item % wordBits)
			}
		}
	}
	if r.Orbits != nil && !partial {
		s.degrees = slices.Repeat([]uint16{uint16(r.Orbits.Moves)}, r.Blocks)
	} else if !partial {
		s.degrees = make([]uint16, r.Blocks)
		for i := range r.Actions {
			for block, to := range r.Actions[i].Blocks {
				if to >= 0 {
					s.degrees[block]++
				}
			}
		}
	}
	return s
}

// numberedSize is how many numbers a block has where states are numbered, if there are so
// many.
const numberedSize = 1 << 15

// NumbersFit reports whether candidates have room for the numbers and moves of a puzzle that
// makes moves one by one.
func NumbersFit(n puzzle.Numbering, moves int) bool {
	if _, flips := n.(puzzle.FlipNumbering); flips {
		return true // there are no candidates
	}
	_, fit := rangeBitsOf(n.Count(), moves)
	return fit
}

// NewNumberedSpace prepares tables for a puzzle with numbers, which fit.
func NewNumberedSpace(p puzzle.Puzzle, n puzzle.Numbering, scheme partition.Scheme) *Space {
	size := numberedSize
	flipping, flips := n.(puzzle.FlipNumbering)
	if flips {
		size = int(min(numberedSize, n.Count()))
	}
	blocks := int((n.Count() + uint64(size) - 1) / uint64(size))
	s := NewSpace(p, &puzzle.Ranks{Blocks: blocks, Size: size, RankCoder: numberCoder{n, uint64(size)}}, scheme)
	s.numbers, s.candidateBytes = n, candidateBytesMin
	if flips {
		s.flips, s.colours = flipping.Flips(), nil
	}
	return s
}

// numberCoder has a block for numbers that follow one another.
type numberCoder struct {
	puzzle.Numbering
	size uint64 // of a block
}

func (c numberCoder) AppendKeys(keys []uint64, block int, items []uint16) []uint64 {
	var numbers [1 << 7]uint64
	first := uint64(block) * c.size
	for len(items) > 0 {
		n := min(len(items), len(numbers))
		for i, item := range items[:n] {
			numbers[i] = first + uint64(item)
		}
		keys = c.Numbering.AppendKeys(keys, numbers[:n])
		items = items[n:]
	}
	return keys
}

func (c numberCoder) Rank(key uint64) (block int, item uint16, ok bool) {
	number, ok := c.Number(key)
	return int(number / c.size), uint16(number % c.size), ok
}

// Words returns how many words each plane of a block has.
func (s *Space) Words() int { return s.words }

// Numbers returns the numbers of the states, nil if moves are actions on blocks and items;
// and Flips the moves that flip bits of numbers, if they do.
func (s *Space) Numbers() puzzle.Numbering { return s.numbers }

// Flips returns the moves.
func (s *Space) Flips() []puzzle.Flip { return s.flips }

// BytesPerTable returns the memory that a table takes.
func (s *Space) BytesPerTable() int64 {
	return 2 * int64(s.words) * int64(s.Ranks.Blocks) * (wordBits / 8)
}

// SearchBytes returns the memory that enumerating a space takes: a table, and one bit per
// state for each of the two layers in hand, or one for both.
func (s *Space) SearchBytes() int64 {
	n := s.BytesPerTable() + 8*int64(s.Ranks.Blocks)
	switch {
	case s.flips != nil:
		n += s.BytesPerTable() * (wordBits + 1) / wordBits // a bit for each word of the two layers
		if !s.Puzzle.Layout().Reversible {                 // goal distances need both phases
			n += s.BytesPerTable()
		}
		return n
	case s.numbers != nil:
		return n + s.BytesPerTable() + candidateBytesMin
	}
	if s.originColour(FromStarts) != noColour {
		return n + s.BytesPerTable()/2
	}
	return n + s.BytesPerTable()
}

// Allow sets the memory of a search: what it does not need for itself is for candidates.
func (s *Space) Allow(memoryBytes int64) {
	s.candidateBytes = candidateBytesMin + max(0, memoryBytes-s.SearchBytes())
}

// Table is two bits per state, as two planes: the words of a block hold the low bits
// of its items' codes in one plane, and the high bits in the other.
type Table struct {
	space     *Space
	low, high []uint64
	cache     *cache // nil if low and high have all words
	// homeward means that depths are distances to goals in a space that is not reversible,
	// so that links lead to the state one nearer.
	homeward bool
}

// NewTable returns a table in which every state is unseen.
func (s *Space) NewTable() *Table {
	return s.NewTableOf(FromStarts)
}

// NewTableOf returns a table in which every state is unseen, for a phase.
func (s *Space) NewTableOf(phase uint8) *Table {
	t := s.tableOf(phase)
	n := s.PlaneWords()
	t.low, t.high = make([]uint64, n), make([]uint64, n)
	return t
}

// tableOf returns a table without words.
func (s *Space) tableOf(phase uint8) *Table {
	return &Table{space: s, homeward: phase == FromGoals && !s.Puzzle.Layout().Reversible}
}

// at returns the code of a state.
func (t *Table) at(block int, item uint16) code {
	bit := item % wordBits
	low, high := t.word(block*t.space.words + int(item)/wordBits)
	return code(low>>bit&1 | high>>bit&1<<1)
}

// atNumber returns the code of a state.
func (t *Table) atNumber(number uint64) code {
	w, bit := number/wordBits, number%wordBits
	return code(t.low[w]>>bit&1 | t.high[w]>>bit&1<<1)
}

// mark sets the code of items in one word of a block. They must be unseen.
func (t *Table) mark(word int, items uint64, c code) {
	if c&1 != 0 {
		t.low[word] |= items
	}
	if c&2 != 0 {
		t.high[word] |= items
	}
}

// markBlock sets the code of items of a block. They must be unseen.
func (t *Table) markBlock(block int, items []uint64, c code) {
	first := block * len(items)
	for bit, plane := range [][]uint64{t.low, t.high} {
		if c>>bit&1 == 0 {
			continue
		}
		words := plane[first:][:len(items)]
		for i, word := range items {
			words[i] |= word
		}
	}
}

// with returns the items of a word that have a code.
func (t *Table) with(word int, c code) uint64 {
	low, high := t.low[word], t.high[word]
	if c&1 == 0 {
		low = ^low
	}
	if c&2 == 0 {
		high = ^high
	}
	return low & high
}

// Link returns the least move that leads to a state from one with the code before,
// and that state's location. It returns false at depth 0 and for an unseen state.
func (t *Table) Link(block int, item uint16) (move puzzle.Move, fromBlock int, fromItem uint16, ok bool) {
	c := t.at(block, item)
	if c == 0 {
		return 0, 0, 0, false
	}
	c = c.before()
	r := t.space.Ranks
	switch {
	case t.space.flips != nil:
		return t.flipLink(block, item, c)
	case t.space.numbers != nil:
		return t.newLinker().link(block, item, c)
	case r.Orbits != nil:
		return t.orbitLink(block, item, c)
	}
	for i := range r.Actions {
		back := &r.Actions[r.Actions[i].Inverse]
		b := back.Blocks[block]
		if b < 0 {
			continue
		}
		from := r.Rows[back.Row(block)][item]
		if from != puzzle.NoItem && t.at(int(b), from) == c {
			return r.Actions[i].Move, int(b), from, true
		}
	}
	return 0, 0, 0, false
}

// Depth returns the depth of a state, or -1 if it is unseen.
func (t *Table) Depth(block int, item uint16) int {
	if t.at(block, item) == 0 {
		return -1
	}
	depth := 0
	for {
		_, b, i, ok := t.Link(block, item)
		if !ok {
			return depth
		}
		block, item = b, i
		depth++
	}
}

// Seen returns the number of states seen.
func (t *Table) Seen() int64 {
	var n int64
	for block := range t.space.Ranks.Blocks {
		states := 0
		for w := block * t.space.words; w < (block+1)*t.space.words; w++ {
			low, high := t.word(w)
			states += bits.OnesCount64(low | high)
		}
		n += int64(states) * t.space.Weight(block)
	}
	return n
}

// Weight returns how many states each state of a block stands for.
func (s *Space) Weight(block int) int64 {
	if s.folds == nil {
		return 1
	}
	return int64(s.folds.Weights[block])
}

// SeenOf returns those of the given states that have been seen.
func (t *Table) SeenOf(keys []uint64) []uint64 {
	var seen []uint64
	for _, key := range keys {
		if block, item, ok := t.space.Ranks.Rank(key); ok && t.at(block, item) != 0 {
			seen = append(seen, key)
		}
	}
	return seen
}

// EachSeen calls f with the keys of the states seen in one of some equal shares of the
// table, in batches.
func (t *Table) EachSeen(ctx context.Context, share, shares int, f func(keys []uint64)) error {
	var items []uint16
	images := t.Images(func(keys []uint64, _ func(int) puzzle.Move) { f(keys) })
	words, blocks := t.space.words, t.space.Ranks.Blocks
	for block := blocks * share / shares; block < blocks*(share+1)/shares; block++ {
		items = items[:0]
		for i := range words {
			low, high := t.word(block*words + i)
			for word := low | high; word != 0; word &= word - 1 {
				items = append(items, uint16(i*wordBits+bits.TrailingZeros64(word)))
			}
		}
		images(block, items)
		if err := cmp.Or(ctx.Err(), t.Err()); err != nil {
			return err
		}
	}
	return nil
}
