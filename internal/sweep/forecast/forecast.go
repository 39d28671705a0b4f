// Package forecast estimates how long a sweep takes: it times some units and discards
// what they find.
//
// The time of a unit is roughly proportional to its cost, and the most costly ones
// may take seconds each. So units are divided into strata of similar cost and, if the
// enumeration has groups of units that differ in how long a cost takes, of one group; some
// of each are done, spread over the stratum: first one of each, then always one of
// the stratum whose samples each stand for the most time. A short sweep is done
// whole.
//
// Units are timed by the processor time of the thread that does one, which other work on
// the machine hardly changes, so that estimates for parts of a sweep add up whenever they
// are made. What the rest of the process takes (collecting garbage, keeping the database
// in order) is shared out among them. Only how long storage makes a commit wait is taken
// from the clock: the median over all commits, as a few may also wait for a processor.
//
// The package has no clock of its own, and must never store findings, unless it is
// given a sink to time that too.
package forecast

import (
	"context"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/everystate/everystate/internal/sweep"
)

// Options say how much to do. Zero fields have defaults.
type Options struct {
	// Workers do units at the same time, as they would in the sweep. Zero means 1.
	Workers int
	// Part is what the sweep does.
	Part sweep.Part
	// Least and Most bound the seconds spent; in between, the budget is Share of the
	// estimated time of the sweep. Zeros mean 3, 20 and 0.02. Units that have begun
	// are finished.
	Least, Most, Share float64
	// Now is the clock.
	Now func() time.Time
	// Thread and Process return the processor time that the calling thread and the whole
	// process have used. If they are nil, units are timed by the clock.
	Thread, Process func() time.Duration
	// Processors bounds how many workers run at a time. Zero means that all do.
	Processors int
	// Sink, if not nil, is given the findings, so that storing them is timed too.
	Sink sweep.Sink
}

func (o *Options) ensureDefaults() {
	o.Workers = max(o.Workers, 1)
	if o.Processors == 0 || o.Thread == nil { // by the clock, having to wait counts already
		o.Processors = o.Workers
	}
	if o.Least == 0 {
		o.Least = 3
	}
	if o.Most == 0 {
		o.Most = 20
	}
	if o.Share == 0 {
		o.Share = 0.02
	}
}

// An Estimate is how many seconds a sweep takes.
type Estimate struct {
	// Alone is with nothing else to do for the machine, Busy with as much as during the
	// estimate.
	Alone, Busy float64
}

// Of estimates how long a sweep takes.
func Of(ctx context.Context, e sweep.Enumeration, opts Options) (Estimate, error) {
	opts.ensureDefaults()
	s := &sample{e: e, opts: opts, strata: strataOf(e, opts.Part), began: opts.Now()}
	process := s.processor(opts.Process)
	var wg sync.WaitGroup
	for range opts.Workers {
		wg.Go(func() { s.work(ctx) })
	}
	wg.Wait()
	return s.estimate(s.processor(opts.Process) - process), s.err
}

// processor returns the seconds that one of the options' functions gives.
func (s *sample) processor(of func() time.Duration) float64 {
	if of == nil {
		return s.opts.Now().Sub(s.began).Seconds()
	}
	return of().Seconds()
}

// A sample is the units done so far.
type sample struct {
	e     sweep.Enumeration
	opts  Options
	began time.Time

	mu     sync.Mutex // guards what follows
	strata []stratum
	err    error
	// Seconds of the units that are done, of the processor and by the clock; and seconds
	// of the processor of all that the workers' threads did.
	processed, clock, threads float64
	waits                     []float64 // of the commits

	sink sync.Mutex // one commits at a time
}

// A stratum is units of similar cost.
type stratum struct {
	units []int // the most costly first
	cost  float64

	begun, ended  int
	taken         []bool
	done, seconds float64 // the cost of the units that are done, and their time
}

// strataOf divides the units into strata: each unit is of the same group as the most
// costly one of its stratum, and costs at least half as much.
func strataOf(e sweep.Enumeration, part sweep.Part) []stratum {
	var all []stratum
	type last struct {
		most float64
		at   int
	}
	of := make(map[int]*last)
	g, _ := e.(sweep.Grouped)
	for _, unit := range sweep.Plan(e, part, nothing{}) {
		group := 0
		if g != nil {
			group = g.Group(unit)
		}
		cost, now := costOf(e, unit), of[group]
		if now == nil || 2*cost < now.most {
			now = &last{cost, len(all)}
			of[group], all = now, append(all, stratum{})
		}
		s := &all[now.at]
		s.units = append(s.units, unit)
		s.cost += cost
	}
	for i := range all {
		all[i].taken = make([]bool, len(all[i].units))
	}
	slices.Reverse(all) // cheap ones first: a worker's first units, which set up its tables, cost little
	return all
}

// nothing reports no unit as done.
type nothing struct{}

func (nothing) Done(int) bool { return false }

// costOf returns a unit's cost, at least 1: no unit takes no time.
func costOf(e sweep.Enumeration, unit int) float64 { return max(1, float64(e.Cost(unit))) }

