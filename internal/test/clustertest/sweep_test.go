package clustertest

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/server"
	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/kinds"
	"github.com/everystate/everystate/internal/sweep/rushhour"
	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
	"github.com/everystate/everystate/internal/test/crashdisk"
)

// paced holds back the units of a sweep, which are done one by one as a test permits: so
// there is time for something to happen in the middle, on any machine.
type paced struct {
	mu      sync.Mutex
	all     bool // may be done
	more    int  // may be done
	changed chan struct{}
}

// pace makes the units of a world's sweeps wait until units or all permits them.
func (w *world) pace() *paced {
	p := &paced{changed: make(chan struct{})}
	w.sweeps = func(rules string) (sweep.Enumeration, error) {
		e, err := kinds.Open(rules)
		return pacedEnumeration{e, p}, err
	}
	return p
}

// let permits all units, or one more unless one is already permitted and not taken.
func (p *paced) let(all bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all, p.more = p.all || all, max(p.more, 1)
	close(p.changed)
	p.changed = make(chan struct{})
}

// wait returns when a unit may be done.
func (p *paced) wait(ctx context.Context) {
	for ctx.Err() == nil {
		p.mu.Lock()
		if p.all || p.more > 0 {
			p.more = max(p.more-1, 0)
			p.mu.Unlock()
			return
		}
		changed := p.changed
		p.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

type pacedEnumeration struct {
	sweep.Enumeration
	pace *paced
}

func (e pacedEnumeration) Worker() sweep.Worker { return pacedWorker{e.Enumeration.Worker(), e.pace} }

type pacedWorker struct {
	sweep.Worker
	pace *paced
}

func (w pacedWorker) Do(ctx context.Context, unit int) (sweep.Findings, error) {
	w.pace.wait(ctx)
	return w.Worker.Do(ctx, unit)
}

// small is a sweep of some hundred units.
func small(t *testing.T) sweep.Enumeration {
	t.Helper()
	e, err := rushhour.New(rules.Rules{Size: rules.Square(4), ExitRow: -1, WallsMax: 1})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// sum is a sink that adds up what it is given.
type sum struct {
	mu      sync.Mutex
	done    map[int]bool
	totals  sweep.Totals
	records int
}

func (s *sum) Done(int) bool { return false }

func (s *sum) Commit(unit int, f *sweep.Findings) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done[unit] {
		return errors.New("a unit is committed twice")
	}
	if s.done == nil {
		s.done = make(map[int]bool)
	}
	s.done[unit] = true
	s.totals.Add(&f.Totals)
	s.records += len(f.Records)
	return nil
}

// alone does a sweep on this machine.
func alone(t *testing.T, e sweep.Enumeration) *sum {
	t.Helper()
	s := new(sum)
	if err := sweep.Run(t.Context(), e, sweep.Part{}, s, 2); err != nil {
		t.Fatal(err)
	}
	return s
}

// sweep puts a sweep in the queue.
func (c *coordinator) sweep(run string, e sweep.Enumeration) {
	c.t.Helper()
	_, err := c.client.Submit(c.t.Context(), run, history.Spec{Family: "rush-hour", Metric: "slide", Text: e.Rules(), Units: e.Units()}, history.Want{})
	if err != nil {
		c.t.Fatal(err)
	}
}

// units permits units of a sweep until n are done.
func (c *coordinator) units(run string, p *paced, n int) {
	c.t.Helper()
	c.untilRun(run, "has units", func(s client.Status, _ map[string]client.Worker) bool {
		if s.State.Over() {
			c.t.Fatalf("the sweep is %v: nothing happened in its middle", s.State)
		}
		if s.UnitsDone < n {
			p.let(false)
		}
		return s.UnitsDone >= n
	})
}

// swept waits for the end of a sweep and compares it with that of one machine.
func (c *coordinator) swept(run string, e sweep.Enumeration, want *sum) {
	c.t.Helper()
	c.stopped(run)
	s, _ := c.get(run)
	if !s.Complete || s.UnitsDone != e.Units() || s.UnitsLeased != 0 || s.Digest != want.totals.Digest || s.Records != int64(want.records) || s.States != int64(want.totals.States) {
		c.t.Errorf("%s: %+v\nwant digest %v of %d units with %d records", run, s, want.totals.Digest, e.Units(), want.records)
	}
	got := new(sum)
	rules := ""
	err := c.client.Sweep(c.t.Context(), run, func(text string) error { rules = text; return nil }, got.Commit)
	if err != nil {
		c.t.Fatal(err)
	}
	if rules != e.Rules() || len(got.done) != e.Units() || got.totals.Digest != want.totals.Digest || got.records != want.records {
		c.t.Errorf("%s: fetched %d units with %d records and digest %v", run, len(got.done), got.records, got.totals.Digest)
	}
	if _, err := c.client.Open(c.t.Context(), run); !errors.Is(err, client.ErrRefused) {
		c.t.Errorf("%s is opened as the run of a board: %v", run, err)
	}
}

func TestSweepOnWorkers(t *testing.T) {
	t.Parallel()
	e := small(t)
	want := alone(t, e)
	for _, machines := range [][]string{{"a"}, {"a", "b"}, {"a", "b", "c"}} {
		w := newWorld(t, "")
		c := w.coordinator("coordinator", nil)
		c.workers(machines...)
		c.sweep("all", e)
		c.swept("all", e, want)
	}
}

func TestSweepLosesWorkers(t *testing.T) {
	t.Parallel()
	e := small(t)
	want := alone(t, e)
	w := newWorld(t, "")
	pace := w.pace()
	c := w.coordinator("coordinator", soonLost)
	workers := c.workers("a", "b")
	c.sweep("all", e)
	c.units("all", pace, e.Units()/8)
	workers[0].loseDisk()
	c.units("all", pace, e.Units()/4)
	c.worker("late", 1)
	close(workers[1].drain)
	c.untilRun("all", "knows who leaves", func(_ client.Status, there map[string]client.Worker) bool {
		return there[workers[1].name()].Draining
	})
	pace.let(true)
	c.until("the worker has drained", workers[1].ended)
	c.swept("all", e, want)
}

// TestSweepOutlivesCoordinator ends the coordinator of a sweep, or takes its machine's power
// away, several times in the middle and once at the end.
func TestSweepOutlivesCoordinator(t *testing.T) {
	t.Parallel()
	e := small(t)
	want := alone(t, e)
	for name, cut := range map[string]bool{"ended": false, "without power": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "")
			pace := w.pace()
			disk := crashdisk.New()
			c := w.coordinator("coordinator", func(o *server.Options) { o.FS = disk })
			c.workers("a", "b")
			c.sweep("all", e)
			again := func() {
				left := disk.Cut()
				c.end(t)
				if cut {
					disk = crashdisk.Of(left)
				}
				c.begin()
			}
			for part := 1; part < 4; part++ {
				c.units("all", pace, part*e.Units()/5)
				again()
			}
			pace.let(true)
			c.swept("all", e, want)
			again()
			if s, _ := c.get("all"); s.UnitsDone != e.Units() {
				t.Errorf("%d units are left of %d that were done", s.UnitsDone, e.Units())
			}
		})
	}
}

