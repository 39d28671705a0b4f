package core

import (
	"github.com/everystate/everystate/puzzle/digest"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/puzzle"
)

// An Event is something that has happened.
type Event interface{ event() }

// Able is what a worker says that it can do.
type Able struct {
	Lanes      int    // how many it has, 0 if unknown
	Machine    string // where it is; workers on the same machine share its cores. "" if unknown
	Cores      int    // how many that machine has, if known
	Straight   bool   // it can take part in an Attempt that is Straight
	Alone      bool   // it can make an attempt that is Alone, and take part in one
	Ahead      bool   // it can get partitions ahead
	TableBytes int64  // memory that it has for a table of a whole run, 0 if it keeps none
}

type (
	// Joined says that a worker is there and idle. Where workers have disks of their
	// own, Weight is its share of the partitions relative to others; 0 means 1. More
	// says that another worker joins at once and should be waited for. Damaged is as in
	// the event Damaged.
	Joined struct {
		Worker  history.WorkerID
		Weight  uint32
		More    bool
		Damaged bool
		Able    Able
		// Lacking is as in the event Lacking.
		Lacking bool
		// Leaving says that it wants to leave, as in Leaving: it is there to give away the
		// partitions that it keeps, if it keeps any.
		Leaving bool
	}

	// Damaged says that the store of a worker was damaged: it may lack records of
	// partitions that it keeps, until it holds them again.
	Damaged struct{ Worker history.WorkerID }

	// Lacking says that a worker has not got all records of partitions that it keeps: it
	// had to get only some when it took them over, and has not held them since.
	Lacking struct{ Worker history.WorkerID }

	// Lost says that a worker is gone, with all that it was doing, and should not be
	// waited for if its partitions can be restored. A worker that keeps partitions can
	// be lost without ever having joined.
	Lost struct{ Worker history.WorkerID }

	// Unreachable says that the run should continue without a worker that is present but
	// that other workers cannot reach. LeaveOut follows if others can restore its
	// partitions.
	Unreachable struct{ Worker history.WorkerID }

	// Restarted says that a worker has forgotten what it was doing and is idle. It may be
	// another program, with other abilities.
	Restarted struct {
		Worker history.WorkerID
		Able   Able
	}

	// Leaving says that a worker wants to leave once the attempt under way is over and
	// other workers, if there are any, have taken over its partitions.
	Leaving struct{ Worker history.WorkerID }

	// Durable says how many layers of each phase are in the bucket, from where any
	// worker can restore them. Stuck says that the number will not grow, because a
	// worker that has part of the next layer is away.
	Durable struct {
		Forward, Goal int
		Stuck         bool
	}

	// Rewound says that the layers that cannot be restored were forgotten, and returns
	// what is left.
	Rewound struct{ History history.History }

	// Held says that a worker has all committed records of the partitions it is to keep.
	Held struct {
		Worker history.WorkerID
		Epoch  uint32
	}

	// Fetched says how many layers of each phase a worker has of the partitions of the
	// Ahead with that number.
	Fetched struct {
		Worker        history.WorkerID
		Number        uint32
		Forward, Goal int
	}

	// Began says that a worker is ready to receive candidates of an attempt.
	Began struct {
		Worker history.WorkerID
		Epoch  uint32
	}

	// Expanded says that a worker has expanded its share, and that everything it
	// sent has arrived.
	Expanded struct {
		Worker    history.WorkerID
		Epoch     uint32
		Generated int64
		// Sent is what it has sent to each member, itself included.
		Sent []Carried
	}

	// Written says that a worker has written its partitions of the new layer.
	Written struct {
		// Expanded has the worker and the epoch. The rest of it counts if the attempt is
		// Straight: otherwise it was told before.
		Expanded

		Parts []Part
		Bytes int64
		// Took is what it has taken from each member, itself included.
		Took []Carried
	}

	// MadeAlone says that a worker has made the layer of an attempt and some behind it
	// alone. Only the last may be without states: then the phase is at its end.
	MadeAlone struct {
		Worker history.WorkerID
		Epoch  uint32
		Layers []Made
	}

	// Failed says that a worker cannot do its part, and what follows from that. Known is
	// the greatest epoch of the run that the worker knows of, 0 if it does not say. Phase
	// and Depth are those of the layer that is missing, if it is Missing.
	Failed struct {
		Worker history.WorkerID
		Epoch  uint32
		Known  uint32
		Kind   FailureKind
		Phase  history.Phase
		Depth  uint32
		Err    error
	}

	// Committed says that the subject of CommitLayer, CommitLayers, CommitEnd or CommitPlacement is
	// recorded. Nanos is how long it took to make, in nanoseconds.
	Committed struct{ Nanos int64 }

	// Asked says what is wanted of the run from now on.
	Asked struct{ Want history.Want }

	// Retried says that the delay named by Retry is over.
	Retried struct{}
)

