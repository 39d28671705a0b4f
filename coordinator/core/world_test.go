package core

import (
	"container/heap"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

var (
	seedFlag  = flag.Uint64("seed", 0, "run the simulations of this seed only, and show their events")
	seedsFlag = flag.Uint64("seeds", 0, "number of seeds that each simulation runs; 0 stands for its own choice")
)

// stepsMax is far above the number of steps that a seed needs.
const stepsMax = 200_000

// seedsShort is the number of seeds of each simulation with -short.
const seedsShort = 500

var errDiskFull = errors.New("disk full")

// A world is where a seed takes place: all that is left to chance is drawn from
// the seed, and time passes from one thing that happens to the next.
type world struct {
	t    *testing.T
	seed uint64
	rng  *rand.Rand

	now, seq int
	queue    moments
	calm     bool // nothing goes wrong any more
	faults   int  // how much may still go wrong
	count    tally
}

// tally counts what has happened.
type tally map[string]int

// A moment is something that will happen.
type moment struct {
	at, seq int
	f       func()
}

type moments []moment

func (m moments) Len() int { return len(m) }
func (m moments) Less(i, j int) bool {
	return m[i].at < m[j].at || m[i].at == m[j].at && m[i].seq < m[j].seq
}
func (m moments) Swap(i, j int) { m[i], m[j] = m[j], m[i] }
func (m *moments) Push(x any)   { *m = append(*m, x.(moment)) }
func (m *moments) Pop() any {
	last := (*m)[len(*m)-1]
	*m = (*m)[:len(*m)-1]
	return last
}

func newWorld(t *testing.T, seed, stream uint64) *world {
	t.Helper()
	return &world{t: t, seed: seed, rng: rand.New(rand.NewPCG(seed, stream)), count: tally{}}
}

// run lets things happen until there is nothing more to come, or done.
func (w *world) run(done func() bool) {
	for step := 0; len(w.queue) > 0 && !done(); step++ {
		if step == stepsMax {
			w.fatalf("comes to no end")
		}
		m := heap.Pop(&w.queue).(moment)
		w.now = m.at
		m.f()
	}
}

func (w *world) fatalf(format string, args ...any) {
	w.t.Helper()
	w.t.Fatalf("seed %d (show it with -run '%s' -seed %d -v): %s", w.seed, simulationOf(w.t), w.seed, fmt.Sprintf(format, args...))
}

// simulationOf returns the name of the test, without that of a share of its seeds.
func simulationOf(t *testing.T) string {
	t.Helper()
	name := t.Name()
	if i := slices.Index([]byte(name), '/'); i >= 0 {
		name = name[:i]
	}
	return "^" + name + "$"
}

func (w *world) logf(format string, args ...any) {
	if *seedFlag != 0 {
		w.t.Logf("%5d  "+format, append([]any{w.now}, args...)...)
	}
}

func (w *world) at(delay int, f func()) {
	w.seq++
	heap.Push(&w.queue, moment{at: w.now + delay, seq: w.seq, f: f})
}

// after lets f happen after a delay that is mostly short.
func (w *world) after(f func()) {
	delay := 1 + w.rng.IntN(5)
	if w.rng.IntN(10) == 0 {
		delay += w.rng.IntN(100)
	}
	w.at(delay, f)
}

// fault reports whether something goes wrong now, once in so many times.
func (w *world) fault(onceIn int) bool {
	if w.calm || w.faults == 0 || w.rng.IntN(onceIn) > 0 {
		return false
	}
	w.faults--
	return true
}

// simulateAll runs many seeds of a simulation, some at a time, or the one that
// was asked for. If they are many, each of the things listed must have happened
// in 1 of 200 seeds.
func simulateAll(t *testing.T, seeds uint64, simulate func(*testing.T, uint64) tally, wanted ...string) {
	t.Helper()
	if *seedFlag != 0 {
		t.Logf("%v", simulate(t, *seedFlag))
		return
	}
	if testing.Short() {
		seeds = seedsShort
	}
	if *seedsFlag != 0 {
		seeds = *seedsFlag
	}
	sum := tally{}
	var mu sync.Mutex // guards sum
	const shares = 16
	t.Run("seeds", func(t *testing.T) {
		for share := range uint64(shares) {
			t.Run(fmt.Sprintf("%d+%dn", share+1, shares), func(t *testing.T) {
				t.Parallel()
				for seed := share + 1; seed <= seeds; seed += shares {
					count := simulate(t, seed)
					mu.Lock()
					for what, n := range count {
						sum[what] += n
					}
					mu.Unlock()
				}
			})
		}
	})
	t.Logf("%d seeds: %v", seeds, sum)
	for _, what := range wanted {
		if seeds >= 2000 && sum[what] < int(seeds/200) {
			t.Errorf("the simulation has become too kind: %d times %q in %d seeds", sum[what], what, seeds)
		}
	}
}
