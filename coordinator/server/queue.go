package server

import (
	"github.com/everystate/everystate/coordinator/core"
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
			s.active.pace.GotOn(s.now())
			s.active.lookAgain()
		}
	}
	if s.active != nil {
		s.start(s.active)
	}
}

func (s *Server) firstQueued() *run {
	var all []core.InQueue
	for _, r := range s.runs {
		all = append(all, core.InQueue{Name: r.name, State: r.control.State, Submitted: r.control.Submitted.UnixMicro()})
	}
	name, ok := core.First(all)
	if !ok {
		return nil
	}
	return s.runs[name]
}

// lookAgain has the log read again before the run is worked on: another
// coordinator may have gone on with it.
func (r *run) lookAgain() {
	r.claim = core.Claim{}
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
	r.job.end()
	r.claim.Session = false
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
