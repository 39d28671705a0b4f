package wire

import (
	"fmt"
	"math"

	"github.com/everystate/everystate/coordinator/history"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

// Phase returns a phase as the protocol numbers it.
func Phase(p history.Phase) everystatev1.Phase {
	switch p {
	case history.Forward:
		return everystatev1.Phase_PHASE_FORWARD
	case history.Goal:
		return everystatev1.Phase_PHASE_GOAL
	}
	return everystatev1.Phase_PHASE_UNSPECIFIED
}

// PhaseOf returns the phase of a message, or an error if it names none: a number
// that is too large must not pass for another phase.
func PhaseOf(p everystatev1.Phase) (history.Phase, error) {
	switch p {
	case everystatev1.Phase_PHASE_FORWARD:
		return history.Forward, nil
	case everystatev1.Phase_PHASE_GOAL:
		return history.Goal, nil
	default:
		return 0, fmt.Errorf("there is no phase %d", p)
	}
}

var states = map[history.State]everystatev1.RunState{
	history.Queued:    everystatev1.RunState_RUN_STATE_QUEUED,
	history.Running:   everystatev1.RunState_RUN_STATE_RUNNING,
	history.Waiting:   everystatev1.RunState_RUN_STATE_WAITING,
	history.Paused:    everystatev1.RunState_RUN_STATE_PAUSED,
	history.Stopped:   everystatev1.RunState_RUN_STATE_STOPPED,
	history.Cancelled: everystatev1.RunState_RUN_STATE_CANCELLED,
	history.Failed:    everystatev1.RunState_RUN_STATE_FAILED,
}

// State returns the state of a run as the protocol numbers it.
func State(s history.State) everystatev1.RunState { return states[s] }

// StateOf returns the state in a message, Unknown if this version does not know it.
func StateOf(m everystatev1.RunState) history.State {
	for s, is := range states {
		if is == m {
			return s
		}
	}
	return history.Unknown
}

// Identity returns a run's identity as the protocol encodes it.
func Identity(id history.Identity) []byte {
	if !id.Known() {
		return nil
	}
	return id[:]
}

// IdentityOf returns the identity in a message, zero if it has none.
func IdentityOf(b []byte) (history.Identity, error) {
	var id history.Identity
	if len(b) != 0 && len(b) != len(id) {
		return id, fmt.Errorf("an identity of %d bytes", len(b))
	}
	copy(id[:], b)
	return id, nil
}

// Spans converts spans of layers to messages.
func Spans(spans []history.Span) []*everystatev1.LayerSpan {
	var out []*everystatev1.LayerSpan
	for _, s := range spans {
		out = append(out, &everystatev1.LayerSpan{Phase: Phase(s.Phase), First: s.First, End: s.End})
	}
	return out
}

// StageName returns the name, for people, of the stage that a worker has reached,
// or "" if it has reached none.
func StageName(stage everystatev1.Stage) string {
	switch stage {
	case everystatev1.Stage_STAGE_BEGUN:
		return "begun"
	case everystatev1.Stage_STAGE_EXPANDED:
		return "expanded"
	case everystatev1.Stage_STAGE_WRITTEN:
		return "written"
	case everystatev1.Stage_STAGE_HELD:
		return "held"
	case everystatev1.Stage_STAGE_UNSPECIFIED:
	}
	return ""
}

// WantOf returns how far a run should go.
func WantOf(m *everystatev1.Want) history.Want {
	w := history.Want{
		MaxStates:  int64(min(m.GetMaxStates(), math.MaxInt64)),
		StopAtGoal: m.GetStopAtGoal(), GoalDistance: m.GetGoalDistance(), Settle: m.GetSettle(),
	}
	if m != nil && m.MaxDepth != nil {
		w.MaxDepth = new(int(m.GetMaxDepth()))
	}
	return w
}

// Want is the message of how far a run should go.
func Want(w history.Want) *everystatev1.Want {
	m := &everystatev1.Want{MaxStates: uint64(max(0, w.MaxStates)), StopAtGoal: w.StopAtGoal, GoalDistance: w.GoalDistance, Settle: w.Settle}
	if w.MaxDepth != nil {
		m.MaxDepth = new(uint32(max(0, *w.MaxDepth)))
	}
	return m
}
