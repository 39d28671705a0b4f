package table

import (
	"math/bits"

	"github.com/everystate/everystate/puzzle"
)

// Where moves flip bits of numbers, the last layer is a set of bits in which a move maps
// words to words: those whose places differ by the bits that it flips. It is made for all 64
// numbers of a word at once. Whether its conditions hold in a number is the sum of what its
// block, its word within the block and its bit within the word have to say, so that for each
// sum of the first two there is one mask of the third.
//
// The bits of a number are, from the lowest: its bit within a word, the word within a block,
// the block.

// flip is a move that flips bits, or one that undoes such a move.
type flip struct {
	puzzle.Flip

	block, word int // what it flips of them
	swaps       []swap

	// The conditions, as far as they depend on the block. Bit i of a sum is for the
	// condition i.
	blocks [puzzle.FlipIfsMax]uint64
	odd    uint8   // the sum of block 0
	sums   []uint8 // what words within a block add

	// By sum: the bits of a word at which all conditions hold.
	domain [1 << puzzle.FlipIfsMax]uint64
	// live holds, by the sum of the block, a bit for each word within it whose domain is
	// not empty; or nil if there are none.
	live [1 << puzzle.FlipIfsMax][]uint64
}

// newFlips prepares moves for blocks of a size, a power of two. If back is set, they are
// those that undo the moves.
func newFlips(moves []puzzle.Flip, size int, back bool) []flip {
	flips := make([]flip, len(moves))
	for i := range moves {
		f := &flips[i]
		if f.Flip = moves[i]; back {
			f.Flip = moves[i].Back()
		}
		f.set(size)
	}
	return flips
}

// swap exchanges the bits of a word that differ in one bit of their places.
type swap struct {
	low uint64 // those where it is 0
	by  uint   // its value
}

// swapsOf lists the exchanges by which bits of a place are flipped.
func swapsOf(place uint64) (swaps []swap) {
	for n, low := range [...]uint64{
		0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
		0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff,
	} {
		if place>>n&1 == 1 {
			swaps = append(swaps, swap{low, 1 << n})
		}
	}
	return swaps
}

func (f *flip) set(size int) {
	words := max(1, size/wordBits)
	inWord, inBlock := uint64(min(size, wordBits)-1), uint64(size-1)
	f.block, f.word, f.swaps = int(f.Bits/uint64(size)), int(f.Bits&inBlock/wordBits), swapsOf(f.Bits&inWord)
	f.sums = make([]uint8, words)
	for sum := range f.domain {
		f.domain[sum] = ^uint64(0) >> (wordBits - min(size, wordBits))
	}
	for i, p := range f.Ifs {
		f.blocks[i] = p.Of / uint64(size)
		if p.Odd {
			f.odd |= 1 << i
		}
		for w := range words {
			f.sums[w] |= uint8(bits.OnesCount64(uint64(w)*wordBits&p.Of&inBlock)&1) << i
		}
		var odd uint64 // bits that make it odd
		for bit := range uint64(wordBits) {
			odd |= uint64(bits.OnesCount64(bit&p.Of&inWord)&1) << bit
		}
		for sum := range f.domain {
			if sum>>i&1 == 1 {
				f.domain[sum] &= odd
			} else {
				f.domain[sum] &^= odd
			}
		}
	}
	for sum := range f.live {
		for w, plus := range f.sums {
			if f.domain[sum^int(plus)] == 0 {
				continue
			}
			if f.live[sum] == nil {
				f.live[sum] = make([]uint64, groupsOf(words))
			}
			f.live[sum][w/wordBits] |= 1 << (w % wordBits)
		}
	}
}

// groupsOf returns how many words have a bit for each of some words.
func groupsOf(words int) int { return (words + wordBits - 1) / wordBits }

// sum returns the sum of a block.
func (f *flip) sum(block int) uint8 {
	sum := f.odd
	for i, of := range f.blocks {
		sum ^= uint8(bits.OnesCount64(uint64(block)&of)&1) << i
	}
	return sum & (1<<puzzle.FlipIfsMax - 1)
}

// image returns where the numbers of a word are led to.
func (f *flip) image(word uint64) uint64 {
	for _, swap := range f.swaps {
		word = word&swap.low<<(swap.by&63) | word>>(swap.by&63)&swap.low
	}
	return word
}

