package solve

import "context"

// Meter counts what a search does and says when it has to stop.
type Meter struct {
	Stats

	ctx      context.Context //nolint:containedctx // A meter lives as long as the one call whose context it is.
	limits   Limits
	progress func(Stats)
	look     int64 // states expanded at the next look at the context
}

// lookStates is how many states are expanded between looks at the context.
const lookStates = 2048

// NewMeter returns the meter of a search.
func NewMeter(ctx context.Context, p *Problem) *Meter {
	return &Meter{ctx: ctx, limits: p.Limits, progress: p.Progress}
}

// Check says whether to stop before the next state is expanded. The counts are
// to be up to date.
func (m *Meter) Check() Stop {
	switch {
	case m.limits.NodesMax > 0 && m.Expanded >= m.limits.NodesMax:
		return StopNodes
	case m.limits.MemoryBytesMax > 0 && m.MemoryBytes > m.limits.MemoryBytesMax:
		return StopMemory
	case m.Expanded < m.look:
		return StopNone
	}
	m.look = m.Expanded + lookStates
	switch m.ctx.Err() {
	case nil:
	case context.DeadlineExceeded:
		return StopTime
	default:
		return StopCancel
	}
	if m.progress != nil {
		m.progress(m.Stats)
	}
	return StopNone
}

// left is how many states may still be expanded, of so many.
func (m *Meter) left(states int) int {
	if m.limits.NodesMax == 0 {
		return states
	}
	return int(min(int64(states), max(0, m.limits.NodesMax-m.Expanded)))
}

// waiting takes note of how many states wait to be expanded.
func (m *Meter) waiting(states int) { m.Frontier = max(m.Frontier, int64(states)) }

// stopped is the result of a search that stopped before it knew.
func (m *Meter) stopped(why Stop) Result { return Result{Outcome: Unknown, Stop: why, Stats: m.Stats} }

// unsolvable is the result of a search that has been everywhere.
func (m *Meter) unsolvable() Result { return Result{Outcome: Unsolvable, Stats: m.Stats} }
