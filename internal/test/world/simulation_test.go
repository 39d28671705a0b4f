package world

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/frontier"
	"github.com/everystate/everystate/internal/table/divided"
	"github.com/everystate/everystate/internal/table/stored"
	"github.com/everystate/everystate/store/bucket/cloudtest"
)

var (
	seedsFlag = flag.Uint64("seeds", 0, "how many seeds the simulation takes; 0 is a number for every day")
	seedFlag  = flag.Uint64("seed", 0, "the only seed that the simulation takes, with its trace")
	againFlag = flag.Int("again", 1, "how often it takes it")
)

const (
	seedsDaily = 20 // .ci/run takes 2,000

	// stuckAfter is how long, in real time, virtual time may stand still in a world: far
	// longer than a busy machine takes to get on.
	stuckAfter = 30 * time.Second

	// calmMax is how long, in virtual time, a run may take once there is calm: far
	// more than it needs.
	calmMax = 20 * time.Minute
)

// TestSimulation is what this package is for.
func TestSimulation(t *testing.T) {
	if *seedFlag != 0 {
		replay(t, *seedFlag, *againFlag)
		return
	}
	seeds := cmp.Or(*seedsFlag, seedsDaily)
	// Garbage is a quarter of the work otherwise; a world is small.
	percent := debug.SetGCPercent(400)
	t.Cleanup(func() { debug.SetGCPercent(percent) })
	sum := tally{count: make(map[string]int)}
	begun := time.Now()
	t.Cleanup(func() { sum.report(t, time.Since(begun)) })
	shares := uint64(runtime.GOMAXPROCS(0))
	for share := range shares {
		t.Run(fmt.Sprint("share ", share), func(t *testing.T) {
			t.Parallel()
			for seed := share + 1; seed <= seeds; seed += shares {
				o := simulate(t, seed)
				sum.add(o)
				if o.failure != "" {
					t.Fatalf("seed %d: %s\n%s", seed, o.failure, strings.Join(o.trace, "\n"))
				}
			}
		})
	}
}

// replay runs one seed, and says how exactly it has repeated itself.
func replay(t *testing.T, seed uint64, times int) {
	t.Helper()
	var first outcome
	faults, traces := 0, 0
	for i := range times {
		o := simulate(t, seed)
		if o.failure != "" || times == 1 {
			t.Log(strings.Join(o.trace, "\n"))
		}
		if o.failure != "" {
			t.Fatal(o.failure)
		}
		if i == 0 {
			first = o
			continue
		}
		if slices.Equal(o.of("FAULT"), first.of("FAULT")) {
			faults++
		}
		if slices.Equal(o.trace, first.trace) {
			traces++
		}
	}
	if times > 1 {
		t.Logf("of %d times after the first, %d had the same faults at the same times, and %d the same trace to the last line and microsecond",
			times-1, faults, traces)
	}
}

// of returns the lines of a trace that say something.
func (o outcome) of(what string) []string {
	return slices.DeleteFunc(slices.Clone(o.trace), func(line string) bool { return !strings.Contains(line, what) })
}

// tally adds up what happened in all worlds.
type tally struct {
	mu      sync.Mutex
	count   map[string]int
	seeds   int
	virtual time.Duration
	faults  int
}

func (s *tally) add(o outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seeds++
	s.virtual += o.virtual
	s.faults += o.faults
	for what, n := range o.count {
		s.count[what] += n
	}
}

func (s *tally) report(t *testing.T, took time.Duration) {
	t.Helper()
	t.Logf("%d seeds, %d faults, %.1f virtual hours in %v: %.1f virtual hours and %.0f faults a minute",
		s.seeds, s.faults, s.virtual.Hours(), took.Round(time.Second), s.virtual.Hours()/took.Minutes(), float64(s.faults)/took.Minutes())
	var names []string
	for what := range s.count {
		names = append(names, what)
	}
	slices.Sort(names)
	for _, what := range names {
		t.Logf("%8d  %s", s.count[what], what)
	}
}

// outcome is what became of a world.
type outcome struct {
	failure string
	trace   []string
	count   map[string]int
	virtual time.Duration
	faults  int
}

