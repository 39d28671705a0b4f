package query

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/puzzle"
)

// TextsMax is the number of states up to which Page and Goals compare the texts of all.
const TextsMax = 1 << 20

// Page returns n states of a layer from an offset on, in the order of their texts; if
// there are more than TextsMax, whose texts take too long to compare, in storage order.
func Page(ctx context.Context, s *Space, layer history.Layer, offset int64, n int) ([][]uint64, error) {
	if layer.States > TextsMax {
		return s.Slice(ctx, layer, offset, n)
	}
	states, err := s.firstByText(ctx, layer, int(min(offset, TextsMax))+n, nil)
	return states[min(int(offset), len(states)):], err
}

// Goals returns n goal states from an offset on, those at the least depth first, and
// those of a layer in the order of Page. It reads only the layers that they are in.
func Goals(ctx context.Context, s *Space, offset int64, n int) ([][]uint64, error) {
	var states [][]uint64
	for _, layer := range s.History.Layers(history.Forward) {
		if offset >= layer.Goals {
			offset -= layer.Goals
			continue
		}
		here, err := goalsOf(ctx, s, layer, offset, n-len(states), layer.Goals <= TextsMax)
		if err != nil {
			return nil, err
		}
		if states = append(states, here...); len(states) == n {
			break
		}
		offset = 0
	}
	return states, nil
}

// goalsOf returns n goal states of a layer from an offset on, or all the rest, in the order of
// their texts or in storage order.
func goalsOf(ctx context.Context, s *Space, layer history.Layer, offset int64, n int, byText bool) ([][]uint64, error) {
	mark := []bool{false}
	isGoal := func(key []uint64) bool {
		s.Board.Puzzle.Goals(key, mark)
		return mark[0]
	}
	last := min(layer.Goals, offset+int64(n)) // of those wanted
	var states [][]uint64
	var err error
	if byText {
		states, err = s.firstByText(ctx, layer, int(last), isGoal)
	} else {
		err = s.eachState(ctx, layer, func(key []uint64, _ puzzle.Move) error {
			switch {
			case int64(len(states)) == last:
				return errEnough
			case isGoal(key):
				states = append(states, slices.Clone(key))
			}
			return s.puzzleErrOr(nil)
		})
		if errors.Is(err, errEnough) {
			err = nil
		}
	}
	if err == nil && int64(len(states)) < last {
		err = s.puzzleErrOr(fmt.Errorf("%v layer %d has %d goals, %d were committed: the run is damaged", history.Forward, layer.Depth, len(states), layer.Goals))
	}
	return states[min(int64(len(states)), offset):], err
}
