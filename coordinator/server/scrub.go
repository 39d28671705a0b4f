package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/store/bucket"
)

// A bucket may lose objects, or have them cut short, long after they were written: by
// a lifecycle rule, by hand, by a disk. A look compares what the log of a run names
// with what the bucket lists, and has workers write again what is lost while they still
// have it.

const (
	// lookAgainTicks is when the next look follows one that failed, or at a bucket that
	// has lost something: whoever was to write it may not have it any more.
	lookAgainTicks core.Ticks = 10_000

	// askedTicks is the least time between two looks, however often somebody asks.
	askedTicks core.Ticks = 1000
)

// looking is what is known of the objects in the bucket. The server's mutex guards it.
type looking struct {
	objects []journal.LayerObject // of the first so many entries of the log
	entries int

	busy   bool // a look is under way
	asked  bool // somebody has asked for one since the last began
	failed bool // the last one did
	last   core.Ticks
	looks  int // that came to an end
	lost   []journal.LayerObject
	writer map[string]string // by object that was lost: the worker that is to write it
	hole   string            // what the log itself lacks
}

// lookAtBuckets begins a look at the run that has waited longest for one, if its time
// has come. There is one at a time.
func lookAtBuckets(s *Server) {
	var next *backup
	for _, r := range s.runs {
		b := r.backup
		switch {
		case b == nil || !b.ready || b.conflict || r.control.Elsewhere:
		case b.look.busy:
			return
		case b.look.due(s.now(), core.Ticks(s.opts.ScrubMillis)) && (next == nil || b.look.last < next.look.last):
			next = b
		}
	}
	if next == nil || s.stopping {
		return
	}
	next.look.busy, next.look.asked, next.look.last = true, false, s.now()
	s.spawn(func(ctx context.Context) { next.lookAtObjects(ctx) })
}

func (l *looking) due(now, interval core.Ticks) bool {
	switch {
	case l.asked:
		interval = min(interval, askedTicks)
	case l.failed || len(l.lost) > 0:
		interval = min(interval, lookAgainTicks)
	}
	return now-l.last >= interval
}

// lookAtObjects takes one look.
func (b *backup) lookAtObjects(ctx context.Context) {
	s := b.server
	s.mu.Lock()
	logged, known, entries := b.copy.Logged(), b.look.objects, b.look.entries
	s.mu.Unlock()
	objects, entries, lost, err := b.compareObjects(ctx, known, entries)
	s.mu.Lock()
	defer s.mu.Unlock()
	l := &b.look
	l.busy, l.failed = false, err != nil
	switch {
	case ctx.Err() != nil || s.runs[b.run.name] != b.run || !b.ready:
		return // the log may be another one's by now
	case err != nil:
		s.log.Warn("cannot compare the bucket with the run's log; trying again later", "run", b.run.name, "error", oneLine(err.Error()))
		return
	}
	l.objects, l.entries, l.hole = objects, entries, ""
	if entries < logged {
		l.objects, l.entries = nil, 0
		l.hole = fmt.Sprintf("entry %d of %s is missing", entries, b.url)
		s.log.Error("the log of a run has a hole", "run", b.run.name, "error", l.hole)
	}
	if len(lost) > 0 && len(l.lost) == 0 {
		s.log.Error("the bucket has lost objects; workers that have the states write them again", "run", b.run.name, "objects", len(lost), "first", lost[0].Name)
	}
	b.setLost(lost)
	if !l.asked {
		l.looks++
	}
}

// compareObjects reads what is new in the log and lists what is in the bucket.
func (b *backup) compareObjects(ctx context.Context, known []journal.LayerObject, from int) (objects []journal.LayerObject, entries int, lost []journal.LayerObject, err error) {
	log, err := b.bucket.Log(ctx, from)
	if err != nil {
		return nil, 0, nil, err
	}
	more, err := journal.LayerObjects(log, b.run.spec.Partitions)
	if err != nil {
		return nil, 0, nil, err
	}
	objects = append(slices.Clip(known), more...)
	there := make(map[string]int64)
	err = b.bucket.Objects(ctx, func(o bucket.ObjectInfo) error {
		if _, _, _, is := o.Layer(); is {
			there[o.Name] = o.Bytes
		}
		return nil
	})
	if err != nil {
		return nil, 0, nil, err
	}
	// A list may be that of a while ago.
	for _, o := range journal.Lost(objects, there) {
		bytes, err := b.bucket.Stat(ctx, o.Name)
		switch {
		case errors.Is(err, bucket.ErrNotExist) || err == nil && bytes != o.Bytes:
			lost = append(lost, o)
		case err != nil:
			return nil, 0, nil, err
		}
	}
	return objects, from + len(log), lost, nil
}

