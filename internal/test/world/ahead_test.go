package world

import (
	"context"
	"testing"
	"time"
)

// TestFetchedAhead has a third worker come in the middle of a run, or leave. Who is to keep
// partitions then fetches them while layers are made. One that does, or one that it fetches
// from, or the coordinator, is killed meanwhile. No layer is made again but the one under
// way with those who made it.
func TestFetchedAhead(t *testing.T) {
	joins := func(w *world) { w.comes() }
	leaves := func(w *world) { drains(w.workers[2], nil) }
	for seed, test := range []struct {
		name      string
		workers   int
		change    func(w *world)
		killed    func(w *world) *machine
		abandoned bool // what was under way is lost with it
	}{
		{"nobody", 2, joins, nil, false},
		{"who fetches", 2, joins, func(w *world) *machine { return w.workers[2] }, false},
		{"who has it", 2, joins, func(w *world) *machine { return w.workers[0] }, true},
		{"coordinator", 2, joins, func(w *world) *machine { return w.coordinators[0] }, true},
		{"leaves", 3, leaves, nil, false},
		{"leaves later", 3, leaves, nil, false},
		{"leaves at another time", 3, leaves, nil, false},
		{"leaves, and who fetches is killed", 3, leaves, func(w *world) *machine { return w.workers[1] }, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			prepare := func(w *world) { w.cloud, w.net.latency, w.ahead = nil, 100*time.Millisecond, 1 }
			scenario(t, uint64(seed)+1, test.workers, prepare, func(w *world) {
				w.fetchesAhead(test.change, test.killed, time.Duration(seed)*70*time.Millisecond)
				w.gets(time.Minute)
				if n := w.said("attempt abandoned"); n > 0 && !test.abandoned {
					w.fail("%d attempts were abandoned", n)
				}
				if w.said("records of a layer are lost") > 0 {
					w.fail("layers were made again")
				}
				w.readAll()
			})
		})
	}
}

// fetchesAhead changes who is to keep what, some time after the beginning, and kills a
// machine when somebody fetches. It returns when partitions have moved.
func (w *world) fetchesAhead(change func(w *world), killed func(w *world) *machine, after time.Duration) {
	c, _, err := w.newClient(w.coordinators[0], "10.0.3.3")
	if err != nil {
		w.fail("%v", err)
		return
	}
	defer func() { _ = c.Close() }()
	entries := func() int {
		s, _, err := c.Get(context.Background(), run)
		if err != nil {
			w.fail("%v", err)
		}
		return s.Entries
	}
	w.entries(begunEntries + 5)
	time.Sleep(after)
	before := entries() // while the next layer is being made: asking takes a while
	change(w)
	w.until(time.Minute, "somebody fetches ahead", func() bool { return w.said("partitions are fetched ahead") > 0 })
	placed := w.said("partitions placed")
	if killed != nil {
		m := killed(w)
		m.kill(false, w.dice.of("killed"))
		m.again = time.Now().Add(leaseMillis * time.Millisecond / 2)
	}
	w.until(time.Minute, "partitions have moved", func() bool { return w.said("partitions placed") > placed })
	if n := entries() - before; n < 2 {
		w.fail("only %d entries since, with that of the partitions", n)
	}
}

// said returns how often a process has said something.
func (w *world) said(what string) int { return len(w.outcome().of(what)) }
