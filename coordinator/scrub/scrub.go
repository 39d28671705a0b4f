// Package scrub compares the objects that the log of a run names with those in a bucket,
// and decides what must be written again, and by which worker. It must never have an
// object written that is intact. Its caller guards a Looking; only LookAt waits for the
// bucket.
package scrub

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/store/bucket"
	"github.com/everystate/everystate/store/pace"
)

// A bucket may lose or truncate objects long after they were written: through a
// lifecycle rule, by hand, or because of a disk. A look compares what the log of a run
// names with what the bucket lists, and has workers write lost objects again while they
// still have the records.

const (
	// lookAgainTicks is the time to the next look after one that failed, or that found
	// something lost: the worker that was to write it may no longer have it.
	lookAgainTicks core.Ticks = 10_000

	// askedTicks is the least time between two looks, however often one is asked for.
	askedTicks core.Ticks = 1000
)

// Looking is what is known about the objects in the bucket.
type Looking struct {
	Objects []journal.LayerObject // of the first Entries entries of the log
	Entries int

	Busy   bool // a look is under way
	Asked  bool // a look was asked for since the last one began
	Failed bool // the last look failed
	Last   core.Ticks
	Looks  int                   // completed
	Lost   []journal.LayerObject // or damaged
	Writer map[string]string     // by lost object: the worker that is to write it
	Hole   string                // what the log itself lacks

	// Damaged names the lost objects that are there but not what was written.
	Damaged map[string]bool
}

// Due reports whether it is time for the next look.
func (l *Looking) Due(now, interval core.Ticks) bool {
	switch {
	case l.Asked:
		interval = min(interval, askedTicks)
	case l.Failed || len(l.Lost) > 0:
		interval = min(interval, lookAgainTicks)
	}
	return now-l.Last >= interval
}

// LookAt reads the new entries of the log and returns the objects that the bucket has
// lost.
func LookAt(ctx context.Context, run *bucket.Run, partitions int, known []journal.LayerObject, from int) (objects []journal.LayerObject, entries int, lost []journal.LayerObject, err error) {
	log, err := run.Log(ctx, from)
	if err != nil {
		return nil, 0, nil, err
	}
	more, err := journal.LayerObjects(log, partitions)
	if err != nil {
		return nil, 0, nil, err
	}
	objects = append(slices.Clip(known), more...)
	there := make(map[string]int64)
	err = run.Objects(ctx, func(o bucket.ObjectInfo) error {
		if _, _, _, is := o.Layer(); is {
			there[o.Name] = o.Bytes
		}
		return nil
	})
	if err != nil {
		return nil, 0, nil, err
	}
	// A listing may be stale.
	for _, o := range journal.Lost(objects, there) {
		bytes, err := run.Stat(ctx, o.Name)
		switch {
		case errors.Is(err, bucket.ErrNotExist) || err == nil && bytes != o.Bytes:
			lost = append(lost, o)
		case err != nil:
			return nil, 0, nil, err
		}
	}
	return objects, from + len(log), lost, nil
}

// Hurt notes that an object is damaged.
func (l *Looking) Hurt(o journal.LayerObject) {
	if l.Damaged == nil {
		l.Damaged = make(map[string]bool)
	}
	l.Damaged[o.Name] = true
	l.Lost = append(slices.Clone(l.Lost), o)
}

// Read reads an object again, at a bounded rate, and returns what is wrong with it: a
// checksum, or the partitions that it holds. It reads twice before it says so, as the
// fault may be on the way.
func Read(ctx context.Context, run *bucket.Run, o journal.LayerObject, bound *pace.Pace) (damage, err error) {
	for range 2 {
		if err = read(ctx, run, o, bound); !bucket.IsCorruption(err) {
			return nil, err
		}
	}
	return err, nil
}

func read(ctx context.Context, run *bucket.Run, o journal.LayerObject, bound *pace.Pace) error {
	l, err := run.OpenLayer(ctx, o.Name)
	if err != nil {
		return err
	}
	if !slices.Equal(l.Partitions(), o.Partitions) {
		return &bucket.CorruptionError{Where: run.URL() + "/" + o.Name, What: "it does not hold the partitions that the log says"}
	}
	return l.ReadAll(ctx, o.Partitions, func(_ uint32, block []byte) error { return bound.Wait(ctx, len(block)) })
}

// Found notes which objects are lost, and assigns each to one of the workers that able
// returns, to another one at each look. It returns the workers assigned.
func (l *Looking) Found(lost []journal.LayerObject, able func(journal.LayerObject) []string) (workers []string) {
	before := l.Writer
	for _, o := range l.Lost {
		if l.Damaged[o.Name] && !slices.ContainsFunc(lost, func(other journal.LayerObject) bool { return other.Name == o.Name }) {
			lost = append(lost, o)
		}
	}
	l.Lost, l.Writer = lost, make(map[string]string)
	for _, o := range lost {
		names := able(o)
		if len(names) == 0 {
			continue
		}
		next := 0
		if i := slices.Index(names, before[o.Name]); i >= 0 {
			next = (i + 1) % len(names)
		}
		l.Writer[o.Name] = names[next]
		if !slices.Contains(workers, names[next]) {
			workers = append(workers, names[next])
		}
	}
	return workers
}

// Able sorts workers by how likely they have all of an object: first the one that wrote
// it, then the one that keeps its partitions now, then the others.
func Able(o journal.LayerObject, h *history.History, able []string) []string {
	first := func(name string) int {
		for _, who := range []string{name, h.Identity().Writer(name)} {
			if bucket.ObjectName(uint8(o.Phase), o.Depth, o.Epoch, who) == o.Name {
				return 0
			}
		}
		if keepsAll(h, name, o.Partitions) {
			return 1
		}
		return 2
	}
	slices.SortStableFunc(able, func(a, b string) int { return first(a) - first(b) })
	return able
}

// keepsAll reports whether one worker keeps all of the partitions.
func keepsAll(h *history.History, name string, parts []uint32) bool {
	place := h.Placement()
	if place == nil {
		return false
	}
	id := slices.Index(place.Workers, name)
	return id >= 0 && !slices.ContainsFunc(parts, func(p uint32) bool {
		return int64(p) >= int64(len(place.Homes)) || place.Homes[p] != history.WorkerID(id)
	})
}

// Rewritten notes that an object was written again, with that size.
func (l *Looking) Rewritten(name string, bytes uint64) {
	delete(l.Damaged, name)
	l.Lost = slices.DeleteFunc(slices.Clone(l.Lost), func(o journal.LayerObject) bool { return o.Name == name && uint64(o.Bytes) == bytes })
}

// Trouble returns what the bucket has lost, or nothing.
func (l *Looking) Trouble() string {
	switch {
	case l.Hole != "":
		return l.Hole
	case len(l.Lost) == 1 && l.Damaged[l.Lost[0].Name]:
		return "the bucket has a damaged " + l.Lost[0].Name
	case len(l.Lost) == 1:
		return "the bucket has lost " + l.Lost[0].Name
	case len(l.Lost) > 1:
		return fmt.Sprintf("the bucket has lost or damaged %d objects, %s first", len(l.Lost), l.Lost[0].Name)
	}
	return ""
}
