package query

import (
	"context"
	"errors"
	"slices"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/partition"
)

var errEnough = errors.New("enough")

// Slice returns n states of a layer from an offset on, in storage order. It reads
// only the partitions that they are in.
func (s *Space) Slice(ctx context.Context, layer history.Layer, offset int64, n int) ([][]uint64, error) {
	var parts []partition.ID
	var before, reach int64 // states of partitions skipped, and up to the last one taken
	for _, part := range s.allParts() {
		if states := layer.PartStates[part]; reach+states <= offset {
			before += states
		} else if reach < offset+int64(n) {
			parts = append(parts, part)
		}
		reach += layer.PartStates[part]
	}
	skip := offset - before
	var states [][]uint64
	err := s.eachStateOf(ctx, layer, parts, func(key []uint64, _ puzzle.Move) error {
		switch {
		case skip > 0:
			skip--
		case len(states) == n:
			return errEnough
		default:
			states = append(states, slices.Clone(key))
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return states, err
}