// work does units until enough are done. It does the first one twice, as a new worker
// is slow at first.
func (s *sample) work(ctx context.Context) {
	if s.opts.Thread != nil {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
	}
	started := s.processor(s.opts.Thread)
	defer func() { s.leave(s.processor(s.opts.Thread) - started) }()
	w := s.e.Worker()
	for first := true; ; first = false {
		at, unit, ok := s.take()
		if !ok {
			return
		}
		if first {
			if _, err := w.Do(ctx, unit); err != nil {
				s.fail(err)
				return
			}
		}
		clock, began := s.opts.Now(), s.processor(s.opts.Thread)
		found, err := w.Do(ctx, unit)
		var wait float64
		if err == nil {
			wait, err = s.commit(unit, &found)
		}
		if err != nil {
			s.fail(err)
			return
		}
		s.note(at, unit, s.processor(s.opts.Thread)-began, s.opts.Now().Sub(clock).Seconds(), wait)
	}
}

// commit stores what a unit found, and returns how many seconds it waited for storage.
func (s *sample) commit(unit int, found *sweep.Findings) (wait float64, err error) {
	if s.opts.Sink == nil {
		return 0, nil
	}
	s.sink.Lock()
	defer s.sink.Unlock()
	clock, began := s.opts.Now(), s.processor(s.opts.Thread)
	err = s.opts.Sink.Commit(unit, found)
	return max(0, s.opts.Now().Sub(clock).Seconds()-(s.processor(s.opts.Thread)-began)), err
}

// leave counts what a worker's thread did.
func (s *sample) leave(seconds float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.threads += seconds
}

func (s *sample) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
}

// note counts a unit that was done: its seconds of the processor and by the clock, and
// how many of these it waited for storage.
func (s *sample) note(at *stratum, unit int, seconds, clock, wait float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at.ended++
	at.done += costOf(s.e, unit)
	at.seconds += seconds
	s.processed += seconds
	s.clock += clock - wait
	s.waits = append(s.waits, wait)
}

// estimate turns the seconds of one worker into those of all. process is what the process
// took of the processor.
func (s *sample) estimate(process float64) Estimate {
	seconds := s.seconds()
	s.mu.Lock()
	defer s.mu.Unlock()
	units := 0
	for i := range s.strata {
		units += len(s.strata[i].units)
	}
	workers, processors := float64(max(1, min(s.opts.Workers, units))), float64(s.opts.Processors) // a unit has one
	if s.processed == 0 || s.opts.Thread == nil {
		each := seconds / workers
		return Estimate{each, each}
	}
	slices.Sort(s.waits)
	storage := s.waits[len(s.waits)/2] * float64(units) / workers
	all := seconds * max(1, process/s.threads)
	alone := max(seconds/min(workers, processors), all/processors)
	busy := max(alone, seconds*s.clock/s.processed/workers)
	return Estimate{alone + storage, busy + storage}
}

// take returns the next unit to do, and its stratum.
func (s *sample) take() (at *stratum, unit int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return nil, 0, false
	}
	most := -1.0
	for i := range s.strata {
		c := &s.strata[i]
		if c.begun == len(c.units) {
			continue
		}
		if c.begun == 0 {
			unit = c.next()
			return c, unit, true
		}
		// The time that each unit done stands for.
		if n := c.whole() / float64(c.begun); n > most {
			at, most = c, n
		}
	}
	if at == nil {
		return nil, 0, false
	}
	spent := s.opts.Now().Sub(s.began).Seconds()
	limit := min(max(s.opts.Least, s.opts.Share*s.all()/float64(s.opts.Workers)), s.opts.Most)
	if spent >= limit {
		return nil, 0, false
	}
	unit = at.next()
	return at, unit, true
}

// whole estimates the seconds of all units of a stratum, 0 if none has ended.
func (c *stratum) whole() float64 {
	if c.ended == 0 {
		return 0
	}
	return c.seconds / c.done * c.cost
}

func (s *sample) all() (sum float64) {
	for i := range s.strata {
		sum += s.strata[i].whole()
	}
	return sum
}

// seconds estimates the time of one worker for all units. A stratum with no unit done
// is assumed to be like the others.
func (s *sample) seconds() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	var done, rest float64
	for i := range s.strata {
		if c := &s.strata[i]; c.ended > 0 {
			done += c.cost
		} else {
			rest += c.cost
		}
	}
	if done == 0 {
		return 0
	}
	return s.all() * (1 + rest/done)
}

// golden is the golden ratio's fraction: the fractional parts of its multiples are
// spread evenly, however many there are.
const golden = 0.6180339887498949

// next chooses a unit of a stratum.
func (c *stratum) next() int {
	_, x := math.Modf(0.5 + golden*float64(c.begun))
	i := int(x * float64(len(c.units)))
	for c.taken[i] {
		i = (i + 1) % len(c.units)
	}
	c.taken[i] = true
	c.begun++
	return c.units[i]
}
