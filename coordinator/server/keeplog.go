package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/coordinator/specs"
	"github.com/everystate/everystate/store/bucket"
)

// lookInterval is how often a log that nothing is written to is checked for new entries.
const lookInterval = 10 * time.Second

// startBackup begins to keep a run in the bucket, if there is one.
func (s *Server) startBackup(r *run) {
	if s.bucket == nil || r.backup != nil && r.backup.busy || s.stopping {
		return
	}
	if r.backup == nil {
		r.backup = newBackup(r, s.bucket)
	}
	if body, err := r.control.Body(); err == nil && r.control.Unsent {
		r.backup.control = body
	}
	idle := make(chan struct{})
	r.backup.busy, r.backup.idle, r.backup.conflict, r.backup.removed = true, idle, false, false
	s.spawn(func(ctx context.Context) {
		defer close(idle)
		r.backup.keepLog(ctx)
	})
}

// keepLog keeps the log of a run in the bucket up to date with its journal, until ctx
// ends or the log turns out to be another coordinator's.
func (b *backup) keepLog(ctx context.Context) {
	failures := 0 // since the last step that succeeded
	for ctx.Err() == nil {
		more, err := b.keepLogStep(ctx)
		b.server.mu.Lock()
		if b.conflict || b.server.runs[b.run.name] != b.run {
			b.busy = false
			b.server.mu.Unlock()
			return
		}
		b.server.mu.Unlock()
		if err == nil {
			b.patience.Over()
		}
		switch {
		case err != nil:
			b.patience.Note(err)
			failures++
			_ = bucket.Wait(ctx, failures)
		case more:
			failures = 0
		default:
			select {
			case <-time.After(lookInterval):
				b.lookAhead(ctx)
			case <-ctx.Done():
			case <-b.changed:
			}
		}
	}
	b.server.mu.Lock()
	b.busy = false
	b.server.mu.Unlock()
}

// lookAhead checks whether another coordinator has continued the active run, so that
// this one finds out even if it has nothing to write.
func (b *backup) lookAhead(ctx context.Context) {
	b.server.mu.Lock()
	n, look := b.copy.Logged(), b.server.active == b.run && b.ready
	b.server.mu.Unlock()
	if !look {
		return
	}
	more, err := b.bucket.Log(ctx, n)
	if err != nil || len(more) == 0 {
		return // the next append tells
	}
	b.server.mu.Lock()
	defer b.server.mu.Unlock()
	if b.ready && b.copy.Logged() == n {
		b.yield(&bucket.TakenError{N: n, Entry: more[0]})
	}
}

// keepLogStep does one thing that is due, and reports whether there may be more.
func (b *backup) keepLogStep(ctx context.Context) (more bool, err error) {
	b.server.mu.Lock()
	ready, control := b.ready, b.control
	entry, err := b.next()
	n, dropped := b.copy.Logged(), b.copy.Dropped()
	if b.run.control.State == history.Stopped && b.behindJournal() {
		control = nil // to others the run is over when the log has its end
	}
	b.trying = b.trying && ready || err == nil && ready && entry != nil && (control == nil || n == 0)
	b.server.mu.Unlock()
	switch {
	case err != nil:
		return false, err
	case !ready:
		return true, b.compareLog(ctx)
	case control != nil && n > 0: // a run in the bucket begins with its log
		if err := b.bucket.SetControl(ctx, control); err != nil {
			return false, err
		}
		b.server.mu.Lock()
		defer b.server.mu.Unlock()
		if bytes.Equal(b.control, control) {
			b.control = nil
			b.run.sent()
		}
		return true, nil
	case entry == nil:
		return false, b.discard.Remove(ctx, dropped)
	}
	err = b.bucket.Append(ctx, n, entry)
	b.server.mu.Lock()
	defer b.server.mu.Unlock()
	if taken := new(bucket.TakenError); errors.As(err, &taken) {
		b.settled()
		return b.taken(taken), nil
	}
	if err != nil {
		return false, err
	}
	b.settled()
	if b.ready && b.copy.Logged() == n {
		b.copy.Appended()
		b.logGrew()
	}
	return true, b.discard.Logged(entry, b.run.spec.Partitions)
}

// compareLog reads the log and makes the journal agree with it.
func (b *backup) compareLog(ctx context.Context) error {
	b.server.mu.Lock()
	known := b.known
	b.server.mu.Unlock()
	more, err := b.bucket.Log(ctx, len(known))
	if err != nil {
		return err
	}
	log := append(slices.Clip(known), more...)
	there, is, err := journal.ControlOf(ctx, b.bucket)
	if err != nil {
		return err
	}
	b.server.mu.Lock()
	defer b.server.mu.Unlock()
	b.settled()
	b.known = log
	if err := b.agree(log); err != nil {
		b.server.fail(b.run, fmt.Errorf("the run in the bucket cannot be resumed: %w", err))
		b.conflict = true // until it is resumed
		return nil
	}
	if b.removed = len(log) == 0 && b.run.control.Removed(b.url); b.removed {
		b.server.log.Warn("the run was removed from the bucket; it stays here, and is not written there again unless it is resumed", "run", b.run.name, "bucket", b.url)
		b.conflict = true
		return nil
	}
	switch {
	case is && len(log) > 0:
		b.run.askedElsewhere(there)
		if b.run.control.Bucket != b.url && !b.run.control.Unsent {
			b.run.sent()
		}
	case !b.run.control.Elsewhere && b.control == nil:
		if b.control, err = b.run.control.Body(); err != nil {
			return err
		}
	}
	b.ready = true
	b.discard.Keep = b.run.spec.Keep
	b.discard.Begin()
	b.askAgain()
	b.logGrew()
	return nil
}

