package forecast

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/everystate/everystate/internal/sweep"
)

// fake is a sweep whose units take a time that is known, by a clock of its own.
type fake struct {
	costs   []uint64
	seconds func(unit int, cost float64) float64
	fails   error

	mu   sync.Mutex // guards what follows
	time time.Time
	done map[int]int
}

func (f *fake) Rules() string             { return "" }
func (f *fake) Units() int                { return len(f.costs) }
func (f *fake) Cost(unit int) uint64      { return f.costs[unit] }
func (f *fake) Name(int) string           { return "" }
func (f *fake) Worker() sweep.Worker      { return f }
func (f *fake) took(unit int) float64     { return f.seconds(unit, float64(f.costs[unit])) }
func (f *fake) now() time.Time            { f.mu.Lock(); defer f.mu.Unlock(); return f.time }
func (f *fake) spent(t time.Time) float64 { return f.now().Sub(t).Seconds() }

func (f *fake) Do(_ context.Context, unit int) (sweep.Findings, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.time = f.time.Add(time.Duration(f.took(unit) * 1e9))
	f.done[unit]++
	return sweep.Findings{}, f.fails
}

// seconds estimates by the clock.
func seconds(ctx context.Context, e sweep.Enumeration, opts Options) (float64, error) {
	got, err := Of(ctx, e, opts)
	return got.Alone, err
}

// rough is a number between -1 and 1 that differs from unit to unit.
func rough(unit int) float64 {
	_, x := math.Modf(math.Abs(math.Sin(float64(unit)*12.9898)) * 43758.5453)
	return 2*x - 1
}

// costs spans eight orders of magnitude, most units being small.
func costs(n int) (all []uint64) {
	for i := range n {
		_, x := math.Modf(float64(i) * 0.7548776662466927)
		all = append(all, uint64(math.Exp(18*x*x)))
	}
	return all
}

func TestForecastIsNear(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		units   int
		seconds func(unit int, cost float64) float64
	}{
		{"proportional", 5000, func(_ int, cost float64) float64 { return cost / 2e7 }},
		{"small ones take their time", 5000, func(_ int, cost float64) float64 { return 0.0005 + cost/2e7 }},
		{"large ones take more", 5000, func(_ int, cost float64) float64 { return math.Pow(cost, 1.1) / 1e8 }},
		{"rough", 20000, func(unit int, cost float64) float64 { return cost / 2e7 * (1 + 0.4*rough(unit)) }},
	} {
		f := &fake{costs: costs(test.units), seconds: test.seconds, done: make(map[int]int)}
		want := 0.0
		for i := range f.costs {
			want += f.took(i)
		}
		began := f.now()
		got, err := seconds(t.Context(), f, Options{Now: f.now})
		if err != nil || math.Abs(got/want-1) > 0.1 {
			t.Errorf("%s: %.1f s (%v), want %.1f", test.name, got, err, want)
		}
		if spent := f.spent(began); spent > 60 || spent < 3 {
			t.Errorf("%s: it took %.1f s", test.name, spent)
		}
	}
}

// inGroups is a sweep whose units are of several groups.
type inGroups struct {
	*fake
	groups int
}

func (g inGroups) Group(unit int) int { return unit % g.groups }

// TestGroupsAddUp: where units of one group take much longer than others of the same cost,
// the estimate is near, and that of all groups is the sum of theirs.
func TestGroupsAddUp(t *testing.T) {
	t.Parallel()
	const groups = 3
	each := []float64{2e-5, 2e-6, 2e-7}
	estimate := func(n int, took func(unit int, cost float64) float64, groups int) (got, want float64) {
		f := &fake{costs: costs(n), seconds: took, done: make(map[int]int)}
		for i := range f.costs {
			want += f.took(i)
		}
		got, err := seconds(t.Context(), inGroups{f, groups}, Options{Now: f.now, Share: 0.001})
		if err != nil {
			t.Fatal(err)
		}
		return got, want
	}
	rate := func(group int) float64 { return each[group] / 100 }
	got, want := estimate(30000, func(unit int, cost float64) float64 {
		return cost * rate(unit%groups) * (1 + 0.4*rough(unit))
	}, groups)
	if math.Abs(got/want-1) > 0.1 {
		t.Errorf("it is %.1f s, want %.1f", got, want)
	}
}

