package estimate

import (
	"context"

	"github.com/everystate/everystate/puzzle"
)

// first is the result of the exact beginning of a breadth-first search.
type first struct {
	layers   []int64  // complete layers
	all      bool     // there are no others
	frontier []uint64 // states of the last complete layer
	edges    int64    // successors of the expanded states
	expanded int64
	states   int // including the incomplete layer
}

// explore counts the first layers until it has found statesMax states.
func explore(ctx context.Context, p puzzle.Puzzle, statesMax int) (*first, error) {
	words := p.Layout().Words()
	seen := newSet(words, statesMax)
	f := new(first)
	next := append([]uint64(nil), p.Starts()...)
	for i := 0; i < len(next); i += words {
		seen.add(next[i : i+words])
	}
	var out puzzle.Edges
	for depth := 0; len(next) > 0; depth++ {
		f.layers = append(f.layers, int64(len(next)/words))
		f.frontier, next = next, nil
		for i := 0; i < len(f.frontier); i += words {
			if i%(words<<10) == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			out.Reset()
			p.Successors(f.frontier[i:i+words], &out)
			f.expanded++
			f.edges += int64(out.Len())
			for e := 0; e < len(out.Keys); e += words {
				if seen.add(out.Keys[e : e+words]) {
					next = append(next, out.Keys[e:e+words]...)
				}
			}
			if seen.n >= statesMax || depth == depthMax {
				f.states = seen.n
				return f, puzzle.Err(p)
			}
		}
	}
	f.all, f.states = true, seen.n
	return f, puzzle.Err(p)
}
