package engine

import (
	"cmp"
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/discard"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/store/bucket"
	"github.com/everystate/everystate/store/layerobject"
	"github.com/everystate/everystate/worker"
)

const (
	// uploadsAtOnce small objects are written concurrently. An object on S3 takes
	// twice its size in memory, and up to s3Memory if it is large.
	uploadsAtOnce      = 8
	uploadsAtOnceBytes = 8 << 20
	s3Memory           = 56 << 20

	// writerName identifies this package in the names of objects.
	writerName = "local"
)

// backup keeps the log of a run in a bucket up to date with its journal. The log
// has an entry only after everything before it and, if the entry commits a layer,
// the layer's object. One goroutine appends entries, others write objects ahead of
// it; they read the run's store, which must stay open until stop has returned.
type backup struct {
	bucket *bucket.Run
	run    *Run
	store  *store.Store
	shape  store.Shape

	patience *bucket.Patience
	cancel   context.CancelFunc
	ended    chan struct{}
	failed   chan struct{} // closed when err is set
	wake     chan struct{} // capacity 1: signals that there may be something to do
	moved    chan struct{} // the same, for those who wait for the log

	discard discard.Objects // of the goroutine that appends
	before  history.History // when the backup began: layers dropped by then may never have been uploaded

	mu      sync.Mutex // guards the fields below
	copy    journal.Copy
	rest    [][]byte // journal entries that the log does not have
	busy    int      // objects being written
	writing int64    // their bytes
	waiting bool
	err     error
}

// startBackup starts keeping the log, which has the first logged entries, up to
// date.
func (r *Run) startBackup(ctx context.Context, logged int, p *bucket.Patience) (*backup, error) {
	b := &backup{
		bucket: r.opts.Bucket, run: r, store: r.store, shape: worker.ShapeOf(r.scheme),
		patience: p, ended: make(chan struct{}), failed: make(chan struct{}),
		wake: make(chan struct{}, 1), moved: make(chan struct{}, 1),
		discard: discard.Objects{Run: r.opts.Bucket, Keep: r.spec.Keep}, before: r.history,
	}
	b.discard.Begin()
	own, err := entriesOf(r.store)
	if err != nil {
		return nil, err
	}
	if err := b.copy.Follow(own, r.spec.Partitions, logged, r.history.Identity(), writerName, time.Now()); err != nil {
		return nil, err
	}
	b.rest = own[min(logged, len(own)):]
	// The backup outlives an interrupt briefly: see settle.
	ctx, b.cancel = context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer close(b.ended)
		b.fail(b.keep(ctx))
	}()
	r.live.keep(b)
	return b, nil
}

// stop ends the goroutines. What is not yet in the bucket is not written; what the log has
// dropped is removed, or when the run is taken up again.
func (b *backup) stop() {
	b.cancel()
	<-b.ended
	if b.failure() == nil {
		ctx, cancel := context.WithTimeout(context.Background(), stopGrace)
		defer cancel()
		b.discard.Begin()
		_ = b.discard.Remove(ctx, b.dropped())
	}
}

func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // a signal is pending already
	}
}

// add queues an entry for the log.
func (b *backup) add(body []byte) error {
	e, err := journal.ReadEntry(body, b.run.spec.Partitions)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rest = append(b.rest, body)
	if l := e.Layer; l != nil {
		b.copy.Await(b.copy.Logged()+len(b.rest)-1, *l, nil, b.run.history.Identity(), writerName, time.Now())
	}
	notify(b.wake)
	return nil
}

// fail ends the backup if err is an error other than a cancellation.
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

