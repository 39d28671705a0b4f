package history

import (
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/digest"
)

// Layer is a committed layer.
type Layer struct {
	Phase Phase
	Depth uint32
	// Epoch is the epoch of the attempt that made the layer.
	Epoch uint32
	// States is the number of states, at least 1.
	States int64
	// Generated is the number of successors, duplicates included, that were
	// generated to find these states.
	Generated int64
	// Goals is the number of goal states, counted only in the forward phase.
	Goals int64
	// Represented is the number of states of the full space that the states stand
	// for, at least States, if the puzzle merges symmetric states; else 0. It is
	// counted only in the forward phase.
	Represented int64
	// Pruned is the number of moves of the states that the puzzle prunes because no
	// goal can be reached after them. It is counted only in the forward phase.
	Pruned int64
	Digest digest.Digest
	// Bytes is the size of the layer's blocks as written.
	Bytes int64
	// PartStates is the number of states of each partition.
	PartStates []int64
	// Nanos is the time that the layer took, in nanoseconds, as the driver measured
	// it.
	Nanos int64
	// KeptFrom is the depth from which on the records of layers stay once this one is
	// committed. The states of those above, but of layers that the run names (Keep), are
	// dropped, or are in its table (DividedTable). It is 0 if none are, and in the goal
	// phase.
	KeptFrom uint32
	// Sample holds some states of a forward layer of a run that drops layers: those with
	// the least mixed keys, at most SampleMax, in that order. It stays when the states are
	// dropped. Their moves are their links, 0 at depth 0. Layers that earlier versions made
	// have none.
	Sample []puzzle.Reached
}

// SampleMax is the greatest number of states in a layer's sample.
const SampleMax = 16

// PhaseEnd records that a phase is exhausted: all successors of its last layer had
// been visited before.
type PhaseEnd struct {
	Phase Phase
	// Layers is the number of layers of the phase.
	Layers uint32
	// Generated is the number of successors of the last layer.
	Generated int64
	// Nanos is the time that it took to find this, in nanoseconds.
	Nanos int64
}
