package peg_test

import "github.com/everystate/everystate/puzzle"

// layersOf returns the layers of a puzzle of one-word keys, at most depths of them.
func layersOf(p puzzle.Puzzle, depths int) [][]uint64 {
	seen := map[uint64]bool{}
	next := p.Starts()
	for _, key := range next {
		seen[key] = true
	}
	var layers [][]uint64
	var edges puzzle.Edges
	for len(next) > 0 && len(layers) < depths {
		layers = append(layers, next)
		edges.Reset()
		p.Successors(next, &edges)
		next = nil
		for _, key := range edges.Keys {
			if !seen[key] {
				seen[key] = true
				next = append(next, key)
			}
		}
	}
	return layers
}

// marked returns the states that are goals.
func marked(p puzzle.Puzzle, states []uint64) []uint64 {
	marks := make([]bool, len(states))
	p.Goals(states, marks)
	var goals []uint64
	for i, goal := range marks {
		if goal {
			goals = append(goals, states[i])
		}
	}
	return goals
}
