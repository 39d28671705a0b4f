package world

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/table/divided"
	"github.com/everystate/everystate/store/bucket/cloudtest"
)

// What follows are worlds in which one thing goes wrong that a seed would have to be
// lucky to draw at the right time.

// scenario lets a world be in which so many workers begin, and then f happens.
func scenario(t *testing.T, seed uint64, workers int, prepare func(w *world), f func(w *world)) {
	t.Helper()
	scenarioOn(t, deepest(t, false), seed, workers, prepare, f)
}

// deepest returns the board with the most layers, of those of which workers can divide a
// table if that is wanted.
func deepest(t *testing.T, divides bool) *truth {
	t.Helper()
	boards, err := truths()
	if err != nil {
		t.Fatal(err)
	}
	var deepest *truth
	for _, b := range boards {
		if (deepest == nil || len(b.Layers) > len(deepest.Layers)) && (!divides || divided.Check(b.board.Puzzle, partitions) == nil) {
			deepest = b
		}
	}
	if deepest == nil {
		t.Fatal("no board is one of which a table can be divided")
	}
	if _, err := deepest.explore(); err != nil {
		t.Fatal(err)
	}
	return deepest
}

// scenarioOn is scenario on a board.
func scenarioOn(t *testing.T, board *truth, seed uint64, workers int, prepare func(w *world), f func(w *world)) {
	t.Helper()
	var w *world
	defer func() {
		if v := recover(); v != nil {
			// What a full disk has parked in a store never ends.
			if text := fmt.Sprint(v); w == nil || !w.parked || !strings.Contains(text, "blocked goroutines remain") {
				panic(v)
			}
		}
		if o := w.outcome(); o.failure != "" {
			t.Fatalf("%s\n%s", o.failure, strings.Join(o.trace, "\n"))
		}
	}()
	synctest.Test(t, func(*testing.T) {
		w = newWorld(seed, board)
		w.keep, w.store = history.Keep{}, history.Layers // unless prepare wants another
		w.alone, w.spread, w.ahead = -1, -1, -1          // scenarios are about workers that make layers together
		prepare(w)
		w.watch = newObserver(w)
		w.coordinate()
		for range workers {
			w.comes()
		}
		w.watch.watches(w.coordinators)
		go w.watch.loop()
		f(w)
		w.close()
	})
}

// until lets the world go on until something is so.
func (w *world) until(most time.Duration, what string, is func() bool) {
	for begun := time.Now(); !is() && !w.failed(); {
		w.tick()
		w.endFaults(false)
		w.supervise()
		if time.Since(begun) > most {
			s, _, _ := w.watch.latest()
			w.fail("after %v not yet: %s; %v, waiting %q, failure %q", most, what, s.State, s.WaitingFor, s.Failure)
		}
	}
}

// entries waits until the coordinator has told of so many entries of the journal.
func (w *world) entries(n int) {
	w.until(time.Minute, "so many entries of the journal", func() bool {
		s, _, _ := w.watch.latest()
		return s.Entries >= n
	})
}

// gets waits until the run is complete, and says so only since then.
func (w *world) gets(most time.Duration) {
	since := time.Now()
	w.until(most, "the run is complete", func() bool {
		s, heard, _ := w.watch.latest()
		return heard.After(since) && w.watch.complete(s) && (w.cloud == nil || s.DurableEntries == s.Entries)
	})
}

