package server

import (
	"slices"
	"time"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/history"
)

// keepers returns the workers that keep partitions.
func keepers(h *history.History) []history.WorkerID {
	place := h.Placement()
	if place == nil {
		return nil
	}
	return slices.Compact(slices.Sorted(slices.Values(place.Homes)))
}

// giveUp gives up those who keep partitions and have not come within their lease.
func (s *Server) giveUp(r *run) {
	if r == nil || r.core == nil {
		return
	}
	for _, id := range keepers(r.past()) {
		name := r.names[id]
		if r.core == nil || r.givenUp[id] || !s.givenUp(name) {
			continue
		}
		r.givenUp[id] = true
		s.step(core.Lost{Worker: id})
	}
	s.tellDurable(r)
}

// givenUp reports whether a worker is not there and not expected.
func (s *Server) givenUp(name string) bool {
	lease := time.Duration(s.opts.LeaseMillis) * time.Millisecond
	m := s.members[name]
	if m == nil {
		return time.Since(s.started) > lease
	}
	return !m.present
}

// forgetAfter is how long a worker is remembered that is gone and keeps nothing.
const forgetAfter = 10 * time.Minute

// expire gives up the workers whose leases have run out.
func (s *Server) expire(now time.Time) {
	for name, m := range s.members {
		if !m.present && now.Sub(m.lastCall) > forgetAfter && !s.isKeeper(name) {
			delete(s.members, name)
		}
	}
	lease := time.Duration(s.opts.LeaseMillis) * time.Millisecond
	for _, m := range s.members {
		if m.present && now.Sub(m.lastCall) > lease {
			s.lost++
			s.log.Warn("worker lost", "worker", m.name, "silent", now.Sub(m.lastCall).Round(time.Millisecond))
			s.lose(m)
		}
	}
}

// isKeeper reports whether a worker keeps partitions of any run.
func (s *Server) isKeeper(name string) bool {
	for _, r := range s.runs {
		place := r.past().Placement()
		if place == nil {
			continue
		}
		id := slices.Index(place.Workers, name)
		if id >= 0 && partitionsOf(place, history.WorkerID(id)) > 0 {
			return true
		}
	}
	return false
}

// lose takes a worker to be gone.
func (s *Server) lose(m *member) {
	m.present = false
	m.report = nil
	m.tell(nil, nil)
	if r := s.active; r != nil && r.sweep != nil {
		r.loseUnits(m.name)
	}
	if r := s.active; r != nil && r.core != nil {
		id := r.names.id(m.name)
		r.givenUp[id] = true
		s.step(core.Lost{Worker: id})
		s.tellDurable(r)
	}
}
