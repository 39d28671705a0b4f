package puzzletest

import (
	"math"
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// Space is a space, or its first layers, explored in memory.
type Space struct {
	Words    int      // of a state
	States   []uint64 // in breadth-first order
	Layers   []int
	Goals    int
	Solution int // -1: none

	GoalStates []uint64

	// Of these ToGoal finds out.
	GoalLayers []int    // by distance to the nearest goal
	Near       []uint64 // the states of GoalLayers, in their order
	Hardest    []uint64
	Dead       int

	index *index
}

// Explore enumerates a puzzle.
func Explore(p puzzle.Puzzle) *Space { return ExploreLayers(p, math.MaxInt) }

// ExploreLayers enumerates so many layers of a puzzle.
func ExploreLayers(p puzzle.Puzzle, layersMax int) *Space {
	s := &Space{Solution: -1, Words: p.Layout().Words()}
	s.index, s.Layers = layers(s.Words, p.Starts(), layersMax, p.Successors, nil)
	s.States = s.index.keys
	marks := make([]bool, len(s.States)/s.Words)
	p.Goals(s.States, marks)
	depth, left := 0, s.Layers[0]
	for i, goal := range marks {
		for i >= left {
			depth++
			left += s.Layers[depth]
		}
		if goal {
			s.GoalStates = append(s.GoalStates, s.State(i)...)
			s.Goals++
			if s.Solution < 0 {
				s.Solution = depth
			}
		}
	}
	return s
}

// Len returns the number of states.
func (s *Space) Len() int { return len(s.States) / s.Words }

// State returns a state.
func (s *Space) State(i int) []uint64 { return s.States[i*s.Words : (i+1)*s.Words] }

// Layer returns the states of a layer.
func (s *Space) Layer(depth int) []uint64 {
	at := 0
	for _, n := range s.Layers[:depth] {
		at += n * s.Words
	}
	return s.States[at : at+s.Layers[depth]*s.Words]
}

// Last returns the states of the last layer.
func (s *Space) Last() []uint64 { return s.Layer(len(s.Layers) - 1) }

// ToGoal finds the distances to the nearest goal, and reports whether they can be
// found: moves can be undone by moves, or the puzzle is Backward.
func (s *Space) ToGoal(p puzzle.Puzzle) bool {
	step := p.Successors
	if back, ok := p.(puzzle.Backward); ok && !p.Layout().Reversible {
		step = back.Predecessors
	}
	if !puzzle.GoesBack(p) {
		return false
	}
	near, counts := layers(s.Words, s.GoalStates, math.MaxInt, step, s.index)
	s.GoalLayers, s.Near, s.Dead = counts, near.keys, s.Len()-len(near.keys)/s.Words
	if n := len(counts); n > 0 {
		s.Hardest = near.keys[len(near.keys)-counts[n-1]*s.Words:]
	}
	return true
}

// layers enumerates what is reached from some states, layer by layer, of those
// within if that is not nil.
func layers(words int, from []uint64, layersMax int, step func([]uint64, *puzzle.Edges), within *index) (*index, []int) {
	const piece = 256
	x := newIndex(words)
	add := func(keys []uint64) {
		for ; len(keys) > 0; keys = keys[words:] {
			if key := keys[:words]; within == nil || within.has(key) {
				x.add(key)
			}
		}
	}
	add(from)
	var counts []int
	var out puzzle.Edges
	for at := 0; at < len(x.keys) && len(counts) < layersMax; {
		end := len(x.keys)
		counts = append(counts, (end-at)/words)
		if len(counts) == layersMax {
			break
		}
		for at < end {
			to := min(end, at+piece*words)
			out.Reset()
			step(x.keys[at:to], &out)
			at = to
			add(out.Keys)
		}
	}
	return x, counts
}

// index is a set of keys that remembers the order of arrival.
type index struct {
	words int
	keys  []uint64
	slots []uint32 // number of a key plus 1, by hash
}

func newIndex(words int) *index { return &index{words: words, slots: make([]uint32, 1<<10)} }

func (x *index) key(i uint32) []uint64 { return x.keys[int(i)*x.words : (int(i)+1)*x.words] }

func (x *index) has(key []uint64) bool { return *x.slot(key) > 0 }

func (x *index) add(key []uint64) {
	if n := len(x.keys) / x.words; 2*n >= len(x.slots) {
		x.slots = make([]uint32, 4*len(x.slots))
		for i := range uint32(n) {
			*x.slot(x.key(i)) = i + 1
		}
	}
	if slot := x.slot(key); *slot == 0 {
		x.keys = append(x.keys, key...)
		*slot = uint32(len(x.keys) / x.words)
	}
}

// slot returns where a key is noted, or is to be.
func (x *index) slot(key []uint64) *uint32 {
	mask := uint64(len(x.slots) - 1)
	h := uint64(0)
	for _, word := range key {
		h = (h ^ word) * 0x9E3779B97F4A7C15
		h ^= h >> 32
	}
	for ; ; h++ {
		slot := &x.slots[h&mask]
		if *slot == 0 || slices.Equal(x.key(*slot-1), key) {
			return slot
		}
	}
}

// First returns the first states of a space after the starts, whole layers of at least
// n states or all, and the least moves that led to them from the layer before: the
// links of a run.
func First(p puzzle.Puzzle, n int) (states []uint64, links []puzzle.Move) {
	words, starts := p.Layout().Words(), p.Starts()
	x := newIndex(words)
	for start := range slices.Chunk(starts, words) {
		x.add(start)
	}
	first := len(starts) / words
	var out puzzle.Edges
	for at, end := 0, len(x.keys); at < end && len(links) < n; end = len(x.keys) {
		for ; at < end; at += words {
			out.Reset()
			p.Successors(x.keys[at:at+words], &out)
			for i, m := range out.Moves {
				key := out.Keys[i*words : (i+1)*words]
				before := len(x.keys)
				if x.add(key); len(x.keys) > before {
					links = append(links, m)
				} else if number := int(*x.slot(key)) - 1; number >= end/words {
					links[number-first] = min(links[number-first], m)
				}
			}
		}
	}
	return x.keys[len(starts):], links
}
