package wire

import (
	"errors"
	"fmt"
	"math"

	"github.com/everystate/everystate/coordinator/history"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/puzzle/digest"
)

// LayerRecord converts a layer to its message.
func LayerRecord(l history.Layer) *everystatev1.LayerRecord {
	r := &everystatev1.LayerRecord{
		Phase:       Phase(l.Phase),
		Depth:       l.Depth,
		Epoch:       uint64(l.Epoch),
		States:      uint64(l.States),
		Generated:   uint64(l.Generated),
		GoalStates:  uint64(l.Goals),
		Digest:      l.Digest.Bytes(),
		StoredBytes: uint64(l.Bytes),
		BusyNanos:   l.Nanos,

		RepresentedStates: uint64(l.Represented),
		PrunedMoves:       uint64(l.Pruned),
		KeptFrom:          l.KeptFrom,
		Sample:            Sample(l.Sample),
	}
	r.PartitionStates = Counts(l.PartStates)
	return r
}

// Counts converts the states of partitions to their message.
func Counts(states []int64) []uint64 {
	counts := make([]uint64, len(states))
	for i, n := range states {
		counts[i] = uint64(n)
	}
	return counts
}

// CountsOf returns the states of partitions in a message, and their sum, or what is wrong with
// them.
func CountsOf(counts []uint64) (states []int64, sum int64, err error) {
	states = make([]int64, len(counts))
	for i, n := range counts {
		if n > uint64(math.MaxInt64-sum) {
			return nil, 0, errors.New("too many states")
		}
		states[i] = int64(n)
		sum += int64(n)
	}
	return states, sum, nil
}

// LayerOf returns the layer in a message of a run with so many partitions, or what is wrong
// with it.
func LayerOf(r *everystatev1.LayerRecord, partitions int) (history.Layer, error) {
	phase, err := PhaseOf(r.GetPhase())
	if err != nil {
		return history.Layer{}, err
	}
	d, err := digest.FromBytes(r.GetDigest())
	if err != nil {
		return history.Layer{}, err
	}
	if len(r.GetPartitionStates()) != partitions {
		return history.Layer{}, fmt.Errorf("counts for %d of %d partitions", len(r.GetPartitionStates()), partitions)
	}
	l := history.Layer{
		Phase:       phase,
		Depth:       r.GetDepth(),
		Epoch:       uint32(r.GetEpoch()),
		States:      int64(r.GetStates()),
		Generated:   int64(r.GetGenerated()),
		Goals:       int64(r.GetGoalStates()),
		Digest:      d,
		Bytes:       int64(r.GetStoredBytes()),
		Represented: int64(r.GetRepresentedStates()),
		Pruned:      int64(r.GetPrunedMoves()),
		Nanos:       r.GetBusyNanos(),
		KeptFrom:    r.GetKeptFrom(),
		Sample:      SampleOf(r.GetSample()),
	}
	var sum int64
	if l.PartStates, sum, err = CountsOf(r.GetPartitionStates()); err != nil {
		return history.Layer{}, err
	}
	if sum != l.States || sum == 0 || r.GetEpoch() > math.MaxUint32 || !possible(l) {
		return history.Layer{}, fmt.Errorf("%v layer %d: counts are inconsistent", l.Phase, l.Depth)
	}
	return l, nil
}

// possible reports whether the core could have made the numbers of a layer.
func possible(l history.Layer) bool {
	return l.Generated >= 0 && (l.Depth > 0 || l.Generated == 0) &&
		l.Goals >= 0 && l.Goals <= l.States && (l.Phase == history.Forward || l.Goals == 0) &&
		(l.Represented == 0 || l.Represented >= l.States && l.Phase == history.Forward) &&
		(l.Pruned == 0 || l.Pruned > 0 && l.Phase == history.Forward) &&
		(len(l.Sample) == 0 || len(l.Sample) <= history.SampleMax && int64(len(l.Sample)) <= l.States && l.Phase == history.Forward) &&
		l.Bytes >= 0 && l.Nanos >= 0
}

// PhaseEnd converts the end of a phase to its message.
func PhaseEnd(e history.PhaseEnd) *everystatev1.PhaseEnd {
	return &everystatev1.PhaseEnd{Phase: Phase(e.Phase), Layers: e.Layers, Generated: uint64(e.Generated), BusyNanos: e.Nanos}
}

// PhaseEndOf returns the end of a phase in a message, or what is wrong with it.
func PhaseEndOf(r *everystatev1.PhaseEnd) (history.PhaseEnd, error) {
	phase, err := PhaseOf(r.GetPhase())
	if err != nil {
		return history.PhaseEnd{}, err
	}
	e := history.PhaseEnd{
		Phase:     phase,
		Layers:    r.GetLayers(),
		Generated: int64(r.GetGenerated()),
		Nanos:     r.GetBusyNanos(),
	}
	if e.Generated < 0 || e.Layers == 0 && e.Generated > 0 || e.Nanos < 0 {
		return history.PhaseEnd{}, fmt.Errorf("end of %v: counts are inconsistent", e.Phase)
	}
	return e, nil
}
