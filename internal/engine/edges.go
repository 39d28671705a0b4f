package engine

import (
	"context"
	"errors"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/worker"
)

// makeEdges makes what the goal phase of a puzzle expands that does not know its
// way back. They are in scratch files for as long as the session, and cost about
// what the forward phase has cost without its comparisons; a session that takes up
// an unfinished goal phase makes them once more.
func makeEdges(ctx context.Context, r *Run) error {
	e := worker.NewEdges(worker.EdgesOptions{
		Puzzle: r.board.Puzzle, Scheme: r.scheme, Store: r.store,
		MemoryBytes: r.opts.engineMemory() / 2, Workers: r.opts.Workers,
	})
	r.live.turn(e)
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

// dropEdges removes what makeEdges has made.
func dropEdges(r *Run) error {
	if r.edges == nil {
		return nil
	}
	e := r.edges
	r.edges = nil
	return e.Close()
}
