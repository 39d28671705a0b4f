package server

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/everystate/everystate/coordinator/deletions"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/store/bucket"
)

// remove removes a run. Workers delete what they keep of it when they next call; it is
// removed from the bucket once that can be reached, unless it is not the same run there.
func (s *Server) remove(r *run) error {
	keep := journal.EverKept(r.log, r.spec.Partitions)
	if r.control.Elsewhere { // others' workers would never call here
		keep = slices.DeleteFunc(keep, func(worker string) bool { return s.members[worker] == nil })
	}
	if err := s.aside(r, history.Cancelled); err != nil {
		return fmt.Errorf("not deleted: %w", err)
	}
	var idle chan struct{}
	if r.backup != nil {
		keep, idle = append(keep, deletions.TheBucket), r.backup.idle
		r.backup.wake()
	}
	if err := s.deleted.Add(r.name, keep); err != nil {
		return fmt.Errorf("stopped, but not deleted: %w", err)
	}
	delete(s.runs, r.name)
	return errors.Join(r.store.Close(), bury(s, r.name, idle))
}

// bury removes the directory of a deleted run, and has workers and the bucket remove what
// they keep.
func bury(s *Server, name string, idle <-chan struct{}) error {
	err := s.deleted.Bury(name, filepath.Join(s.opts.Data, runsDir, name))
	if err == nil && slices.Contains(s.deleted.InBucket(), name) {
		s.removeFromBucket(name, idle)
	}
	for _, m := range s.members {
		m.tell(m.run, m.attempt) // so that they call
	}
	return err
}

// removeFromBucket removes a run from the bucket once idle is closed, at once if idle is
// nil, and retries until it succeeds. As long as workers keep the run, uploads may be
// under way: once none keeps it, it is removed again, and its name is free.
func (s *Server) removeFromBucket(run string, idle <-chan struct{}) {
	s.spawn(func(ctx context.Context) {
		if idle != nil {
			<-idle // whoever closes it has been woken, or ends with ctx
		}
		for failures := 0; ctx.Err() == nil; {
			done, changed, err := s.tryRemove(ctx, run)
			var again <-chan time.Time
			switch {
			case err != nil:
				s.log.Warn("cannot remove a run from the bucket yet; retrying", "run", run, "error", oneLine(err.Error()))
				failures++
				again = time.After(bucket.RetryAfter(failures))
			case done:
				return
			}
			select {
			case <-ctx.Done():
			case <-again:
			case <-changed:
			}
		}
	})
}

// tryRemove removes a run from the bucket. It is not done while workers still keep the
// run: changed is closed when one of them no longer does.
func (s *Server) tryRemove(ctx context.Context, run string) (done bool, changed <-chan struct{}, err error) {
	s.mu.Lock()
	last, changed := s.deleted.OnlyInBucket(run), s.deleted.Changed
	s.mu.Unlock()
	n, differs, err := s.deleted.RemoveFrom(ctx, s.bucket.Run(run))
	if err != nil || differs == "" && !last {
		return false, changed, err
	}
	s.mu.Lock()
	_, err = s.deleted.Settle(deletions.TheBucket, nil, run)
	s.mu.Unlock()
	switch {
	case err != nil:
		return false, nil, err
	case differs != "":
		s.log.Warn("left in the bucket: it is another run of this name, or was continued elsewhere; everystate delete "+s.bucket.Run(run).URL()+" removes it", "run", run, "why", oneLine(differs))
	default:
		s.log.Info("run removed from the bucket", "run", run, "objects", n)
	}
	return true, nil, nil
}
