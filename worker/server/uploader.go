package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/store/bucket"
	"github.com/everystate/everystate/store/layerobject"
)

// uploadsAtOnce is the number of objects written side by side.
const uploadsAtOnce = 4

// uploader writes this worker's shares of committed layers into buckets while the next
// layers are made.
type uploader struct {
	self    string
	stores  *stores
	buckets *bucket.Pool
	log     *slog.Logger
	bytes   *atomic.Int64 // written in total, nil if not counted
	ordered chan struct{} // signals, with room for one message, that there is something new

	mu      sync.Mutex // guards the fields below
	wanted  []*upload
	trouble string
}

// upload is one object to be written. The uploader's mutex guards it.
type upload struct {
	order    *everystatev1.Upload
	busy     bool
	done     bool
	bytes    int64
	failures int
}

func newUploader(self string, stores *stores, buckets *bucket.Pool, log *slog.Logger) *uploader {
	return &uploader{self: self, stores: stores, buckets: buckets, log: log, ordered: make(chan struct{}, 1)}
}

// take adopts the list of what is to be uploaded now. Uploads under way continue.
func (u *uploader) take(orders []*everystatev1.Upload) {
	u.mu.Lock()
	defer u.mu.Unlock()
	known := make(map[string]*upload, len(u.wanted))
	for _, w := range u.wanted {
		known[uploadKey(w.order)] = w
	}
	u.wanted = nil
	for _, o := range orders {
		w := known[uploadKey(o)]
		if w == nil {
			w = &upload{order: o}
			tell(u.ordered)
		}
		u.wanted = append(u.wanted, w)
	}
	if len(u.wanted) == 0 {
		u.trouble = ""
	}
}

func uploadKey(o *everystatev1.Upload) string {
	return fmt.Sprint(o.GetRun(), o.GetPhase(), o.GetDepth(), o.GetEpoch(), string(o.GetRunIdentity()), o.GetBucket(), o.GetPartitions(), o.GetObject(), o.GetDamaged())
}

// report returns which of the wanted uploads are done, and why the others are not.
func (u *uploader) report() (done []*everystatev1.Upload, trouble string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, w := range u.wanted {
		if w.done {
			done = append(done, &everystatev1.Upload{
				Run: w.order.GetRun(), Phase: w.order.GetPhase(), Depth: w.order.GetDepth(), Epoch: w.order.GetEpoch(),
				Bytes: uint64(w.bytes), RunIdentity: w.order.GetRunIdentity(), Object: w.order.GetObject(), Damaged: w.order.GetDamaged(),
			})
		}
	}
	return done, u.trouble
}

// loop uploads what is wanted until ctx ends. news is called when there is
// something to report.
func (u *uploader) loop(ctx context.Context, news func()) {
	var wait sync.WaitGroup
	defer wait.Wait()
	free := make(chan struct{}, uploadsAtOnce)
	for {
		w := u.next()
		if w == nil {
			select {
			case <-ctx.Done():
				return
			case <-u.ordered:
			}
			continue
		}
		select {
		case <-ctx.Done():
			return
		case free <- struct{}{}:
		}
		wait.Go(func() {
			u.perform(ctx, w)
			news()
			<-free
		})
	}
}

// next returns an upload that is not under way, and marks it as busy.
func (u *uploader) next() *upload {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, w := range u.wanted {
		if !w.busy && !w.done {
			w.busy = true
			return w
		}
	}
	return nil
}

// perform uploads an object, and has a failed upload retried after a while.
func (u *uploader) perform(ctx context.Context, w *upload) {
	bytes, err := u.upload(ctx, w.order)
	u.mu.Lock()
	defer u.mu.Unlock()
	if err == nil {
		w.done, w.bytes, u.trouble = true, bytes, ""
		if u.bytes != nil {
			u.bytes.Add(bytes)
		}
		return
	}
	if ctx.Err() != nil {
		return
	}
	level := slog.LevelWarn
	if u.trouble != "" {
		level = slog.LevelDebug // it was said before
	}
	u.trouble = cut(strings.Join(strings.Fields(err.Error()), " "))
	u.log.Log(ctx, level, "an upload failed; retrying", "run", w.order.GetRun(), "error", u.trouble)
	w.failures++
	time.AfterFunc(bucket.RetryAfter(w.failures), func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		w.busy = false
		tell(u.ordered)
	})
}

// upload writes one object, unless it is there already. An object reported lost is
// replaced unless the one there has the expected size.
func (u *uploader) upload(ctx context.Context, o *everystatev1.Upload) (bytes int64, err error) {
	phase, err := phaseOf(o.GetPhase())
	if err != nil {
		return 0, err
	}
	bkt, err := u.buckets.Run(ctx, o.GetBucket())
	if err != nil {
		return 0, err
	}
	id := store.SegmentID{Phase: phase, Layer: o.GetDepth(), Epoch: uint32(o.GetEpoch())}
	meant, err := wire.IdentityOf(o.GetRunIdentity())
	if err != nil {
		return 0, err
	}
	object, lost := o.GetObject(), o.GetObject() != ""
	if !lost {
		object = bucket.ObjectName(id.Phase, id.Layer, id.Epoch, meant.Writer(u.self))
	}
	bytes, err = bkt.Stat(ctx, object)
	if err == nil && lost && (o.GetDamaged() || uint64(bytes) != o.GetBytes()) {
		err = bucket.ErrNotExist // what is there is damaged
	}
	if !errors.Is(err, bucket.ErrNotExist) {
		return bytes, err
	}
	run, err := u.stores.take(o.GetRun(), nil)
	if err != nil {
		return 0, err
	}
	defer func() {
		if o.GetDropped() && errors.Is(err, layerobject.ErrNoRecords) {
			bytes, err = 0, nil
		}
		u.stores.noteDamage(run.name, err)
		err = errors.Join(err, u.stores.give(run))
	}()
	if here := run.identity(); meant.Known() && here.Known() && here != meant {
		return 0, fmt.Errorf("run %s here is %v, and %v is to be uploaded", run.name, here, meant)
	}
	if lost {
		return layerobject.Rewrite(ctx, bkt, object, int64(o.GetBytes()), run.store, run.shape, id, o.GetPartitions())
	}
	return layerobject.Write(ctx, bkt, object, run.store, run.shape, id, o.GetPartitions())
}
