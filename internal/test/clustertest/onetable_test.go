package clustertest

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/coordinator/history"
	coordinatorserver "github.com/everystate/everystate/coordinator/server"
	workerserver "github.com/everystate/everystate/worker/server"
)

// keeper returns which of some workers keeps the table.
func (c *coordinator) keeper(ws ...*worker) (keeper, other *worker) {
	c.t.Helper()
	c.untilRun(run, "is kept by one worker", func(_ client.Status, workers map[string]client.Worker) bool {
		for i, w := range ws {
			if workers[w.name()].Partitions == partitions {
				keeper, other = w, ws[(i+1)%len(ws)]
			}
		}
		return keeper != nil
	})
	return keeper, other
}

// roomy starts workers that have memory for a table.
func (c *coordinator) roomy(machines ...string) (ws []*worker) {
	c.t.Helper()
	for _, m := range machines {
		ws = append(ws, c.workerWith(m, func(o *workerserver.Options) { o.MemoryBytes = 256 << 20 }))
	}
	c.present(len(machines))
	return ws
}

// tabled submits a board of which one worker is to keep a table.
func (c *coordinator) tabled(b *board, want history.Want) {
	c.t.Helper()
	spec := b.spec()
	spec.Store = history.Table
	if _, err := c.client.Submit(c.t.Context(), run, spec, want); err != nil {
		c.t.Fatal(err)
	}
}

// The worker that keeps the table of a run is killed, and so is the coordinator. Then it
// loses its disk, and another worker makes the table again; that one leaves, in the goal
// phase, and the first takes over. The run ends with the layers and links of a run that
// keeps all.
func TestOneTable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	b := boardOf(t, short)
	c := w.coordinator("c", soonLost)
	ws := c.roomy("w1", "w2")
	c.hold()
	c.tabled(b, everything())
	c.entries(run, 8)
	one, other := c.keeper(ws...)
	one.end(t)
	one.begin()
	c.entries(run, 12)
	c.end(t)
	c.begin()
	c.entries(run, 16)
	one.loseDisk()
	c.layers(run, "is kept by the other", func(_ client.Status, workers map[string]client.Worker) bool {
		return workers[other.name()].Partitions == partitions
	})
	one.begin()
	c.layers(run, "has a goal phase", func(client.Status, map[string]client.Worker) bool {
		r, err := c.client.Open(t.Context(), run)
		return err == nil && len(r.History().Layers(history.Goal)) > 2
	})
	c.present(2)
	c.drains(other)
	c.exact(run, b)
	r, err := c.client.Open(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	sameAnswers(t, r, b)
	if files := w.tablesOf(one); len(files) == 0 {
		t.Error("the worker has no table")
	}

	// The run is complete, and its only table is lost.
	one.loseDisk()
	c.roomy("w3")
	want := everything()
	c.until("the table is made again", func() bool {
		s, err := c.client.Resume(t.Context(), run, &want)
		if err != nil || !s.State.Over() {
			return false
		}
		r, err = c.client.Open(t.Context(), run)
		if err != nil {
			return false
		}
		_, err = r.Space().Deepest(t.Context())
		return err == nil
	})
	c.exact(run, b)
	sameAnswers(t, r, b)
}

// tablesOf returns the files of the table on the disk of a worker.
func (w *world) tablesOf(of *worker) []string {
	w.t.Helper()
	files, err := filepath.Glob(filepath.Join(w.disk(of.machine), "runs", run, "*.table"))
	if err != nil {
		w.t.Fatal(err)
	}
	return files
}

// sameAnswers compares a run with one that keeps all layers on one machine.
func sameAnswers(t *testing.T, r *client.Run, b *board) {
	t.Helper()
	all := wholly(t, b.board, everything())
	const every = 7 // a place takes a call for each layer
	for i, l := range all.History().Layers(history.Forward) {
		if i%every > 0 {
			continue
		}
		keys, err := all.Space().Slice(t.Context(), l, 0, 2)
		if err != nil {
			t.Fatal(err)
		}
		same, err := r.Space().Slice(t.Context(), r.History().Layers(history.Forward)[i], 0, 2)
		if err != nil || !slices.EqualFunc(same, keys, slices.Equal) {
			t.Errorf("states %v of layer %d, want %v: %v", same, i, keys, err)
		}
		want, err := all.Space().Locate(t.Context(), keys[0])
		if err != nil {
			t.Fatal(err)
		}
		if got, err := r.Space().Locate(t.Context(), keys[0]); err != nil || got != want {
			t.Errorf("%v, want %v: %v\n%s", got, want, err, b.board.Puzzle.Format(keys[0]))
		}
	}
	want, err := all.Space().Hardest(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Space().Hardest(t.Context(), 1)
	if err != nil || got.Distance != want.Distance || got.Count != want.Count {
		t.Errorf("%d states %d moves from a goal, want %d and %d: %v", got.Count, got.Distance, want.Count, want.Distance, err)
	}
}

// The files of a table are damaged while its worker is away. The worker finds out when it
// continues, or when it is asked, and makes the table again.
func TestDamagedOneTable(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		whole bool // the run is complete
		harm  func(t *testing.T, file string)
	}{
		{"a byte differs in the middle of the run", false, flip},
		{"a file is gone in the middle of the run", false, remove},
		{"a byte differs of a complete run", true, flip},
		{"a file is gone of a complete run", true, remove},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "")
			b := boardOf(t, short)
			c := w.coordinator("c", nil)
			ws := c.roomy("w1", "w2")
			if !test.whole {
				c.hold()
			}
			c.tabled(b, everything())
			if test.whole {
				c.exact(run, b)
			} else {
				c.entries(run, 20)
			}
			one, _ := c.keeper(ws...)
			one.end(t)
			for _, file := range w.tablesOf(one) {
				test.harm(t, file)
			}
			one.begin()
			if test.whole {
				c.until("the damage is found, and mended", func() bool {
					r, err := c.client.Open(t.Context(), run)
					if err != nil {
						return false
					}
					deepest, err := r.Space().Deepest(t.Context())
					if err == nil {
						_, err = r.Space().FromStart(t.Context(), deepest)
					}
					layers := r.History().Layers(history.Forward)
					if err == nil {
						_, err = r.Space().Slice(t.Context(), layers[len(layers)/2], 0, 3)
					}
					return err == nil && w.log.has("what a damaged store lacked is restored")
				})
			}
			c.exact(run, b)
			one.end(t) // and what it has made again is read from its journal
			one.begin()
			c.present(2)
			r, err := c.client.Open(t.Context(), run)
			if err != nil {
				t.Fatal(err)
			}
			c.untilRead(r)
			sameAnswers(t, r, b)
		})
	}
}

func flip(t *testing.T, file string) {
	t.Helper()
	body, err := os.ReadFile(file)
	if err == nil {
		body[len(body)/2] ^= 1
		err = os.WriteFile(file, body, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, file string) {
	t.Helper()
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
}

// TestManyLayersOfATable makes more layers at a time than a report has room for elsewhere.
func TestManyLayersOfATable(t *testing.T) {
	t.Parallel()
	c := newWorld(t, "").coordinator("c", func(o *coordinatorserver.Options) { o.AloneStates = 0 })
	b := boardOf(t, long)
	c.roomy("w1", "w2")
	c.tabled(b, everything())
	c.exact(run, b)
}
