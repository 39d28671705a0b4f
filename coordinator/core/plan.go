package core

import "github.com/everystate/everystate/coordinator/history"

// whatNext returns the phase whose next layer is to be made, or the reason why there is
// none.
func whatNext(h *history.History, want history.Want, reversible bool) (history.Phase, history.Reason) {
	if h.End(history.Forward) == nil {
		if n := len(h.Layers(history.Forward)); n > 0 {
			if reason := limit(want, n, h.States(history.Forward), h.FirstGoal() >= 0); reason != 0 {
				return 0, reason
			}
		}
		return history.Forward, 0
	}
	if want.GoalDistance && h.NeedsGoalPhase(reversible) {
		return history.Goal, 0
	}
	return 0, history.Exhausted
}

// limit returns which limit a forward phase has reached that has so many layers and
// states, and perhaps a goal, or 0.
func limit(want history.Want, layers int, states int64, goal bool) history.Reason {
	switch {
	case want.StopAtGoal && goal:
		return history.GoalReached
	case want.DepthReached(layers):
		return history.DepthReached
	case want.MaxStates > 0 && states >= want.MaxStates:
		return history.StatesReached
	}
	return 0
}

// planOf returns how the next layer of a phase is made. It takes a time independent of
// the number of layers, except for the first layer of the goal phase.
func planOf(h *history.History, opts Options, phase history.Phase, epoch uint32) Attempt {
	return planAfter(h, opts, phase, epoch, uint32(len(h.Layers(phase))))
}

// planAfter is planOf as it is once the phase has n layers.
func planAfter(h *history.History, opts Options, phase history.Phase, epoch, n uint32) Attempt {
	a := Attempt{Epoch: epoch, Phase: phase, Depth: n, CountGoals: phase == history.Forward}
	a.Sample = phase == history.Forward && h.Keep().Frontier
	switch {
	case n > 0:
		a.Source = FromSuccessors
		a.Expand = span(phase, n-1, n)
		switch {
		case !opts.Reversible && opts.Graded && phase == history.Forward:
			// None of the earlier layers can hold a successor.
		case !opts.Reversible:
			a.Exclude = span(phase, 0, n)
		case opts.Alternating && phase == history.Forward:
			a.Exclude = span(phase, max(2, n)-2, n-1)
		default:
			// A successor of a state at depth d lies at depth d-1, d or d+1.
			a.Exclude = span(phase, max(2, n)-2, n)
		}
		if !opts.Reversible && phase == history.Goal {
			a.Source = FromPredecessors
			a.Within = span(history.Forward, 0, uint32(len(h.Layers(history.Forward))))
			if depth := goalDepth(h); opts.Graded && depth >= 0 {
				// All paths from a state to a goal have the same number of moves too.
				a.Exclude = nil
				at := max(n, uint32(depth)) - n
				a.Within = span(history.Forward, at, at+1)
			}
		}
	case phase == history.Goal:
		a.Source = FromGoals
		a.Expand = goalLayers(h)
	default:
		a.Source = FromStarts
	}
	return a
}

// span returns the layers of a phase from first up to, but excluding, end.
func span(phase history.Phase, first, end uint32) []history.Span {
	if first == end {
		return nil
	}
	return []history.Span{{Phase: phase, First: first, End: end}}
}

// goalDepth returns the depth of all goals, or -1 if their depths differ or there are
// none.
func goalDepth(h *history.History) int {
	depth := h.FirstGoal()
	if depth >= 0 && h.Layers(history.Forward)[depth].Goals < h.Goals() {
		return -1
	}
	return depth
}

// goalLayers returns the forward layers that hold goal states. If that takes more than
// history.SpansMax spans, the last one also covers layers without goals, which generate
// nothing. If workers divide a table, which is read as a whole, there is one span of all
// layers.
func goalLayers(h *history.History) []history.Span {
	if all := h.Layers(history.Forward); history.Divides(h) && h.Goals() > 0 {
		return span(history.Forward, 0, uint32(len(all)))
	}
	var spans []history.Span
	for _, l := range h.Layers(history.Forward) {
		switch last := len(spans) - 1; {
		case l.Goals == 0:
		case last >= 0 && (spans[last].End == l.Depth || len(spans) == history.SpansMax):
			spans[last].End = l.Depth + 1
		default:
			spans = append(spans, history.Span{Phase: history.Forward, First: l.Depth, End: l.Depth + 1})
		}
	}
	return spans
}