// simulate lets the world of a seed be, from its beginning to its end.
func simulate(t *testing.T, seed uint64) (o outcome) {
	t.Helper()
	boards, err := truths()
	if err != nil {
		t.Fatal(err)
	}
	d := dice(seed)
	b := boards[d.of("board").n(len(boards))]
	if d.of("kind").one(4) {
		if b, err = randomGraph(d); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	if _, err := b.explore(); err != nil {
		return outcome{failure: err.Error(), trace: []string{"FAILURE: undisturbed: " + err.Error()}}
	}
	var w *world
	var made atomic.Pointer[world] // w, for another goroutine
	over := make(chan struct{})
	defer close(over)
	go func() {
		for last := int64(-1); ; {
			select {
			case <-over:
				return
			case <-time.After(stuckAfter):
			}
			w := made.Load()
			if w == nil {
				continue
			}
			now := w.alive.Load()
			if now == last {
				fmt.Fprintf(os.Stderr, "FAILURE: seed %d: virtual time stands still\n%s\n", seed, strings.Join(w.outcome().trace, "\n"))
				panic("stuck")
			}
			last = now
		}
	}()
	defer func() {
		if v := recover(); v != nil {
			// What a full disk has parked in a store never ends.
			if text := fmt.Sprint(v); w == nil || !w.parked || !strings.Contains(text, "blocked goroutines remain") {
				panic(v)
			}
			o = w.outcome()
		}
	}()
	synctest.Test(t, func(*testing.T) {
		w = newWorld(seed, b)
		made.Store(w)
		w.live()
	})
	return w.outcome()
}

func (w *world) outcome() outcome {
	w.mu.Lock()
	defer w.mu.Unlock()
	return outcome{w.failure, w.trace, w.count, w.lived, w.faults}
}

func newWorld(seed uint64, b *truth) *world {
	d := dice(seed)
	r := d.of("world")
	w := &world{
		seed: seed, dice: d, begun: time.Now(), truth: b, chaos: d.of("chaos"), count: make(map[string]int),
		net: newNetwork(d, []time.Duration{2 * time.Millisecond, 20 * time.Millisecond, 100 * time.Millisecond}[r.n(3)]),
	}
	if r.n(4) > 0 {
		w.cloud = cloudtest.New()
	}
	keep := d.of("keep")
	frugal := history.Keep{Frontier: true, Named: history.DepthsOf([]uint32{uint32(keep.n(8))})}
	if keep.one(3) && frontier.Check(history.Spec{Keep: frugal}, b.board.Puzzle) == nil {
		w.keep = frugal
		w.counts("keeps its frontier")
	}
	// A table of the whole run is kept by one worker, where there is no bucket, or is divided.
	if p := b.board.Puzzle; p.Layout().Reversible && stored.Ranked(p) && d.of("table").one(3) {
		w.store, w.cloud, w.keep = history.Table, nil, history.Keep{}
		w.counts("asks for a table")
	} else if d.of("store").one(2) && !w.keep.Frontier {
		w.divides()
	}
	// Half of the worlds have layers that one worker makes alone: all of them, or small ones.
	w.alone = []int64{-1, -1, 0, 50}[d.of("alone").n(4)]
	// In half of them partitions are spread as layers grow: over several workers in none, or
	// in some.
	w.spread = []int64{-1, -1, 0, 16, 16, 60}[d.of("spread").n(6)]
	// In most of them workers get ahead what they are to keep soon.
	w.ahead = []int64{-1, 1, 1, 1, 30}[d.of("ahead").n(5)]
	w.logf("%s, bucket %t, latency %v, keeps %v, divides a table %t", b.ID, w.cloud != nil, w.net.latency, w.keep, w.store == history.DividedTable)
	return w
}

// divides has workers divide a table, if the board can have one.
func (w *world) divides() {
	if divided.Check(w.truth.board.Puzzle, partitions) == nil {
		w.store, w.gather = history.DividedTable, 20
		w.counts("divides a table")
	}
}

// live lets a world begin, go wrong, be mended and end.
func (w *world) live() {
	r := w.dice.of("life")
	w.watch = newObserver(w)
	go w.ages()
	if first := w.dice.of("first"); w.cloud != nil && first.one(3) {
		// Most of what is uploaded is uploaded before anything else goes wrong.
		w.logf("FAULT: bucket goes wrong from the beginning")
		w.counts("fault: bucket goes wrong from the beginning")
		w.faults++
		bucketGoesWrong(w, first)
	}
	w.coordinate()
	for range 1 + r.n(4) {
		w.comes()
	}
	w.watch.watches(w.coordinators)
	go w.watch.loop()
	gap := []time.Duration{100 * time.Millisecond, 500 * time.Millisecond, 3 * time.Second}[r.n(3)]
	next := time.Now().Add(r.duration(2 * time.Second))
	for left := r.n(30); left > 0 && !w.failed(); {
		w.tick()
		w.supervise()
		w.endFaults(false)
		if time.Now().Before(next) {
			continue
		}
		next = time.Now().Add(r.duration(2 * gap))
		left--
		w.workers[r.n(len(w.workers))].disk.remember(r)
		if r.one(3) {
			w.backsUp(w.coordinators[r.n(len(w.coordinators))], r)
		}
		w.strike()
		w.watch.watches(w.coordinators)
	}
	if !w.failed() {
		w.calms()
		w.watch.watches(w.coordinators[len(w.coordinators)-1:])
		w.finish()
	}
	w.close()
}

// ages counts the seconds of virtual time, until the world has ended.
func (w *world) ages() {
	for {
		select {
		case <-w.watch.over:
			return
		case <-time.After(time.Second):
			w.alive.Add(1)
		}
	}
}

// backsUp keeps the disk of a coordinator as it is now.
func (w *world) backsUp(m *machine, r *draw) {
	s, _, _ := w.watch.latest()
	m.disk.begun = s.Entries > begunEntries
	m.disk.remember(r)
}

// begunEntries is how many entries a run has that is about to be begun: what it
// explores, and a session.
const begunEntries = 2

// tick waits for the next hundredth of a second. That an order to end takes a little
// longer one time than another has no part in when the next fault happens.
func (w *world) tick() {
	const most = 10 * time.Millisecond
	time.Sleep(most - time.Since(w.begun)%most)
}

// close ends everything that there is.
func (w *world) close() {
	w.lived = time.Since(w.begun)
	w.endFaults(true)
	w.watch.stop()
	<-w.watch.over
	for _, m := range append(append([]*machine{}, w.workers...), w.coordinators...) {
		m.end()
	}
	w.dead.Wait()
}
