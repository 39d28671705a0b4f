package server

import (
	"encoding/binary"
	"fmt"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
)

// start takes the next steps towards working on a run, unless it is already worked on.
func (s *Server) start(r *run) {
	if r.job.working() {
		return
	}
	if err := s.tryStart(r); err != nil {
		s.fail(r, err)
	}
}

func (s *Server) tryStart(r *run) error {
	for !r.job.working() && s.active == r {
		move := r.claim.Next(s.prospect(r))
		if b := r.backup; b != nil && move == core.BeginSession && s.now()-r.looked > lookAgainTicks {
			r.lookAgain() // it has waited for workers since
			continue
		}
		if move != core.AwaitWorkers {
			s.startBackup(r)
		}
		var err error
		switch move {
		case core.AwaitWorkers, core.AwaitLog:
			return nil
		case core.AwaitCopy:
			r.backup.wake()
			return nil
		case core.CutBack:
			if !r.backup.mayCut() {
				return nil
			}
			err = r.backup.rewind()
		case core.BeginSession:
			err = s.beginSession(r)
		case core.Work:
			if !r.job.ready() {
				return nil
			}
			err = s.work(r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// lookAgainTicks is how old what is known of a log may be when a session begins.
const lookAgainTicks = core.Ticks(5_000)

// prospect returns what the claim of a run needs to know.
func (s *Server) prospect(r *run) core.Prospect {
	p := core.Prospect{Gathered: !r.job.gathers() || s.roster.Settled(s.now()), Kept: s.bucket != nil}
	if b := r.backup; b != nil {
		p.Read, p.Behind, p.Stuck = b.ready, b.behindJournal(), b.stuck()
	}
	return p
}

// work begins the work on a run that is this coordinator's.
func (s *Server) work(r *run) error {
	r.control.State = history.Running
	if err := r.saveControl(); err != nil {
		s.log.Error("cannot write the control file", "run", r.name, "error", err)
	}
	r.givenUp = make(map[history.WorkerID]bool)
	if r.backup != nil {
		r.backup.told = core.Durable{Forward: -1}
	}
	return r.job.begin()
}

// beginSession reserves the epochs that will be used.
func (s *Server) beginSession(r *run) error {
	first := r.history.NextSession(r.beyond)
	if first == 0 {
		return fmt.Errorf("the run has been resumed too often")
	}
	id := r.history.Identity()
	if !id.Known() {
		binary.BigEndian.PutUint64(id[:8], s.opts.Random())
		binary.BigEndian.PutUint64(id[8:], s.opts.Random())
	}
	if err := r.append(journal.Session(first, s.name, s.opts.Random(), id)); err != nil {
		return err
	}
	r.history.AddSession(first)
	r.history.AddIdentity(id)
	r.claim.Session = true
	r.pace.Progressed(s.now())
	return nil
}

// renew takes the run up again with a session after the epochs that a worker knows of.
func (l *layersJob) renew(e core.Renew) {
	l.server.log.Warn("the journal is older than what workers have, as after a restored backup; a new session begins",
		"run", l.name, "worker", l.names[e.Worker], "epoch", l.past().LastEpoch(), "known", e.Known)
	l.end()
	l.beyond = e.Known
	l.claim.Session = false
	l.server.soon()
}
