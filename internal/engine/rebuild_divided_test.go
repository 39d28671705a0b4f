package engine

import (
	"errors"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
)

// dividing returns the entries of a run as if it divided a table: its last two layers stay.
func dividing(t *testing.T, entries [][]byte) journal.Entries {
	t.Helper()
	spec, _, err := journal.Read(journal.Entries(entries))
	check(t, err)
	other := journal.Entries(slices.Clone(entries))
	spec.Store = history.DividedTable
	other[0] = journal.Spec(spec)
	for i, body := range entries {
		e, err := journal.ReadEntry(body, spec.Partitions)
		check(t, err)
		if l := e.Layer; l != nil && l.Phase == history.Forward && l.Depth > 0 {
			l.KeptFrom = l.Depth - 1
			other[i] = journal.Layer(*l)
		}
	}
	return other
}

// A run that divided a table is rebuilt as one that keeps every layer, wherever that is
// interrupted, and goes on as such.
func TestRebuildDivided(t *testing.T) {
	t.Parallel()
	e := away(t, "small-4x4.txt")
	entries := dividing(t, e.entries)
	if _, h, err := journal.Read(entries); err != nil || !history.Divides(&h) || h.KeptFrom() == 0 {
		t.Fatalf("records from %d: %v", h.KeptFrom(), err)
	}
	for at := 0; at < 30; at += 5 {
		opts := rebuildOptions()
		opts.FS = vfs.NewMem()
		e.left = at
		if err := Rebuild(t.Context(), "run", entries, e, opts, nobody); !errors.Is(err, errBroken) {
			t.Fatalf("after %d blocks: %v", at, err)
		}
		there := e.prefix(t, "run", opts)
		e.left, e.asked = -1, nil
		for range 2 {
			if err := Rebuild(t.Context(), "run", entries, e, opts, nobody); err != nil {
				t.Fatal(err)
			}
		}
		if all := e.prefix(t, "run", opts); all != layersOf(&e.history) || len(e.asked) != all-there {
			t.Errorf("%d layers, %d of which were asked for again", all, len(e.asked))
		}
	}
	for n := 1; n < len(entries); n += 5 {
		opts := rebuildOptions()
		opts.FS = vfs.NewMem()
		check(t, Rebuild(t.Context(), "run", entries[:n], e, opts, nobody))
		r, err := Open("run", opts)
		check(t, err)
		_, err = r.Explore(t.Context(), everything(e.board.Puzzle))
		check(t, err)
		if _, err := r.Verify(t.Context(), nobody); err != nil || r.history.Digest() != e.history.Digest() {
			t.Errorf("%d entries: another space: %v", n, err)
		}
		check(t, r.Close())
	}
}