// TestJournalOfBefore restores a backup of a coordinator's journal, with no bucket to
// compare it with. Workers know of later attempts, in the session that the coordinator
// begins next or in one behind it; it reaches neither one epoch per retry, and nobody
// has to resume the run.
func TestJournalOfBefore(t *testing.T) {
	for _, restarts := range []int{1, 2} {
		scenario(t, uint64(restarts), 3, func(w *world) { w.cloud, w.net.latency = nil, 20*time.Millisecond }, func(w *world) {
			c, r := w.coordinators[0], w.dice.of("backup")
			w.entries(begunEntries + 3)
			c.disk.remember(r)
			for range restarts {
				c.kill(false, r)
				c.start()
				s, _, _ := w.watch.latest()
				w.entries(s.Entries + 4)
			}
			s, _, _ := w.watch.latest()
			if s.Complete {
				w.fail("the run is complete before the backup is restored")
			}
			c.kill(false, r)
			c.disk.files = c.disk.once
			c.spoil("of before")
			c.start()
			w.gets(time.Minute)
			o := w.outcome()
			if n := len(o.of("attempt abandoned")); n > 3 || w.count["resumed"] > 0 {
				w.fail("%d attempts were abandoned, and the run was resumed %d times", n, w.count["resumed"])
			}
			w.readAll()
		})
	}
}

// TestCoordinatorsDiskFull fills the disk of a coordinator, and gives it room again. The
// run fails, says why, and goes on when it is resumed: nobody starts the coordinator
// again.
func TestCoordinatorsDiskFull(t *testing.T) {
	for seed, bucket := range []bool{false, true} {
		prepare := func(w *world) {
			w.net.latency, w.parked = 20*time.Millisecond, true
			if w.cloud = nil; bucket {
				w.cloud = cloudtest.New()
			}
		}
		scenario(t, uint64(seed)+1, 2, prepare, func(w *world) {
			c := w.coordinators[0]
			w.entries(begunEntries + 4)
			c.disk.full.Store(true)
			failed := func() bool {
				s, _, _ := w.watch.latest()
				return s.State == client.Failed && strings.Contains(s.Failure, "no space left")
			}
			w.until(time.Minute, "the run fails", failed)
			before := w.started
			w.until(time.Minute, "it was resumed in vain", func() bool {
				return len(w.outcome().of("the journal cannot be opened again")) > 0
			})
			c.disk.full.Store(false)
			w.gets(time.Minute)
			if w.started != before {
				w.fail("a process was started again")
			}
			w.readAll()
			w.inBucket()
		})
	}
}

// TestLostObjects deletes ten layer objects of a run, cuts one short, and does so again
// when the run is complete. Both are noticed without anybody asking, the workers write
// the objects again, and what is in the bucket is enough to restore the run.
func TestLostObjects(t *testing.T) {
	prepare := func(w *world) { w.net.latency, w.cloud = 20*time.Millisecond, cloudtest.New() }
	scenario(t, 1, 3, prepare, func(w *world) {
		c := w.coordinators[0]
		w.loses(10)
		w.gets(time.Minute)
		w.found(0)
		w.loses(10)
		c.kill(false, w.dice.of("coordinator")) // and nobody remembers
		c.start()
		w.found(1)
		w.inBucket()
		if !w.failed() {
			w.catastrophe()
		}
	})
}

// TestLostBeforeUploaded takes the bucket away until the run has come to its end, and then
// a worker with its disk. When the bucket is back, what only that worker had is made again
// without anybody asking, and the bucket gets everything.
func TestLostBeforeUploaded(t *testing.T) {
	prepare := func(w *world) { w.net.latency, w.cloud = 20*time.Millisecond, cloudtest.New() }
	scenario(t, 1, 3, prepare, func(w *world) {
		w.entries(begunEntries + 3)
		w.trouble.set(func(t *troubles) { t.away = true })
		w.until(time.Minute, "the run has come to its end", func() bool {
			s, _, _ := w.watch.latest()
			return w.watch.complete(s)
		})
		if s, _, _ := w.watch.latest(); s.DurableEntries == s.Entries {
			w.fail("the bucket has everything")
		}
		m := w.workers[0]
		m.kill(true, w.dice.of("worker"))
		m.disk = newDisk()
		m.spoil("lost")
		w.trouble.set(func(t *troubles) { t.away = false })
		m.start()
		w.gets(5 * time.Minute)
		if w.count["helped"]+w.count["resumed"] > 0 {
			w.fail("somebody had to help")
		}
		w.readAll()
		w.inBucket()
	})
}