// flipInto finds the items of a block that a move leads to from the last layer, and counts how
// many successors in the block that has. It has no branches that depend on what is found, as
// that is unpredictable, and so waits for many words of the last layer at once.
func (w *worker) flipInto(block, open int) {
	s := w.search
	words := s.table.space.words
	groups := groupsOf(words)
	for i := range s.flips {
		f := &s.flips[i]
		from := block ^ f.block
		if s.counts[from] == 0 {
			continue
		}
		sum := f.sum(from)
		live := f.live[sum]
		n, edges := 0, 0
		front, busy, unseen := s.front[from*words:][:words], s.busyWords[from*groups:][:groups], w.open[:words]
		for g := range live {
			for group := live[g] & busy[g]; group != 0; group &= group - 1 {
				at := g*wordBits + bits.TrailingZeros64(group)
				to := at ^ f.word
				from := front[at] & f.domain[(sum^f.sums[at])&(1<<puzzle.FlipIfsMax-1)]
				edges += bits.OnesCount64(from)
				found := f.image(from) & unseen[to]
				unseen[to] &^= found
				w.hits[n&(wordsMax-1)] = hit{to, found}
				n += int((found | -found) >> 63)
			}
		}
		w.edges += int64(edges)
		for _, h := range w.hits[:n] {
			for found := h.found; found != 0; found &= found - 1 {
				w.items[w.found&puzzle.NoItem] = uint16(h.to*wordBits + bits.TrailingZeros64(found))
				w.found++
			}
		}
		w.link(puzzle.Move(i))
		if open == w.found && s.replay && !s.counted {
			return
		}
	}
}

// flipEdges counts the successors of the last layer.
func (s *passes) flipEdges() (edges int64) {
	s.eachBusy(func(block int) { edges += s.flipEdgesOf(s.front, s.busyWords, s.counts, block, block+1) })
	return edges
}

// flipEdgesOf counts the successors of a layer in blocks from first to end.
func (s *passes) flipEdgesOf(layer, busyWords []uint64, counts []uint32, first, end int) (edges int64) {
	words := s.table.space.words
	groups := groupsOf(words)
	for block := first; block < end; block++ {
		if counts[block] == 0 {
			continue
		}
		front, busy := layer[block*words:][:words], busyWords[block*groups:][:groups]
		for i := range s.flips {
			f := &s.flips[i]
			sum := f.sum(block)
			for g, live := range f.live[sum] {
				for group := live & busy[g]; group != 0; group &= group - 1 {
					at := g*wordBits + bits.TrailingZeros64(group)
					edges += int64(bits.OnesCount64(front[at] & f.domain[sum^f.sums[at]]))
				}
			}
		}
	}
	return edges
}

// setBusyWords notes which words of the last layer have states, where moves flip bits.
func (s *passes) setBusyWords() {
	if s.flips == nil {
		return
	}
	words := s.table.space.words
	s.eachBusy(func(block int) {
		busyOf(s.busyWords, block, s.front[block*words:][:words])
	})
}

// setBusyWords notes which words of a block of the layer being generated have states.
func (w *worker) setBusyWords(block int, next []uint64) { busyOf(w.search.nextBusyWords, block, next) }

// busyOf sets a bit for each word of a block that is not zero.
func busyOf(busy []uint64, block int, words []uint64) {
	busy = busy[block*groupsOf(len(words)):][:groupsOf(len(words))]
	clear(busy)
	for i, word := range words {
		if word != 0 {
			busy[i/wordBits] |= 1 << (i % wordBits)
		}
	}
}

// flipTargets appends the blocks that moves lead to from one.
func (s *passes) flipTargets(targets []int32, block int) []int32 {
	for i := range s.flips {
		if f := &s.flips[i]; f.live[f.sum(block)] != nil {
			targets = append(targets, int32(block^f.block))
		}
	}
	return targets
}

// flipLink is Link where moves flip bits.
func (t *Table) flipLink(block int, item uint16, before code) (move puzzle.Move, fromBlock int, fromItem uint16, ok bool) {
	number := uint64(block)*uint64(t.space.Ranks.Size) + uint64(item)
	for i := range t.space.flips {
		f := &t.space.flips[i]
		from := number ^ f.Bits
		possible := from
		if t.homeward {
			possible = number
		}
		if !f.Possible(possible) {
			continue
		}
		if b, at := int(from/uint64(t.space.Ranks.Size)), uint16(from%uint64(t.space.Ranks.Size)); t.at(b, at) == before {
			return puzzle.Move(i), b, at, true
		}
	}
	return 0, 0, 0, false
}

// hit is what was found in a word.
type hit struct {
	to    int
	found uint64
}
