package query

import (
	"context"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/puzzle"
)

// EachAt calls f with every state of a layer, or with none if the phase has no such
// layer. f must not retain the slice.
func (s *Space) EachAt(ctx context.Context, phase history.Phase, depth int, f func(key []uint64) error) error {
	layers := s.History.Layers(phase)
	if depth < 0 || depth >= len(layers) {
		return ctx.Err()
	}
	return s.eachState(ctx, layers[depth], func(key []uint64, _ puzzle.Move) error { return f(key) })
}
