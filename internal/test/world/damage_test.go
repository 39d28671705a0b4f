package world

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/store/bucket/cloudtest"
)

// TestDamage changes bytes in the stored tables of a worker and, if there is a bucket, in
// its objects, while the run is explored and again when it is complete. All is found and
// mended, and nobody helps: what a worker lacks is restored from the bucket or, without
// one, made again.
func TestDamage(t *testing.T) {
	for seed, cloud := range []*cloudtest.Cloud{nil, cloudtest.New()} {
		prepare := func(w *world) { w.net.latency, w.cloud = 20*time.Millisecond, cloud }
		scenario(t, uint64(seed)+1, 3, prepare, func(w *world) {
			w.entries(begunEntries + 5)
			w.bends(0)
			if s, _, _ := w.watch.latest(); s.Complete {
				w.fail("the run was complete before anything was damaged")
			}
			w.bendsObjects(3)
			w.gets(time.Minute)
			w.bendsObjects(10)
			w.bends(1)
			w.gets(time.Minute)
			if w.count["helped"]+w.count["resumed"] > 0 {
				w.fail("somebody had to help")
			}
			w.readAll()
			w.inBucket()
		})
	}
}

// TestDamageEverywhere damages the tables of a worker and the objects in the bucket at the
// same time, while the run is explored and again when it is complete: nobody has some
// records any more. They are made again from the layer above, nobody helps, and the
// bucket has everything at the end, for a cluster of empty disks too.
func TestDamageEverywhere(t *testing.T) {
	prepare := func(w *world) { w.net.latency, w.cloud = 20*time.Millisecond, cloudtest.New() }
	scenario(t, 1, 3, prepare, func(w *world) {
		again := func() int { return len(w.outcome().of("are lost, in the bucket too; making it again")) }
		w.bent = true
		for round := range 2 {
			w.entries(begunEntries + 8)
			m, before := w.workers[round], again()
			w.until(time.Minute, "the bucket has some layers", func() bool {
				s, _, _ := w.watch.latest()
				return s.DurableEntries >= begunEntries+5
			})
			m.end()
			if n, err := m.disk.bend(); err != nil || n == 0 {
				w.fail("%d tables were damaged: %v", n, err)
			}
			if !w.cloud.Bend(run+"/layers/", 12) {
				w.fail("there are too few objects to damage")
			}
			m.start()
			w.until(5*time.Minute, "layers are made again", func() bool { return again() > before })
			w.gets(time.Minute)
		}
		if w.count["helped"]+w.count["resumed"] > 0 {
			w.fail("somebody had to help")
		}
		c := w.coordinators[0]
		c.kill(true, w.dice.of("coordinator"))
		c.start()
		w.gets(time.Minute)
		read := time.Now().Add(2 * scrubMillis * time.Millisecond) // all objects are read again meanwhile
		w.until(5*time.Minute, "the bucket has everything", func() bool {
			s, heard, _ := w.watch.latest()
			return s.BucketLost == 0 && heard.After(read)
		})
		w.readAll()
		w.inBucket()
		if !w.failed() {
			w.catastrophe()
		}
	})
}

// bends damages all tables of a worker, and waits until that is found and mended.
func (w *world) bends(worker int) {
	w.mu.Lock()
	w.bent = true
	w.mu.Unlock()
	m := w.workers[worker]
	m.end() // what it has is in tables then, and read from there
	m.start()
	before := len(w.outcome().of("what a damaged store lacked is restored"))
	if n, err := m.disk.bend(); err != nil || n == 0 {
		w.fail("%d tables were damaged: %v", n, err)
	}
	w.until(5*time.Minute, "the damaged store is mended", func() bool {
		return len(w.outcome().of("what a damaged store lacked is restored")) > before
	})
}

// bendsObjects damages objects in the bucket, and waits until that is found and mended.
func (w *world) bendsObjects(n int) {
	if w.cloud == nil {
		return
	}
	found := func() int { return len(w.outcome().of("an object in the bucket is damaged")) }
	before := found()
	w.until(time.Minute, "there are objects to damage", func() bool { return w.cloud.Bend(run+"/layers/", n) })
	w.until(time.Minute, "a damaged object is found", func() bool { return found() > before })
	round := time.Now().Add(2 * scrubMillis * time.Millisecond) // all are read again meanwhile
	w.until(5*time.Minute, "the damaged objects are mended", func() bool {
		s, heard, _ := w.watch.latest()
		return s.BucketLost == 0 && heard.After(round)
	})
}

// TestDamagedJournal damages the journal of a run on the coordinator's disk. The
// coordinator starts all the same. With a bucket the journal is set aside and comes back
// from there; without one the run is listed with the reason, another run is explored, and
// the damaged one can be deleted.
func TestDamagedJournal(t *testing.T) {
	for seed, cloud := range []*cloudtest.Cloud{nil, cloudtest.New()} {
		prepare := func(w *world) { w.net.latency, w.cloud = 20*time.Millisecond, cloud }
		scenario(t, uint64(seed)+1, 2, prepare, func(w *world) {
			coordinator := w.coordinators[0]
			w.entries(begunEntries + 5)
			coordinator.end()
			if n, err := coordinator.disk.bend(); err != nil || n == 0 {
				w.fail("%d tables were damaged: %v", n, err)
			}
			coordinator.spoil("damaged")
			coordinator.start()
			if cloud != nil {
				w.gets(time.Minute)
				w.readAll()
				w.inBucket()
				return
			}
			c, _, err := w.newClient(coordinator, "10.0.3.3")
			if err != nil {
				w.fail("%v", err)
				return
			}
			defer func() { _ = c.Close() }()
			state := func(name string) (s client.Status) {
				s, _, _ = c.Get(context.Background(), name)
				return s
			}
			w.until(time.Minute, "the damaged run is listed", func() bool { return strings.Contains(state(run).Failure, "its journal cannot be read") })
			if _, err := c.Submit(context.Background(), "other", w.spec(), history.Want{MaxDepth: new(5)}); err != nil {
				w.fail("%v", err)
			}
			w.until(time.Minute, "the other run is over", func() bool { return state("other").State == client.Stopped })
			if err := c.Delete(context.Background(), run); err != nil {
				w.fail("%v", err)
			}
			if s := state(run); s.Failure != "" && s.Entries == 0 {
				w.fail("the damaged run is still there: %v", s.Failure)
			}
		})
	}
}
