package server

import (
	"bytes"
	"errors"
	"time"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/discard"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/coordinator/requests"
	"github.com/everystate/everystate/coordinator/scrub"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/store/bucket"
)

// backup keeps the log of a run in a bucket up to date with its journal. The server's
// mutex guards it, except for bucket.
type backup struct {
	server *Server
	run    *run
	bucket *bucket.Run
	url    string

	ready    bool            // the log has been compared with the journal
	known    journal.Entries // entries of the log read so far
	busy     bool            // a goroutine is at work on it
	idle     chan struct{}   // closed when the goroutine has ended
	copy     journal.Copy
	control  []byte // to be written, nil if the bucket has it
	patience bucket.Patience
	trying   bool // an entry was sent to the log, which may have it or not
	cutLater bool // the journal is to be cut back once that is known
	conflict bool // another coordinator has continued the log
	removed  bool // somebody has removed the run from the bucket, which counts as a conflict

	scrubbed scrub.State     // what is known of the objects in the bucket
	discard  discard.Objects // guarded by nothing: of the goroutine that keeps the log

	stuckSince core.Ticks // since when nobody works on the run and a worker it needs is away; 0 if not so

	told    core.Durable // what the core was last told
	changed chan struct{}
}

func newBackup(r *run, b *bucket.Bucket) *backup {
	kept := b.Run(r.name)
	return &backup{
		server: r.server, run: r, bucket: kept, url: kept.URL(), changed: make(chan struct{}, 1),
		discard: discard.Objects{Run: kept, Keep: r.spec.Keep},
		patience: bucket.Patience{Tell: func(err error) {
			var hole *bucket.HoleError
			switch {
			case err == nil:
				r.server.log.Info("the bucket is back", "run", r.name)
			case errors.As(err, &hole):
				r.server.log.Error("the log of a run has a hole; nothing is added to it until the entry is back", "run", r.name, "missing", hole.N, "error", oneLine(err.Error()))
			default:
				r.server.log.Warn("the bucket rejects writes; retrying until it accepts them", "run", r.name, "error", oneLine(err.Error()))
			}
		}},
	}
}

func (b *backup) wake() {
	select {
	case b.changed <- struct{}{}:
	default: // told already
	}
}

func (b *backup) noteControl(body []byte) {
	b.control = body
	b.wake()
}

// follow starts copying the journal, of which the log already has that many entries.
func (b *backup) follow(logged int) error {
	return b.copy.Follow(b.run.log, b.run.spec.Partitions, logged, b.run.history.Identity(), "", time.Now())
}

// uploads returns what a worker has to upload: nothing before the run's log has begun.
func (b *backup) uploads(worker string) []*everystatev1.Upload {
	if b == nil || !b.ready || b.copy.Logged() == 0 {
		return nil
	}
	out := b.lostOf(worker)
	for _, u := range b.copy.Pending() {
		share := u.Share(worker)
		if share == nil || share.Written {
			continue
		}
		out = append(out, &everystatev1.Upload{
			Run: b.run.name, Phase: wire.Phase(u.Layer.Phase), Depth: u.Layer.Depth, Epoch: uint64(u.Layer.Epoch),
			Bucket: b.url, Partitions: share.Partitions, RunIdentity: wire.Identity(u.Identity),
			Dropped: b.run.job.past().Dropped(u.Layer),
		})
		if len(out) >= requests.UploadsMax {
			break
		}
	}
	return out
}

// keptFrom returns the depth above which the log has dropped layers.
func (b *backup) keptFrom() uint32 {
	if b == nil || !b.ready {
		return 0
	}
	return b.copy.Dropped().KeptFrom
}

// uploaded notes what a worker has uploaded.
func (b *backup) uploaded(worker string, u *everystatev1.Upload) {
	if b == nil {
		return
	}
	if u.GetObject() != "" {
		b.rewritten(u)
		return
	}
	for _, p := range b.copy.Pending() {
		l, share := &p.Layer, p.Share(worker)
		if wire.Phase(l.Phase) == u.GetPhase() && l.Depth == u.GetDepth() && uint64(l.Epoch) == u.GetEpoch() && share != nil &&
			bytes.Equal(wire.Identity(p.Identity), u.GetRunIdentity()) {
			share.Written, share.Bytes = u.GetBytes() > 0 || b.run.job.past().Dropped(*l), int64(u.GetBytes())
			b.wake()
		}
	}
}

// next returns the next entry for the log, or nil if there is none yet.
func (b *backup) next() ([]byte, error) {
	if b.conflict || !b.ready || !b.behindJournal() || b.run.control.Elsewhere { // one that was only found is others' to write
		return nil, nil
	}
	return b.copy.Next(b.run.log[b.copy.Logged()])
}

// behindJournal reports whether the log does not have all of the journal.
func (b *backup) behindJournal() bool { return b.copy.Logged() < len(b.run.log) }

// durable returns how many entries of the journal the bucket has. The first one, with which
// a run is there for others, counts once the run's limits are there too.
func (b *backup) durable() int {
	n := b.copy.Logged()
	if n == 1 && b.control != nil {
		return 0
	}
	return n
}