// TestShortSweepIsDoneWhole has nothing to guess.
func TestShortSweepIsDoneWhole(t *testing.T) {
	t.Parallel()
	f := &fake{costs: costs(300), seconds: func(unit int, _ float64) float64 { return 0.001 * (1 + rough(unit)) }, done: make(map[int]int)}
	f.costs[7] = 0
	want := 0.0
	for i := range f.costs {
		want += f.took(i)
	}
	got, err := seconds(t.Context(), f, Options{Now: f.now})
	if err != nil || math.Abs(got/want-1) > 1e-6 {
		t.Errorf("%v s (%v), want %v", got, err, want)
	}
	twice := 0
	for unit := range f.costs {
		switch f.done[unit] {
		case 1:
		case 2:
			twice++
		default:
			t.Errorf("unit %d was done %d times", unit, f.done[unit])
		}
	}
	if twice != 1 {
		t.Errorf("%d units were done twice, want the first", twice)
	}
}

// slow is a sink that takes its time.
type slow struct {
	*fake
	commits map[int]int
}

func (*slow) Done(int) bool { return false }

func (s *slow) Commit(unit int, _ *sweep.Findings) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.time = s.time.Add(time.Millisecond)
	s.commits[unit]++
	return s.fails
}

// TestCommitsTakeTime counts what it takes to keep what is found.
func TestCommitsTakeTime(t *testing.T) {
	t.Parallel()
	f := &fake{costs: costs(300), seconds: func(int, float64) float64 { return 0.001 }, done: make(map[int]int)}
	sink := &slow{f, make(map[int]int)}
	got, err := seconds(t.Context(), f, Options{Now: f.now, Sink: sink})
	if err != nil || math.Abs(got/0.6-1) > 1e-6 || len(sink.commits) != 300 {
		t.Errorf("%v s (%v), want 0.6; %d units were kept", got, err, len(sink.commits))
	}
}

func TestForecastOfNothing(t *testing.T) {
	t.Parallel()
	f := &fake{done: make(map[int]int)}
	if got, err := seconds(t.Context(), f, Options{Workers: 2, Now: f.now}); got != 0 || err != nil {
		t.Errorf("%v s, %v", got, err)
	}
	f = &fake{costs: costs(10), seconds: func(int, float64) float64 { return 1 }, done: make(map[int]int), fails: errors.New("no")}
	if _, err := Of(t.Context(), f, Options{Workers: 2, Now: f.now}); !errors.Is(err, f.fails) {
		t.Errorf("error is %v", err)
	}
}

// TestWorkersShare has several workers take half the time, and all units done that
// fit it.
func TestWorkersShare(t *testing.T) {
	t.Parallel()
	f := &fake{costs: costs(400), seconds: func(int, float64) float64 { return 0.001 }, done: make(map[int]int)}
	// The clock goes on for all at once, so that each sees the others' time as well.
	got, err := seconds(t.Context(), f, Options{Workers: 3, Now: f.now})
	if err != nil || got < 0.4/3*0.99 || got > 0.4*1.01 {
		t.Errorf("%v s, %v", got, err)
	}
	if len(f.done) != 400 {
		t.Errorf("%d units were done", len(f.done))
	}
}

// busy is a machine with other work: the clock goes on several times as fast as the
// processor time of the thread, and the process does more than its thread.
type busy struct {
	*fake
	slower, more float64
	thread, wait time.Duration
	commits      int
	groups       int
}

func (b *busy) Group(unit int) int { return unit % max(b.groups, 1) }

func (b *busy) Worker() sweep.Worker { return b }
func (*busy) Done(int) bool          { return false }

func (b *busy) Do(ctx context.Context, unit int) (sweep.Findings, error) {
	b.mu.Lock()
	by := b.took(unit) * 1e9
	b.thread += time.Duration(by)
	b.time = b.time.Add(time.Duration(by * (b.slower - 1)))
	b.mu.Unlock()
	return b.fake.Do(ctx, unit)
}

