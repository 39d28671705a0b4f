package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/store/bucket"
)

// lookInterval is how often the log is looked at that nothing is written to.
const lookInterval = 10 * time.Second

// troubleInterval is how often it is said that a bucket does not take anything,
// for reasons that differ.
const troubleInterval = 30 * time.Second

// startBackup has a run kept in the bucket, if there is one.
func (s *Server) startBackup(r *run) {
	if s.bucket == nil || r.backup != nil && r.backup.busy || s.stopping {
		return
	}
	if r.backup == nil {
		r.backup = newBackup(s.bucket, r.name)
	}
	if body, err := r.control.Body(); err == nil && !r.control.Elsewhere {
		r.backup.control = body
	}
	idle := make(chan struct{})
	r.backup.busy, r.backup.idle, r.backup.conflict = true, idle, false
	s.spawn(func(ctx context.Context) {
		defer close(idle)
		s.keepLog(ctx, r)
	})
}

// keepLog keeps the log of a run in the bucket up with its journal, until ctx
// ends or the log turns out to be another coordinator's.
func (s *Server) keepLog(ctx context.Context, r *run) {
	failures := 0 // since the last step that was one
	for ctx.Err() == nil {
		more, err := s.keepLogStep(ctx, r)
		s.mu.Lock()
		b := r.backup
		if b.conflict || s.runs[r.name] != r {
			b.busy = false
			s.mu.Unlock()
			return
		}
		s.noteTrouble(r, err)
		s.mu.Unlock()
		switch {
		case err != nil:
			failures++
			select {
			case <-time.After(bucket.RetryAfter(failures)):
			case <-ctx.Done():
			}
		case more:
			failures = 0
		default:
			select {
			case <-time.After(lookInterval):
				s.lookAhead(ctx, r)
			case <-ctx.Done():
			case <-b.changed:
			}
		}
	}
	s.mu.Lock()
	r.backup.busy = false
	s.mu.Unlock()
}

