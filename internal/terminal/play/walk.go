package play

import (
	"errors"
	"fmt"
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// Named returns the moves with the given names, made one after another from a
// state.
func Named(p puzzle.Puzzle, start []uint64, names []string) ([]puzzle.Move, error) {
	state := slices.Clone(start)
	moves := make([]puzzle.Move, 0, len(names))
	for i, name := range names {
		all := choices(p, state)
		at := slices.IndexFunc(all, func(c choice) bool { return c.name == name })
		if at < 0 {
			return nil, fmt.Errorf("move %d: %s is not legal there", i+1, name)
		}
		moves = append(moves, all[at].move)
		copy(state, all[at].state)
	}
	return moves, nil
}

// ErrNoWalk reports that no steps have the effect of a move.
var ErrNoWalk = errors.New("no sequence of steps has the same effect")

// Walk translates moves of a puzzle into steps of a more detailed one: from a state
// of the latter, the fewest steps that have the effect of each move. This requires
// that a step either changes nothing that the moves count, like a player's steps
// between pushes, or is itself a move.
func Walk(steps puzzle.Puzzle, from []uint64, moves puzzle.Puzzle, path []puzzle.Move) ([]puzzle.Move, []Part, error) {
	state := slices.Clone(from)
	at, err := moves.Parse(steps.Format(from))
	if err != nil {
		return nil, nil, err
	}
	var all []puzzle.Move
	var parts []Part
	for _, move := range path {
		to := slices.Clone(at)
		if !moves.Apply(to, at, move) {
			return nil, nil, fmt.Errorf("%s is not legal there", moves.FormatMove(move))
		}
		walk, end, err := walk(steps, state, moves, at, to)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", moves.FormatMove(move), err)
		}
		all = append(all, walk...)
		parts = append(parts, Part{len(walk), moves.FormatMove(move)})
		state, at = end, to
	}
	return all, parts, nil
}

// walk finds the fewest steps from a state to one whose key for the moves is to,
// over states whose key is at.
func walk(steps puzzle.Puzzle, from []uint64, moves puzzle.Puzzle, at, to []uint64) ([]puzzle.Move, []uint64, error) {
	type reached struct {
		state []uint64
		path  []puzzle.Move
	}
	name := func(state []uint64) string { return steps.Format(state) }
	seen := map[string]bool{name(from): true}
	for queue := []reached{{state: from}}; len(queue) > 0; queue = queue[1:] {
		for _, c := range choices(steps, queue[0].state) {
			text := name(c.state)
			if seen[text] {
				continue
			}
			seen[text] = true
			key, err := moves.Parse(text)
			if err != nil {
				continue
			}
			path := append(slices.Clone(queue[0].path), c.move)
			switch {
			case slices.Equal(key, to):
				return path, c.state, nil
			case slices.Equal(key, at):
				queue = append(queue, reached{c.state, path})
			}
		}
	}
	return nil, nil, ErrNoWalk
}
