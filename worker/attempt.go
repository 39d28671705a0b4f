package worker

import (
	"github.com/everystate/everystate/puzzle/digest"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
)

// Source identifies where the candidates of an attempt come from.
type Source uint8

const (
	// FromStarts takes the start states of the puzzle.
	FromStarts Source = iota + 1
	// FromGoals takes the goal states among the states of the layers Expand.
	FromGoals
	// FromSuccessors takes the successors of the states of the layers Expand.
	FromSuccessors
	// FromPredecessors takes the predecessors of the states of the layers Expand: by
	// the puzzle, or by Options.Edges.
	FromPredecessors
	// FromLinks takes the predecessors that the states of the layers Expand are
	// linked to, and checks the links on the way.
	FromLinks
	// FromLinksAhead takes the successors that the links of the states of the
	// layers Expand lead to, as FromPredecessors has linked them, and checks the
	// links on the way.
	FromLinksAhead
)

// A Layer is a committed layer that an attempt reads.
type Layer struct {
	Segment store.SegmentID
	// PartStates is the number of states of each partition. Empty partitions are
	// not looked for in the store.
	PartStates []int64
}

// An Attempt is one try at making a layer. All workers of an attempt agree on
// it; each owns other partitions.
type Attempt struct {
	// Target is the segment to be written. Its epoch is that of the attempt.
	Target store.SegmentID
	Source Source
	// Expand are the layers that the candidates are made from.
	Expand []Layer
	// Exclude are the layers whose states are no candidates any more.
	Exclude []Layer
	// Within are the layers one of which a candidate must be in, nil if it may be
	// in none.
	Within []Layer
	// Parts are the partitions that this worker owns, in increasing order.
	Parts []partition.ID
	// CountGoals asks for the number of goal states among the new states, of those
	// that they represent, and of the moves that are left out of them.
	CountGoals bool
}

// PartResult is what became of one partition.
type PartResult struct {
	Part   partition.ID
	States int64
	Goals  int64
	// Represented is the number of states that the new ones stand for, 0 if each
	// stands for itself.
	Represented int64
	// Pruned is the number of moves of the new states that the puzzle leaves out.
	Pruned int64
	Digest digest.Digest
}

// Result is what a worker has written.
type Result struct {
	Parts []PartResult
	// Bytes is the size of the blocks and their keys.
	Bytes int64
	// Took is what the worker had taken from each sender, by its number.
	Took []Tally
}
