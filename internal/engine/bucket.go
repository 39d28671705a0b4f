package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/internal/frontier"
	"github.com/everystate/everystate/internal/lostobjects"
	"github.com/everystate/everystate/internal/table/divided"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/store/bucket"
	"github.com/everystate/everystate/store/layerobject"
	"github.com/everystate/everystate/worker"
)

// stopGrace is how long an interrupted run waits for the bucket.
const stopGrace = 5 * time.Second

// An ElsewhereError reports that a run was continued without this directory.
type ElsewhereError struct {
	Dir, URL string
	// By is who began the last session in the bucket, empty if unknown.
	By string
	// Entry is the number of the first log entry that the directory does not have.
	Entry int
	// Now is set if this was found while this process was working on the run.
	Now bool
}

func (e *ElsewhereError) Error() string {
	by := e.By
	if by == "" {
		by = "another process"
	}
	if e.Now {
		return fmt.Sprintf("%s is now working on this run and wrote entry %d of %s; this process stops, and %s keeps what it has",
			by, e.Entry, e.URL, e.Dir)
	}
	return fmt.Sprintf("%s and %s have diverged: entry %d in the bucket is not this directory's; the last to write there was %s",
		e.Dir, e.URL, e.Entry, by)
}

// A BucketError reports that a bucket cannot take a run.
type BucketError struct {
	Dir string
	Err error
}

func (e *BucketError) Error() string {
	return fmt.Sprintf("%v; all layers so far are saved in %s", e.Err, e.Dir)
}

func (e *BucketError) Unwrap() error { return e.Err }

// ErrOtherInBucket reports that a bucket holds another run under the name.
var ErrOtherInBucket = errors.New("already holds a run of a different board")

// BucketProgress describes how far the bucket of a run is behind.
type BucketProgress struct {
	// Layers and Bytes count what the bucket does not have.
	Layers int
	Bytes  int64
	// Waiting is set while the run does nothing but wait for the bucket.
	Waiting bool
	// Trouble is why it is behind, empty if all is well.
	Trouble string
}

// by describes this process for people.
func by() string {
	host, err := os.Hostname()
	if err != nil || host == "" {
		host = "an unnamed machine"
	}
	return fmt.Sprintf(journal.LocalBy+"%s, process %d", host, os.Getpid())
}

// compare makes the journal and the log of a bucket agree as far as possible, and
// returns how many entries the log has and whether the journal has more. Entries that
// only the log has are fetched if the run may be written.
func (r *Run) compare(ctx context.Context, p *bucket.Patience) (logged int, more bool, err error) {
	stored, err := readStored(ctx, r.opts.Bucket, p)
	if err != nil {
		return 0, false, err
	}
	if err := r.sameRun(stored); err != nil {
		return 0, false, err
	}
	own, err := entriesOf(r.store)
	if err != nil {
		return 0, false, err
	}
	same, err := journal.Diverge(own, stored.Entries)
	switch {
	case err != nil:
		return 0, false, err
	case same == len(stored.Entries):
		return same, same < len(own), nil
	case same < len(own) && !r.opts.ReadOnly && onlySessions(own[same:]):
		// The sessions committed nothing, and the log has other entries in their
		// place.
		if err := r.makeWritable(); err != nil {
			return 0, false, err
		}
		if err := r.store.TruncateJournal(uint64(same)); err != nil {
			return 0, false, err
		}
	case same < len(own):
		return 0, false, &ElsewhereError{Dir: r.dir, URL: stored.Run.URL(), By: journal.Who(stored.By), Entry: same}
	case r.opts.ReadOnly:
		return len(stored.Entries), false, nil
	}
	return len(stored.Entries), false, r.catchUp(ctx, stored, stored.Entries[same:])
}

// entriesOf returns the journal of a store.
func entriesOf(s *store.Store) (own journal.Entries, err error) {
	err = s.Journal(func(entry []byte) error {
		own = append(own, slices.Clone(entry))
		return nil
	})
	return own, err
}

