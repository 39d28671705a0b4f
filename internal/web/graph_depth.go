package web

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/draw/layout"
	"github.com/everystate/everystate/internal/query"
)

// Limits of graphs arranged by depth, which need no layout of the moves.
const (
	graphStatesRead  = 1 << 29
	graphStatesShown = 4_000_000
	planeSample      = 4096
)

// makeByDepth makes a graph in which the depth is one axis and the two others show what
// the boards look like. It has at most about graphStatesShown states: small layers
// completely, and the same number of states of each larger one. Its moves are shown if
// all states are, and are few enough.
func (j *graphJob) makeByDepth(ctx context.Context, view View) (*stateGraph, error) {
	g, err := readByDepth(ctx, view.Space(), graphStatesShown, j.tell)
	return g, errors.Join(err, view.Close())
}

func readByDepth(ctx context.Context, space *query.Space, shown int64, tell func(part float64)) (*stateGraph, error) {
	layers := space.History.Layers(history.Forward)
	counts := layerStates(layers)
	most := evenShare(counts, shown)
	plane, err := planeOf(ctx, space)
	if err != nil {
		return nil, err
	}
	type placed struct {
		rows

		places []float32
	}
	var all placed
	states := space.History.States(history.Forward)
	opts := query.TableOptions{Written: func(n int64) { tell(0.9 * float64(n) / float64(states)) }}
	err = query.Table(ctx, space, opts, func(_ *placed, b *query.Batch) (*placed, error) {
		var p placed
		for i := range b.Len() {
			key, depth := b.Key(i), b.Depths[i]
			if n := counts[depth]; n > most && float64(spread(key)) >= float64(most)/float64(n)*math.MaxUint64 {
				continue
			}
			p.AddRow(b, i)
			p.keys = append(p.keys, key...)
			x, z := plane.Place(space.Board.Puzzle.Format(key))
			y := 1 - 2*float64(depth)/float64(max(1, len(layers)-1))
			p.places = append(p.places, float32(x), float32(y), float32(z))
		}
		return &p, nil
	}, func(p *placed) error {
		all.keys = append(all.keys, p.keys...)
		all.places = append(all.places, p.places...)
		all.Append(&p.Columns)
		return nil
	})
	if err != nil {
		return nil, err
	}
	g := &stateGraph{nodeIndex: newNodeIndex(space.Scheme.Words(), all.keys)}
	var pairs []uint32
	if int64(g.nodes()) == states && states <= graphStatesMax {
		pairs, err = edges(ctx, space.Board.Puzzle, g)
		if err != nil && !errors.Is(err, ErrRefused) { // too many moves: the states alone
			return nil, err
		}
	}
	g.body = encodeGraph(&all.rows, all.places, pairs)
	return g, nil
}

func layerStates(layers []history.Layer) []int64 {
	counts := make([]int64, len(layers))
	for i, l := range layers {
		counts[i] = l.States
	}
	return counts
}

// evenShare returns the greatest number such that at most that many states of each
// layer are no more than shown in all, and at least 1.
func evenShare(counts []int64, shown int64) int64 {
	sorted := slices.Clone(counts)
	slices.Sort(sorted)
	for i, n := range sorted {
		left := int64(len(sorted) - i)
		if n*left > shown {
			return max(1, shown/left)
		}
		shown -= n
	}
	return math.MaxInt64
}

// planeOf returns the plane of a space, from boards of layers at even distances.
func planeOf(ctx context.Context, space *query.Space) (*layout.Plane, error) {
	layers := space.History.Layers(history.Forward)
	each := max(1, planeSample/max(1, len(layers)))
	step := max(1, len(layers)/planeSample)
	var sample []string
	for i := 0; i < len(layers); i += step {
		keys, err := space.Slice(ctx, layers[i], 0, each)
		if err != nil {
			return nil, err
		}
		for _, key := range keys {
			sample = append(sample, space.Board.Puzzle.Format(key))
		}
	}
	return layout.NewPlane(sample), nil
}
