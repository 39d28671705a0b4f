package world

import (
	"testing"
	"time"
)

// TestBackToLeave has a worker drain from the first call of its process on, or the
// coordinator come back when a worker drains already. The worker keeps partitions: they go
// to others before it does, and nobody has to start it again.
func TestBackToLeave(t *testing.T) {
	for seed, test := range []struct {
		name   string
		killed func(w *world) *machine
		first  bool // the others come back later
	}{
		{"worker", func(w *world) *machine { return w.workers[2] }, false},
		{"coordinator", func(w *world) *machine { return w.coordinators[0] }, false},
		{"coordinator, and the others later", func(w *world) *machine { return w.coordinators[0] }, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			prepare := func(w *world) { w.cloud, w.net.latency = nil, 100*time.Millisecond }
			scenario(t, uint64(seed)+1, 3, prepare, func(w *world) {
				w.entries(begunEntries + 5)
				m, leaver := test.killed(w), w.workers[2]
				m.kill(false, w.dice.of("killed"))
				if m == leaver {
					w.until(time.Minute, "the worker is given up", func() bool { return w.said("worker lost") > 0 })
					m.start()
					drains(leaver, nil)
				} else {
					drains(leaver, nil)
					for _, o := range w.workers[:2] {
						if test.first {
							o.kill(false, w.dice.of("killed", o.what))
							o.again = time.Now().Add(leaseMillis * time.Millisecond / 2)
						}
					}
					m.start()
				}
				w.until(time.Minute, "the worker has left", func() bool { return leaver.left })
				if s, _, _ := w.watch.latest(); s.Complete {
					w.fail("the run is complete before the worker leaves")
				}
				w.gets(time.Minute)
				w.readAll()
			})
		})
	}
}
