package server

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/coordinator/requests"
	"github.com/everystate/everystate/coordinator/scrub"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
)

// lookAtBuckets begins a look at the run that has waited longest for one, if it is due.
// Only one look is under way at a time.
func lookAtBuckets(s *Server) {
	var next *backup
	for _, r := range s.runs {
		b := r.backup
		switch {
		case b == nil || !b.ready || b.conflict || r.control.Elsewhere && !b.scrubbed.Asked:
		case b.scrubbed.Busy:
			return
		case b.scrubbed.Due(s.now(), core.Ticks(s.opts.ScrubMillis)) && (next == nil || b.scrubbed.Last < next.scrubbed.Last):
			next = b
		}
	}
	if next == nil || s.stopping {
		return
	}
	next.scrubbed.Busy, next.scrubbed.Asked, next.scrubbed.Last = true, false, s.now()
	s.spawn(func(ctx context.Context) { next.lookAtObjects(ctx) })
}

// lookAtObjects takes one look.
func (b *backup) lookAtObjects(ctx context.Context) {
	s := b.server
	s.mu.Lock()
	logged, known, entries := b.copy.Logged(), b.scrubbed.Objects, b.scrubbed.Entries
	s.mu.Unlock()
	objects, entries, lost, err := scrub.Check(ctx, b.bucket, &b.run.spec, known, entries)
	s.mu.Lock()
	defer s.mu.Unlock()
	l := &b.scrubbed
	l.Busy, l.Failed = false, err != nil
	switch {
	case ctx.Err() != nil || s.runs[b.run.name] != b.run || !b.ready:
		return // the log may be another one's by now
	case err != nil:
		s.log.Warn("cannot compare the bucket with the run's log; trying again later", "run", b.run.name, "error", oneLine(err.Error()))
		return
	}
	l.Read(objects, entries)
	if entries < logged {
		l.Objects, l.Entries = nil, 0
		l.Hole = fmt.Sprintf("entry %d of %s is missing", entries, b.url)
		s.log.Error("the log of a run has a hole", "run", b.run.name, "error", l.Hole)
	}
	if len(lost) > 0 && len(l.Lost) == 0 {
		s.log.Error("the bucket has lost objects; workers that have the states write them again", "run", b.run.name, "objects", len(lost), "first", lost[0].Name)
	}
	if len(lost) == 0 && len(l.Lost) > 0 {
		b.foundAll()
	}
	now := b.run.job.past()
	b.assign(slices.DeleteFunc(lost, func(o journal.LayerObject) bool {
		l := history.Layer{Phase: o.Phase, Depth: o.Depth}
		return now.Dropped(l) || history.InTable(now, l) // no worker has its records
	}))
	if !l.Asked {
		l.Passes++
	}
}

// assign has workers write what is lost or damaged again.
func (b *backup) assign(lost []journal.LayerObject) {
	able := b.server.roster.Available()
	for _, name := range b.scrubbed.Found(lost, func(o journal.LayerObject) []string { return scrub.Able(o, b.run.job.past(), slices.Clone(able)) }) {
		if m := b.server.members[name]; m != nil {
			m.tell(m.run, m.attempt)
		}
	}
}

// readAgain reads the objects of all runs again until ctx ends.
func readAgain(ctx context.Context, s *Server) {
	scrub.Loop(ctx, time.Duration(s.opts.RereadMillis)*time.Millisecond, s.reread, func() map[string]scrub.Kept {
		s.mu.Lock()
		defer s.mu.Unlock()
		all := make(map[string]scrub.Kept)
		for name, r := range s.runs {
			if b := r.backup; b != nil {
				all[name] = scrub.Kept{In: b.bucket, Objects: b.scrubbed.Objects, Damaged: b.damaged}
			}
		}
		return all
	})
}

// damaged has a damaged object written again.
func (b *backup) damaged(o journal.LayerObject, damage error) {
	s := b.server
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runs[b.run.name] != b.run || b.scrubbed.Damaged[o.Name] {
		return
	}
	s.objectDamages++
	s.log.Error("an object in the bucket is damaged; a worker that has the states writes it again", "run", b.run.name, "damage", oneLine(damage.Error()))
	b.scrubbed.MarkDamaged(o)
	b.assign(b.scrubbed.Lost)
}

// lostOf returns what a worker has to write again.
func (b *backup) lostOf(worker string) []*everystatev1.Upload {
	var out []*everystatev1.Upload
	for _, o := range b.scrubbed.Lost {
		if b.scrubbed.Writer[o.Name] != worker {
			continue
		}
		if len(out) == requests.UploadsMax {
			break
		}
		out = append(out, &everystatev1.Upload{
			Run: b.run.name, Phase: wire.Phase(o.Phase), Depth: o.Depth, Epoch: uint64(o.Epoch), Bucket: b.url,
			Partitions: o.Partitions, RunIdentity: wire.Identity(b.run.job.past().Identity()), Object: o.Name, Bytes: uint64(o.Bytes),
			Damaged: b.scrubbed.Damaged[o.Name],
		})
	}
	return out
}

// foundAll logs that nothing is lost any more.
func (b *backup) foundAll() {
	b.server.log.Info("the bucket has all objects of a run again", "run", b.run.name)
}

// rewritten notes that an object was written again.
func (b *backup) rewritten(u *everystatev1.Upload) {
	was := len(b.scrubbed.Lost)
	if u.GetDamaged() != b.scrubbed.Damaged[u.GetObject()] {
		return // it was written before the damage was found
	}
	b.scrubbed.Rewritten(u.GetObject(), u.GetBytes())
	if was > 0 && len(b.scrubbed.Lost) == 0 {
		b.foundAll()
	}
}
