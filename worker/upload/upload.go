// Package upload performs the uploads that a coordinator asks for, several at a time, while
// the worker makes the next layers, and retries those that fail. It must never drop an upload
// that is wanted, nor report one as done that is not.
package upload

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/store/bucket"
)

// atOnce is the number of uploads that are performed side by side.
const atOnce = 4

// Queue holds the uploads that are wanted. It is safe for concurrent use.
type Queue struct {
	perform func(context.Context, *everystatev1.Upload) (bytes int64, err error)
	log     *slog.Logger
	bytes   *atomic.Int64
	ordered chan struct{} // signals, with room for one message, that there is something new

	mu      sync.Mutex // guards the fields below
	wanted  []*upload
	trouble string
}

// upload is one object to be written. The queue's mutex guards it.
type upload struct {
	order    *everystatev1.Upload
	busy     bool
	done     bool
	bytes    int64
	failures int
}

// New returns an empty queue. perform performs an upload and returns the size of the
// object, which is added to bytes; the text of its errors is reported as it is.
func New(perform func(context.Context, *everystatev1.Upload) (bytes int64, err error), bytes *atomic.Int64, log *slog.Logger) *Queue {
	return &Queue{perform: perform, bytes: bytes, log: log, ordered: make(chan struct{}, 1)}
}

// tell signals that there is something new.
func (q *Queue) tell() {
	select {
	case q.ordered <- struct{}{}:
	default: // told already
	}
}

// Take adopts the list of what is to be uploaded now. Uploads under way continue.
func (q *Queue) Take(orders []*everystatev1.Upload) {
	q.mu.Lock()
	defer q.mu.Unlock()
	known := make(map[string]*upload, len(q.wanted))
	for _, w := range q.wanted {
		known[keyOf(w.order)] = w
	}
	q.wanted = nil
	for _, o := range orders {
		w := known[keyOf(o)]
		if w == nil {
			w = &upload{order: o}
			q.tell()
		}
		q.wanted = append(q.wanted, w)
	}
	if len(q.wanted) == 0 {
		q.trouble = ""
	}
}

func keyOf(o *everystatev1.Upload) string {
	return fmt.Sprint(o.GetRun(), o.GetPhase(), o.GetDepth(), o.GetEpoch(), string(o.GetRunIdentity()), o.GetBucket(), o.GetPartitions(), o.GetObject(), o.GetDamaged())
}

// Report returns which of the wanted uploads are done, and why the others are not.
func (q *Queue) Report() (done []*everystatev1.Upload, trouble string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, w := range q.wanted {
		if w.done {
			done = append(done, &everystatev1.Upload{
				Run: w.order.GetRun(), Phase: w.order.GetPhase(), Depth: w.order.GetDepth(), Epoch: w.order.GetEpoch(),
				Bytes: uint64(w.bytes), RunIdentity: w.order.GetRunIdentity(), Object: w.order.GetObject(), Damaged: w.order.GetDamaged(),
			})
		}
	}
	return done, q.trouble
}

// Loop uploads what is wanted until ctx ends. news is called when there is
// something to report.
func (q *Queue) Loop(ctx context.Context, news func()) {
	var wait sync.WaitGroup
	defer wait.Wait()
	free := make(chan struct{}, atOnce)
	for {
		w := q.next()
		if w == nil {
			select {
			case <-ctx.Done():
				return
			case <-q.ordered:
			}
			continue
		}
		select {
		case <-ctx.Done():
			return
		case free <- struct{}{}:
		}
		wait.Go(func() {
			q.try(ctx, w)
			news()
			<-free
		})
	}
}

// next returns an upload that is not under way, and marks it as busy.
func (q *Queue) next() *upload {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, w := range q.wanted {
		if !w.busy && !w.done {
			w.busy = true
			return w
		}
	}
	return nil
}

// try performs an upload, and has a failed one tried again after a while.
func (q *Queue) try(ctx context.Context, w *upload) {
	bytes, err := q.perform(ctx, w.order)
	q.mu.Lock()
	defer q.mu.Unlock()
	if err == nil {
		w.done, w.bytes, q.trouble = true, bytes, ""
		q.bytes.Add(bytes)
		return
	}
	if ctx.Err() != nil {
		return
	}
	level := slog.LevelWarn
	if q.trouble != "" {
		level = slog.LevelDebug // it was said before
	}
	q.trouble = err.Error()
	q.log.Log(ctx, level, "an upload failed; retrying", "run", w.order.GetRun(), "error", q.trouble)
	w.failures++
	time.AfterFunc(bucket.RetryAfter(w.failures), func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		w.busy = false
		q.tell()
	})
}