// TestSweepIsPlannedAside holds the plan of a sweep back: the coordinator has to answer
// meanwhile, and its workers to stay.
func TestSweepIsPlannedAside(t *testing.T) {
	t.Parallel()
	e := small(t)
	want := alone(t, e)
	w := newWorld(t, "")
	pace := w.pace()
	open, hold, held := w.sweeps, make(chan struct{}), make(chan struct{}, 1)
	c := w.coordinator("coordinator", func(o *server.Options) {
		o.Sweeps = func(rules string) (sweep.Enumeration, error) {
			select {
			case held <- struct{}{}:
			default:
			}
			<-hold
			return open(rules)
		}
	})
	c.workers("a", "b")
	go func() { <-held; hold <- struct{}{} }() // the plan that is needed to submit it
	c.sweep("all", e)
	c.units("all", pace, e.Units()/4)
	c.end(t)
	c.begin()
	<-held
	c.present(2)
	c.untilRun("all", "waits for its plan", func(s client.Status, _ map[string]client.Worker) bool {
		return s.UnitsLeased == 0 && s.WaitingFor == "for the plan of the sweep"
	})
	close(hold)
	pace.let(true)
	c.swept("all", e, want)
}

func TestSweepFromBucket(t *testing.T) {
	t.Parallel()
	e := small(t)
	want := alone(t, e)
	w := newWorld(t, "file://"+t.TempDir())
	pace := w.pace()
	c := w.coordinator("coordinator", func(o *server.Options) { o.Adopt = true })
	c.workers("a", "b")
	c.sweep("all", e)
	durable := 0
	c.untilRun("all", "is in the bucket", func(s client.Status, _ map[string]client.Worker) bool {
		pace.let(false)
		durable = s.DurableEntries
		return durable > e.Units()/4
	})
	c.end(t)
	w.wipe("coordinator") // only the bucket is left
	c.begin()
	c.untilRun("all", "is back", func(s client.Status, _ map[string]client.Worker) bool { return s.UnitsDone >= durable-2 })
	pace.let(true)
	c.swept("all", e, want)
}

