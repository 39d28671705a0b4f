package solve

import "github.com/everystate/everystate/puzzle"

// A pruner generates successors, or predecessors, without those that a state's link
// prunes (see [puzzle.Onward]), and counts them all the same.
//
// A search that prunes must expand all states of a layer that may lie on a shortest
// path, at their least depth and by a link from the layer before: breadth-first
// search does, and so does the last round of a deepening one. Then a state of the next
// layer is found from those that lead to it by the one with the least move: what would
// prune that move is a state of the same layer with a lesser one, or one that leads
// there sooner. Which of several states with equal rights is expanded first does not
// matter, nor by which of its links.
//
// Depth-first search without a bound does not: of two states that each leave their
// successor to the other, the second may have been found by way of the first.
type pruner struct {
	words  int
	all    func(states []uint64, out *puzzle.Edges)
	pruned func(states []uint64, links []puzzle.Move, out *puzzle.Edges) int // nil: nothing is pruned
}

// ahead generates successors.
func ahead(p puzzle.Puzzle) pruner {
	r := pruner{words: p.Layout().Words(), all: p.Successors}
	if onward, ok := p.(puzzle.Onward); ok {
		r.pruned = onward.Onward
	}
	return r
}

// back generates predecessors, of a puzzle whose moves can be undone or that is Backward.
func back(p puzzle.Puzzle) pruner {
	backward, ok := p.(puzzle.Backward)
	if !ok {
		return ahead(p)
	}
	r := pruner{words: p.Layout().Words(), all: backward.Predecessors}
	if homeward, ok := p.(puzzle.Homeward); ok {
		r.pruned = homeward.Homeward
	}
	return r
}

// expand appends the edges of states, and returns their number with those that are
// pruned. A start has no link, so links are of the last states.
func (r *pruner) expand(states []uint64, links []puzzle.Move, out *puzzle.Edges) (generated int64) {
	if r.pruned == nil {
		links = nil
	}
	at, starts := out.Len(), len(states)-len(links)*r.words
	r.all(states[:starts], out)
	pruned := 0
	if len(links) > 0 {
		pruned = r.pruned(states[starts:], links, out)
	}
	return int64(out.Len() - at + pruned)
}

// expandFrom appends the edges of the states from number from to number to of a set.
func (r *pruner) expandFrom(v *visited, from, to int, out *puzzle.Edges) (generated int64) {
	return r.expand(v.keys[from*v.words:to*v.words], v.links[min(to, max(from, v.starts)):to], out)
}
