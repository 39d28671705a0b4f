package clustertest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/query"
)

// A byte of a worker's share of a table changes on its disk. Where there is a bucket, the
// share is restored from there; where there is none, its layers are made again. Until then
// the worker answers nothing that is wrong.
func TestDamagedTable(t *testing.T) { eachPlace(t, damagesTable) }

// near is a depth at which states are found soon.
const near = 5

func damagesTable(w *world) {
	b := boardOf(w.t, short)
	w.divided.table = true
	c := w.coordinator("c", adopting)
	one := c.workers("w1", "w2")[0]
	c.submit(run, b, everything())
	c.exact(run, b)
	if w.bucket != "" {
		c.until("all is in the bucket", func() bool {
			s, err := c.client.Look(w.t.Context(), run)
			return err == nil && s.DurableEntries == s.Entries
		})
	}

	all := wholly(w.t, b.board, history.Want{})
	keys, err := all.Space().Slice(w.t.Context(), all.History().Layers(history.Forward)[near], 0, 20)
	if err != nil {
		w.t.Fatal(err)
	}
	one.end(w.t)
	w.damage("w1")
	one.begin()
	c.until("the damage is found, and mended", func() bool {
		r, err := c.client.Open(w.t.Context(), run)
		if err != nil || len(r.History().Layers(history.Forward)) <= near {
			return false
		}
		for _, key := range keys {
			if at, err := r.Space().Locate(w.t.Context(), key); err == nil && at.Depth != near || errors.Is(err, query.ErrUnreachable) {
				w.t.Fatalf("a state of layer %d is at depth %d: %v", near, at.Depth, err)
			}
		}
		return r.History().Exhausted(true) && w.log.has("what a damaged store lacked is restored") && r.Divided().Verify(w.t.Context(), func(history.Layer) {}) == nil
	})
	c.exact(run, b)
}

// damage changes a byte of the table on the disk of a worker that has ended.
func (w *world) damage(machine string) {
	w.t.Helper()
	files, err := filepath.Glob(filepath.Join(w.disk(machine), "runs", run, "db", "*.sst"))
	if err != nil {
		w.t.Fatal(err)
	}
	if len(files) == 0 {
		w.t.Fatal("there is no file")
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			w.t.Fatal(err)
		}
		body[len(body)/4] ^= 1
		if err := os.WriteFile(file, body, 0o600); err != nil {
			w.t.Fatal(err)
		}
	}
}
