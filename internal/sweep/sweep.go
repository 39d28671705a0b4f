package sweep

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
)

// An Enumeration is all boards of a kind, divided into units.
type Enumeration interface {
	// Rules returns the canonical text of what is enumerated and kept: two
	// enumerations with the same rules have the same units and findings.
	Rules() string
	// Units returns the number of units.
	Units() int
	// Cost returns the work of a unit, roughly proportional to its states.
	Cost(unit int) uint64
	// Name describes a unit.
	Name(unit int) string
	// Worker returns a worker that does units one after another. Workers are
	// independent of one another.
	Worker() Worker
}

// A Worker does units.
type Worker interface {
	// Do does a unit. The records of f are in the order of the enumeration. If the
	// context ends first, Do returns its error and no findings.
	Do(ctx context.Context, unit int) (f Findings, err error)
}

// Findings holds what a unit found.
type Findings struct {
	Records []Record
	Totals  Totals
}

// A Sink stores findings.
type Sink interface {
	// Done reports whether a unit's findings are already stored.
	Done(unit int) bool
	// Commit stores the findings of a unit, atomically and once, on disk then or soon
	// after. It is called by one goroutine at a time.
	Commit(unit int, f *Findings) error
}

// Plan lists the units of a part that are not done, the most costly first, so that
// workers finish at about the same time.
func Plan(e Enumeration, part Part, s interface{ Done(unit int) bool }) []int {
	plan := slices.DeleteFunc(part.Units(e), s.Done)
	sortByCost(plan, e)
	return plan
}

// Run does all units of a part that are not done. It returns when they are done, or with
// the context's error when that ends; units still in progress are then lost.
func Run(ctx context.Context, e Enumeration, part Part, s Sink, workers int) error {
	group, some := errgroup.WithContext(ctx)
	plan := Plan(e, part, s)
	var (
		mu   sync.Mutex // guards next and the sink
		next int
	)
	take := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		if next == len(plan) || some.Err() != nil {
			return 0, false
		}
		next++
		return plan[next-1], true
	}
	for range min(max(workers, 1), max(len(plan), 1)) {
		group.Go(func() error {
			w := e.Worker()
			for {
				unit, ok := take()
				if !ok {
					return nil
				}
				f, err := w.Do(some, unit)
				if err == nil {
					mu.Lock()
					err = s.Commit(unit, &f)
					mu.Unlock()
				}
				if err != nil {
					return err
				}
			}
		})
	}
	return cmp.Or(group.Wait(), ctx.Err())
}