// failure returns the error that ended the backup, or nil.
func (b *backup) failure() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// keep writes objects and entries as they come until ctx ends.
func (b *backup) keep(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var wait sync.WaitGroup
	defer wait.Wait()
	defer cancel(nil)
	for {
		if err := b.patience.Try(ctx, func() error { return b.discard.Remove(ctx, b.dropped()) }); err != nil {
			return cmp.Or(context.Cause(ctx), err)
		}
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
			err := b.patience.Try(ctx, func() error { return b.bucket.Append(ctx, n, entry) })
			if err != nil && ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err != nil {
				return b.explain(ctx, err)
			}
			b.appended()
			if err := b.discard.Logged(entry, b.run.spec.Partitions); err != nil {
				return err
			}
			continue
		}
		select {
		case <-b.wake:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// explain turns an error that reports that another process has taken the log over
// into an ElsewhereError that names it.
func (b *backup) explain(ctx context.Context, err error) error {
	var taken *bucket.TakenError
	if !errors.As(err, &taken) {
		return err
	}
	elsewhere := &ElsewhereError{Dir: b.run.dir, URL: b.bucket.URL(), Entry: taken.N, Now: true}
	if stored, err := readStored(ctx, b.bucket, b.patience); err == nil {
		elsewhere.By = journal.Who(stored.By)
	}
	return elsewhere
}

// nextObject returns a layer whose object can be written now, and marks it as
// begun. A run in a bucket begins with its log: before the log has an entry, objects
// would be remains of a deleted run.
func (b *backup) nextObject() *journal.Uncopied {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.copy.Logged() == 0 {
		return nil
	}
	for _, u := range b.copy.Pending() {
		s := u.Share(writerName)
		if s == nil || s.Begun {
			continue
		}
		if b.busy > 0 && (b.busy == uploadsAtOnce || b.writing+u.Layer.Bytes > uploadsAtOnceBytes) {
			return nil
		}
		s.Begun = true
		b.busy++
		b.writing += u.Layer.Bytes
		return u
	}
	return nil
}

// nextEntry returns the next entry of the log with its number, or nil if there is
// none yet.
func (b *backup) nextEntry() (int, []byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.rest) == 0 {
		return 0, nil, nil
	}
	entry, err := b.copy.Next(b.rest[0])
	return b.copy.Logged(), entry, err
}

// appended notes that the next entry is in the log.
func (b *backup) appended() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.copy.Appended()
	b.rest = b.rest[1:]
	notify(b.moved)
}

// upload writes the object of a layer unless it exists already.
func (b *backup) upload(ctx context.Context, u *journal.Uncopied) error {
	var bytes int64
	share, name := u.Share(writerName), u.Name(writerName)
	err := b.patience.Try(ctx, func() (err error) {
		bytes, err = b.bucket.Stat(ctx, name)
		if errors.Is(err, bucket.ErrNotExist) {
			bytes, err = layerobject.Write(ctx, b.bucket, name, b.store, b.shape, segmentID(u.Layer), share.Partitions)
		}
		return err
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	b.busy--
	b.writing -= u.Layer.Bytes
	if errors.Is(err, layerobject.ErrNoRecords) && b.before.Dropped(u.Layer) {
		bytes, err = 0, nil // dropped before the run was kept in this bucket
	}
	if err == nil {
		share.Written, share.Bytes = true, bytes
	}
	notify(b.wake)
	return err
}

// durable returns how many layers of each phase the log has.
func (b *backup) durable() core.Durable {
	b.mu.Lock()
	defer b.mu.Unlock()
	return core.Durable{Forward: b.copy.Layers(history.Forward), Goal: b.copy.Layers(history.Goal)}
}

// dropped returns which layers the log has dropped.
func (b *backup) dropped() journal.Dropped {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.copy.Dropped()
}

// removable returns the depth above which dropped layers may be removed: the bucket needs
// no others any more.
func (b *backup) removable() uint32 {
	if b == nil {
		return math.MaxUint32
	}
	return b.dropped().KeptFrom
}

// empty reports whether the bucket has everything.
func (b *backup) empty() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.rest) == 0
}

// until waits until holds returns true. It asks again whenever the log has grown.
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
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting = waiting
}

// drained waits until the bucket has everything.
func (b *backup) drained(ctx context.Context) error { return b.until(ctx, b.empty) }

func (b *backup) progress() *BucketProgress {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return &BucketProgress{Layers: len(b.copy.Pending()), Bytes: b.copy.Bytes(), Waiting: b.waiting, Trouble: b.patience.Trouble()}
}

// beginSession begins a session in the bucket. If our entry is in the log, nobody
// else uses its epochs. It goes to the log before the journal, so a process that
// loses the race has written nothing that the winner lacks.
func (b *backup) beginSession(ctx context.Context, session []byte, want history.Want) error {
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
	c.State = history.Running
	err := b.patience.Try(ctx, func() error { return c.Store(ctx, b.bucket) })
	if err != nil {
		b.fail(err)
	}
	return err
}

func (b *backup) entries() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.copy.Logged()
}
