package world

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/store/bucket"
	"github.com/everystate/everystate/store/bucket/cloudtest"
)

// helpAfter is how long a person waits before all processes are started again.
const helpAfter = 90 * time.Second

// hears checks that, some time after all connections could have been re-established,
// everybody hears everybody without any help.
func (w *world) hears(heard time.Time) {
	if time.Since(heard) > helpAfter/2 {
		w.fail("nothing is heard of the coordinator, %v after there is calm", helpAfter)
		return
	}
	for _, m := range w.workers {
		if m.proc != nil && !w.watch.present(m) {
			w.fail("%s is there, and the coordinator does not know it, %v after there is calm", m.what, helpAfter)
		}
	}
}

// getsOn checks that a run makes progress by itself once nothing is wrong, unless it has
// failed and said so, which needs a person, or a worker has left.
func (w *world) getsOn(s client.Status) {
	for _, m := range w.workers {
		if m.left {
			return
		}
	}
	if w.watch.complete(s) && w.cloud != nil && s.DurableEntries < s.Entries {
		w.fail("the bucket does not get all of the run by itself, %v after there is calm: %d of %d entries, %q; %s",
			helpAfter, s.DurableEntries, s.Entries, s.BucketTrouble, w.states())
	}
	if !s.State.Over() && !w.hopeless() {
		w.fail("the run does not get on by itself, %v after there is calm: %v, waiting %q, %d of %d entries durable; %s",
			helpAfter, s.State, s.WaitingFor, s.DurableEntries, s.Entries, w.states())
	}
}

// finish waits until the run is over, or says why it never will be, and checks it
// against the truth.
func (w *world) finish() {
	if !w.completes() {
		return
	}
	w.readAll()
	w.inBucket()
	if w.cloud != nil && w.dice.of("catastrophe").one(4) && !w.failed() {
		w.catastrophe()
	}
}

// completes waits until the run is complete. It reports false if it never will be.
func (w *world) completes() bool {
	m := w.coordinators[len(w.coordinators)-1]
	since := time.Now()
	helped := since
	for !w.failed() {
		w.tick()
		w.supervise()
		w.endFaults(false)
		s, heard, _ := w.watch.latest()
		fresh := heard.After(since)
		switch {
		case fresh && w.watch.complete(s) && (w.cloud == nil || s.DurableEntries == s.Entries):
			w.logf("the run is complete")
			w.counts("ends complete")
			return true
		case fresh && w.hopeless() && time.Since(since) > 2*time.Minute:
			if s.WaitingFor == "" && s.Failure == "" {
				w.fail("the run cannot go on, and nobody says why: %v", s.State)
				return false
			}
			w.logf("the run cannot go on, and says so: %s%s", s.WaitingFor, s.Failure)
			w.counts("ends without, and says why")
			return false
		case time.Since(since) > calmMax:
			w.fail("stuck %v after there is calm: %v, complete %t, %d of %d entries durable, waiting %q, failure %q; %s",
				calmMax, s.State, s.Complete, s.DurableEntries, s.Entries, s.WaitingFor, s.Failure, w.states())
		case time.Since(helped) > helpAfter:
			if helped.Equal(since) {
				w.hears(heard)
				w.getsOn(s)
			}
			helped = time.Now()
			w.help(m, s)
		}
	}
	return false
}

// hopeless reports whether something was lost of which there is no copy.
func (w *world) hopeless() bool {
	if w.cloud != nil {
		return false
	}
	for _, m := range w.workers {
		if m.spoiled > 0 {
			return true
		}
	}
	return false
}

// help does what a person does when a run makes no progress although all are there: it
// restarts the machines, and then the run.
func (w *world) help(m *machine, s client.Status) {
	w.logf("somebody starts everything again: %v %s%s", s.State, s.WaitingFor, s.Failure)
	w.counts("helped")
	for _, m := range append([]*machine{m}, w.workers...) {
		m.left = false
		m.end()
		m.start()
	}
}

// readAll reads all records of the run, and checks them against the truth.
func (w *world) readAll() {
	m := w.coordinators[len(w.coordinators)-1]
	c, _, err := w.newClient(m, "10.0.3.1")
	if err != nil {
		w.fail("%v", err)
		return
	}
	defer func() { _ = c.Close() }()
	for try := 0; ; try++ {
		err := w.tryReadAll(c)
		switch {
		case err == nil:
			w.counts("read whole")
			return
		case w.failed():
			return
		case try < 10:
			w.logf("cannot be read: %v", err)
			time.Sleep(10 * time.Second)
			w.supervise()
			if s, _, _ := w.watch.latest(); try == 3 {
				w.help(m, s)
			}
			if try >= 5 && w.cloud != nil { // what is in the bucket only is restored by that
				want := w.everything()
				_, err := c.Resume(context.Background(), run, &want)
				w.logf("resumed, to be read: %v", err)
			}
		case w.anyOldDisk():
			w.logf("cannot be read, and says so: %v", err)
			w.counts("not readable, and says why")
			return
		default:
			w.fail("what is complete cannot be read: %v", err)
			return
		}
	}
}

