package web

import (
	"context"
	"errors"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/bydepth"
	"github.com/everystate/everystate/internal/query"
)

// Limits of graphs arranged by depth, which need no layout of the moves.
const (
	graphStatesRead  = 1 << 29
	graphStatesShown = 4_000_000
)

// makeByDepth makes a graph arranged by depth. It has at most about graphStatesShown states: small layers
// completely, and the same number of states of each larger one. Its moves are shown if
// all states are, and are few enough.
func (j *graphJob) makeByDepth(ctx context.Context, view View) (*stateGraph, error) {
	g, err := readByDepth(ctx, view.Space(), graphStatesShown, j.tell)
	return g, errors.Join(err, view.Close())
}

func readByDepth(ctx context.Context, space *query.Space, shown int64, tell func(part float64)) (*stateGraph, error) {
	arranged, err := bydepth.New(ctx, space, shown)
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
			if !arranged.Shown(key, depth) {
				continue
			}
			p.AddRow(b, i)
			p.keys = append(p.keys, key...)
			x, y, z := arranged.Place(key, depth)
			p.places = append(p.places, x, y, z)
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
