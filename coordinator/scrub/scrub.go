// Package scrub compares the objects that the log of a run names with those in a bucket,
// and decides what must be written again, and by which worker. It must never have an
// object written that is intact. Its caller guards a State; only Check waits for the
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
// lifecycle rule, by hand, or because of a disk. A pass compares what the log of a run
// names with what the bucket lists, and has workers write lost objects again while they
// still have the records.

const (
	// passAgainTicks is the time to the next pass after one that failed, or that found
	// something lost: the worker that was to write it may no longer have it.
	passAgainTicks core.Ticks = 10_000

	// askedTicks is the least time between two passes, however often one is asked for.
	askedTicks core.Ticks = 1000
)

// State is what is known about the objects in the bucket.
type State struct {
	Objects []journal.LayerObject // of the first Entries entries of the log
	Entries int

	Busy   bool // a pass is under way
	Asked  bool // a pass was asked for since the last one began
	Failed bool // the last pass failed
	Last   core.Ticks
	Passes int                   // completed
	Lost   []journal.LayerObject // or damaged
	Writer map[string]string     // by lost object: the worker that is to write it
	Hole   string                // what the log itself lacks

	// Damaged names the lost objects that are there but not what was written.
	Damaged map[string]bool
}

// Forget forgets what the log named: it is another one's.
func (s *State) Forget() {
	*s = State{Busy: s.Busy, Asked: s.Asked, Last: s.Last, Passes: s.Passes}
}

// Due reports whether it is time for the next pass.
func (s *State) Due(now, interval core.Ticks) bool {
	switch {
	case s.Asked:
		interval = min(interval, askedTicks)
	case s.Failed || len(s.Lost) > 0:
		interval = min(interval, passAgainTicks)
	}
	return now-s.Last >= interval
}

// Check reads the new entries of the log and returns the objects that the bucket has
// lost. If the log itself has lost an entry, even one that was read before, entries is the
// number of the first.
func Check(ctx context.Context, run *bucket.Run, spec *history.Spec, known []journal.LayerObject, from int) (objects []journal.LayerObject, entries int, lost []journal.LayerObject, err error) {
	log, err := run.Log(ctx, from)
	if hole := new(bucket.HoleError); errors.As(err, &hole) {
		return nil, hole.N, nil, nil
	}
	if err != nil {
		return nil, 0, nil, err
	}
	more, err := journal.LayerObjects(log, spec.Partitions)
	if err != nil {
		return nil, 0, nil, err
	}
	objects = journal.Current(append(slices.Clip(known), more...), spec.Keep.Named)
	entries = from + len(log)
	there, logged := make(map[string]int64), make([]bool, entries)
	err = run.Objects(ctx, func(o bucket.ObjectInfo) error {
		if _, _, _, is := o.Layer(); is {
			there[o.Name] = o.Bytes
		}
		if n, is := o.Entry(); is && n < entries {
			logged[n] = true
		}
		return nil
	})
	if err != nil {
		return nil, 0, nil, err
	}
	// A listing may be stale.
	for n := range logged {
		if logged[n] {
			continue
		}
		switch _, err := run.Stat(ctx, bucket.EntryName(n)); {
		case errors.Is(err, bucket.ErrNotExist):
			return objects, n, nil, nil
		case err != nil:
			return nil, 0, nil, err
		}
	}
	for _, o := range journal.Lost(objects, there) {
		bytes, err := run.Stat(ctx, o.Name)
		switch {
		case errors.Is(err, bucket.ErrNotExist) || err == nil && bytes != o.Bytes:
			lost = append(lost, o)
		case err != nil:
			return nil, 0, nil, err
		}
	}
	return objects, entries, lost, nil
}

// MarkDamaged notes that an object is damaged.
func (s *State) MarkDamaged(o journal.LayerObject) {
	if s.Damaged == nil {
		s.Damaged = make(map[string]bool)
	}
	s.Damaged[o.Name] = true
	s.Lost = append(slices.Clone(s.Lost), o)
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
		return &bucket.CorruptionError{Where: run.URL() + "/" + o.Name, What: "it does not hold the partitions that the log names"}
	}
	return l.ReadAll(ctx, o.Partitions, func(_ uint32, block []byte) error { return bound.Wait(ctx, len(block)) })
}

// Found notes which objects are lost, and assigns each to one of the workers that able
// returns, to another one at each pass. It returns the workers assigned.
func (s *State) Found(lost []journal.LayerObject, able func(journal.LayerObject) []string) (workers []string) {
	before := s.Writer
	for _, o := range s.Lost {
		if s.Damaged[o.Name] && !slices.ContainsFunc(lost, func(other journal.LayerObject) bool { return other.Name == o.Name }) {
			lost = append(lost, o)
		}
	}
	s.Lost, s.Writer = lost, make(map[string]string)
	for _, o := range lost {
		names := able(o)
		if len(names) == 0 {
			continue
		}
		next := 0
		if i := slices.Index(names, before[o.Name]); i >= 0 {
			next = (i + 1) % len(names)
		}
		s.Writer[o.Name] = names[next]
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

// Read takes over what a pass has read of the log. What is lost of layers that were made
// again meanwhile is lost no more.
func (s *State) Read(objects []journal.LayerObject, entries int) {
	s.Objects, s.Entries, s.Hole = objects, entries, ""
	s.Lost = slices.DeleteFunc(slices.Clone(s.Lost), func(o journal.LayerObject) bool {
		return !slices.ContainsFunc(objects, func(other journal.LayerObject) bool { return other.Name == o.Name })
	})
}

// Rewritten notes that an object was written again, with that size.
func (s *State) Rewritten(name string, bytes uint64) {
	delete(s.Damaged, name)
	s.Lost = slices.DeleteFunc(slices.Clone(s.Lost), func(o journal.LayerObject) bool { return o.Name == name && uint64(o.Bytes) == bytes })
}

// Trouble returns what the bucket has lost, or nothing.
func (s *State) Trouble() string {
	switch {
	case s.Hole != "":
		return s.Hole
	case len(s.Lost) == 1 && s.Damaged[s.Lost[0].Name]:
		return "the bucket has a damaged " + s.Lost[0].Name
	case len(s.Lost) == 1:
		return "the bucket has lost " + s.Lost[0].Name
	case len(s.Lost) > 1:
		return fmt.Sprintf("the bucket has lost or damaged %d objects, %s first", len(s.Lost), s.Lost[0].Name)
	}
	return ""
}
