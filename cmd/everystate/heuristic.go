package main

import (
	"context"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/search"
	"github.com/everystate/everystate/search/heuristic"
)

func heuristicNames() []string {
	var names []string
	for _, k := range heuristic.All() {
		names = append(names, k.Name)
	}
	return names
}

// heuristicOf returns the heuristic that a board is solved with: nil if there is
// none.
func (a *app) heuristicOf(_ context.Context, s *solver, board *puzzle.Board) (search.Heuristic, error) {
	h, err := heuristic.For(board, s.heuristic)
	if err != nil {
		return nil, failf(exitUsage, "%v", err)
	}
	return h, nil
}
