package blocks_test

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
	s.states, s.layers = search(p, p.Starts())
	marks := make([]bool, len(s.states))
	p.Goals(s.states, marks)
	var goals []uint64
	depth, left := 0, s.layers[0]
	for i, goal := range marks {
		for i >= left {
			depth++
			left += s.layers[depth]
		}
		if goal {
			goals = append(goals, s.states[i])
			if s.solution < 0 {
				s.solution = depth
			}
		}
	}
	s.goals = len(goals)
	var near []uint64
	near, s.goalLayers = search(p, goals)
	if n := len(s.goalLayers); n > 0 {
		s.hardest = near[len(near)-s.goalLayers[n-1]:]
	}
	return s
}

// search returns all states that can be reached from some, layer by layer.
func search(p puzzle.Puzzle, starts []uint64) (states []uint64, layers []int) {
	seen := map[uint64]bool{}
	add := func(key uint64) {
		if !seen[key] {
			seen[key] = true
			states = append(states, key)
		}
	}
	for _, key := range starts {
		add(key)
	}
	const batch = 256
	edges := &puzzle.Edges{}
	for from := 0; from < len(states); {
		to := len(states)
		layers = append(layers, to-from)
		for ; from < to; from += batch {
			edges.Reset()
			p.Successors(states[from:min(to, from+batch)], edges)
			for _, key := range edges.Keys {
				add(key)
			}
		}
		from = to
	}
	return states, layers
}
