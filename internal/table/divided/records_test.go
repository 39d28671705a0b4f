package divided_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/internal/table/divided"
	"github.com/everystate/everystate/internal/table/stored"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
	"github.com/everystate/everystate/puzzle/partition"
)

// workers answer from a run that keeps layers.
type workers struct {
	*query.Space
	query.Records

	wrong func(layer history.Layer, recs []uint64) []uint64 // changes the records of a partition; may be nil
}

func (w *workers) Depths(context.Context, []partition.ID, []uint64) ([]byte, error) {
	return nil, errors.New("nobody asks")
}

func (w *workers) Table(ctx context.Context, f func(part partition.ID, local uint64, depth uint32) error) error {
	for _, layer := range w.History.Layers(history.Forward) {
		for part := range w.Scheme.Partitions() {
			recs, err := w.all(ctx, layer, partition.ID(part))
			if err != nil {
				return err
			}
			for _, rec := range recs {
				if err := f(partition.ID(part), rec>>w.Scheme.MoveBits(), layer.Depth%3); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// all returns the records of a partition.
func (w *workers) all(ctx context.Context, layer history.Layer, part partition.ID) (all []uint64, err error) {
	c, err := w.Records.Cursor(ctx, layer, []partition.ID{part})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	for {
		_, recs, err := c.Next()
		if err != nil || len(recs) == 0 {
			return all, err
		}
		all = append(all, recs...)
	}
}

// Cursor reads partitions, a few records at a time.
func (w *workers) Cursor(ctx context.Context, layer history.Layer, parts []partition.ID) (query.Cursor, error) {
	c := &cursor{}
	for _, part := range parts {
		recs, err := w.all(ctx, layer, part)
		if err != nil {
			return nil, err
		}
		if w.wrong != nil {
			recs = w.wrong(layer, recs)
		}
		for some := range slices.Chunk(recs, 5) {
			c.parts, c.recs = append(c.parts, part), append(c.recs, some)
		}
	}
	return c, nil
}

type cursor struct {
	parts []partition.ID
	recs  [][]uint64
}

func (c *cursor) Next() (part partition.ID, recs []uint64, err error) {
	if len(c.parts) == 0 {
		return 0, nil, nil
	}
	part, recs = c.parts[0], c.recs[0]
	c.parts, c.recs = c.parts[1:], c.recs[1:]
	return part, recs, nil
}

func (c *cursor) Close() error { return nil }

// TestVerify makes the layers of a run again, those of goal distances too, and finds each
// record that is wrong, and layers or an end that were committed wrongly.
func TestVerify(t *testing.T) {
	t.Parallel()
	boards, err := families.Read([]byte("puzzle: tiles\n\n1 4 2\n3 0 5\n"), puzzle.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	run, err := engine.Create("run", boards[0], engine.Options{Workers: 1, Partitions: 4, MemoryBytes: engine.MemoryMin, FS: vfs.NewMem(), Store: engine.StoreLayers})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = run.Close() })
	if _, err := run.Explore(t.Context(), history.Want{GoalDistance: true}); err != nil {
		t.Fatal(err)
	}
	one, err := stored.InMemory(1<<30, boards[0].Puzzle, 4, 1, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	space := run.Space()
	const at = 4 // a layer of several partitions
	last := func(recs []uint64) int { return len(recs) - 1 }
	for name, test := range map[string]struct {
		wrong  func(layer history.Layer, recs []uint64) []uint64
		change func(l *history.Layer)
		end    int64 // added to the successors of the last layer
		tight  bool  // there is memory for one table
		want   string
	}{
		"sound":            {},
		"one state less":   {wrong: func(_ history.Layer, recs []uint64) []uint64 { return recs[:last(recs)] }, want: "differ from those made again"},
		"the first less":   {wrong: func(_ history.Layer, recs []uint64) []uint64 { return recs[1:] }, want: "differ from those made again"},
		"one state more":   {wrong: func(_ history.Layer, recs []uint64) []uint64 { return append(recs, recs[last(recs)]+16) }, want: "differ from those made again"},
		"another link":     {wrong: func(_ history.Layer, recs []uint64) []uint64 { recs[last(recs)] ^= 1; return recs }, want: "differ from those made again"},
		"another digest":   {change: func(l *history.Layer) { l.Digest[0]++ }, want: "goal distance layer 4: digest is"},
		"another count":    {change: func(l *history.Layer) { l.States++ }, want: "were committed"},
		"another end":      {end: 1, want: "successors were recorded"},
		"too little space": {tight: true, want: "goal distances are made again from the table, which takes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var h history.History
			history.SetDivided(&h, true)
			for _, phase := range []history.Phase{history.Forward, history.Goal} {
				for _, l := range space.History.Layers(phase) {
					if phase == history.Forward {
						l.KeptFrom = max(l.Depth, 1) - 1
					} else if l.Depth == at && test.change != nil {
						test.change(&l)
					}
					if !h.AddLayer(l) {
						t.Fatalf("%v layer %d was refused", phase, l.Depth)
					}
				}
				end := *space.History.End(phase)
				if phase == history.Goal {
					end.Generated += test.end
				}
				h.AddEnd(end)
			}
			source := &workers{Space: space, Records: space.Records}
			if test.wrong != nil {
				source.wrong = func(layer history.Layer, recs []uint64) []uint64 {
					if layer.Phase == history.Goal && layer.Depth == at {
						return test.wrong(layer, recs)
					}
					return recs
				}
			}
			r := &divided.Records{Source: source, Board: boards[0], Scheme: space.Scheme, History: &h, Workers: 2, MemoryBytes: 1 << 30}
			if test.tight {
				r.MemoryBytes = one.Space.SearchBytes()
			}
			checked := 0
			err := r.Verify(t.Context(), func(history.Layer) { checked++ })
			if test.want == "" {
				if all := len(h.Layers(history.Forward)) + len(h.Layers(history.Goal)); err != nil || checked != all {
					t.Errorf("%d of %d layers: %v", checked, all, err)
				}
				return
			}
			if fault := new(stored.FaultError); err == nil || !strings.Contains(err.Error(), test.want) || !test.tight && !errors.As(err, &fault) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