// Carried is what one worker sent to or took from another: the number of candidates, and
// a sum of them that does not depend on their order.
type Carried struct {
	Peer    history.WorkerID
	Records int64
	Sum     uint64
}

// FailureKind says what follows from a worker's failure.
type FailureKind uint8

const (
	// Broken: the worker would fail again. The run cannot go on.
	Broken FailureKind = iota
	// Interrupted: no worker is at fault. The attempt is made again after a while.
	Interrupted
	// EdgesMissing is like Interrupted, but the worker does not have the moves of
	// Attempt.Edges: they are made again first.
	EdgesMissing
	// Missing: the worker lacks records of a layer, and nobody has them. The layer is
	// made again, and those behind it.
	Missing
)

// Part is what a worker has written of one partition.
type Part struct {
	Part   uint32
	States int64
	Goals  int64
	// Represented is as in Layer.
	Represented int64
	// Pruned is as in Layer.
	Pruned int64
	Digest digest.Digest
	// Sample holds its states with the least mixed keys, at most history.SampleMax and no
	// more than are needed.
	Sample []puzzle.Reached
}

func (Joined) event()      {}
func (Lost) event()        {}
func (Unreachable) event() {}
func (Restarted) event()   {}
func (Damaged) event()     {}
func (Lacking) event()     {}
func (Leaving) event()     {}
func (Durable) event()     {}
func (Rewound) event()     {}
func (Held) event()        {}
func (Fetched) event()     {}
func (Began) event()       {}
func (Expanded) event()    {}
func (Written) event()     {}
func (MadeAlone) event()   {}
func (Failed) event()      {}
func (Committed) event()   {}
func (Asked) event()       {}
func (Retried) event()     {}

// An Effect is something for the driver to do now.
type Effect interface{ effect() }

