package server

import (
	"fmt"

	"github.com/everystate/everystate/coordinator/core"
)

// greyLeases is for how many leases workers fail to reach each other before one of them
// is left out. A worker that is merely lost is noticed within one lease.
const greyLeases = 2

// stillLeases is over how many leases the time is taken for which a worker stands still.
const stillLeases = 3

// leftOut reports whether the active run goes on without a worker.
func leftOut(s *Server, m *member) bool {
	if s.active == nil {
		return false
	}
	l, is := s.active.job.(*layersJob)
	return is && l.grey.Out(l.names.ID(m.name))
}

// tick leaves out a worker that cannot be reached, and readmits those whose time is
// over.
func (l *layersJob) tick() {
	s := l.server
	if !l.working() {
		return
	}
	for _, id := range l.grey.Again(s.now()) {
		if s.still.Stands(l.names[id]) {
			l.grey.LeftOut(s.now(), id)
		} else if m := l.memberOf(id); m != nil && l.core != nil && s.roster.Of(m.name).Present {
			s.log.Info("a worker that could not be reached is tried again", "run", l.name, "worker", m.name)
			l.step(m.joining(id, l.run, m.damaged, false))
		}
	}
	if name, is := s.still.Suspect(s.roster.Available()); is && !l.grey.Out(l.names.ID(name)) {
		l.trouble = fmt.Sprintf("%s is stalled %d %% of the time", name, s.still.Percent(name))
		l.step(core.Unreachable{Worker: l.names.ID(name)})
	}
	if !l.working() {
		return
	}
	if id, is := l.grey.Suspect(s.now(), core.Ticks(greyLeases*s.opts.LeaseMillis)); is {
		l.step(core.Unreachable{Worker: id})
	}
}

// leaveOut continues without a worker that calls but that others do not reach.
func (l *layersJob) leaveOut(e core.LeaveOut) {
	s := l.server
	l.grey.LeftOut(s.now(), e.Worker)
	s.log.Error("a worker cannot be reached or is stalled; continuing without it, and its partitions are restored from the bucket",
		"run", l.name, "without", l.names[e.Worker], "why", l.trouble)
	if m := l.memberOf(e.Worker); m != nil {
		m.tell(nil, nil)
	}
}
