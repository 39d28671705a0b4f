package server

import "github.com/everystate/everystate/coordinator/core"

// greyLeases is for how many leases workers fail to reach each other before one of them
// is left out. A worker that is merely lost is noticed within one lease.
const greyLeases = 2

// tick leaves out a worker that cannot be reached, and readmits those whose time is
// over.
func (l *layersJob) tick() {
	s := l.server
	if !l.working() {
		return
	}
	for _, id := range l.grey.Again(s.now()) {
		if m := l.memberOf(id); m != nil && l.core != nil && s.roster.Of(m.name).Present && !s.roster.Of(m.name).Draining {
			s.log.Info("a worker that could not be reached is tried again", "run", l.name, "worker", m.name)
			l.step(core.Joined{Worker: id, Weight: m.weight})
		}
	}
	if id, is := l.grey.Suspect(s.now(), core.Ticks(greyLeases*s.opts.LeaseMillis)); is {
		l.step(core.Unreachable{Worker: id})
	}
}

// leaveOut continues without a worker that calls but that others do not reach.
func (l *layersJob) leaveOut(e core.LeaveOut) {
	s := l.server
	l.grey.LeftOut(s.now(), e.Worker)
	s.log.Error("workers do not reach each other; going on without one of them, whose partitions are restored from the bucket",
		"run", l.name, "without", l.names[e.Worker], "why", l.trouble)
	if m := l.memberOf(e.Worker); m != nil {
		m.tell(nil, nil)
	}
}
