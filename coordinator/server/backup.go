package server

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/store/bucket"
)

const (
	// uploadsMax is the number of uploads in an answer.
	uploadsMax = 64
)

// backup is how far a run's bucket is. The log in the bucket is a copy of the
// journal that follows behind it: an entry is there when everything before it is,
// and, if it commits a layer, all blocks of the layer. The server's mutex guards
// it, except for bucket.
type backup struct {
	server *Server
	run    *run
	bucket *bucket.Run
	url    string

	ready       bool            // the log has been compared with the journal
	known       journal.Entries // of the log, that have been read
	busy        bool            // a goroutine is at work on it
	idle        chan struct{}   // closed when the goroutine has ended
	logged      int             // entries in the log
	durable     [history.Goal + 1]int
	pending     []*pendingLayer // of the journal, not in the log
	control     []byte          // to be written, nil if it is there
	trouble     string
	toldTrouble time.Time // when it was logged last
	conflict    bool      // the log has gone on without this coordinator

	stuckSince core.Ticks // nobody works on the run, and a worker that it needs is away; 0 if not

	told    core.Durable // what the core was told last
	changed chan struct{}
}

// pendingLayer is a layer that is not in the log yet.
type pendingLayer struct {
	index   int // of its entry
	since   time.Time
	layer   history.Layer
	run     history.Identity    // when it was ordered to be uploaded: in the names of its objects
	writers map[string][]uint32 // their partitions that hold states
	done    map[string]int64    // bytes of the objects that are in the bucket
}

func (l *pendingLayer) complete() bool { return len(l.done) == len(l.writers) }

func newBackup(r *run, b *bucket.Bucket) *backup {
	kept := b.Run(r.name)
	return &backup{server: r.server, run: r, bucket: kept, url: kept.URL(), changed: make(chan struct{}, 1)}
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

// follow notes the entries of the journal that are not in the log.
func (b *backup) follow() error {
	b.pending, b.durable = nil, [history.Goal + 1]int{}
	var place *history.Placement
	for i, entry := range b.run.log {
		e, err := journal.ReadEntry(entry, b.run.spec.Partitions)
		if err != nil {
			return fmt.Errorf("journal entry %d: %w", i, err)
		}
		switch {
		case e.Placement != nil:
			place = e.Placement
		case e.Layer != nil && i < b.logged:
			b.durable[e.Layer.Phase]++
		case e.Layer != nil:
			if place == nil {
				return fmt.Errorf("journal entry %d: a layer that no worker has", i)
			}
			b.await(i, *e.Layer, *place, b.run.history.Identity())
		}
	}
	return nil
}

// await notes a layer that is to be uploaded by those who keep its partitions.
func (b *backup) await(index int, l history.Layer, place history.Placement, run history.Identity) {
	p := &pendingLayer{index: index, since: time.Now(), layer: l, run: run, writers: make(map[string][]uint32), done: make(map[string]int64)}
	for part, n := range l.PartStates {
		if n > 0 {
			name := place.Workers[place.Homes[part]]
			p.writers[name] = append(p.writers[name], uint32(part))
		}
	}
	b.pending = append(b.pending, p)
}

// uploads returns what a worker has to upload.
func (b *backup) uploads(worker string) []*everystatev1.Upload {
	if b == nil || !b.ready {
		return nil
	}
	var out []*everystatev1.Upload
	for _, p := range b.pending {
		parts := p.writers[worker]
		if _, done := p.done[worker]; done || len(parts) == 0 {
			continue
		}
		out = append(out, &everystatev1.Upload{
			Run: b.run.name, Phase: wire.Phase(p.layer.Phase), Depth: p.layer.Depth, Epoch: uint64(p.layer.Epoch),
			Bucket: b.url, Partitions: parts, RunIdentity: wire.Identity(p.run),
		})
		if len(out) == uploadsMax {
			break
		}
	}
	return out
}

// uploaded notes what a worker has uploaded.
func (b *backup) uploaded(worker string, u *everystatev1.Upload) {
	if b == nil {
		return
	}
	for _, p := range b.pending {
		l := &p.layer
		if wire.Phase(l.Phase) == u.GetPhase() && l.Depth == u.GetDepth() && uint64(l.Epoch) == u.GetEpoch() && len(p.writers[worker]) > 0 &&
			bytes.Equal(wire.Identity(p.run), u.GetRunIdentity()) {
			p.done[worker] = int64(u.GetBytes())
			b.wake()
		}
	}
}

// missing returns the workers that the next entry of the log waits for.
func (b *backup) missing() []string {
	if len(b.pending) == 0 || b.pending[0].index != b.logged {
		return nil
	}
	var names []string
	for name := range b.pending[0].writers {
		if _, done := b.pending[0].done[name]; !done {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// next returns the next entry for the log, or nil if there is none yet.
func (b *backup) next() ([]byte, error) {
	if b.conflict || !b.ready || b.logged >= len(b.run.log) {
		return nil, nil
	}
	entry := b.run.log[b.logged]
	if len(b.pending) == 0 || b.pending[0].index != b.logged {
		return entry, nil
	}
	p := b.pending[0]
	if !p.complete() {
		return nil, nil
	}
	var objects []journal.Object
	for _, name := range slices.Sorted(maps.Keys(p.writers)) {
		objects = append(objects, journal.Object{
			Name:  bucket.ObjectName(uint8(p.layer.Phase), p.layer.Depth, p.layer.Epoch, p.run.Writer(name)),
			Bytes: p.done[name], Partitions: p.writers[name],
		})
	}
	return journal.WithObjects(entry, objects)
}

// appended notes that the next entry is in the log.
func (b *backup) appended() {
	if len(b.pending) > 0 && b.pending[0].index == b.logged {
		b.durable[b.pending[0].layer.Phase]++
		b.pending = b.pending[1:]
	}
	b.logged++
}
