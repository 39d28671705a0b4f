package server

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/everystate/everystate/coordinator/deletions"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/store/bucket"
)

// remove removes a run. Workers delete what they keep of it when they next call; the bucket
// does once it can be reached, unless what it has is another coordinator's or board's.
func (s *Server) remove(r *run) error {
	if err := s.aside(r, history.Cancelled); err != nil {
		return err
	}
	keep := journal.EverKept(r.log, r.spec.Partitions)
	if s.bucket != nil && (r.backup == nil || !r.backup.conflict) {
		keep = append(keep, deletions.TheBucket)
	}
	if err := s.deleted.Add(r.name, keep); err != nil {
		return err
	}
	delete(s.runs, r.name)
	var idle chan struct{}
	if r.backup != nil {
		idle = r.backup.idle
		r.backup.wake()
	}
	if slices.Contains(keep, deletions.TheBucket) {
		s.removeFromBucket(r.name, idle)
	}
	for _, m := range s.members {
		m.tell(m.run, m.attempt) // so that they call
	}
	return errors.Join(r.store.Close(), r.fs.RemoveAll(r.dir))
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
	n, err := s.bucket.Run(run).Delete(ctx)
	switch {
	case err != nil:
		return false, nil, err
	case !last:
		return false, changed, nil
	}
	s.log.Info("run removed from the bucket", "run", run, "objects", n)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.deleted.Settle(deletions.TheBucket, nil, run); err != nil {
		s.log.Error("cannot write the deletions", "error", err)
	}
	return true, nil, nil
}
