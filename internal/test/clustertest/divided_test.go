package clustertest

import (
	"errors"
	"testing"

	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/store"
	workerserver "github.com/everystate/everystate/worker/server"
)

// In a run that divides a table partitions go to a third worker, and come back to where some
// of their layers still are. Then it loses a disk and its coordinator's data, where there is
// a bucket; where there is none, a worker's process, and partitions move to another worker. It ends with the layers and links of a run that keeps all.
func TestDividedTable(t *testing.T) { eachPlace(t, dividesTable) }

// gather makes workers put layers into their shares of a table soon.
func gather(o *workerserver.Options) { o.GatherStates = 40 }

func dividesTable(w *world) {
	b := boardOf(w.t, short)
	c := w.coordinator("c", adopting)
	one := c.workerWith("w1", gather)
	ws := []*worker{one, c.workerWith("w2", gather)}
	c.present(2)
	c.hold()
	spec := b.spec()
	spec.Store = history.DividedTable
	c.withoutGoals(spec)
	c.entries(run, 8)
	early, err := c.client.Open(w.t.Context(), run)
	if err != nil {
		w.t.Fatal(err)
	}
	third := c.workerWith("w0", gather)
	c.layers(run, "has a third worker", func(_ client.Status, workers map[string]client.Worker) bool {
		return workers[third.name()].Partitions > 0
	})
	s, _ := c.get(run)
	c.entries(run, s.Entries+14)
	if w.bucket == "" {
		c.drains(third)
	} else {
		third.end(w.t)
	}
	s, _ = c.get(run)
	c.entries(run, s.Entries+3)
	c.loses(one)
	if w.bucket == "" {
		c.entries(run, s.Entries+8)
		ws = append(ws, c.workerWith("w3", gather))
	}
	c.gate.set(false)
	r := c.ended(b)
	h := r.History()
	layers := h.Layers(history.Forward)
	if n := len(layers); h.KeptFrom() != uint32(n-2) || !history.InTable(h, layers[n-3]) || history.InTable(h, layers[n-2]) {
		w.t.Errorf("records are kept from layer %d of %d", h.KeptFrom(), n)
	}
	w.eventually(ws, "has records of the last layers alone", func(machine string) bool { return w.recordsAre(machine, h) })
	c.untilRead(r)
	checked := 0
	if err := r.Divided().Verify(w.t.Context(), func(history.Layer) { checked++ }); err != nil || checked != len(layers) {
		w.t.Errorf("%d of %d layers are as committed: %v", checked, len(layers), err)
	}
	var path query.Path
	err = c.answered(func() error {
		deepest, err := r.Space().Deepest(w.t.Context())
		if err == nil {
			path, err = r.Space().FromStart(w.t.Context(), deepest)
		}
		return err
	})
	if err != nil || len(path.Moves) != len(layers)-1 || path.Searched > 0 {
		w.t.Errorf("a path of %d moves, %d searched: %v", len(path.Moves), path.Searched, err)
	}
	c.samePlaces(r, wholly(w.t, b.board, history.Want{}))
	restores(w.t, early, r)
	if what := "does not have all states"; w.log.has(what) {
		w.t.Errorf("the log says %q", what)
	}
}

// recordsAre reports whether a worker has no records of other layers than the last.
func (w *world) recordsAre(machine string, h *history.History) bool {
	w.t.Helper()
	s := w.storeOf(machine)
	defer func() { _ = s.Close() }()
	others := false
	err := store.EachPart(s, uint8(history.Forward), func(id store.SegmentID, _ uint32) {
		others = others || id.Layer < h.KeptFrom()
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return !others
}

// untilRead waits until all workers answer again.
func (c *coordinator) untilRead(r *client.Run) {
	c.t.Helper()
	c.until("all workers answer", func() bool {
		for _, l := range r.History().Layers(history.Forward)[r.History().KeptFrom():] {
			if r.Layer(c.t.Context(), l, func(uint32, []byte) error { return nil }) != nil {
				return false
			}
		}
		return true
	})
}

// restores makes a directory of a run as it was once, although the table has more layers by
// now, and then of what followed. It keeps every layer.
func restores(t *testing.T, early, late *client.Run) {
	t.Helper()
	dir, opts := t.TempDir(), engine.Options{Workers: 1, MemoryBytes: engine.MemoryMin}
	for _, r := range []*client.Run{early, late} {
		if err := engine.Rebuild(t.Context(), dir, r.Journal(), r, opts, func(int64) {}); err != nil {
			t.Fatal(err)
		}
		restored, err := engine.Open(dir, engine.Options{ReadOnly: true, Workers: 1, MemoryBytes: engine.MemoryMin})
		if err != nil {
			t.Fatal(err)
		}
		v, err := restored.Verify(t.Context(), func(int64) {})
		h := restored.History()
		if err != nil || h.Digest() != r.History().Digest() || v.Layers != len(r.History().Layers(history.Forward)) || h.KeptFrom() != 0 || r.History().KeptFrom() == 0 {
			t.Errorf("%d layers of %d, records from %d: %v", v.Layers, len(r.History().Layers(history.Forward)), h.KeptFrom(), err)
		}
		if err := restored.Close(); err != nil {
			t.Error(err)
		}
	}
}

// answered asks until no worker is away, as one may seem to be on a busy machine, and returns
// what else is wrong.
func (c *coordinator) answered(ask func() error) (err error) {
	c.t.Helper()
	c.until("all workers answer", func() bool {
		err = ask()
		return !errors.Is(err, client.ErrUnavailable)
	})
	return err
}

// samePlaces compares the places of states of each layer with what one machine has.
func (c *coordinator) samePlaces(r *client.Run, all *engine.Run) {
	c.t.Helper()
	for _, l := range all.History().Layers(history.Forward) {
		keys, err := all.Space().Slice(c.t.Context(), l, 0, 3)
		if err != nil {
			c.t.Fatal(err)
		}
		for _, key := range keys {
			want, err := all.Space().Locate(c.t.Context(), key)
			if err != nil {
				c.t.Fatal(err)
			}
			var got query.Place
			err = c.answered(func() (err error) {
				got, err = r.Space().Locate(c.t.Context(), key)
				return err
			})
			if err != nil || got != want {
				c.t.Errorf("%v, want %v: %v\n%s", got, want, err, all.Space().Board.Puzzle.Format(key))
			}
		}
	}
}
