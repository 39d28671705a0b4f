package core

// Pace says since when a run has not got on, and when somebody is to be told.
type Pace struct {
	moved, told Ticks
	furthest    uint64
}

// GotOn notes that a run has got on: something was committed, or it begins.
func (p *Pace) GotOn(now Ticks) { p.moved, p.furthest = now, 0 }

// Reached notes how much of an attempt one of its workers has done. It is news if it is
// more than anybody has done before.
func (p *Pace) Reached(now Ticks, done uint64) {
	if done > p.furthest {
		p.furthest, p.moved = done, now
	}
}

// Idle returns for how long the run has stood still.
func (p *Pace) Idle(now Ticks) Ticks { return now - p.moved }

// Complain reports whether it is time to say that the run stands still, which is when
// it does for silence, and again after as long.
func (p *Pace) Complain(now, silence Ticks) bool {
	if now-p.moved < silence || p.told > p.moved && now-p.told < silence {
		return false
	}
	p.told = now
	return true
}
