package wire

import (
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/puzzle"
)

// Sample returns a sample as the protocol encodes it.
func Sample(all []puzzle.Reached) []*everystatev1.SampledState {
	var out []*everystatev1.SampledState
	for _, s := range all {
		out = append(out, &everystatev1.SampledState{Key: s.Key, Move: uint32(s.Move)})
	}
	return out
}

// SampleOf returns the sample in a message.
func SampleOf(all []*everystatev1.SampledState) []puzzle.Reached {
	var out []puzzle.Reached
	for _, s := range all {
		out = append(out, puzzle.Reached{Key: s.GetKey(), Move: puzzle.Move(s.GetMove())})
	}
	return out
}
