package server

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/store/bucket"
)

// importRuns imports the runs of the bucket that this coordinator does not know. It
// retries until it has read the bucket, or ctx ends.
func (s *Server) importRuns(ctx context.Context) {
	for failures := 1; ctx.Err() == nil; failures++ {
		err := s.tryImport(ctx)
		if err == nil || ctx.Err() != nil {
			return
		}
		s.log.Warn("cannot read the bucket's runs; retrying", "error", oneLine(err.Error()))
		_ = bucket.Wait(ctx, failures)
	}
}

func (s *Server) tryImport(ctx context.Context) error {
	names, err := s.bucket.Runs(ctx)
	if err != nil {
		return err
	}
	var missing error // an entry of a log, which somebody may put back
	for _, name := range names {
		if err := s.importOne(ctx, name, s.opts.Adopt); err != nil {
			if bucket.Retryable(err) {
				return err
			}
			s.mu.Lock()
			s.damaged[name] = cmp.Or(s.damaged[name], oneLine(err.Error()))
			s.mu.Unlock()
			s.log.Error("cannot read a run in the bucket", "run", name, "error", oneLine(err.Error()))
			missing = cmp.Or(missing, bucket.Missing(err))
		}
	}
	return missing
}

// importOne imports a run, unless the bucket does not know it or it is this coordinator's.
// If it was found in the bucket before, what is asked of it there is read again. adopt means
// that it is to be continued if it is unfinished.
func (s *Server) importOne(ctx context.Context, name string, adopt bool) error {
	s.mu.Lock()
	found := s.runs[name]
	mine := found != nil && !found.control.Elsewhere || s.deleted.Pending(name) != ""
	s.mu.Unlock()
	remote := s.bucket.Run(name)
	switch {
	case mine:
		return nil
	case found != nil:
		return readAsked(ctx, s, found, adopt)
	}
	log, err := remote.Log(ctx, 0)
	if err != nil {
		return err
	}
	if len(log) == 0 {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !isHere(s, name) {
			delete(s.damaged, name) // it was removed from the bucket
		}
		return nil
	}
	c, _, err := journal.ControlOf(ctx, remote)
	if err != nil {
		return err
	}
	c.Submitted = cmp.Or(c.Submitted, time.Now().UTC())
	s.mu.Lock()
	defer s.mu.Unlock()
	return take(s, name, log, c, adopt)
}

// readAsked reads again what is asked of a run, which another coordinator may have been asked.
// A run that was only found is taken over if it is to be adopted.
func readAsked(ctx context.Context, s *Server, r *run, adopt bool) error {
	c, known, err := journal.ControlOf(ctx, s.bucket.Run(r.name))
	if err != nil || !known {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r.askedElsewhere(c)
	if adopt && r.control.Elsewhere && core.Imported(c.State, true) == history.Queued && s.runs[r.name] == r {
		r.control.State, r.control.Elsewhere = history.Queued, false
		err = r.saveControl()
		s.activateNext()
	}
	return err
}

// askedElsewhere notes what a bucket says is asked of a run, unless it was asked something
// here that the bucket does not have yet, or is worked on.
func (r *run) askedElsewhere(c control) {
	if r.control.Unsent || r.job.working() {
		return
	}
	r.control.Want = c.Want
	if r.control.Elsewhere || r != r.server.active && r.control.State != history.Queued && r.control.State != c.State {
		r.control.State = core.Imported(c.State, false)
	}
}

// take takes over a run as it was read from the bucket, unless it was submitted here or
// deleted meanwhile.
func take(s *Server, name string, log journal.Entries, c control, adopt bool) error {
	if s.runs[name] != nil || s.deleted.Pending(name) != "" || s.stopping {
		return nil
	}
	dir := filepath.Join(s.opts.Data, runsDir, name)
	_, mine := s.damaged[name] // it was this coordinator's already, if its journal is here
	mine = mine && isHere(s, name)
	c.State = core.Imported(c.State, adopt || mine)
	c.Elsewhere = c.State != history.Queued
	if mine {
		if err := setAside(s, name); err != nil {
			return err
		}
	}
	r, err := importRun(s, dir, name, log, c)
	if err != nil {
		return errors.Join(err, s.opts.FS.RemoveAll(dir))
	}
	s.runs[name] = r
	delete(s.damaged, name)
	s.startBackup(r)
	s.log.Info("run found in the bucket", "run", name, "entries", len(log), "state", r.control.State.String())
	s.activateNext()
	return nil
}
