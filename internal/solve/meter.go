package solve

import "context"

// Meter counts what a search does and tells it when to stop.
type Meter struct {
	Stats

	// Every is how many states are expanded between checks of the context. Zero means
	// 2048.
	Every int64

	ctx      context.Context //nolint:containedctx // A meter lives as long as the one call whose context it is.
	limits   Limits
	progress func(Stats)
	look     int64 // the number of states expanded at which the context is checked next
}

// lookStates is the usual number of states between checks of the context.
const lookStates = 2048

// NewMeter returns the meter of a search.
func NewMeter(ctx context.Context, p *Problem) *Meter {
	return &Meter{ctx: ctx, limits: p.Limits, progress: p.Progress}
}

// Check reports whether to stop before expanding the next state. The counts must be
// up to date.
func (m *Meter) Check() Stop {
	switch {
	case m.limits.NodesMax > 0 && m.Expanded >= m.limits.NodesMax:
		return StopNodes
	case m.limits.MemoryBytesMax > 0 && m.MemoryBytes > m.limits.MemoryBytesMax:
		return StopMemory
	case m.Expanded < m.look:
		return StopNone
	}
	every := m.Every
	if every == 0 {
		every = lookStates
	}
	m.look = m.Expanded + every
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

// left returns how many of the given states may still be expanded.
func (m *Meter) left(states int) int {
	if m.limits.NodesMax == 0 {
		return states
	}
	return int(min(int64(states), max(0, m.limits.NodesMax-m.Expanded)))
}

// waiting records how many states wait to be expanded.
func (m *Meter) waiting(states int) { m.Frontier = max(m.Frontier, int64(states)) }

// stopped returns the result of a search that stopped without an answer.
func (m *Meter) stopped(why Stop) Result { return Result{Outcome: Unknown, Stop: why, Stats: m.Stats} }

// unsolvable returns the result of a search that has exhausted the space.
func (m *Meter) unsolvable() Result { return Result{Outcome: Unsolvable, Stats: m.Stats} }
