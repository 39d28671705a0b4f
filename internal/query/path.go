package query

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/puzzle"
)

// Path is a path through the space: States has one more element than Moves, and
// Moves[i] leads from States[i] to States[i+1].
type Path struct {
	States [][]uint64
	Moves  []puzzle.Move
	// Searched counts moves that were found by searching again, because the layers that
	// held their links have been dropped. They are the first of a path from a start.
	Searched int
}

// FromStart returns a shortest path from a start to the state, along the predecessor
// links. If the run merges symmetric states, the path is one through true states, to
// the one that is given.
func (s *Space) FromStart(ctx context.Context, key []uint64) (Path, error) {
	given := key
	key = puzzle.Represent(s.Board.Puzzle, key)
	depth, link, err := s.find(ctx, history.Forward, key, -1)
	if err != nil {
		return Path{}, err
	}
	if depth < 0 {
		return Path{}, ErrUnreachable
	}
	path, err := s.follow(ctx, history.Forward, depth, key, link)
	slices.Reverse(path.States)
	slices.Reverse(path.Moves)
	if m, merged := s.Board.Puzzle.(puzzle.Merged); merged && err == nil {
		m.Unfold(path.States, path.Moves, len(path.Moves), given)
	}
	return path, err
}

// ToGoal returns a shortest path from the state to its nearest goal: the one that
// takes the least move id at every step, unless layers on it have been dropped. If the run
// merges symmetric states, the path is one through true states, from the one that is given.
func (s *Space) ToGoal(ctx context.Context, key []uint64) (Path, error) {
	path, err := s.toGoal(ctx, puzzle.Represent(s.Board.Puzzle, key))
	if m, merged := s.Board.Puzzle.(puzzle.Merged); merged && err == nil {
		m.Unfold(path.States, path.Moves, 0, key)
	}
	return path, err
}

func (s *Space) toGoal(ctx context.Context, key []uint64) (Path, error) {
	if !s.HasDistances() {
		return Path{}, ErrNoDistances
	}
	place, err := s.Locate(ctx, key)
	if err != nil {
		return Path{}, err
	}
	if place.GoalDistance < 0 {
		return Path{}, ErrNoGoal
	}
	if puzzle.IsRetrograde(s.Board.Puzzle) {
		// The starts are the goals, and the links are the moves of the game.
		return s.follow(ctx, history.Forward, place.Depth, key, place.Link)
	}
	if s.DistancePhase() == history.Forward && s.History.DroppedLayers() > 0 {
		// Dropped layers cannot be searched, but the links lead to a start, which is a goal.
		path, err := s.follow(ctx, history.Forward, place.Depth, key, place.Link)
		if err == nil {
			path.Moves, err = movesBetween(s, path.States)
		}
		return path, err
	}
	path := Path{States: [][]uint64{slices.Clone(key)}}
	for d := place.GoalDistance - 1; d >= 0; d-- {
		next, move, err := s.stepTo(ctx, s.distanceLayers()[d], path.States[len(path.States)-1])
		if err != nil {
			return Path{}, err
		}
		path.States = append(path.States, next)
		path.Moves = append(path.Moves, move)
	}
	return path, nil
}

// stepTo returns the first successor of a state that is in a layer.
func (s *Space) stepTo(ctx context.Context, layer history.Layer, key []uint64) ([]uint64, puzzle.Move, error) {
	var edges puzzle.Edges
	s.Board.Puzzle.Successors(key, &edges)
	words := s.Scheme.Words()
	for i, move := range edges.Moves {
		next := edges.Keys[i*words : (i+1)*words]
		if _, ok, err := s.findIn(ctx, layer, next); err != nil || ok {
			return next, move, err
		}
	}
	return nil, 0, s.puzzleErrOr(fmt.Errorf("no successor of the state lies in %v layer %d: the run is damaged\n%s",
		layer.Phase, layer.Depth, s.Board.Puzzle.Format(key)))
}

// follow traces the links back from a state at a depth to layer 0.
func (s *Space) follow(ctx context.Context, phase history.Phase, depth int, key []uint64, link puzzle.Move) (Path, error) {
	path := Path{States: [][]uint64{slices.Clone(key)}}
	for d := depth; d > 0; d-- {
		if s.History.Dropped(s.History.Layers(phase)[d-1]) {
			rest, err := again(ctx, s, path.States[len(path.States)-1], d)
			if err != nil {
				return Path{}, err
			}
			slices.Reverse(rest.States)
			slices.Reverse(rest.Moves)
			path.States = append(path.States, rest.States[1:]...)
			path.Moves = append(path.Moves, rest.Moves...)
			path.Searched = rest.Searched
			return path, nil
		}
		pred, err := s.before(ctx, phase, d, path.States[len(path.States)-1], link)
		if err != nil {
			return Path{}, err
		}
		path.States = append(path.States, pred)
		path.Moves = append(path.Moves, link)
		if d == 1 {
			break
		}
		next, ok, err := s.findIn(ctx, s.History.Layers(phase)[d-1], pred)
		if err != nil {
			return Path{}, err
		}
		if !ok {
			return Path{}, fmt.Errorf("%v layer %d: a predecessor is missing: the run is damaged\n%s",
				phase, d-1, s.Board.Puzzle.Format(pred))
		}
		link = next
	}
	return path, nil
}

// Names returns the puzzle's names for the moves of the path.
func (p Path) Names(of puzzle.Puzzle) []string {
	names := make([]string, 0, len(p.Moves))
	for _, m := range p.Moves {
		names = append(names, of.FormatMove(m))
	}
	return names
}

// Predecessor returns the state that a state was reached from, which must not be at
// depth 0, and the move.
func (s *Space) Predecessor(ctx context.Context, key []uint64, at Place) ([]uint64, puzzle.Move, error) {
	p := s.Board.Puzzle
	before, err := s.before(ctx, history.Forward, at.Depth, puzzle.Represent(p, key), at.Link)
	path := Path{States: [][]uint64{before, slices.Clone(key)}, Moves: []puzzle.Move{at.Link}}
	if m, merged := p.(puzzle.Merged); merged && err == nil {
		m.Unfold(path.States, path.Moves, 1, key)
	}
	return path.States[0], path.Moves[0], err
}

// before returns the state from which a link leads to a state of a layer. If the link
// does not determine it, it is the first one in the layer before.
func (s *Space) before(ctx context.Context, phase history.Phase, depth int, key []uint64, link puzzle.Move) ([]uint64, error) {
	p := s.Board.Puzzle
	pred := make([]uint64, len(key))
	found := p.Undo(pred, key, link)
	if !found && puzzle.Merges(p) {
		next := make([]uint64, len(key))
		stop := errors.New("found")
		err := s.eachState(ctx, s.History.Layers(phase)[depth-1], func(state []uint64, _ puzzle.Move) error {
			if !p.Apply(next, state, link) || !slices.Equal(next, key) {
				return nil
			}
			copy(pred, state)
			return stop
		})
		if found = errors.Is(err, stop); err != nil && !found {
			return nil, err
		}
	}
	if !found {
		return nil, s.puzzleErrOr(fmt.Errorf("%v layer %d: a predecessor link does not fit its state: the run is damaged\n%s", phase, depth, p.Format(key)))
	}
	return pred, nil
}