// Commit waits for storage, and every tenth time also for a processor.
func (b *busy) Commit(int, *sweep.Findings) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.time = b.time.Add(b.wait)
	if b.commits++; b.commits%10 == 0 {
		b.time = b.time.Add(50 * b.wait)
	}
	return nil
}

func (b *busy) options() Options {
	of := func(more float64) func() time.Duration {
		return func() time.Duration {
			b.mu.Lock()
			defer b.mu.Unlock()
			return time.Duration(float64(b.thread) * more)
		}
	}
	return Options{Workers: 1, Now: b.now, Thread: of(1), Process: of(b.more), Processors: 1, Sink: b}
}

// TestBusyMachine has the estimate depend neither on other work, nor on commits that wait
// for a processor.
func TestBusyMachine(t *testing.T) {
	t.Parallel()
	for _, slower := range []float64{1, 4} {
		b := &busy{
			fake:   &fake{costs: costs(300), seconds: func(unit int, _ float64) float64 { return 0.001 * (1 + rough(unit)) }, done: make(map[int]int)},
			slower: slower, more: 1.25, wait: time.Millisecond,
		}
		want := 0.0
		for i := range b.costs {
			want += b.took(i)
		}
		got, err := Of(t.Context(), b, b.options())
		if alone := want*1.25 + 0.3; err != nil || math.Abs(got.Alone/alone-1) > 1e-3 {
			t.Errorf("%v times slower: %v s (%v), want %v", slower, got.Alone, err, alone)
		}
		if now := max(want*1.25, want*slower) + 0.3; math.Abs(got.Busy/now-1) > 1e-3 {
			t.Errorf("%v times slower: %v s with the other work, want %v", slower, got.Busy, now)
		}
	}
}

// TestPartsAddUpWhateverElseRuns estimates each group with other work of its own, and all
// together with still more.
func TestPartsAddUpWhateverElseRuns(t *testing.T) {
	t.Parallel()
	const groups = 3
	all := costs(30000)
	took := func(unit int, cost float64) float64 {
		return cost * []float64{1e-8, 1e-9, 1e-10}[unit%groups] * (1 + 0.4*rough(unit))
	}
	estimate := func(slower float64, groups int, costs []uint64, took func(unit int, cost float64) float64) (got, want float64) {
		b := &busy{fake: &fake{costs: costs, seconds: took, done: make(map[int]int)}, slower: slower, more: 1.1, groups: groups}
		for unit := range costs {
			want += b.took(unit) * b.more
		}
		opts := b.options()
		opts.Least, opts.Most = 10, 60
		e, err := Of(t.Context(), b, opts)
		if err != nil {
			t.Fatal(err)
		}
		return e.Alone, want
	}
	sum := 0.0
	for group := range groups {
		var own []uint64
		for unit := group; unit < len(all); unit += groups {
			own = append(own, all[unit])
		}
		got, _ := estimate(float64(2*group+1), 1, own, func(unit int, cost float64) float64 { return took(unit*groups+group, cost) })
		sum += got
	}
	whole, want := estimate(10, groups, all, took)
	if math.Abs(sum/want-1) > 0.2 || math.Abs(whole/want-1) > 0.2 {
		t.Errorf("the parts take %.1f s, all together %.1f; want %.1f", sum, whole, want)
	}
}

// TestWorkersAndProcessors divides 8 seconds among the workers that can run at a time, and
// what the whole process took among the processors.
func TestWorkersAndProcessors(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		workers, processors, units int
		process, want              float64
	}{
		{1, 1, 9, 8, 8},
		{4, 2, 9, 8, 4},
		{2, 2, 9, 12, 6},
		{1, 2, 9, 12, 8}, // the rest has a processor of its own
		{1, 1, 9, 12, 12},
		{4, 4, 1, 8, 8}, // a unit has one worker
	} {
		s := &sample{
			opts:      Options{Workers: test.workers, Processors: test.processors, Thread: func() time.Duration { return 0 }},
			strata:    []stratum{{units: make([]int, test.units), cost: 1, ended: 1, done: 1, seconds: 8}},
			processed: 8, clock: 8, threads: 8, waits: []float64{0},
		}
		if got := s.estimate(test.process); math.Abs(got.Alone-test.want) > 1e-9 {
			t.Errorf("%+v: %v s", test, got.Alone)
		}
	}
}