// onlySessions reports whether all entries do nothing but begin sessions.
func onlySessions(entries [][]byte) bool {
	return !slices.ContainsFunc(entries, func(body []byte) bool {
		e, err := journal.ReadEntry(body, 1)
		return err != nil || e.FirstEpoch == 0
	})
}

// sameRun checks that the bucket does not hold another run under the name.
func (r *Run) sameRun(stored *Stored) error {
	s, url := &stored.Spec, stored.Run.URL()
	switch {
	case len(stored.Entries) == 0:
		return nil
	case s.Text != r.spec.Text || s.Metric != r.spec.Metric || s.Family != r.spec.Family:
		return fmt.Errorf("%s: %w", url, ErrOtherInBucket)
	case s.Store == history.DividedTable:
		return fmt.Errorf("%s: %w", url, divided.ErrOnCluster)
	case s.Partitions != r.spec.Partitions:
		return fmt.Errorf("%s: %w: it has %d partitions, and %s has %d", url, ErrOtherRun, s.Partitions, r.dir, r.spec.Partitions)
	case s.Keep != r.spec.Keep:
		return fmt.Errorf("%s: %w", url, frontier.Fits(&r.spec.Keep, *s))
	}
	return nil
}

// catchUp adds entries that only the log has, and their layers.
func (r *Run) catchUp(ctx context.Context, stored *Stored, entries [][]byte) error {
	b := &rebuilding{run: r, layers: stored, progress: r.live.fetched}
	err := b.checkSpace(&stored.History)
	if err == nil {
		r.live.fetch(stored.History.States(history.Forward) + stored.History.States(history.Goal))
		err = b.add(ctx, entries)
		r.live.fetch(0)
	}
	var rerr error
	r.spec, r.history, rerr = journal.Read(r.store)
	return errors.Join(err, rerr)
}

// sessionTriesMax bounds how often a run catches up with one that continues elsewhere
// before it can take it over.
const sessionTriesMax = 20

// exploreKept is Explore for a run that is kept in a bucket.
func (r *Run) exploreKept(ctx context.Context, want history.Want) (reason history.Reason, err error) {
	for range sessionTriesMax {
		reason, err = r.exploreOnce(ctx, want)
		var elsewhere *ElsewhereError
		if r.began || !errors.As(err, &elsewhere) || !elsewhere.Now {
			break
		}
		// Another process's entry came first; nothing of ours is lost.
	}
	return reason, err
}

func (r *Run) exploreOnce(ctx context.Context, want history.Want) (history.Reason, error) {
	r.began = false
	p := bucket.PatienceTelling(r.opts.BucketTrouble)
	logged, _, err := r.compare(ctx, p)
	if err != nil {
		return 0, err
	}
	// Goal distances that were begun elsewhere are completed.
	want.GoalDistance = want.GoalDistance || len(r.history.Layers(history.Goal)) > 0
	if !r.history.Exhausted(want.For(r.board.Puzzle, &r.history).GoalDistance) {
		if err := r.makeWritable(); err != nil {
			return 0, err
		}
	}
	if err := r.rememberBucket(); err != nil {
		return 0, err
	}
	b, err := r.startBackup(ctx, logged, p)
	if err != nil {
		return 0, err
	}
	r.backup = b
	reason, err := r.explore(ctx, want)
	err = r.settle(ctx, b, want, err)
	if r.began && r.store.Err() == nil {
		err = errors.Join(err, (&frontier.Remover{Store: r.store}).Remove(&r.history, b.removable(), true))
	}
	b.stop()
	r.backup = nil
	if fatal := r.store.Err(); fatal != nil {
		return 0, fatal
	}
	return reason, err
}

// settle lets the bucket catch up when the exploration has ended, and writes the
// run's state there. Whoever interrupts a run is in a hurry, but the bucket is
// usually only a moment behind.
func (r *Run) settle(ctx context.Context, b *backup, want history.Want, explored error) error {
	short, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopGrace)
	defer cancel()
	err := explored
	switch {
	case b.failure() != nil || r.store.Err() != nil:
	case explored == nil:
		err = b.drained(ctx)
	default:
		if lerr := b.drained(short); lerr != nil && ctx.Err() == nil {
			err = errors.Join(err, lerr)
		}
	}
	if failure := b.failure(); failure != nil {
		var elsewhere *ElsewhereError
		if errors.As(failure, &elsewhere) {
			return failure // the control object is another's now
		}
		err = &BucketError{Dir: r.dir, Err: failure}
	}
	if r.store.Err() == nil && (r.began || explored == nil) {
		r.writeControl(short, b, want, err)
	}
	return err
}

