package core

import (
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/puzzle"
)

// samples holds the first states of partitions of the layer being made, by partition.
type samples map[uint32][]puzzle.Reached

// first returns the layer's sample: as a partition holds all mixed keys of a range, the
// least are in the first partitions that have any.
func (s samples) first(partitions int) []puzzle.Reached {
	var all []puzzle.Reached
	for part := 0; part < partitions && len(all) < history.SampleMax; part++ {
		all = append(all, s[uint32(part)]...)
	}
	return all[:min(len(all), history.SampleMax)]
}
