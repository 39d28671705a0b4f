package core

// Pace tracks since when a run has made no progress, and when to say so.
type Pace struct {
	moved, told Ticks
	furthest    uint64
}

// Progressed notes that a run has made progress: something was committed, or the run begins.
func (p *Pace) Progressed(now Ticks) { p.moved, p.furthest = now, 0 }

// Reached notes how much of an attempt one of its workers has done. It counts as
// progress if no worker had done that much before.
func (p *Pace) Reached(now Ticks, done uint64) {
	if done > p.furthest {
		p.furthest, p.moved = done, now
	}
}

// Idle returns how long the run has made no progress.
func (p *Pace) Idle(now Ticks) Ticks { return now - p.moved }

// Complain reports whether it is time to say that the run makes no progress: after
// silence without any, and again after each further silence.
func (p *Pace) Complain(now, silence Ticks) bool {
	if now-p.moved < silence || p.told > p.moved && now-p.told < silence {
		return false
	}
	p.told = now
	return true
}
