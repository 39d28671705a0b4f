package server

import (
	"github.com/everystate/everystate/coordinator/history"
)

// activateNext takes up the run that is first in the queue, if none is being
// worked on.
func (s *Server) activateNext() {
	if s.stopping {
		return
	}
	if s.active == nil {
		if s.active = s.firstQueued(); s.active != nil {
			s.active.gotOn()
			s.active.lookAgain()
		}
	}
	if s.active != nil {
		s.start(s.active)
	}
}

func (s *Server) firstQueued() *run {
	var first *run
	for _, r := range s.runs {
		queued := r.control.State == history.Queued
		if queued && (first == nil || r.control.Submitted.Before(first.control.Submitted)) {
			first = r
		}
	}
	return first
}

// lookAgain has the log read again before the run is worked on: another
// coordinator may have gone on with it.
func (r *run) lookAgain() {
	r.takeOvers = 0
	if b := r.backup; b != nil {
		b.ready, b.known = false, nil
		b.wake()
	}
}

// soon has the next run started before long.
func (s *Server) soon() {
	select {
	case s.kick <- struct{}{}:
	default: // told already
	}
}

// deactivate puts the run that is being worked on aside.
func (s *Server) deactivate(state history.State, failure string) {
	r := s.active
	if r == nil {
		return
	}
	s.active = nil
	if r.core != nil {
		r.history = *r.core.History()
	}
	r.endSweep()
	r.core, r.session, r.committed, r.waitFor, r.trouble = nil, false, nil, nil, ""
	s.setState(r, state, failure)
	for _, m := range s.members {
		if m.run == r {
			m.tell(nil, nil)
		}
	}
	s.log.Info("run set aside", "run", r.name, "state", state.String(), "failure", failure)
}

func (s *Server) setState(r *run, state history.State, failure string) {
	r.control.State, r.control.Failure = state, failure
	if err := r.saveControl(); err != nil {
		s.log.Error("cannot write the control file", "run", r.name, "error", err)
	}
}

// fail ends the work on a run because of an error.
func (s *Server) fail(r *run, err error) {
	s.log.Error("run failed", "run", r.name, "error", err)
	if s.active == r {
		s.deactivate(history.Failed, oneLine(err.Error()))
		return
	}
	s.setState(r, history.Failed, oneLine(err.Error()))
}
