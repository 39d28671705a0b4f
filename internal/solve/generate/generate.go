package generate

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/puzzle"
)

// Method is a search method.
type Method uint8

// The methods.
const (
	Anneal Method = iota // simulated annealing: worse boards are taken too, more and more rarely
	Climb                // hill climbing: never a worse board
	Random               // boards drawn at random
)

func (m Method) String() string { return Methods()[m] }

// Methods returns the names of the methods, in their order.
func Methods() []string { return []string{"anneal", "climb", "random"} }

// Options say what to search for and how long.
type Options struct {
	Rules

	Method Method

	// Seed is the seed of all random numbers.
	Seed uint64

	// Evaluations is how many boards to explore; the last restart may be cut short.
	// Zero means until the context ends.
	Evaluations int64

	// Restart is how many boards a restart explores. Zero means 20,000.
	Restart int64

	// Workers is how many restarts run at a time. Zero means one per core.
	Workers int

	// Top is how many boards to find. Zero means 10.
	Top int

	// Starts, if there are any, are the boards that the restarts begin with, in turn.
	// Their size, goal vehicle's row and metric, which they share, replace those of the
	// rules.
	Starts []puzzle.Board

	// Grow keeps the rules' size and goal vehicle's row. The boards of Starts may be
	// smaller: each has its exit at the edge, and every restart fills the rows and columns
	// around it with vehicles at random.
	Grow bool

	// Progress, if not nil, is kept up to date during the search.
	Progress *Progress
}

func (o *Options) ensureDefaults() {
	o.Rules.ensureDefaults()
	if o.Restart == 0 {
		o.Restart = 20_000
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Top == 0 {
		o.Top = 10
	}
	if o.Progress == nil {
		o.Progress = new(Progress)
	}
}

func (o *Options) validate() error {
	var errs []error
	if o.Evaluations < 0 || o.Restart < 1 {
		errs = append(errs, fmt.Errorf("%d evaluations in restarts of %d: must be 0 or more, in restarts of 1 or more", o.Evaluations, o.Restart))
	}
	if o.Workers < 1 || o.Top < 1 {
		errs = append(errs, fmt.Errorf("%d workers, top %d: must be 1 or more", o.Workers, o.Top))
	}
	if int(o.Method) >= len(Methods()) {
		errs = append(errs, fmt.Errorf("unknown method %d", o.Method))
	}
	return errors.Join(append(errs, o.Rules.validate())...)
}

// Progress counts what a search has done. It may be read concurrently.
type Progress struct {
	Evaluations atomic.Int64 // boards explored
	TooLarge    atomic.Int64 // those with more states than allowed
	States      atomic.Int64 // of the others, in total
	Restarts    atomic.Int64 // finished
	Best        atomic.Int64 // the greatest distance found
}

func (p *Progress) best(distance int) {
	for {
		best := p.Best.Load()
		if int64(distance) <= best || p.Best.CompareAndSwap(best, int64(distance)) {
			return
		}
	}
}

// Validate reports every fault of the options. What Start determines is checked only
// by Run.
func (o Options) Validate() error {
	o.ensureDefaults()
	err := o.validate()
	if err == nil && (len(o.Starts) == 0 || o.Grow) { // else the boards have the size
		err = o.fit()
	}
	return err
}

// Run searches until it has explored the allowed number of boards, or the context
// ends, which is not an error. It returns the hardest boards, the hardest first.
func Run(ctx context.Context, opts Options) ([]Found, error) {
	starts, err := opts.begin()
	if err != nil {
		return nil, err
	}
	opts.ensureDefaults()
	if err := opts.validate(); err != nil {
		return nil, err
	}
	if err := opts.fit(); err != nil {
		return nil, &puzzle.InputError{What: err.Error()}
	}
	for i, s := range starts {
		if s.grows() {
			continue
		}
		if _, err := new(scorer).explore(ctx, s.board); errors.Is(err, solve.ErrTooLarge) {
			return nil, &puzzle.InputError{What: fmt.Sprintf("start board %d reaches more than the limit of %d states", i+1, opts.StatesMax)}
		}
	}
	r := &run{opts: &opts, starts: starts, top: top{size: opts.Top}}
	var wait sync.WaitGroup
	for range opts.Workers {
		wait.Go(func() { r.work(ctx) })
	}
	wait.Wait()
	if r.err != nil {
		return nil, r.err
	}
	return r.top.found, nil
}

// run is the state shared by the workers.
type run struct {
	opts   *Options
	starts []start

	mu   sync.Mutex // guards what follows
	next int64      // the next restart
	top  top
	err  error
}

// take returns the number of the next restart and how many boards it may explore.
func (r *run) take() (number, length int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	number, length = r.next, r.opts.Restart
	if all := r.opts.Evaluations; all > 0 {
		length = min(length, all-number*length)
	}
	r.next++
	if r.err != nil {
		return number, 0
	}
	return number, length
}

// start returns what a restart begins with, nil for a board drawn at random.
func (r *run) start(number int64) *start {
	if len(r.starts) == 0 {
		return nil
	}
	return &r.starts[number%int64(len(r.starts))]
}

// work does one restart after another.
func (r *run) work(ctx context.Context) {
	s := new(scorer)
	for ctx.Err() == nil {
		number, length := r.take()
		if length <= 0 {
			return
		}
		s.evaluated = 0
		w := walk{
			rules: &r.opts.Rules, method: r.opts.Method, length: length, start: r.start(number),
			number: number, random: rand.New(rand.NewPCG(r.opts.Seed, uint64(number))),
			scorer: s, top: top{size: r.opts.Top}, told: r.opts.Progress,
		}
		err := w.run(ctx)
		if err == nil {
			r.opts.Progress.Restarts.Add(1)
		}
		r.settle(ctx, s, &w, err)
	}
}

// settle takes over the findings of a restart. If the restart was stopped, only its
// best board is reduced to its minimal form, as someone is waiting.
func (r *run) settle(ctx context.Context, s *scorer, w *walk, err error) {
	if err != nil && !errors.Is(err, ctx.Err()) {
		r.mu.Lock()
		r.err = errors.Join(r.err, err)
		r.mu.Unlock()
		return
	}
	ctx = context.WithoutCancel(ctx)
	for i, f := range w.top.found {
		if i == 0 || err == nil {
			smaller, fault := s.minimal(ctx, f)
			if fault == nil || errors.Is(fault, solve.ErrTooLarge) {
				f = smaller
			}
		}
		r.opts.Progress.best(f.Distance)
		r.mu.Lock()
		r.top.add(f)
		r.mu.Unlock()
	}
}

// top holds the hardest boards, all different.
type top struct {
	size  int
	found []Found
}

// wants reports whether a board at that distance might be among them.
func (t *top) wants(distance int) bool {
	return len(t.found) < t.size || distance >= t.found[len(t.found)-1].Distance
}

// add inserts a board at its place, if it has one. Of two equal boards, the one from
// the earlier restart stays.
func (t *top) add(f Found) {
	at, same := slices.BinarySearchFunc(t.found, &f, func(a Found, b *Found) int { return a.compare(b) })
	switch {
	case same:
		if old := &t.found[at]; f.Restart < old.Restart || f.Minimal && !old.Minimal {
			*old = f
		}
		return
	case at == t.size:
		return
	}
	t.found = slices.Insert(t.found, at, f)
	t.found = t.found[:min(len(t.found), t.size)]
}