// anyOldDisk reports whether some worker has an old copy of its disk, under its old
// name: it is believed to have what it has lost.
func (w *world) anyOldDisk() bool {
	for _, m := range w.workers {
		if m.spoiled > 0 && (w.cloud == nil || m.disk.wrong == "of before") {
			return true
		}
	}
	return false
}

func (w *world) tryReadAll(c *client.Client) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	r, err := c.Open(ctx, run)
	if err != nil {
		return err
	}
	if wrong := w.truth.disagrees(r.History(), true); wrong != "" {
		w.fail("%s", wrong)
		return errors.New(wrong)
	}
	for _, l := range layersOf(r.History()) {
		got, err := digestOf(ctx, r, l)
		if err != nil {
			return fmt.Errorf("%v layer %d: %w", l.Phase, l.Depth, err)
		}
		if got != l.Digest {
			w.fail("%v layer %d: digest %v was read, %v committed", l.Phase, l.Depth, got, l.Digest)
		}
	}
	return nil
}

// inBucket checks that the bucket has one valid history, the right one, and everything
// that it names.
func (w *world) inBucket() {
	if w.cloud == nil || w.failed() {
		return
	}
	b, err := bucket.Of(w.cloud.Client(func(string, string) cloudtest.Fate { return cloudtest.Fate{} }), bucketURL)
	if err != nil {
		w.fail("%v", err)
		return
	}
	defer func() { _ = b.Close() }()
	ctx := context.Background()
	kept := b.Run(run)
	log, err := kept.Log(ctx, 0)
	if err != nil {
		w.fail("the log: %v", err)
		return
	}
	_, past, err := journal.Read(journal.Entries(log))
	if err != nil {
		w.fail("the log: %v", err)
		return
	}
	if wrong := w.truth.disagrees(&past, true); wrong != "" {
		w.fail("the log: %s", wrong)
	}
	for i, entry := range log {
		e, err := journal.ReadEntry(entry, partitions)
		if err != nil {
			w.fail("log entry %d: %v", i, err)
			return
		}
		if e.Layer == nil || !past.Has(*e.Layer) || past.Dropped(*e.Layer) {
			continue
		}
		w.objects(ctx, kept, i, e)
	}
}

// objects checks that the objects of a layer hold all its partitions.
func (w *world) objects(ctx context.Context, kept *bucket.Run, i int, e journal.Entry) {
	have := make(map[uint32]bool)
	for _, o := range e.Objects {
		size, err := kept.Stat(ctx, o.Name)
		if err != nil || size != o.Bytes {
			w.fail("log entry %d: %s has %d bytes, should have %d: %v", i, o.Name, size, o.Bytes, err)
			continue
		}
		l, err := kept.OpenLayer(ctx, o.Name)
		if err == nil {
			err = l.ReadAll(ctx, o.Partitions, func(uint32, []byte) error { return nil })
		}
		if err != nil {
			w.fail("log entry %d: %v", i, err)
		}
		for _, p := range o.Partitions {
			have[p] = true
		}
	}
	for p, states := range e.Layer.PartStates {
		if states > 0 && !have[uint32(p)] {
			w.fail("log entry %d: %v layer %d: partition %d is in no object", i, e.Layer.Phase, e.Layer.Depth, p)
		}
	}
}

// catastrophe removes all machines. The content of the bucket must suffice.
func (w *world) catastrophe() {
	w.logf("CATASTROPHE")
	w.counts("catastrophes")
	for _, m := range append(append([]*machine{}, w.workers...), w.coordinators...) {
		m.kill(true, w.dice.of("catastrophe", m.what))
		m.again = time.Time{}
	}
	w.workers = nil
	w.coordinate()
	w.watch.watches(w.coordinators[len(w.coordinators)-1:])
	for i := range 2 {
		m := w.newMachine(fmt.Sprint("late worker ", i), fmt.Sprintf("10.0.4.%d", i+1), true)
		m.boss = w.coordinators[len(w.coordinators)-1]
		w.workers = append(w.workers, m)
		m.start()
	}
	w.restores()
}

// restores resumes the run until workers have all of it.
func (w *world) restores() {
	c, _, err := w.newClient(w.coordinators[len(w.coordinators)-1], "10.0.3.2")
	if err != nil {
		w.fail("%v", err)
		return
	}
	defer func() { _ = c.Close() }()
	want := w.everything()
	why := ""
	for begun := time.Now(); time.Since(begun) < calmMax && !w.failed(); {
		time.Sleep(5 * time.Second)
		w.supervise()
		ctx := context.Background()
		s, _, err := c.Get(ctx, run)
		if err == nil && s.State.Over() {
			_, err = c.Resume(ctx, run, &want)
		}
		if err == nil {
			time.Sleep(10 * time.Second)
			err = w.tryReadAll(c)
		}
		if err == nil {
			w.counts("restored from the bucket")
			return
		}
		if why != err.Error() {
			why = err.Error()
			w.logf("not restored yet: %s", why)
		}
	}
	if !w.failed() {
		w.fail("what is in the bucket is not restored: %s", strings.TrimSpace(why))
	}
}
