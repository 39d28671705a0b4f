package query

import (
	"context"
	"slices"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/puzzle"
)

// Sample returns the states of a layer with the least mixed keys, at most
// history.SampleMax, in that order. They do not depend on workers and partitions. If the
// layer has been dropped they are what its run has kept of it, which may be nothing.
func Sample(ctx context.Context, s *Space, layer history.Layer) ([]puzzle.Reached, error) {
	if s.History.Dropped(layer) {
		return slices.DeleteFunc(slices.Clone(layer.Sample), func(at puzzle.Reached) bool { return len(at.Key) != s.Scheme.Words() }), nil
	}
	keys, err := s.Slice(ctx, layer, 0, history.SampleMax)
	if err != nil {
		return nil, err
	}
	var all []puzzle.Reached
	for _, key := range keys {
		link, _, err := s.findIn(ctx, layer, key)
		if err != nil {
			return nil, err
		}
		if layer.Depth == 0 {
			link = 0
		}
		all = append(all, puzzle.Reached{Key: key, Move: link})
	}
	return all, nil
}

// sampled looks for a state in the samples of layers.
func sampled(layers []history.Layer, key []uint64) (history.Layer, puzzle.Reached, bool) {
	for _, l := range layers {
		for _, at := range l.Sample {
			if slices.Equal(at.Key, key) {
				return l, at, true
			}
		}
	}
	return history.Layer{}, puzzle.Reached{}, false
}
