package history

import "github.com/everystate/everystate/puzzle"

// DistancePhase returns the phase whose depths are goal distances. It is the forward
// phase of a puzzle that is explored from its goals, and of one whose moves can be
// undone by moves and whose goals turned out to be its starts. All others need the goal
// phase.
func (h *History) DistancePhase(p puzzle.Puzzle) Phase {
	if puzzle.IsRetrograde(p) || h.endsWhereItBegins(p.Layout().Reversible) {
		return Forward
	}
	return Goal
}

// NeedsGoalPhase reports whether goal distances are still to be computed, for a puzzle
// whose moves can be undone by moves if reversible is set. A goal phase that an earlier
// version began is completed.
func (h *History) NeedsGoalPhase(reversible bool) bool {
	return h.ends[Goal] == nil && (len(h.layers[Goal]) > 0 || !h.endsWhereItBegins(reversible))
}

// endsWhereItBegins reports whether the goals are the starts, all of them and no other
// state. It is known once every state has been found. As paths can be walked in both
// directions, a state is then as far from its nearest goal as from its nearest start.
func (h *History) endsWhereItBegins(reversible bool) bool {
	if !reversible || h.ends[Forward] == nil || h.Empty() {
		return false
	}
	starts := h.layers[Forward][0]
	return starts.Goals == starts.States && starts.Goals == h.Goals()
}
