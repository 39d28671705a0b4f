package worker

import (
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/digest"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
)

// Source identifies where the candidates of an attempt come from.
type Source uint8

const (
	// FromStarts takes the start states of the puzzle.
	FromStarts Source = iota + 1
	// FromGoals takes the goal states among the states of the layers Expand, or among
	// those that Found lists.
	FromGoals
	// FromSuccessors takes the successors of the states of the layers Expand.
	FromSuccessors
	// FromPredecessors takes the predecessors of the states of the layers Expand,
	// from the puzzle or from the moves of the attempt Edges.
	FromPredecessors
	// FromLinks takes the predecessors that the states of the layers Expand are
	// linked to, and checks these links.
	FromLinks
	// FromLinksAhead takes the successors that the states of the layers Expand are
	// linked to, as FromPredecessors links them, and checks these links.
	FromLinksAhead
	// FromMoves takes all moves from the states of the layers Expand, to be kept
	// reversed. The attempt makes no layer.
	FromMoves
)

// A Layer is a committed layer that an attempt reads.
type Layer struct {
	Segment store.SegmentID
	// PartStates is the number of states of each partition. The store is not asked
	// for empty partitions.
	PartStates []int64
}

// Found yields states as records, some at a time and none at the end. Their links mean
// nothing.
type Found interface {
	Next() ([]uint64, error)
	Close() error
}

// An Attempt is one try at making a layer. All its workers have the same Attempt but
// for Parts.
type Attempt struct {
	// Target is the segment to be written. Its epoch is that of the attempt.
	Target store.SegmentID
	Source Source
	// Expand are the layers from which candidates are generated.
	Expand []Layer
	// Exclude are the layers whose states are dropped as visited.
	Exclude []Layer
	// Within are the layers in one of which a candidate must be. Nil means no such
	// condition.
	Within []Layer
	// Found lists all states of a partition that the forward phase has found, for FromGoals
	// where records of layers may be gone; nil means that the layers Expand are read.
	Found func(part partition.ID) (Found, error)
	// Edges is the epoch of the attempt FromMoves that tells the predecessors; 0 if the
	// puzzle does. Its workers had the same partitions.
	Edges uint32
	// Parts are the partitions that this worker owns, in increasing order.
	Parts []partition.ID
	// CountGoals asks for PartResult.Goals, Represented and Pruned.
	CountGoals bool

	// SampleMax is how many states PartResult.Sample has in all partitions together; 0
	// means none.
	SampleMax int
}

// PartResult is the result for one partition.
type PartResult struct {
	Part   partition.ID
	States int64
	Goals  int64
	// Represented is the number of states that the new states stand for, 0 if each
	// stands for itself.
	Represented int64
	// Pruned is the number of moves of the new states that the puzzle prunes.
	Pruned int64
	Digest digest.Digest
	// Sample holds the new states with the least mixed keys and their links, in that order:
	// as many as Attempt.SampleMax leaves after those of the partitions before.
	Sample []puzzle.Reached
}

// Result is what a worker has written.
type Result struct {
	Parts []PartResult
	// Bytes is the size of the blocks and their keys.
	Bytes int64
	// Took is what the worker received from each sender, by the sender's number.
	Took []Tally
}
