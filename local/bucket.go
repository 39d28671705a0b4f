package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/everystate/everystate/checkpoint"
	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/worker"
)

const (
	// How much the bucket may lag behind before the next layer waits for it, as on
	// a coordinator.
	lagBytesMax  = 64 << 20
	lagLayersMax = 64

	// So many objects are written side by side, if they are small: one of S3 takes
	// twice its size of memory, and up to s3Memory if it is large.
	uploadsAtOnce      = 8
	uploadsAtOnceBytes = 8 << 20
	s3Memory           = 56 << 20

	// stopGrace is how long a run that was interrupted waits for the bucket.
	stopGrace = 5 * time.Second

	// writerName is the name of this package in the names of objects.
	writerName = "local"
)

// An ElsewhereError says that a run went on without this directory.
type ElsewhereError struct {
	Dir, URL string
	// By is who has begun the last session in the bucket, empty if that is not
	// known.
	By string
	// Entry is the first of the log that the directory does not have.
	Entry int
	// Now says that it was found out while this process worked on the run.
	Now bool
}

func (e *ElsewhereError) Error() string {
	by := e.By
	if by == "" {
		by = "somebody else"
	}
	if e.Now {
		return fmt.Sprintf("%s works on this run now: it has written entry %d of %s; this one stops, and %s keeps what it has",
			by, e.Entry, e.URL, e.Dir)
	}
	return fmt.Sprintf("%s and %s have gone on apart: entry %d in the bucket is not this directory's; the last to work on it there was %s",
		e.Dir, e.URL, e.Entry, by)
}

// A BucketError says that a bucket cannot take a run.
type BucketError struct {
	Dir string
	Err error
}

func (e *BucketError) Error() string {
	return fmt.Sprintf("%v; all layers so far are safe in %s", e.Err, e.Dir)
}

func (e *BucketError) Unwrap() error { return e.Err }

// ErrOtherInBucket says that a bucket holds another run under the name.
var ErrOtherInBucket = errors.New("holds the run of another puzzle")

// BucketProgress is how far the bucket of a run is behind.
type BucketProgress struct {
	// Layers and Bytes are those that it does not have.
	Layers int
	Bytes  int64
	// Waiting says that nothing else is done but to wait for it.
	Waiting bool
	// Trouble is why it is behind, empty if all is well.
	Trouble string
}

// backup keeps the log of a run in a bucket up with its journal. An entry is
// there when everything before it is, and, if it commits a layer, the layer's
// object. One goroutine appends entries, others write objects ahead of it; they
// read the run's store, which stays open until stop has returned.
type backup struct {
	bucket *checkpoint.Run
	run    *Run
	store  *store.Store
	shape  store.Shape

	patience *patience
	cancel   context.CancelFunc
	ended    chan struct{}
	failed   chan struct{} // closed when err is set
	wake     chan struct{} // told, with room for one, that there may be something to do
	moved    chan struct{} // the same for whoever waits for the log

	mu      sync.Mutex // guards the fields below
	logged  int        // entries in the log
	pending []*pendingEntry
	bytes   int64 // of the layers in pending
	busy    int   // objects that are being written
	writing int64 // their bytes
	waiting bool
	err     error
}

// pendingEntry is an entry of the journal that is not in the log.
type pendingEntry struct {
	body    []byte
	layer   *core.Layer
	parts   []uint32 // of the layer, that hold states
	begun   bool     // the object is being written, or there
	written bool
	bytes   int64 // of the object
}

// by says who we are, to people.
func by() string {
	host, err := os.Hostname()
	if err != nil || host == "" {
		host = "a machine without a name"
	}
	return fmt.Sprintf(journal.LocalBy+"%s, process %d", host, os.Getpid())
}

