package world

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/everystate/everystate/store/bucket/cloudtest"
)

// takesLong is how long the bucket takes to give an early layer.
const takesLong = 20 * time.Second

// TestRestoredMeanwhile has a worker lose its disk in the middle of a run. The others get
// from the bucket what the next layer is made from, and the run goes on while the bucket
// takes long to give the rest. Meanwhile one that gets it is killed, or the coordinator, or
// another worker comes, one more
// disk is lost, or the bucket loses some of it. In the end everything is where it should be.
func TestRestoredMeanwhile(t *testing.T) { restoredMeanwhile(t, false) }

// TestRestoredTable is TestRestoredMeanwhile where workers divide a table.
func TestRestoredTable(t *testing.T) { restoredMeanwhile(t, true) }

func restoredMeanwhile(t *testing.T, divides bool) {
	t.Helper()
	for seed, test := range []struct {
		name      string
		meanwhile func(w *world)
		again     bool // some layers are made again
		atEnd     bool // all layers are made already
	}{
		{"nothing", func(*world) {}, false, false},
		{"who restores is killed", func(w *world) { w.back(w.workers[1], leaseMillis*time.Millisecond/2) }, false, false},
		{"who restores is killed for longer", func(w *world) { w.back(w.workers[1], 3*leaseMillis*time.Millisecond) }, false, false},
		{"coordinator", func(w *world) { w.back(w.coordinators[0], time.Second) }, false, false},
		{"another comes", func(w *world) { w.comes() }, false, false},
		{"who restores leaves", func(w *world) { drains(w.workers[1], nil) }, false, false},
		{"another disk is lost", func(w *world) { w.losesDisk(w.workers[1]) }, false, false},
		{"the bucket loses some of the rest", func(w *world) { w.loses(5) }, true, false},
		{"coordinator, at the end", func(w *world) { w.back(w.coordinators[0], time.Second) }, false, true},
		{"who restores is killed, at the end", func(w *world) { w.back(w.workers[1], leaseMillis*time.Millisecond/2) }, false, true},
		{"who restores is killed for longer, at the end", func(w *world) { w.back(w.workers[1], 3*leaseMillis*time.Millisecond) }, false, true},
		{"all leave, at the end", func(w *world) {
			for _, m := range w.workers[1:] {
				drains(m, nil)
			}
			w.until(time.Minute, "they have left", func() bool { return w.workers[1].left && w.workers[2].left })
			for _, m := range w.workers[1:] {
				m.left = false
				m.start()
			}
		}, false, true},
		{"paused and resumed, at the end", func(w *world) {
			c, _, err := w.newClient(w.coordinators[0], "10.0.3.3")
			if err != nil {
				w.fail("%v", err)
				return
			}
			defer func() { _ = c.Close() }()
			if _, err = c.Pause(context.Background(), run); err == nil {
				_, err = c.Resume(context.Background(), run, nil)
			}
			if err != nil {
				w.fail("%v", err)
			}
		}, false, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			var early string // what objects of the layers are called that nobody needs soon
			prepare := func(w *world) {
				w.cloud, w.net.latency, w.ahead = cloudtest.New(), 20*time.Millisecond, 1
				if divides {
					w.divides()
				}
				w.slow = func(op, key string) time.Duration {
					_, layer, is := strings.Cut(key, "/layers/")
					if op == cloudtest.Read && is && layer < early {
						return takesLong
					}
					return 0
				}
			}
			b := deepest(t, divides)
			if divides { // the first layer of the goal phase waits for the rest
				b = b.forward()
			}
			scenarioOn(t, b, uint64(seed)+1, 3, prepare, func(w *world) {
				const made = 8
				w.until(time.Minute, "some layers are in the bucket", func() bool {
					s, _, _ := w.watch.latest()
					return s.DurableEntries >= begunEntries+made
				})
				early = fmt.Sprintf("1-%010d", made-4)
				lost := time.Now()
				w.losesDisk(w.workers[0])
				w.until(time.Minute, "partitions are restored while the run goes on", func() bool { return w.said("remaining records of partitions are restored") > 0 })
				before, _, _ := w.watch.latest()
				w.entries(before.Entries + 5)
				if took := time.Since(lost); took >= takesLong {
					w.fail("the run went on after %v", took)
				}
				if test.atEnd {
					w.until(time.Minute, "only what is restored is waited for", func() bool {
						s, _, _ := w.watch.latest()
						return strings.Contains(s.WaitingFor, "to restore the rest of its partitions")
					})
				}
				test.meanwhile(w)
				w.gets(5 * time.Minute)
				if again := w.said("records of a layer are lost") > 0; again != test.again {
					w.fail("layers are made again: %t", again)
				}
				if gap := "does not have all states"; w.said(gap) > 0 {
					w.fail("a worker says of its table: %s", gap)
				}
				w.readAll()
				w.inBucket()
			})
		})
	}
}

// back kills a machine, which is back after a while.
func (w *world) back(m *machine, after time.Duration) {
	m.kill(false, w.dice.of("killed"))
	m.again = time.Now().Add(after)
}

// losesDisk kills a worker, which never comes back.
func (w *world) losesDisk(m *machine) {
	m.kill(true, w.dice.of("lost", m.what))
	m.disk = newDisk()
	m.spoil("lost")
}