func TestSweepAmongOthers(t *testing.T) {
	t.Parallel()
	e := small(t)
	want := alone(t, e)
	w := newWorld(t, "")
	pace := w.pace()
	c := w.coordinator("coordinator", nil)
	c.workers("a", "b")
	b := boardOf(t, short)
	c.sweep("all", e)
	c.submit("board", b, everything())
	c.units("all", pace, e.Units()/8)
	if s, _ := c.get("board"); s.State != client.Queued {
		t.Errorf("the board's run is %v while the sweep goes on", s.State)
	}
	if _, err := c.client.Pause(t.Context(), "all"); err != nil {
		t.Fatal(err)
	}
	c.exact("board", b) // it does not wait for the sweep
	if s, _ := c.get("all"); s.State != client.Paused || s.UnitsDone == e.Units() {
		t.Errorf("the sweep is %v with %d units", s.State, s.UnitsDone)
	}
	if _, err := c.client.Resume(t.Context(), "all", nil); err != nil {
		t.Fatal(err)
	}
	pace.let(true)
	c.sweep("all", e) // again: it continues
	c.swept("all", e, want)
	other, err := rushhour.New(rules.Rules{Size: rules.Square(4), ExitRow: 0})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.client.Submit(t.Context(), "all", history.Spec{Text: other.Rules(), Units: other.Units()}, history.Want{})
	if !errors.Is(err, client.ErrOtherPuzzle) {
		t.Errorf("another sweep under the same name: %v", err)
	}
	if err := c.client.Delete(t.Context(), "all"); err != nil {
		t.Fatal(err)
	}
}

// broken is an enumeration one of whose units cannot be done.
type broken struct{ sweep.Enumeration }

func (b broken) Worker() sweep.Worker { return brokenWorker{b.Enumeration.Worker()} }

type brokenWorker struct{ sweep.Worker }

func (w brokenWorker) Do(ctx context.Context, unit int) (sweep.Findings, error) {
	if unit == 7 {
		panic("this unit cannot be done")
	}
	return w.Worker.Do(ctx, unit)
}

func TestSweepThatFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.sweeps = func(rules string) (sweep.Enumeration, error) {
		e, err := kinds.Open(rules)
		return broken{e}, err
	}
	c := w.coordinator("coordinator", nil)
	c.workers("a")
	c.sweep("all", small(t))
	c.until("the sweep fails", func() bool {
		s, _ := c.get("all")
		return s.State == client.Failed
	})
	if s, _ := c.get("all"); s.Failure == "" || !w.log.has("this unit cannot be done") {
		t.Errorf("why it failed is not said: %+v", s)
	}
}
