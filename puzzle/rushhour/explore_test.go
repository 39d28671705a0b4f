package rushhour_test

import "github.com/everystate/everystate/puzzle"

// space is a whole space of one-word keys, explored in memory.
type space struct {
	states     []uint64 // in breadth-first order
	layers     []int
	goals      int
	solution   int // -1: none
	goalLayers []int
	hardest    []uint64
}

// explore enumerates a puzzle of one-word keys.
func explore(p puzzle.Puzzle) *space {
	s := &space{solution: -1}
	index := newIndex()
	edges := &puzzle.Edges{}
	for _, key := range p.Starts() {
		index.add(key)
	}
	for from := 0; from < len(index.keys); {
		to := len(index.keys)
		s.layers = append(s.layers, to-from)
		from = expand(p, index.keys[from:to], edges, from, func(key uint64) { index.add(key) })
	}
	s.states = index.keys
	marks := make([]bool, len(s.states))
	p.Goals(s.states, marks)
	near := newIndex()
	depth, left := 0, s.layers[0]
	for i, goal := range marks {
		for i >= left {
			depth++
			left += s.layers[depth]
		}
		if goal {
			near.add(s.states[i])
			s.goals++
			if s.solution < 0 {
				s.solution = depth
			}
		}
	}
	for from := 0; from < len(near.keys); {
		to := len(near.keys)
		s.goalLayers = append(s.goalLayers, to-from)
		s.hardest = near.keys[from:to]
		from = expand(p, near.keys[from:to], edges, from, func(key uint64) { near.add(key) })
	}
	return s
}

// expand calls visit with the successors of states, in pieces, and returns the
// index after the last state.
func expand(p puzzle.Puzzle, states []uint64, edges *puzzle.Edges, from int, visit func(uint64)) int {
	const piece = 256
	from += len(states)
	for len(states) > 0 {
		n := min(piece, len(states))
		edges.Reset()
		p.Successors(states[:n], edges)
		states = states[n:]
		for _, key := range edges.Keys {
			visit(key)
		}
	}
	return from
}

// index is a set of keys that remembers the order of arrival.
type index struct {
	keys  []uint64
	slots []uint32 // position in keys plus 1, by hash
}

func newIndex() *index { return &index{slots: make([]uint32, 1<<10)} }

func (x *index) add(key uint64) {
	if 2*len(x.keys) >= len(x.slots) {
		x.slots = make([]uint32, 4*len(x.slots))
		for i, k := range x.keys {
			*x.slot(k) = uint32(i) + 1
		}
	}
	if slot := x.slot(key); *slot == 0 {
		x.keys = append(x.keys, key)
		*slot = uint32(len(x.keys))
	}
}

func (x *index) slot(key uint64) *uint32 {
	mask := uint64(len(x.slots) - 1)
	h := key * 0x9E3779B97F4A7C15
	for h ^= h >> 32; ; h++ {
		slot := &x.slots[h&mask]
		if *slot == 0 || x.keys[*slot-1] == key {
			return slot
		}
	}
}
