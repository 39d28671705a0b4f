// Package forecast says about how long a sweep takes: it does some units, by a clock,
// and forgets what they find.
//
// What a unit takes is about proportional to its cost, but not quite, and the most
// costly ones may take seconds each. So units are divided into strata of about the
// same cost, and of each stratum some are done, spread over it: at first one, and then
// always of the stratum that the fewest stand for, by the time that it has in all. A
// sweep that is over soon is done whole.
//
// The package has no clock of its own, and must never keep what units find, unless it
// is given a place where that is tried as well.
package forecast

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/everystate/everystate/internal/sweep"
)

// Options are how much is done. The zero Options has defaults.
type Options struct {
	// Workers do units at the same time, as they would in the sweep. Zero means 1.
	Workers int
	// Least and Most bound the seconds that are spent: between them it is Share of
	// what the sweep is said to take. Zeros mean 3, 20 and 0.02. Units that have
	// begun are done.
	Least, Most, Share float64
	// Now is the clock.
	Now func() time.Time
	// Sink is given what is found, as that takes its time too. It may be nil.
	Sink sweep.Sink
}

func (o *Options) ensureDefaults() {
	o.Workers = max(o.Workers, 1)
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

// Seconds returns about how many seconds the workers take for all units.
func Seconds(ctx context.Context, e sweep.Enumeration, opts Options) (float64, error) {
	opts.ensureDefaults()
	s := &sample{e: e, opts: opts, strata: strataOf(e), began: opts.Now()}
	var wg sync.WaitGroup
	for range opts.Workers {
		wg.Go(func() { s.work(ctx) })
	}
	wg.Wait()
	return s.seconds() / float64(opts.Workers), s.err
}

// A sample is the units that are done.
type sample struct {
	e     sweep.Enumeration
	opts  Options
	began time.Time

	mu     sync.Mutex // guards what follows
	strata []stratum
	err    error

	sink sync.Mutex // one commits at a time
}

// A stratum is units of about the same cost.
type stratum struct {
	units []int // the most costly first
	cost  float64

	begun, ended  int
	taken         []bool
	done, seconds float64 // the cost of the units that are done, and their time
}

// strataOf divides the units into strata: in each, a unit costs at least half of what
// the most costly one does.
func strataOf(e sweep.Enumeration) []stratum {
	var all []stratum
	most := math.Inf(1)
	for _, unit := range sweep.Plan(e, nothing{}) {
		cost := costOf(e, unit)
		if len(all) == 0 || 2*cost < most {
			all = append(all, stratum{})
			most = cost
		}
		s := &all[len(all)-1]
		s.units = append(s.units, unit)
		s.cost += cost
	}
	for i := range all {
		all[i].taken = make([]bool, len(all[i].units))
	}
	slices.Reverse(all) // the cheap ones first: what a worker lacks at first is made there
	return all
}

// nothing is what is done at first.
type nothing struct{}

func (nothing) Done(int) bool { return false }

// costOf is more than 0: no unit takes no time.
func costOf(e sweep.Enumeration, unit int) float64 { return max(1, float64(e.Cost(unit))) }

// work does units until enough are done. The first is done twice, as a worker is slow
// at first.
func (s *sample) work(ctx context.Context) {
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
		began := s.opts.Now()
		found, err := w.Do(ctx, unit)
		if err == nil {
			err = s.commit(unit, &found)
		}
		if err != nil {
			s.fail(err)
			return
		}
		s.note(at, unit, s.opts.Now().Sub(began).Seconds())
	}
}

func (s *sample) commit(unit int, found *sweep.Findings) error {
	if s.opts.Sink == nil {
		return nil
	}
	s.sink.Lock()
	defer s.sink.Unlock()
	return s.opts.Sink.Commit(unit, found)
}

func (s *sample) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
}

func (s *sample) note(at *stratum, unit int, seconds float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at.ended++
	at.done += costOf(s.e, unit)
	at.seconds += seconds
}

// take returns the next unit to be done, and its stratum.
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
		// What each that is done stands for.
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

// whole is about the seconds of all units of a stratum of which some are done.
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

// seconds is about what one worker takes. A stratum of which nothing was done is taken
// to be as the others are.
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

// golden is the golden section of 1: its multiples, without whole numbers, are spread
// evenly, however many there are.
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
