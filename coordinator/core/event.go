package core

import (
	"github.com/everystate/everystate/puzzle/digest"

	"github.com/everystate/everystate/coordinator/history"
)

// An Event is something that has happened.
type Event interface{ event() }

type (
	// Joined says that a worker is there and has nothing to do. Where workers have
	// disks of their own, Weight says how many partitions it should have compared
	// with others; 0 stands for 1. More says that another one joins at once, which
	// is to be waited for.
	Joined struct {
		Worker history.WorkerID
		Weight uint32
		More   bool
	}

	// Lost says that a worker is gone, with all that it was doing, and should not
	// be waited for if what it keeps can be restored. One that keeps partitions can
	// be lost without ever having joined.
	Lost struct{ Worker history.WorkerID }

	// Unreachable says that a worker should be done without, though it is there: others
	// do not reach it. LeaveOut follows if what it keeps can be restored by others.
	Unreachable struct{ Worker history.WorkerID }

	// Restarted says that a worker has forgotten what it was doing, and has
	// nothing to do.
	Restarted struct{ Worker history.WorkerID }

	// Leaving says that a worker wants to go when the attempt under way is over
	// and, if there are others, they have what it keeps.
	Leaving struct{ Worker history.WorkerID }

	// Durable says how many layers of each phase are kept outside of the workers,
	// from where any worker can restore them. Stuck says that there will not be
	// more, because a worker is away that has some of the next layer.
	Durable struct {
		Forward, Goal int
		Stuck         bool
	}

	// Rewound says that the layers that cannot be restored are forgotten, and
	// what is left.
	Rewound struct{ History history.History }

	// Held says that a worker has all committed records of its partitions-to-be.
	Held struct {
		Worker history.WorkerID
		Epoch  uint32
	}

	// Began says that a worker accepts candidates of an attempt.
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
		Worker history.WorkerID
		Epoch  uint32
		Parts  []Part
		Bytes  int64
		// Took is what it has taken from each member, itself included.
		Took []Carried
	}

	// Failed says that a worker cannot do its share, and what follows from that.
	// Known is the greatest epoch of the run that it knows of, 0 if it does not say.
	Failed struct {
		Worker history.WorkerID
		Epoch  uint32
		Known  uint32
		Kind   FailureKind
		Err    error
	}

	// Committed says that what CommitLayer, CommitEnd or CommitPlacement named is
	// recorded, and how long it took to make, in nanoseconds.
	Committed struct{ Nanos int64 }

	// Asked says what is wanted of the run from now on.
	Asked struct{ Want history.Want }

	// Retried says that the time that Retry named is over.
	Retried struct{}
)

// Carried is what went between a worker and another: how many candidates, and a sum of
// them that does not depend on their order.
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
	// Interrupted: nobody is to blame. The attempt is made again, after a while.
	Interrupted
)

// Part is what became of one partition.
type Part struct {
	Part   uint32
	States int64
	Goals  int64
	// Represented is as in Layer.
	Represented int64
	// Pruned is as in Layer.
	Pruned int64
	Digest digest.Digest
}

func (Joined) event()      {}
func (Lost) event()        {}
func (Unreachable) event() {}
func (Restarted) event()   {}
func (Leaving) event()     {}
func (Durable) event()     {}
func (Rewound) event()     {}
func (Held) event()        {}
func (Began) event()       {}
func (Expanded) event()    {}
func (Written) event()     {}
func (Failed) event()      {}
func (Committed) event()   {}
func (Asked) event()       {}
func (Retried) event()     {}

// An Effect is something that is to be done now.
type Effect interface{ effect() }

type (
	// Hold tells a worker to see to it that it has all committed records of
	// partitions. From holds, for each of them, the worker that keeps it now, or
	// NoWorker if that one is not there and the records are to be restored. It
	// answers with Held.
	Hold struct {
		Worker history.WorkerID
		Epoch  uint32
		Parts  []uint32
		From   []history.WorkerID
	}

	// CommitPlacement asks for new homes, by partition, to be recorded. Committed
	// answers.
	CommitPlacement struct{ Homes []history.WorkerID }

	// Rewind asks for everything to be forgotten that is not durable. Rewound
	// answers.
	Rewind struct{}

	// Begin tells a worker of an attempt, and which partitions are its own. It
	// answers with Began.
	Begin struct {
		Worker  history.WorkerID
		Attempt Attempt
		Parts   []uint32
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

	// End tells a worker that an attempt, at a layer or at moving partitions, is
	// over. Unless it is committed, what it has written for it is void. There is no
	// answer.
	End struct {
		Worker    history.WorkerID
		Attempt   Attempt
		Committed bool
	}

	// Unbalanced says that an attempt was given up because what a worker has sent is not
	// what another has taken.
	Unbalanced struct{ Err *ConservationError }

	// Wait says that the run cannot go on without workers that are not there. If
	// there are none in For, any worker will do that does not want to leave.
	Wait struct {
		For []history.WorkerID
		// Backup says that partitions are to be moved when Durable has told of
		// everything that is committed.
		Backup bool
		// Lag says that the next layer is made when Durable tells that the copy lags
		// less far behind.
		Lag bool
	}

	// Retry says that an attempt was interrupted, by which worker and why. It is made
	// again when Retried says that the time is over.
	Retry struct {
		Worker history.WorkerID
		After  Ticks
		Err    error
	}

	// LeaveOut says that a worker is done without from now on, until it joins again.
	LeaveOut struct{ Worker history.WorkerID }

	// Renew says that a worker knows of attempts that this history does not: it was
	// restored from a backup. The run is to be taken up again with a session behind
	// them, by another core.
	Renew struct {
		Worker history.WorkerID
		Known  uint32
	}

	// CommitLayer asks for a layer to be recorded. Committed answers.
	CommitLayer struct{ Layer history.Layer }

	// CommitEnd asks for the end of a phase to be recorded. Committed answers.
	CommitEnd struct{ End history.PhaseEnd }

	// Stop says that there is nothing more to do, or that it cannot be done.
	Stop struct {
		Reason history.Reason
		Err    error // with CannotGoOn
	}
)

func (Hold) effect()            {}
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
	// FromPredecessors: the states that a move leads to the layer before from,
	// as far as they are in Within.
	FromPredecessors
)

// An Attempt is one try at making a layer.
type Attempt struct {
	Epoch  uint32
	Phase  history.Phase
	Depth  uint32
	Source Source
	// Expand and Exclude are committed layers: those that candidates are made
	// from, and those whose states are no candidates any more.
	Expand, Exclude []history.Span
	// Within are the layers of which the new states must be, nil if they may be
	// any.
	Within []history.Span
	// CountGoals asks for what is counted in the forward phase alone: goal states,
	// represented states and pruned moves.
	CountGoals bool
}