// askAgain tells workers again what to upload: a worker that called while the log was
// being read was told of no uploads.
func (b *backup) askAgain() {
	for name, m := range b.server.members {
		if len(b.uploads(name)) > 0 {
			m.tell(m.run, m.attempt)
		}
	}
}

// agree makes the journal agree with a log: the journal adopts whatever the log has.
func (b *backup) agree(log journal.Entries) error {
	if len(log) > 0 {
		if err := specs.Continues(&b.run.spec, log); err != nil {
			return err
		}
	}
	same, err := journal.Diverge(b.run.log, log)
	if err != nil {
		return err
	}
	if same < b.scrubbed.Entries {
		b.scrubbed.Forget()
	}
	if same < len(log) {
		b.server.log.Warn("the run continued elsewhere; adopting what the bucket has",
			"run", b.run.name, "entries", len(log), "same", same, "dropped", len(b.run.log)-same)
		if b.run.job.working() {
			return errors.New("it is being worked on elsewhere right now")
		}
		if err := b.run.replaceTail(same, log[same:]); err != nil {
			return err
		}
	}
	return b.follow(len(log))
}

// taken handles another coordinator's next entry. It reports whether there is more to
// do.
func (b *backup) taken(taken *bucket.TakenError) (more bool) {
	if b.server.active != b.run || !b.run.claim.Lost(b.run.job.working()) {
		b.yield(taken)
		return false
	}
	b.ready = false
	return true
}

// yield stops the work on a run whose log another coordinator has taken over.
func (b *backup) yield(taken *bucket.TakenError) {
	b.conflict, b.ready, b.known = true, false, nil
	// The entry was written by the coordinator that began the last session before it.
	before := slices.Clip(b.run.log[:min(taken.N, len(b.run.log))])
	who := journal.LastOther(append(before, taken.Entry), b.run.spec.Partitions, b.server.name)
	b.server.fail(b.run, fmt.Errorf("%s is working on this run and wrote entry %d of %s; this coordinator stops", who, taken.N, b.url))
	b.control = nil // what is in the bucket is the other one's
	b.run.sent()
}

// logGrew lets the run continue if it waited for the log.
func (b *backup) logGrew() {
	if b.server.active != b.run {
		b.server.activateNext()
		return
	}
	b.server.start(b.run)
	b.announceDurable()
}

// stuck reports whether the log waits for a worker that is not expected back, or that
// lacks records itself.
func (b *backup) stuck() bool {
	for _, name := range b.copy.Missing() {
		m := b.server.members[name]
		if b.server.roster.GivenUp(b.server.now(), name) || m != nil && tells(m.damaged, b.run, false) {
			return true
		}
	}
	return false
}

// repeatLost resumes a run that has come to its end if a worker was lost before the
// bucket had everything that the worker made.
func (s *Server) repeatLost() {
	for _, r := range s.runs {
		b := r.backup
		switch {
		case b == nil || r == s.active || !b.ready || b.conflict || !b.stuck():
			if b != nil {
				b.stuckSince = 0
			}
		case b.stuckSince == 0:
			b.stuckSince = s.now()
		case len(s.roster.Available()) > 0 && core.Repeats(r.control.State, s.now(), b.stuckSince, core.Ticks(s.opts.LeaseMillis)):
			s.log.Warn("a worker was lost before the bucket had all it made; making it again", "run", r.name, "workers", strings.Join(b.copy.Missing(), ", "))
			s.setState(r, history.Queued, "")
			b.stuckSince = 0
		}
	}
}

// announceDurable tells the core of a run how far the log is, if that has changed.
func (b *backup) announceDurable() {
	if b == nil || !b.run.job.working() || !b.ready {
		return
	}
	now := core.Durable{Forward: b.copy.Layers(history.Forward), Goal: b.copy.Layers(history.Goal), Stuck: b.stuck()}
	if now != b.told {
		b.told = now
		b.run.job.step(now)
	}
}

// mayCut reports whether it is known which entries the log has, so that the journal may
// be cut back to them; if not, announceDurable tells the core when it is.
func (b *backup) mayCut() bool {
	b.cutLater = b.trying
	return !b.trying
}

// settled notes that it is known whether the log has the entry that was sent to it.
func (b *backup) settled() {
	b.trying = false
	if b.cutLater {
		b.cutLater = false
		b.told = core.Durable{Forward: -1}
	}
}

// rewind drops the journal entries that are not in the log.
func (b *backup) rewind() error {
	b.server.log.Warn("layers were lost before reaching the bucket; repeating them",
		"run", b.run.name, "layers", len(b.copy.Pending()))
	b.run.beyond = max(b.run.beyond, b.run.job.past().LastEpoch()) // workers know of it
	if err := b.run.replaceTail(b.copy.Logged(), nil); err != nil {
		return err
	}
	return b.follow(b.copy.Logged())
}
