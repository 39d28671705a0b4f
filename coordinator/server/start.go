package server

import (
	"encoding/binary"
	"fmt"
	"sort"
	"time"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/puzzle"
)

// start goes one step nearer to working on a run, if something is missing for it.
func (s *Server) start(r *run) {
	if r.working() {
		return
	}
	if err := s.tryStart(r); err != nil {
		s.fail(r, err)
	}
}

func (s *Server) tryStart(r *run) error {
	if r.history.Placement() == nil && !r.sweeps() && !s.settled() {
		return nil // those who come together share the partitions from the beginning
	}
	s.startBackup(r)
	b := r.backup
	if b != nil && !b.ready {
		return nil // the log is being read
	}
	if b != nil && !r.session && b.logged < len(r.log) {
		// What is left from before goes to the log first.
		if !s.stuck(r) {
			return nil
		}
		if err := s.rewind(r); err != nil {
			return err
		}
	}
	if !r.session {
		if err := s.beginSession(r); err != nil {
			return err
		}
	}
	if b != nil {
		b.wake()
		if b.logged < len(r.log) {
			return nil // the session is not in the log yet, which may be another's
		}
	}
	if r.sweeps() {
		return s.workSweep(r)
	}
	s.work(r)
	return nil
}

// beginSession sets the epochs aside that will be used.
func (s *Server) beginSession(r *run) error {
	first := r.history.NextSession()
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
	r.session = true
	r.moved, r.waitFor, r.retries, r.trouble = time.Now(), nil, 0, ""
	return nil
}

// noteRunning notes that a run is being worked on.
func (s *Server) noteRunning(r *run) {
	r.control.State = history.Running
	if err := r.saveControl(); err != nil {
		s.log.Error("cannot write the control file", "run", r.name, "error", err)
	}
}

// work makes the core of a run and lets it know who is there.
func (s *Server) work(r *run) {
	s.noteRunning(r)
	opts := core.Options{
		Reversible:  r.board.Puzzle.Layout().Reversible,
		Alternating: puzzle.Alternates(r.board.Puzzle),
		Graded:      r.board.Puzzle.Layout().Graded,
		Placed:      true,
	}
	r.core = core.New(r.spec, opts, r.history, r.control.Want)
	r.givenUp = make(map[history.WorkerID]bool)
	if r.backup != nil {
		r.backup.told = core.Durable{Forward: -1}
	}
	s.log.Info("run started", "run", r.name, "layers", len(r.history.Layers(history.Forward)))
	there := s.available()
	for i, name := range there {
		if r.core != nil {
			s.step(core.Joined{Worker: r.names.id(name), Weight: s.members[name].weight, More: i < len(there)-1})
		}
	}
	s.tellDurable(r)
	if r.core != nil && len(s.available()) == 0 {
		r.waitFor = keepers(&r.history)
	}
	s.giveUp(r)
}

// settled reports whether there are workers, and none that came just now.
func (s *Server) settled() bool {
	if time.Since(s.newest) < time.Duration(s.opts.SettleMillis)*time.Millisecond {
		return false
	}
	return len(s.available()) > 0
}

// available returns the names of the workers that can be given partitions.
func (s *Server) available() []string {
	var names []string
	for _, m := range s.members {
		if m.present && !m.draining {
			names = append(names, m.name)
		}
	}
	sort.Strings(names)
	return names
}
