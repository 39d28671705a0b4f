package query

import (
	"context"
	"math/bits"
	"slices"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/puzzle"
)

// solutionStatesMax bounds the states of one depth that ShortestSolutions keeps.
const solutionStatesMax = 1 << 20

// ShortestSolutions returns the number of shortest solutions: paths from a start to a
// goal with the fewest moves, distinct if any move differs. ok is false if they pass
// through too many states to count, or if there are more solutions than a uint64
// holds. It returns ErrNoGoal if there is none.
func (s *Space) ShortestSolutions(ctx context.Context) (count uint64, ok bool, err error) {
	if !s.HasDistances() {
		return 0, false, ErrNoDistances
	}
	length := s.History.FirstGoal()
	if length < 0 {
		return 0, false, ErrNoGoal
	}
	p, words := s.Board.Puzzle, s.Scheme.Words()
	goals := s.distanceLayers()
	here := map[string]uint64{} // paths to each state of a depth, by its key
	var keys []uint64
	take := func(layer history.Layer, key []uint64, ways uint64, into map[string]uint64) (bool, error) {
		name := nameOf(key)
		known, counted := into[name]
		if !counted {
			if _, there, err := s.findIn(ctx, layer, key); err != nil || !there {
				return true, err
			}
			keys = append(keys, key...)
		}
		sum, carry := bits.Add64(known, ways, 0)
		into[name] = sum
		return carry == 0 && len(into) <= solutionStatesMax, nil
	}
	for start := range slices.Chunk(p.Starts(), words) {
		if fits, err := take(goals[length], start, 1, here); err != nil || !fits {
			return 0, false, err
		}
	}
	for d := length - 1; d >= 0; d-- {
		from := keys
		keys = nil
		next := map[string]uint64{}
		var edges puzzle.Edges
		for key := range slices.Chunk(from, words) {
			edges.Reset()
			p.Successors(key, &edges)
			if err := s.puzzleErrOr(nil); err != nil {
				return 0, false, err
			}
			for succ := range slices.Chunk(edges.Keys, words) {
				if fits, err := take(goals[d], succ, here[nameOf(key)], next); err != nil || !fits {
					return 0, false, err
				}
			}
		}
		here = next
	}
	for _, ways := range here {
		sum, carry := bits.Add64(count, ways, 0)
		if count = sum; carry != 0 {
			return 0, false, nil
		}
	}
	return count, true, nil
}

// nameOf returns the bytes of a key.
func nameOf(key []uint64) string {
	name := make([]byte, 0, 8*len(key))
	for _, w := range key {
		for shift := 0; shift < 64; shift += 8 {
			name = append(name, byte(w>>shift))
		}
	}
	return string(name)
}
