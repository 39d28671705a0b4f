package clustertest

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/server"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/store"
)

// What tests of runs share that do not keep all records.

// eachPlace runs a test in a world with a bucket, and in one without.
func eachPlace(t *testing.T, test func(*world)) {
	t.Helper()
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for name, bkt := range map[string]bool{"bucket": true, "no bucket": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := ""
			if bkt {
				at = fileBucket(t)
			}
			test(newWorld(t, at))
		})
	}
}

// adopting makes a coordinator take over what is in the bucket, and count workers as lost
// after a second.
func adopting(o *server.Options) { o.Adopt, o.LeaseMillis = true, soonLostMillis }

// withoutGoals submits a run without goal distances, which one that drops layers refuses.
func (c *coordinator) withoutGoals(spec history.Spec) {
	c.t.Helper()
	if spec.Keep.Frontier {
		if _, err := c.client.Submit(c.t.Context(), run, spec, everything()); err == nil {
			c.t.Error("goal distances are not refused")
		}
	}
	if _, err := c.client.Submit(c.t.Context(), run, spec, history.Want{}); err != nil {
		c.t.Fatal(err)
	}
}

// loses has a worker lose its disk and the coordinator its data where there is a bucket, and
// the worker its process where there is none.
func (c *coordinator) loses(one *worker) {
	c.t.Helper()
	if c.bucket == "" {
		one.end(c.t)
		one.begin()
		return
	}
	one.loseDisk()
	c.durable(run, 25)
	c.end(c.t)
	c.wipe(c.machine)
	c.begin()
}

// ended waits until the run has stopped, and compares its layers and digest with what one
// process finds.
func (c *coordinator) ended(b *board) *client.Run {
	c.t.Helper()
	c.stopped(run)
	r, err := c.client.Open(c.t.Context(), run)
	if err != nil {
		c.t.Fatal(err)
	}
	h := r.History()
	b.checkSoFar(c.t, run, h)
	want, err := digestOf(b.board, history.Want{})
	if err != nil || h.Digest().String() != want || !h.Exhausted(false) {
		c.t.Errorf("digest %v, want %s: %v", h.Digest(), want, err)
	}
	return r
}

// eventually waits until what a worker has on its disk is as it should be.
func (w *world) eventually(ws []*worker, what string, is func(machine string) bool) {
	w.t.Helper()
	for _, worker := range ws {
		if worker.ended() {
			continue
		}
		w.until(worker.machine+" "+what, func() bool {
			worker.end(w.t)
			defer worker.begin()
			return is(worker.machine)
		})
	}
}

// storeOf opens what a worker that has ended keeps of the run.
func (w *world) storeOf(machine string) *store.Store {
	w.t.Helper()
	s, err := store.Open(filepath.Join(w.disk(machine), "runs", run), store.Options{})
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// inProcess explores a board.
func inProcess(ctx context.Context, board puzzle.Board, want history.Want) (*engine.Run, error) {
	r, err := engine.Create("run", board, engine.Options{Workers: 1, Partitions: 1, MemoryBytes: engine.MemoryMin, FS: vfs.NewMem()})
	if err != nil {
		return nil, err
	}
	_, err = r.Explore(ctx, want)
	return r, err
}

// wholly explores a board on one machine, until the test ends.
func wholly(t *testing.T, board puzzle.Board, want history.Want) *engine.Run {
	t.Helper()
	r, err := inProcess(t.Context(), board, want)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}