// writeControl writes the control object at the end of the work on a run. It is not
// part of the record of truth: without it the run looks like one whose process was
// killed.
func (r *Run) writeControl(ctx context.Context, b *backup, want history.Want, err error) {
	if later, lerr := b.bucket.Log(ctx, b.entries()); lerr != nil || len(later) > 0 {
		return // the run continues elsewhere already
	}
	c, known := r.control(ctx, want)
	if !r.began && known {
		return // nothing was done
	}
	switch {
	case err == nil:
		c.State = history.Stopped
	case errors.Is(err, context.Canceled):
		c.State = history.Paused
	default:
		c.State, c.Failure = history.Failed, strings.Join(strings.Fields(err.Error()), " ")
	}
	_ = c.Store(ctx, r.opts.Bucket) // see above: the run does without
}

// control returns a control object for want, and whether the bucket has one already.
func (r *Run) control(ctx context.Context, want history.Want) (journal.Control, bool) {
	c := journal.Control{Submitted: time.Now().UTC(), Want: want}
	old, known, err := journal.ControlOf(ctx, r.opts.Bucket)
	c.Submitted = cmp.Or(old.Submitted, c.Submitted)
	return c, known && err == nil
}

// Checkpoint copies everything that is committed to the bucket. It begins no session,
// so it does not disturb whoever works on the run. It returns how many entries the
// bucket has, which may be more than the run has. It checks the objects: one that the
// log names and the bucket has lost is written again.
//
// If the run was not kept in a bucket before, it is kept in this one from then on.
func (r *Run) Checkpoint(ctx context.Context) (entries int, err error) {
	p := bucket.PatienceTelling(r.opts.BucketTrouble)
	logged, more, err := r.compare(ctx, p)
	if err != nil {
		return 0, err
	}
	if r.opts.FS == nil {
		if url, err := BucketURL(r.dir); err == nil && url == "" {
			if err := r.rememberBucket(); err != nil {
				return 0, err
			}
		}
	}
	if !more {
		return logged, restoreObjects(ctx, r, p)
	}
	b, err := r.startBackup(ctx, logged, p)
	if err != nil {
		return logged, err
	}
	err = b.drained(ctx)
	if err == nil {
		if c, known := r.control(ctx, history.Want{GoalDistance: len(r.history.Layers(history.Goal)) > 0}); !known {
			c.State = history.Paused
			if r.history.Exhausted(c.Want.For(r.board.Puzzle, &r.history).GoalDistance) {
				c.State = history.Stopped
			}
			err = p.Try(ctx, func() error { return c.Store(ctx, r.opts.Bucket) })
		}
	}
	b.stop()
	return b.entries(), errors.Join(err, restoreObjects(ctx, r, p))
}

// restoreObjects compares the objects of a bucket with its log, and writes missing
// ones again.
func restoreObjects(ctx context.Context, r *Run, p *bucket.Patience) error {
	stored, err := readStored(ctx, r.opts.Bucket, p)
	if err != nil {
		return err
	}
	log := lostobjects.Logged{Run: stored.Run, History: &stored.History, Objects: stored.Objects}
	missing, err := lostobjects.Restore(ctx, p, log, r.dir, &r.history, func(l history.Layer, o journal.Object) error {
		_, err := layerobject.Write(ctx, stored.Run, o.Name, r.store, worker.ShapeOf(r.scheme), segmentID(l), o.Partitions)
		return err
	})
	if tell := r.opts.BucketTrouble; missing > 0 && tell != nil {
		tell(fmt.Sprintf("%d objects were missing from the bucket and have been written again", missing))
	}
	return err
}
