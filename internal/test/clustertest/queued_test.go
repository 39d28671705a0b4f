package clustertest

import (
	"errors"
	"testing"

	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/coordinator/history"
	coordinatorserver "github.com/everystate/everystate/coordinator/server"
)

// TestQueuedInBucket submits two runs to a coordinator without workers, which then loses
// its disk: the next one finds both in the bucket, though neither was ever begun.
func TestQueuedInBucket(t *testing.T) {
	t.Parallel()
	b := boardOf(t, short)
	w := newWorld(t, fileBucket(t))
	c := w.coordinator("c", nil)
	for _, name := range []string{"one", "two"} {
		c.submit(name, b, everything())
		c.backedUp(name)
	}
	c.end(t)
	w.wipe("c")

	c = w.coordinator("c", func(o *coordinatorserver.Options) { o.Adopt = true })
	c.workers("w")
	for _, name := range []string{"one", "two"} {
		c.until("the run is found", func() bool {
			_, err := c.client.Look(t.Context(), name)
			return err == nil
		})
		c.exact(name, b)
	}
}

// TestQueuedUnderTakenName submits a run to a coordinator that is busy, under a name that
// another coordinator's run has in the bucket: it fails at once, and deleting it leaves
// the other one alone.
func TestQueuedUnderTakenName(t *testing.T) {
	t.Parallel()
	b := boardOf(t, short)
	at := fileBucket(t)
	late := newWorld(t, at).coordinator("late", nil)
	late.submit("waiting", b, everything())
	c := newWorld(t, at).coordinator("c", nil)
	c.workers("w")
	c.submit(run, b, everything())
	c.exact(run, b)
	c.backedUp(run)

	other := b.spec()
	other.Partitions *= 2
	if _, err := late.client.Submit(t.Context(), run, other, history.Want{}); err != nil {
		t.Fatal(err)
	}
	late.untilRun(run, "has failed", func(s client.Status, _ map[string]client.Worker) bool { return s.State == client.Failed })
	if err := late.client.Delete(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	c.end(t)
	again := newWorld(t, at).coordinator("again", nil)
	again.until("the run is in the bucket", func() bool {
		s, err := again.client.Look(t.Context(), run)
		return err == nil && s.Complete
	})
}

// TestResumedWithoutRestart resumes a run on a coordinator that began before the run came
// into the bucket.
func TestResumedWithoutRestart(t *testing.T) {
	t.Parallel()
	b := boardOf(t, short)
	at := fileBucket(t)
	first, later := newWorld(t, at).coordinator("first", nil), newWorld(t, at).coordinator("later", nil)
	later.submit("own", b, everything())
	later.backedUp("own") // it has looked into the bucket long since
	first.submit(run, b, everything())
	first.backedUp(run)
	first.end(t)

	later.workers("w")
	if _, err := later.client.Resume(t.Context(), "nobody-has-it", nil); !errors.Is(err, client.ErrNoRun) {
		t.Errorf("a run that is nowhere: %v", err)
	}
	if _, err := later.client.Resume(t.Context(), run, nil); err != nil {
		t.Fatal(err)
	}
	later.exact(run, b)
}

// backedUp waits until the bucket has everything of a run so far.
func (c *coordinator) backedUp(run string) {
	c.t.Helper()
	c.untilRun(run, "is in the bucket", func(s client.Status, _ map[string]client.Worker) bool {
		return s.Entries > 0 && s.DurableEntries == s.Entries
	})
}
