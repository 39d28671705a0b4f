package solve

import (
	"math/bits"
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// A visited set holds states in order of arrival, each with its link, the move that
// reached it. A state's number is its place in that order. The path back to a start
// is found by undoing links, so a state takes no more memory than its key, its link
// and its share of the table.
//
// The table uses open addressing. A slot holds a tag, the lower half of the state's
// hash, and the state's number plus one; 0 is an empty slot.
type visited struct {
	words  int
	starts int // states without links, which come first
	keys   []uint64
	links  []puzzle.Move
	depths []int32 // of each state, if links may change after a state is added
	slots  []uint64
	shift  int // a hash shifted right by this is a slot
}

// slotsLeast is the size of a new table: a board of a few states must not pay for a
// large one.
const slotsLeast = 1 << 10

func newVisited(words int) *visited {
	return &visited{
		words: words,
		slots: make([]uint64, slotsLeast),
		shift: 64 - bits.Len(slotsLeast-1),
	}
}

// len returns the number of states.
func (v *visited) len() int { return len(v.links) }

// key returns the key of a state.
func (v *visited) key(n int) []uint64 { return v.keys[n*v.words : (n+1)*v.words] }

// bytes returns the memory that the set takes.
func (v *visited) bytes() int64 {
	return int64(cap(v.keys))*8 + int64(cap(v.links))*2 + int64(len(v.slots))*8
}

// hash spreads a key of one word over 64 bits. The golden ratio would suffice for
// ranks; folding makes the upper bits of a key count as well.
func hash(key uint64) uint64 {
	high, low := bits.Mul64(key^0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93)
	return (high ^ low) * 0x9E3779B97F4A7C15
}

func (v *visited) hash(key []uint64) uint64 {
	h := uint64(0)
	for _, word := range key {
		h = hash(h ^ word)
	}
	return h
}

// add adds a state, unless it is there.
func (v *visited) add(key []uint64, link puzzle.Move) (n int, fresh bool) {
	if v.words == 1 {
		return v.addWord(key[0], link)
	}
	h := v.hash(key)
	at, n := v.find(h, key)
	if n >= 0 {
		return n, false
	}
	return v.put(at, h, key, link), true
}

// find returns the number of a state, or -1 and the slot where it belongs.
func (v *visited) find(h uint64, key []uint64) (at uint64, n int) {
	mask := uint64(len(v.slots) - 1)
	for at = h >> v.shift; ; at = (at + 1) & mask {
		slot := v.slots[at]
		if slot == 0 {
			return at, -1
		}
		if n = int(uint32(slot)) - 1; slot>>32 == h&(1<<32-1) && slices.Equal(v.key(n), key) {
			return at, n
		}
	}
}

// addWord is add for a key of one word.
func (v *visited) addWord(key uint64, link puzzle.Move) (n int, fresh bool) {
	h := hash(key)
	mask := uint64(len(v.slots) - 1)
	for at := h >> v.shift; ; at = (at + 1) & mask {
		slot := v.slots[at]
		if slot == 0 {
			return v.put(at, h, []uint64{key}, link), true
		}
		if n = int(uint32(slot)) - 1; slot>>32 == h&(1<<32-1) && v.keys[n] == key {
			return n, false
		}
	}
}

// number returns the number of a state, or -1.
func (v *visited) number(key []uint64) int {
	h := hash(key[0])
	if v.words > 1 {
		h = v.hash(key)
	}
	_, n := v.find(h, key)
	return n
}

// put appends a state.
func (v *visited) put(at, h uint64, key []uint64, link puzzle.Move) int {
	n := len(v.links)
	v.keys = append(v.keys, key...)
	v.links = append(v.links, link)
	v.slots[at] = h<<32 | uint64(n+1)
	if 2*len(v.links) > len(v.slots) {
		v.grow()
	}
	return n
}

// reset empties the set and keeps its memory.
func (v *visited) reset(words int) {
	v.words, v.starts = words, 0
	v.keys, v.links = v.keys[:0], v.links[:0]
	v.slots, v.shift = v.slots[:slotsLeast], 64-bits.Len(slotsLeast-1)
	clear(v.slots)
}

// grow quadruples the table. Refilling it costs a pass over all states, so it grows
// in large steps.
func (v *visited) grow() {
	if size := 4 * len(v.slots); size <= cap(v.slots) {
		v.slots = v.slots[:size]
		clear(v.slots)
	} else {
		v.slots = make([]uint64, size)
	}
	v.shift -= 2
	mask := uint64(len(v.slots) - 1)
	for n := range v.links {
		var h uint64
		if v.words == 1 {
			h = hash(v.keys[n])
		} else {
			h = v.hash(v.key(n))
		}
		at := h >> v.shift
		for v.slots[at] != 0 {
			at = (at + 1) & mask
		}
		v.slots[at] = h<<32 | uint64(n+1)
	}
}

// addStarts adds the starts, which come first.
func (v *visited) addStarts(keys []uint64) {
	for at := 0; at < len(keys); at += v.words {
		v.add(keys[at:at+v.words], 0)
	}
	v.starts = v.len()
}

// path returns the moves from a start to a state.
func (v *visited) path(p puzzle.Puzzle, n int) (start []uint64, moves []puzzle.Move) {
	at := slices.Clone(v.key(n))
	for n >= v.starts {
		link := v.links[n]
		moves = append(moves, link)
		if puzzle.Merges(p) {
			n = v.before(p, at, n)
		} else {
			if !p.Undo(at, at, link) {
				panic("solve: a link cannot be undone")
			}
			n = v.number(at)
		}
		if n < 0 {
			panic("solve: the predecessor of a link was not visited")
		}
	}
	slices.Reverse(moves)
	return at, moves
}

// before replaces at, the key of state n, by a predecessor that the link of n leads
// from, and returns its number, or -1. It chooses one reached by the fewest moves, so
// the path back is no longer than the path there.
func (v *visited) before(p puzzle.Puzzle, at []uint64, n int) int {
	next := make([]uint64, v.words)
	best := -1
	for m := range v.len() {
		sooner := m < n // states came in the order of their depths, or after what led to them
		if v.depths != nil {
			sooner = v.depths[m] < v.depths[n] && (best < 0 || v.depths[m] < v.depths[best])
		}
		if sooner && p.Apply(next, v.key(m), v.links[n]) && slices.Equal(next, at) {
			best = m
			if v.depths == nil {
				break
			}
		}
	}
	if best >= 0 {
		copy(at, v.key(best))
	}
	return best
}