// TestSmallRun submits a small run behind a long one, and kills the coordinator when the
// small one has begun. It is complete long before the other, which is complete as well.
func TestSmallRun(t *testing.T) {
	for seed, bucket := range []bool{false, true} {
		prepare := func(w *world) {
			w.net.latency, w.slice = 100*time.Millisecond, 3000
			if w.cloud = nil; bucket {
				w.cloud = cloudtest.New()
			}
		}
		scenario(t, uint64(seed)+1, 2, prepare, func(w *world) {
			coordinator, r := w.coordinators[0], w.dice.of("small")
			w.entries(begunEntries + 6)
			c, _, err := w.newClient(coordinator, "10.0.3.3")
			if err != nil {
				w.fail("%v", err)
				return
			}
			defer func() { _ = c.Close() }()
			ctx, want := context.Background(), history.Want{MaxDepth: new(5)}
			if _, err := c.Submit(ctx, "small", w.spec(), want); err != nil {
				w.fail("%v", err)
			}
			state := func() (s client.Status) {
				s, _, _ = c.Get(ctx, "small")
				return s
			}
			w.until(time.Minute, "the small run has begun", func() bool { return state().Entries > begunEntries+1 })
			coordinator.kill(false, r)
			coordinator.start()
			w.until(time.Minute, "the small run is over", func() bool { return state().State == client.Stopped })
			if s, _, _ := w.watch.latest(); w.watch.complete(s) {
				w.fail("the small run has waited for the long one")
			}
			w.gets(time.Minute)
			w.readAll()
			w.inBucket()
		})
	}
}

// TestWorkersThatDoNotReachEachOther cuts the network from one worker to another for
// good, while both talk to the coordinator. One of the two is named and left out, and the
// run goes on without it.
func TestWorkersThatDoNotReachEachOther(t *testing.T) {
	prepare := func(w *world) { w.net.latency, w.cloud = 20*time.Millisecond, cloudtest.New() }
	scenario(t, 1, 3, prepare, func(w *world) {
		w.entries(begunEntries + 4)
		w.net.block(route{w.workers[0].host, w.workers[1].host})
		w.gets(5 * time.Minute)
		if n := len(w.outcome().of("continuing without it")); n != 1 {
			w.fail("%d workers were left out", n)
		}
		w.inBucket()
	})
}

// TestWorkerThatStandsStill stops a worker for 98 % of the time, for good. It keeps its
// lease all the time, is named and left out once, and the run goes on without it.
func TestWorkerThatStandsStill(t *testing.T) {
	prepare := func(w *world) { w.net.latency, w.cloud = 20*time.Millisecond, cloudtest.New() }
	scenario(t, 1, 3, prepare, func(w *world) {
		w.entries(begunEntries + 4)
		m := w.workers[0]
		m.stutters(2*time.Second, func() bool { return false })
		w.gets(5 * time.Minute)
		_, name, _ := strings.Cut(w.outcome().of(m.what + "/")[1], " worker=")
		name, _, _ = strings.Cut(name, " ")
		out := w.outcome().of("is stalled; continuing without it")
		if len(out) != 1 || !strings.Contains(out[0], "without="+name+" ") {
			w.fail("left out, and not %s alone: %q", name, out)
		}
		w.calm = true
		w.endFaults(true)
		w.inBucket()
	})
}

// loses has the bucket lose layer objects, as soon as it has more than those.
func (w *world) loses(n int) {
	w.until(time.Minute, "there are layers in the bucket", func() bool { return w.cloud.Lose(run+"/layers/", n) })
}

// found waits until it has been noticed, for the n-th time, that objects were lost, and
// until none is any more.
func (w *world) found(n int) {
	w.until(time.Minute+2*scrubMillis*time.Millisecond, "all objects are there again", func() bool {
		s, _, _ := w.watch.latest()
		return len(w.outcome().of("has all objects of a run again")) > n && s.BucketLost == 0
	})
}
