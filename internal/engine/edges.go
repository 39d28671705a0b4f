package engine

import (
	"context"
	"errors"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/worker"
)

// makeEdges writes the edges that the goal phase follows when a puzzle cannot
// generate predecessors. They are in scratch files until the session ends and cost
// about as much as the forward phase without its comparisons. A session that
// resumes an unfinished goal phase makes them again.
func makeEdges(ctx context.Context, r *Run) error {
	e := worker.NewEdges(worker.EdgesOptions{
		Puzzle: r.board.Puzzle, Scheme: r.scheme, Store: r.store,
		MemoryBytes: r.opts.engineMemory() / 2, Workers: r.opts.Workers,
	})
	r.live.showEdges(e)
	var layers []worker.Layer
	for _, l := range r.history.Layers(history.Forward) {
		layers = append(layers, worker.Layer{Segment: segmentID(l), PartStates: l.PartStates})
	}
	if err := e.Make(ctx, layers); err != nil {
		return errors.Join(err, e.Close())
	}
	r.edges = e
	return nil
}

// dropEdges removes the edges that makeEdges wrote.
func dropEdges(r *Run) error {
	if r.edges == nil {
		return nil
	}
	e := r.edges
	r.edges = nil
	return e.Close()
}
