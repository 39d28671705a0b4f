package puzzletest

import (
	"fmt"
	"maps"
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// Pruning explores a puzzle in memory without pruning and with it, from its starts
// and, as far as distances can be found, from its goals. Both must find the same
// layers with the same least moves to each state, and count the same number of
// edges. It stops at the layer that brings the states to statesMax. made is the
// number of edges that were not pruned, of all.
func Pruning(p puzzle.Puzzle, statesMax int) (made, all int, err error) {
	words := p.Layout().Words()
	onward, _ := p.(puzzle.Onward)
	step := expansion{words: words, edges: p.Successors}
	if onward != nil {
		step.pruned = onward.Onward
	}
	forward, whole, err := step.compare(p.Starts(), nil, statesMax, &made, &all)
	if err != nil || !whole || !puzzle.GoesBack(p) {
		return made, all, err
	}
	if p.Layout().Graded {
		if err := graded(p, forward); err != nil {
			return made, all, err
		}
	}
	if back, ok := p.(puzzle.Backward); ok && !p.Layout().Reversible {
		step.edges, step.pruned = back.Predecessors, nil
		if home, ok := p.(puzzle.Homeward); ok {
			step.pruned = home.Homeward
		}
	}
	within := map[stateKey]bool{}
	var goals []uint64
	for _, layer := range forward {
		for state := range layer {
			within[state] = true
			mark := []bool{false}
			if p.Goals(state[:words], mark); mark[0] {
				goals = append(goals, state[:words]...)
			}
		}
	}
	_, _, err = step.compare(goals, within, statesMax, &made, &all)
	if err != nil {
		err = fmt.Errorf("from the goals: %w", err)
	}
	return made, all, err
}

// graded looks for a move between states that are not of neighbouring layers.
func graded(p puzzle.Puzzle, layers []layer) error {
	words := p.Layout().Words()
	var out puzzle.Edges
	for depth, states := range layers {
		for state := range states {
			out.Reset()
			p.Successors(state[:words], &out)
			for key := range slices.Chunk(out.Keys, words) {
				if _, ok := layers[depth+1][stateKeyOf(key)]; !ok {
					return fmt.Errorf("the space is not graded: from depth %d a move leads back to\n%s", depth, p.Format(key))
				}
			}
		}
	}
	return nil
}

type stateKey [puzzle.WordsMax]uint64

func stateKeyOf(words []uint64) (k stateKey) {
	copy(k[:], words)
	return k
}

// layer holds states with the least moves that lead to them.
type layer map[stateKey]puzzle.Move

// expansion expands states, in two ways.
type expansion struct {
	words  int
	edges  func(states []uint64, out *puzzle.Edges)
	pruned func(states []uint64, links []puzzle.Move, out *puzzle.Edges) int // nil: there is no pruning
}

// next returns the states that are reached from a layer and were not seen before,
// of those within if that is not nil, and the number of edges.
func (e *expansion) next(from layer, seen, within map[stateKey]bool, pruning bool) (next layer, edges, pruned int) {
	var out puzzle.Edges
	next = layer{}
	for state, link := range from {
		out.Reset()
		if pruning {
			pruned += e.pruned(state[:e.words], []puzzle.Move{link}, &out)
		} else {
			e.edges(state[:e.words], &out)
		}
		edges += out.Len()
		for i, m := range out.Moves {
			key := stateKeyOf(out.Keys[i*e.words : (i+1)*e.words])
			if seen[key] || within != nil && !within[key] {
				continue
			}
			if least, ok := next[key]; !ok || m < least {
				next[key] = m
			}
		}
	}
	return next, edges, pruned
}

// compare enumerates the layers from some states, and reports whether it came to
// their end.
func (e *expansion) compare(starts []uint64, within map[stateKey]bool, statesMax int, made, all *int) (layers []layer, whole bool, err error) {
	first := layer{}
	for key := range slices.Chunk(starts, e.words) {
		first[stateKeyOf(key)] = 0
	}
	seen := map[stateKey]bool{}
	for at := first; len(at) > 0; {
		if len(seen) >= statesMax {
			return layers, false, nil
		}
		for state := range at {
			seen[state] = true
		}
		depth := len(layers)
		layers = append(layers, at)
		next, edges, _ := e.next(at, seen, within, false)
		*all += edges
		if depth == 0 || e.pruned == nil {
			*made += edges
			at = next
			continue
		}
		again, fewer, pruned := e.next(at, seen, within, true)
		*made += fewer
		if !maps.Equal(next, again) {
			return nil, false, fmt.Errorf("pruning changes layer %d: %d states and %d, or other links", depth+1, len(next), len(again))
		}
		if fewer+pruned != edges {
			return nil, false, fmt.Errorf("layer %d has %d edges, of which %d are made and %d are said to be pruned", depth, edges, fewer, pruned)
		}
		at = next
	}
	return layers, true, nil
}