// startBackup starts keeping the log up, of which so many entries are there.
func (r *Run) startBackup(ctx context.Context, logged int, rest [][]byte, p *patience) (*backup, error) {
	b := &backup{
		bucket: r.opts.Bucket, run: r, store: r.store, shape: worker.ShapeOf(r.scheme),
		patience: p, ended: make(chan struct{}), failed: make(chan struct{}),
		wake: make(chan struct{}, 1), moved: make(chan struct{}, 1), logged: logged,
	}
	for i, body := range rest {
		if err := b.add(body); err != nil {
			return nil, fmt.Errorf("journal entry %d: %w", logged+i, err)
		}
	}
	// It outlives an interrupt by a moment: see settle.
	ctx, b.cancel = context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer close(b.ended)
		b.fail(b.keep(ctx))
	}()
	r.live.keep(b)
	return b, nil
}

// stop ends the goroutines. What is not in the bucket stays out of it.
func (b *backup) stop() {
	b.cancel()
	<-b.ended
}

func tellOne(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // told already
	}
}

// add notes an entry that goes to the log.
func (b *backup) add(body []byte) error {
	e, err := journal.ReadEntry(body, b.run.spec.Partitions)
	if err != nil {
		return err
	}
	p := &pendingEntry{body: body, layer: e.Layer}
	if p.layer != nil {
		for part, n := range p.layer.PartStates {
			if n > 0 {
				p.parts = append(p.parts, uint32(part))
			}
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pending = append(b.pending, p)
	if p.layer != nil {
		b.bytes += p.layer.Bytes
	}
	tellOne(b.wake)
	return nil
}

// fail ends the backup, if there is an error that does.
func (b *backup) fail(err error) {
	if err == nil || errors.Is(err, context.Canceled) {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err == nil {
		b.err = err
		close(b.failed)
	}
}

// failure returns why the backup has ended, or nil.
func (b *backup) failure() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// keep writes what is to be written until ctx ends.
func (b *backup) keep(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var wait sync.WaitGroup
	defer wait.Wait()
	defer cancel(nil)
	for {
		for p := b.nextObject(); p != nil; p = b.nextObject() {
			wait.Go(func() {
				if err := b.upload(ctx, p); err != nil {
					cancel(err)
				}
			})
		}
		n, entry, err := b.nextEntry()
		if err != nil {
			return err
		}
		if entry != nil {
			err := b.patience.try(ctx, func() error { return b.bucket.Append(ctx, n, entry) })
			if err != nil && ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err != nil {
				return b.explain(ctx, err)
			}
			b.appended()
			continue
		}
		select {
		case <-b.wake:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// explain finds out who has taken the log over.
func (b *backup) explain(ctx context.Context, err error) error {
	var taken *checkpoint.TakenError
	if !errors.As(err, &taken) {
		return err
	}
	elsewhere := &ElsewhereError{Dir: b.run.dir, URL: b.bucket.URL(), Entry: taken.N, Now: true}
	if stored, err := readStored(ctx, b.bucket, b.patience); err == nil {
		elsewhere.By = journal.Who(stored.By)
	}
	return elsewhere
}

// nextObject returns a layer whose object can be written now, and marks it.
func (b *backup) nextObject() *pendingEntry {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.pending {
		if p.layer == nil || p.begun {
			continue
		}
		if b.busy > 0 && (b.busy == uploadsAtOnce || b.writing+p.layer.Bytes > uploadsAtOnceBytes) {
			return nil
		}
		p.begun = true
		b.busy++
		b.writing += p.layer.Bytes
		return p
	}
	return nil
}

// nextEntry returns the next entry of the log with its number, or nil if there is
// none yet.
func (b *backup) nextEntry() (int, []byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.pending) == 0 {
		return 0, nil, nil
	}
	p := b.pending[0]
	if p.layer == nil {
		return b.logged, p.body, nil
	}
	if !p.written {
		return 0, nil, nil
	}
	entry, err := journal.WithObjects(p.body, []journal.Object{{Name: objectName(p.layer), Bytes: p.bytes, Partitions: p.parts}})
	return b.logged, entry, err
}

func objectName(l *core.Layer) string {
	return checkpoint.ObjectName(uint8(l.Phase), l.Depth, l.Epoch, writerName)
}

// appended notes that the next entry is in the log.
func (b *backup) appended() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if l := b.pending[0].layer; l != nil {
		b.bytes -= l.Bytes
	}
	b.pending = b.pending[1:]
	b.logged++
	tellOne(b.moved)
}

// upload writes the object of a layer, unless it is there already.
func (b *backup) upload(ctx context.Context, p *pendingEntry) error {
	var bytes int64
	err := b.patience.try(ctx, func() (err error) {
		bytes, err = b.bucket.Stat(ctx, objectName(p.layer))
		if errors.Is(err, checkpoint.ErrNotExist) {
			bytes, err = b.writeObject(ctx, p)
		}
		return err
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	b.busy--
	b.writing -= p.layer.Bytes
	if err == nil {
		p.written, p.bytes = true, bytes
	}
	tellOne(b.wake)
	return err
}

func (b *backup) writeObject(ctx context.Context, p *pendingEntry) (int64, error) {
	w, err := b.bucket.NewLayer(ctx, objectName(p.layer))
	if err != nil {
		return 0, err
	}
	defer w.Abort()
	var block []byte
	for _, part := range p.parts {
		if block, err = b.copyBlocks(p.layer, part, w, block); err != nil {
			return 0, err
		}
	}
	return w.Close()
}

// copyBlocks copies the blocks of a partition, through a buffer that it returns.
func (b *backup) copyBlocks(l *core.Layer, part uint32, w *checkpoint.LayerWriter, block []byte) (_ []byte, err error) {
	c, err := b.store.NewCursor(b.shape, runID(*l), part)
	if err != nil {
		return block, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	for n := 0; ; n++ {
		if block, err = c.NextBlock(block[:0]); err != nil {
			return block, err
		}
		switch {
		case len(block) == 0 && n == 0:
			return block, fmt.Errorf("%v layer %d, partition %d: there is nothing to upload", l.Phase, l.Depth, part)
		case len(block) == 0:
			return block, nil
		}
		if err := w.Append(part, block); err != nil {
			return block, err
		}
	}
}

// lags reports whether the next layer should wait.
func (b *backup) lags() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	layers, newest := 0, int64(0)
	for _, p := range b.pending {
		if p.layer != nil {
			layers++
			newest = p.layer.Bytes
		}
	}
	return b.bytes-newest > lagBytesMax || layers > lagLayersMax
}

// empty reports whether the bucket has everything.
func (b *backup) empty() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.pending) == 0
}

// until waits until something holds that changes when the log grows.
func (b *backup) until(ctx context.Context, holds func() bool) error {
	if b == nil || holds() {
		return nil
	}
	b.setWaiting(true)
	defer b.setWaiting(false)
	for !holds() {
		select {
		case <-b.moved:
		case <-b.failed:
			return b.failure()
		case <-b.store.Failed():
			return b.store.Err()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (b *backup) setWaiting(waiting bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = waiting
}

// roomy waits until the bucket does not lag too far behind.
func (b *backup) roomy(ctx context.Context) error {
	return b.until(ctx, func() bool { return !b.lags() })
}

// drained waits until the bucket has everything.
func (b *backup) drained(ctx context.Context) error { return b.until(ctx, b.empty) }

func (b *backup) progress() *BucketProgress {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	p := &BucketProgress{Bytes: b.bytes, Waiting: b.waiting, Trouble: b.patience.trouble()}
	for _, e := range b.pending {
		if e.layer != nil {
			p.Layers++
		}
	}
	return p
}

// compare makes the journal and the log of a bucket agree as far as that is to be
// had, and returns how many entries the log has and those of the journal that it
// has not. What the log has more is fetched, if the run may be written.
func (r *Run) compare(ctx context.Context, p *patience) (logged int, rest [][]byte, err error) {
	stored, err := readStored(ctx, r.opts.Bucket, p)
	if err != nil {
		return 0, nil, err
	}
	if err := r.sameRun(stored); err != nil {
		return 0, nil, err
	}
	var own journal.Entries
	err = r.store.Journal(func(entry []byte) error {
		own = append(own, slices.Clone(entry))
		return nil
	})
	if err != nil {
		return 0, nil, err
	}
	same, err := journal.Diverge(own, stored.Entries)
	switch {
	case err != nil:
		return 0, nil, err
	case same == len(stored.Entries):
		return same, own[same:], nil
	case same < len(own) && !r.opts.ReadOnly && onlySessions(own[same:]):
		// Nothing came of them, and the log has others in their place.
		if err := r.makeWritable(); err != nil {
			return 0, nil, err
		}
		if err := r.store.TruncateJournal(uint64(same)); err != nil {
			return 0, nil, err
		}
	case same < len(own):
		return 0, nil, &ElsewhereError{Dir: r.dir, URL: stored.Run.URL(), By: journal.Who(stored.By), Entry: same}
	case r.opts.ReadOnly:
		return len(stored.Entries), nil, nil
	}
	return len(stored.Entries), nil, r.catchUp(ctx, stored, stored.Entries[same:])
}

// onlySessions reports whether entries say nothing but that sessions began.
func onlySessions(entries [][]byte) bool {
	return !slices.ContainsFunc(entries, func(body []byte) bool {
		e, err := journal.ReadEntry(body, 1)
		return err != nil || e.FirstEpoch == 0
	})
}

// sameRun checks that the bucket has no other run under the name.
func (r *Run) sameRun(stored *Stored) error {
	s, url := &stored.Spec, stored.Run.URL()
	switch {
	case len(stored.Entries) == 0:
		return nil
	case s.Text != r.spec.Text || s.Metric != r.spec.Metric || s.Family != r.spec.Family:
		return fmt.Errorf("%s: %w", url, ErrOtherInBucket)
	case s.Partitions != r.spec.Partitions:
		return fmt.Errorf("%s: %w: it has %d partitions, and %s has %d", url, ErrOtherRun, s.Partitions, r.dir, r.spec.Partitions)
	}
	return nil
}

// catchUp adds entries that the log has more, and their layers.
func (r *Run) catchUp(ctx context.Context, stored *Stored, entries [][]byte) error {
	b := &rebuilding{run: r, layers: stored, progress: r.live.fetched}
	err := b.checkSpace(&stored.History)
	if err == nil {
		r.live.fetch(stored.History.States(core.Forward) + stored.History.States(core.Goal))
		err = b.add(ctx, entries)
		r.live.fetch(0)
	}
	var rerr error
	r.spec, r.history, rerr = journal.Read(r.store)
	return errors.Join(err, rerr)
}

// sessionTriesMax bounds how often a run catches up with one that is going on
// elsewhere, until there is a moment at which it can be taken over.
const sessionTriesMax = 20

// exploreKept is Explore for a run that is kept in a bucket.
func (r *Run) exploreKept(ctx context.Context, want core.Want) (reason core.Reason, err error) {
	for range sessionTriesMax {
		reason, err = r.exploreOnce(ctx, want)
		var elsewhere *ElsewhereError
		if r.began || !errors.As(err, &elsewhere) || !elsewhere.Now {
			break
		}
		// Another's entry came first, and nothing of ours is lost.
	}
	return reason, err
}

func (r *Run) exploreOnce(ctx context.Context, want core.Want) (core.Reason, error) {
	r.began = false
	p := &patience{tell: r.opts.BucketTrouble}
	logged, rest, err := r.compare(ctx, p)
	if err != nil {
		return 0, err
	}
	// Goal distances that were begun elsewhere are ended.
	want.GoalDistance = want.GoalDistance || len(r.history.Layers(core.Goal)) > 0
	if !r.history.Exhausted(want.GoalDistance) {
		if err := r.makeWritable(); err != nil {
			return 0, err
		}
	}
	if err := r.rememberBucket(); err != nil {
		return 0, err
	}
	b, err := r.startBackup(ctx, logged, rest, p)
	if err != nil {
		return 0, err
	}
	r.backup = b
	reason, err := r.explore(ctx, want)
	err = r.settle(ctx, b, want, err)
	b.stop()
	r.backup = nil
	if fatal := r.store.Err(); fatal != nil {
		return 0, fatal
	}
	return reason, err
}

// settle lets the bucket catch up when the exploration has come to its end, and
// tells it how things stand. Who interrupts a run is in a hurry, but the bucket
// is most often only a moment behind.
func (r *Run) settle(ctx context.Context, b *backup, want core.Want, explored error) error {
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
		r.tellBucket(short, b, want, err)
	}
	return err
}

// tellBucket writes the control object at the end of the work on a run. It is
// no part of the record of truth: without it the run is as one whose process was
// killed.
func (r *Run) tellBucket(ctx context.Context, b *backup, want core.Want, err error) {
	if later, lerr := b.bucket.Log(ctx, b.entries()); lerr != nil || len(later) > 0 {
		return // it goes on elsewhere already
	}
	c, known := r.control(ctx, want)
	if !r.began && known {
		return // nothing was done
	}
	switch {
	case err == nil:
		c.State = journal.StateStopped
	case errors.Is(err, context.Canceled):
		c.State = journal.StatePaused
	default:
		c.State, c.Failure = journal.StateFailed, strings.Join(strings.Fields(err.Error()), " ")
	}
	_ = r.setControl(ctx, c) // as said
}

func (b *backup) entries() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.logged
}

// control returns a control object with what is wanted now, and whether the
// bucket has one.
func (r *Run) control(ctx context.Context, want core.Want) (journal.Control, bool) {
	c := journal.Control{Submitted: time.Now().UTC(), Want: want}
	body, err := r.opts.Bucket.Control(ctx)
	if err != nil {
		return c, false
	}
	if old, err := journal.ReadControl(body); err == nil && !old.Submitted.IsZero() {
		c.Submitted = old.Submitted
	}
	return c, true
}

func (r *Run) setControl(ctx context.Context, c journal.Control) error {
	body, err := c.Body()
	if err != nil {
		return err
	}
	return r.opts.Bucket.SetControl(ctx, body)
}

// beginSession begins a session in the bucket. An entry of the log that is ours
// says that nobody else uses its epochs; the log has it before the journal does,
// so that who comes second has nothing that the other has not.
func (b *backup) beginSession(ctx context.Context, session []byte, want core.Want) error {
	if err := b.drained(ctx); err != nil {
		return err
	}
	if err := b.add(session); err != nil {
		return err
	}
	if err := b.drained(ctx); err != nil {
		return err
	}
	c, _ := b.run.control(ctx, want)
	c.State = journal.StateRunning
	err := b.patience.try(ctx, func() error { return b.run.setControl(ctx, c) })
	if err != nil {
		b.fail(err)
	}
	return err
}

// Checkpoint brings all that is committed to the bucket. It begins no session, so
// that whoever works on the run is not disturbed. It returns how many entries the
// bucket has, which may be more than the run does.
//
// The run is kept there from then on, if it was kept nowhere.
func (r *Run) Checkpoint(ctx context.Context) (entries int, err error) {
	p := &patience{tell: r.opts.BucketTrouble}
	logged, rest, err := r.compare(ctx, p)
	if err != nil {
		return 0, err
	}
	if r.opts.FS == nil {
		if url, err := KeptIn(r.dir); err == nil && url == "" {
			if err := r.rememberBucket(); err != nil {
				return 0, err
			}
		}
	}
	if len(rest) == 0 {
		return logged, nil
	}
	b, err := r.startBackup(ctx, logged, rest, p)
	if err != nil {
		return logged, err
	}
	err = b.drained(ctx)
	if err == nil {
		if c, known := r.control(ctx, core.Want{MaxDepth: -1, GoalDistance: len(r.history.Layers(core.Goal)) > 0}); !known {
			c.State = journal.StatePaused
			if r.history.Exhausted(c.Want.GoalDistance) {
				c.State = journal.StateStopped
			}
			err = p.try(ctx, func() error { return r.setControl(ctx, c) })
		}
	}
	b.stop()
	return b.entries(), err
}