// setLost says what is lost, and has workers write it again: one worker each, and
// another one with the next look.
func (b *backup) setLost(lost []journal.LayerObject) {
	l, s := &b.look, b.server
	if len(lost) == 0 && len(l.lost) > 0 {
		s.log.Info("the bucket has all objects of a run again", "run", b.run.name)
	}
	before := l.writer
	l.lost, l.writer = lost, make(map[string]string)
	for _, o := range lost {
		able := b.ableToWrite(o)
		if len(able) == 0 {
			continue
		}
		next := 0
		if i := slices.Index(able, before[o.Name]); i >= 0 {
			next = (i + 1) % len(able)
		}
		l.writer[o.Name] = able[next]
	}
	for _, name := range slices.Compact(slices.Sorted(maps.Values(l.writer))) {
		if m := s.members[name]; m != nil {
			m.tell(m.run, m.attempt)
		}
	}
}

// ableToWrite returns the workers that are there and may have all of an object: the one
// that wrote it, the one that keeps its partitions now, and then any.
func (b *backup) ableToWrite(o journal.LayerObject) []string {
	h := b.run.job.past()
	first := func(name string) int {
		for _, who := range []string{name, h.Identity().Writer(name)} {
			if bucket.ObjectName(uint8(o.Phase), o.Depth, o.Epoch, who) == o.Name {
				return 0
			}
		}
		if b.keepsAll(name, o.Partitions) {
			return 1
		}
		return 2
	}
	able := b.server.roster.Available() // by name
	slices.SortStableFunc(able, func(a, b string) int { return first(a) - first(b) })
	return able
}

// keepsAll reports whether partitions are all a worker's.
func (b *backup) keepsAll(name string, parts []uint32) bool {
	place := b.run.job.past().Placement()
	if place == nil {
		return false
	}
	id := slices.Index(place.Workers, name)
	return id >= 0 && !slices.ContainsFunc(parts, func(p uint32) bool {
		return int64(p) >= int64(len(place.Homes)) || place.Homes[p] != history.WorkerID(id)
	})
}

// lostOf returns what a worker is to write again.
func (b *backup) lostOf(worker string) []*everystatev1.Upload {
	var out []*everystatev1.Upload
	for _, o := range b.look.lost {
		if b.look.writer[o.Name] != worker {
			continue
		}
		if len(out) == uploadsMax {
			break
		}
		out = append(out, &everystatev1.Upload{
			Run: b.run.name, Phase: wire.Phase(o.Phase), Depth: o.Depth, Epoch: uint64(o.Epoch), Bucket: b.url,
			Partitions: o.Partitions, RunIdentity: wire.Identity(b.run.job.past().Identity()), Object: o.Name, Bytes: uint64(o.Bytes),
		})
	}
	return out
}

// rewritten notes that an object was written again.
func (b *backup) rewritten(u *everystatev1.Upload) {
	i := slices.IndexFunc(b.look.lost, func(o journal.LayerObject) bool {
		return o.Name == u.GetObject() && uint64(o.Bytes) == u.GetBytes()
	})
	if i < 0 {
		return
	}
	rest := slices.Delete(slices.Clone(b.look.lost), i, i+1)
	delete(b.look.writer, u.GetObject())
	if b.look.lost = rest; len(rest) == 0 {
		b.server.log.Info("the bucket has all objects of a run again", "run", b.run.name)
	}
}

// lostTrouble says what the bucket has lost.
func (b *backup) lostTrouble() string {
	switch l := &b.look; {
	case l.hole != "":
		return l.hole
	case len(l.lost) == 1:
		return "the bucket has lost " + l.lost[0].Name
	case len(l.lost) > 1:
		return fmt.Sprintf("the bucket has lost %d objects, %s first", len(l.lost), l.lost[0].Name)
	}
	return ""
}
