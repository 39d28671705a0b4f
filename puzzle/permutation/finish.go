package permutation

import (
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
	"github.com/everystate/everystate/puzzle/permutation/source"
)

// finish makes a board of what was read from a file. It refuses a goal with a piece where no move
// brings it.
func finish(s *source.File, sys system, n notation, text, note string) ([]puzzle.Board, *puzzle.InputError) {
	sys.settle(sys.start)
	if !sys.open(sys.start) {
		return nil, boardfile.Piece{}.Faultf("the start has a piece where it must not be: %s", n.line(sys.start))
	}
	orbits := sys.orbits()
	for i, goal := range sys.goals {
		sys.settle(goal)
		if !sys.open(goal) {
			return nil, boardfile.Piece{}.Faultf("goal %d has a piece where it must not be: %s", i+1, n.line(goal))
		}
		if place := sys.misplaced(orbits, goal); place >= 0 {
			v, _ := s.Value("goal")
			if len(sys.goals) > 1 {
				return nil, v.Faultf("goal %d of %d cannot be reached: no move brings the piece that it has at place %d there: %s; leave it out", i+1, len(sys.goals), place+1, n.line(goal))
			}
			return nil, v.Faultf("no move brings the piece that the goal has at place %d there: %s", place+1, n.line(goal))
		}
	}
	p, ok := newPuzzle(sys, n)
	if !ok {
		return nil, boardfile.Piece{}.Faultf("too many pieces: a state takes at most %d bytes", 8*puzzle.WordsMax)
	}
	s.Board.Puzzle, s.Board.Text, s.Board.Note = p, text, note
	return []puzzle.Board{s.Board}, nil
}
