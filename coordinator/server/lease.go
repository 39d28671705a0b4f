package server

import (
	"slices"
	"time"

	"github.com/everystate/everystate/coordinator/core"
)

// giveUp gives up keepers of partitions that have not called within their lease.
func (s *Server) giveUp(r *run) {
	if r == nil || !r.job.working() {
		return
	}
	for _, id := range r.job.past().Placement().Keepers() {
		if !r.job.working() || r.givenUp[id] || !s.roster.GivenUp(s.now(), r.names[id]) {
			continue
		}
		r.givenUp[id] = true
		r.job.step(core.Lost{Worker: id})
	}
	r.backup.announceDurable()
}

// expire gives up the workers whose leases have expired.
func (s *Server) expire() {
	lost, forgotten := s.roster.Tick(s.now(), s.isKeeper)
	s.still.Forget(forgotten)
	for _, name := range forgotten {
		delete(s.members, name)
	}
	if err := s.deleted.GiveUp(func(worker string) bool { return s.roster.GivenUp(s.now(), worker) }); err != nil {
		s.log.Error("cannot write the deletions", "error", err)
	}
	for _, name := range lost {
		s.lost++
		s.log.Warn("worker lost", "worker", name, "silent", s.silence(name).Round(time.Millisecond))
		s.lose(s.members[name])
	}
}

// silence returns how long ago a worker called.
func (s *Server) silence(worker string) time.Duration {
	return time.Duration(s.now()-s.roster.Of(worker).LastCall) * time.Millisecond
}

// isKeeper reports whether a worker keeps partitions of any run.
func (s *Server) isKeeper(name string) bool { return len(runsOf(s, name)) > 0 }

// runsOf returns the names of the runs of which a worker keeps partitions, in order.
func runsOf(s *Server, worker string) (names []string) {
	for name, r := range s.runs {
		if r.job.past().Placement().On(worker) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// lose continues without a worker that is gone.
func (s *Server) lose(m *member) {
	m.report = nil
	m.tell(nil, nil)
	if r := s.active; r != nil && r.job.working() {
		id := r.names.ID(m.name)
		r.givenUp[id] = true
		r.job.step(core.Lost{Worker: id})
		r.backup.announceDurable()
	}
}
