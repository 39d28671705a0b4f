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
		if err := s.importOne(ctx, name); err != nil {
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
// If it was found in the bucket before, what is asked of it there is read again.
func (s *Server) importOne(ctx context.Context, name string) error {
	s.mu.Lock()
	found := s.runs[name]
	mine := found != nil && !found.control.Elsewhere || s.deleted.Pending(name) != ""
	s.mu.Unlock()
	remote := s.bucket.Run(name)
	switch {
	case mine:
		return nil
	case found != nil:
		return askedElsewhere(ctx, found, remote)
	}
	log, err := remote.Log(ctx, 0)
	if err != nil || len(log) == 0 {
		return err
	}
	c, _, err := journal.ControlOf(ctx, remote)
	if err != nil {
		return err
	}
	c.Submitted = cmp.Or(c.Submitted, time.Now().UTC())
	s.mu.Lock()
	defer s.mu.Unlock()
	return take(s, name, log, c)
}

// askedElsewhere notes what is asked of a run in the bucket by now, if that is there.
func askedElsewhere(ctx context.Context, r *run, remote *bucket.Run) error {
	c, known, err := journal.ControlOf(ctx, remote)
	if err != nil || !known {
		return err
	}
	r.server.mu.Lock()
	defer r.server.mu.Unlock()
	if r.control.Elsewhere {
		r.control.Want, r.control.State = c.Want, core.Imported(c.State, false)
	}
	return nil
}

// take takes over a run as it was read from the bucket, unless it was submitted here or
// deleted meanwhile.
func take(s *Server, name string, log journal.Entries, c control) error {
	if s.runs[name] != nil || s.deleted.Pending(name) != "" || s.stopping {
		return nil
	}
	dir := filepath.Join(s.opts.Data, runsDir, name)
	_, mine := s.damaged[name] // it was this coordinator's already, if its journal is here
	mine = mine && isHere(s, name)
	c.State = core.Imported(c.State, s.opts.Adopt || mine)
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