type (
	// Hold tells a worker to get all committed records of partitions. From names, for
	// each, the worker that keeps it now, or NoWorker if that worker is not there and
	// the records must be restored. The worker answers with Held. Layers are to be got
	// like committed ones, and committed once everybody has its share. With First, the
	// records that this plan reads are enough for now of what must be restored. Whole says
	// that these are all partitions that it keeps.
	Hold struct {
		Worker history.WorkerID
		Epoch  uint32
		Parts  []uint32
		From   []history.WorkerID
		Layers []history.Layer
		First  *Attempt
		Whole  bool
	}

	// Ahead tells a worker to get what is committed of partitions that it is to keep soon
	// from the workers that keep them, or what it lacks of its own from the bucket
	// (NoWorker), in place of what it was told before. It answers with Fetched, again and
	// again. Without partitions there is nothing more to get, and no Number.
	Ahead struct {
		Worker history.WorkerID
		Number uint32
		Parts  []uint32
		From   []history.WorkerID
	}

	// CommitPlacement asks the driver to record new homes, by partition. Committed
	// answers.
	CommitPlacement struct{ Homes []history.WorkerID }

	// Rewind asks the driver to forget everything that is not durable and, if Lacking is
	// set, the layer of that phase and depth with all that were made after it, durable or
	// not. Rewound answers. A driver that cannot do it now does nothing, and is asked
	// again by the next Durable.
	Rewind struct {
		Phase   history.Phase
		Depth   uint32
		Lacking bool
	}

	// Begin tells a worker that an attempt begins, and which partitions are its own. It
	// answers with Began, with Written if the attempt is Straight, or with MadeAlone if
	// it is Alone: then no other worker is told. Lacking says that it may lack records that
	// the attempt does not read.
	Begin struct {
		Worker  history.WorkerID
		Attempt Attempt
		Parts   []uint32
		Lacking bool
	}

	// Expand tells a worker to expand its share. It answers with Expanded.
	Expand struct {
		Worker history.WorkerID
		Epoch  uint32
	}

	// Write tells a worker to deduplicate and write its partitions. It answers
	// with Written.
	Write struct {
		Worker history.WorkerID
		Epoch  uint32
	}

	// End tells a worker that an attempt to make a layer or to move partitions is over.
	// Unless it is committed, whatever the worker has written for it is void. There is
	// no answer.
	End struct {
		Worker    history.WorkerID
		Attempt   Attempt
		Committed bool
	}

	// Unbalanced says that an attempt was given up because the candidates that one
	// worker sent are not those that another took.
	Unbalanced struct{ Err *ConservationError }

	// Wait says that the run cannot continue without workers that are not there. If For
	// is empty, any worker will do that does not want to leave.
	Wait struct {
		For []history.WorkerID
		// Backup says that partitions are moved once Durable covers everything
		// committed.
		Backup bool
		// Lag says that the next layer is made once Durable shows that the copy has
		// caught up enough.
		Lag bool
	}

	// Retry says which worker interrupted an attempt, and why. The attempt is made again
	// when Retried says that After has passed.
	Retry struct {
		Worker history.WorkerID
		After  Ticks
		Err    error
	}

	// LeaveOut says that the run continues without a worker until it joins again.
	LeaveOut struct{ Worker history.WorkerID }

	// Renew says that a worker knows of attempts that this history lacks: the journal
	// was restored from a backup. Another core must take the run up again, with a
	// session after those attempts.
	Renew struct {
		Worker history.WorkerID
		Known  uint32
	}

	// CommitLayer asks for a layer to be recorded. Committed answers.
	CommitLayer struct{ Layer history.Layer }

	// CommitLayers asks for several layers to be recorded, in order. Committed answers.
	CommitLayers struct{ Layers []history.Layer }

	// CommitEnd asks for the end of a phase to be recorded. Committed answers.
	CommitEnd struct{ End history.PhaseEnd }

	// Stop says that nothing is left to do, or that it cannot be done.
	Stop struct {
		Reason history.Reason
		Err    error // with CannotGoOn
	}
)

func (Hold) effect()            {}
func (Ahead) effect()           {}
func (CommitPlacement) effect() {}
func (Rewind) effect()          {}
func (Begin) effect()           {}
func (Expand) effect()          {}
func (Write) effect()           {}
func (End) effect()             {}
func (Unbalanced) effect()      {}
func (Wait) effect()            {}
func (Retry) effect()           {}
func (Renew) effect()           {}
func (LeaveOut) effect()        {}
func (CommitLayer) effect()     {}
func (CommitLayers) effect()    {}
func (CommitEnd) effect()       {}
func (Stop) effect()            {}

// Source says where the candidates for a layer come from.
type Source uint8

const (
	// FromStarts: the start states.
	FromStarts Source = iota + 1
	// FromGoals: the goal states of all forward layers.
	FromGoals
	// FromSuccessors: the successors of the layer before.
	FromSuccessors
	// FromPredecessors: the predecessors of the layer before, as far as they are in
	// Within or, with Edges, according to those moves.
	FromPredecessors
	// FromMoves: all moves from the states of Expand, each kept, reversed, by the owner
	// of the state that it leads to. The attempt makes no layer.
	FromMoves
)

// An Attempt is one try at making a layer.
type Attempt struct {
	Epoch  uint32
	Phase  history.Phase
	Depth  uint32
	Source Source
	// Expand and Exclude are committed layers: candidates are generated from the states
	// of Expand, and states of Exclude are dropped.
	Expand, Exclude []history.Span
	// Within holds the layers that new states must come from; nil means any state.
	Within []history.Span
	// Edges is the epoch of the attempt FromMoves that tells the predecessors; 0 if the
	// puzzle does.
	Edges uint32
	// CountGoals asks for the counts of the forward phase alone: goal states,
	// represented states and pruned moves.
	CountGoals bool
	// Sample asks for a sample of the new states.
	Sample bool
	// Straight means that workers go through all stages without being told. They tell
	// one another when they have sent everything.
	Straight bool
	// Alone, unless nil, means that one worker makes the layer, and how far it goes on.
	Alone *Alone
}
