package sweep

import (
	"cmp"
	"context"
	"sync"

	"golang.org/x/sync/errgroup"
)

// An Enumeration is all boards of a kind, in units.
type Enumeration interface {
	// Rules is the canonical text of what is enumerated and kept: two
	// enumerations with the same rules have the same units and findings.
	Rules() string
	// Units is the number of units.
	Units() int
	// Cost is the work of a unit, about proportional to its states.
	Cost(unit int) uint64
	// Name says what a unit is.
	Name(unit int) string
	// Worker returns what does units, one after the other. Workers are
	// independent of one another.
	Worker() Worker
}

// A Worker does units.
type Worker interface {
	// Do does a unit. The records of f are in the order of the enumeration. It
	// returns the context's error, and nothing found, if that ends first.
	Do(ctx context.Context, unit int) (f Findings, err error)
}

// Findings is what a unit found.
type Findings struct {
	Records []Record
	Totals  Totals
}

// A Sink keeps findings.
type Sink interface {
	// Done reports whether a unit's findings are kept already.
	Done(unit int) bool
	// Commit keeps the findings of a unit, all or nothing, and once. It is called
	// by one goroutine at a time.
	Commit(unit int, f *Findings) error
}

// Plan lists the units that are not done, the most costly first, so that workers
// end together.
func Plan(e Enumeration, s interface{ Done(unit int) bool }) []int {
	var plan []int
	for i := range e.Units() {
		if !s.Done(i) {
			plan = append(plan, i)
		}
	}
	sortByCost(plan, e)
	return plan
}

// Run does all units that are not done. It returns when they are, or when the
// context ends, with its error; units that have not ended then are lost.
func Run(ctx context.Context, e Enumeration, s Sink, workers int) error {
	group, some := errgroup.WithContext(ctx)
	plan := Plan(e, s)
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