// lookAhead looks whether somebody else has gone on with the run that is being
// worked on: who has nothing to write finds out too.
func (s *Server) lookAhead(ctx context.Context, r *run) {
	s.mu.Lock()
	n, look := r.backup.logged, s.active == r && r.backup.ready
	s.mu.Unlock()
	if !look {
		return
	}
	more, err := r.backup.bucket.Log(ctx, n)
	if err != nil || len(more) == 0 {
		return // the next append tells
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if b := r.backup; b.ready && b.logged == n {
		s.conflict(r, &bucket.TakenError{N: n, Entry: more[0]})
	}
}

// noteTrouble notes why the bucket is behind, and says it once.
func (s *Server) noteTrouble(r *run, err error) {
	b := r.backup
	was := b.trouble
	if b.trouble = ""; err != nil {
		b.trouble = oneLine(err.Error())
	}
	switch {
	case b.trouble == was, was != "" && b.trouble != "" && time.Since(b.toldTrouble) < troubleInterval:
	case b.trouble != "":
		b.toldTrouble = time.Now()
		s.log.Warn("the bucket rejects writes; retrying until it accepts them", "run", r.name, "error", b.trouble)
	default:
		s.log.Info("the bucket is back", "run", r.name)
	}
}

// keepLogStep does one thing that is to be done, and reports whether there may
// be more.
func (s *Server) keepLogStep(ctx context.Context, r *run) (more bool, err error) {
	s.mu.Lock()
	b := r.backup
	ready, control := b.ready, b.control
	entry, err := b.next(r)
	n := b.logged
	s.mu.Unlock()
	switch {
	case err != nil:
		return false, err
	case !ready:
		return true, s.compareLog(ctx, r)
	case control != nil && n > 0: // a run begins with its log
		if err := b.bucket.SetControl(ctx, control); err != nil {
			return false, err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if bytes.Equal(b.control, control) {
			b.control = nil
		}
		return true, nil
	case entry == nil:
		return false, nil
	}
	err = b.bucket.Append(ctx, n, entry)
	s.mu.Lock()
	defer s.mu.Unlock()
	var taken *bucket.TakenError
	if errors.As(err, &taken) {
		return s.taken(r, taken), nil
	}
	if err != nil {
		return false, err
	}
	if b.ready && b.logged == n {
		b.appended()
		s.logGrew(r)
	}
	return true, nil
}

// compareLog reads the log, and makes the journal agree with it.
func (s *Server) compareLog(ctx context.Context, r *run) error {
	s.mu.Lock()
	known := r.backup.known
	s.mu.Unlock()
	more, err := r.backup.bucket.Log(ctx, len(known))
	if err != nil {
		return err
	}
	log := append(slices.Clip(known), more...)
	s.mu.Lock()
	defer s.mu.Unlock()
	r.backup.known = log
	if err := s.agree(r, log); err != nil {
		s.fail(r, fmt.Errorf("the run in the bucket cannot be gone on with: %w", err))
		r.backup.conflict = true // until it is resumed
		return nil
	}
	r.backup.ready = true
	s.logGrew(r)
	return nil
}

// agree makes the journal agree with a log: what the log has, the journal has.
func (s *Server) agree(r *run, log journal.Entries) error {
	if len(log) > 0 {
		spec, _, err := journal.Read(log)
		if err != nil {
			return err
		}
		if spec.Text != r.spec.Text || spec.Metric != r.spec.Metric || spec.Family != r.spec.Family || spec.Partitions != r.spec.Partitions || spec.Units != r.spec.Units {
			return errors.New("it explores a different board, or has a different number of partitions")
		}
	}
	same, err := journal.Diverge(r.log, log)
	if err != nil {
		return err
	}
	if same < len(log) {
		s.log.Warn("the run continued elsewhere; adopting what the bucket has",
			"run", r.name, "entries", len(log), "same", same, "dropped", len(r.log)-same)
		if r.working() {
			return errors.New("it is being worked on elsewhere right now")
		}
		if err := r.replaceTail(same, log[same:]); err != nil {
			return err
		}
	}
	r.backup.logged = len(log)
	return r.backup.follow(r)
}

// takeOversMax bounds how often a run is tried to be taken over from a coordinator
// that goes on writing.
const takeOversMax = 1000

// taken looks at what it means that somebody else has written the next entry. Who
// is about to take the run up begins again behind it; who is at work stops. It
// reports whether there is more to do.
func (s *Server) taken(r *run, taken *bucket.TakenError) (more bool) {
	if s.active != r || r.working() || r.takeOvers == takeOversMax {
		s.conflict(r, taken)
		return false
	}
	r.takeOvers++
	r.session, r.backup.ready = false, false
	return true
}

// conflict stops the work on a run of which another coordinator has taken over
// the log.
func (s *Server) conflict(r *run, taken *bucket.TakenError) {
	b := r.backup
	b.conflict, b.ready, b.known = true, false, nil
	who := "another coordinator"
	// Who has written the entry is who began the last session before it.
	for _, entry := range slices.Backward(append(r.log[:min(taken.N, len(r.log)):min(taken.N, len(r.log))], taken.Entry)) {
		if e, err := journal.ReadEntry(entry, r.spec.Partitions); err == nil && e.SessionBy != "" && e.SessionBy != s.name {
			who = journal.Who(e.SessionBy)
			break
		}
	}
	s.fail(r, fmt.Errorf("%s is working on this run and wrote entry %d of %s; this coordinator stops", who, taken.N, b.url))
}

// logGrew lets the run go on where it waited for the log.
func (s *Server) logGrew(r *run) {
	if s.active != r {
		s.activateNext()
		return
	}
	s.start(r)
	s.tellDurable(r)
}

// stuck reports whether the log waits for a worker that is not expected back.
func (s *Server) stuck(r *run) bool {
	for _, name := range r.backup.missing() {
		if s.givenUp(name) {
			return true
		}
	}
	return false
}

// tellDurable tells the core of a run how far the log is, if that is news.
func (s *Server) tellDurable(r *run) {
	b := r.backup
	if b == nil || r.core == nil || !b.ready {
		return
	}
	stuck := s.stuck(r)
	if r.committed != nil && (stuck || !b.lags()) {
		committed := r.committed
		r.committed = nil
		committed()
	}
	if r.core == nil {
		return
	}
	now := core.Durable{Forward: b.durable[history.Forward], Goal: b.durable[history.Goal], Stuck: stuck}
	if now != b.told {
		b.told = now
		s.step(now)
	}
}

// rewind forgets what is not in the log.
func (s *Server) rewind(r *run) error {
	b := r.backup
	s.log.Warn("layers were lost before reaching the bucket; repeating them",
		"run", r.name, "layers", len(b.pending))
	if err := r.replaceTail(b.logged, nil); err != nil {
		return err
	}
	return b.follow(r)
}
