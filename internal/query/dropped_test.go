package query

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/puzzle"
)

// dropLayers makes a world's run one that keeps only its frontier and layer 2.
func dropLayers(t *testing.T, w *world) {
	t.Helper()
	var h history.History
	h.SetKeep(history.Keep{Frontier: true, Named: history.DepthsOf([]uint32{2})})
	recs, ok := w.space.Records.(records)
	if !ok {
		t.Fatal("no records")
	}
	layers := w.space.History.Layers(history.Forward)
	for _, l := range layers {
		l.KeptFrom = max(l.Depth, 1) - 1
		if !h.AddLayer(l) {
			t.Fatalf("layer %d cannot be added", l.Depth)
		}
	}
	h.AddEnd(history.PhaseEnd{Phase: history.Forward, Layers: uint32(len(layers))})
	for at := range recs.parts {
		if h.Dropped(layers[at.depth]) {
			delete(recs.parts, at)
		}
	}
	w.space.History = &h
}

// oneWay is a puzzle that does not say that its moves can be undone.
type oneWay struct{ puzzle.Puzzle }

func (p oneWay) Layout() puzzle.Layout {
	l := p.Puzzle.Layout()
	l.Reversible = false
	return l
}

// The path to a state that the run still has is found again, whether the puzzle can be
// searched from both ends or not. A state that it may have dropped is not called
// unreachable.
func TestDropped(t *testing.T) {
	t.Parallel()
	eachWorld(t, reach{}, func(w *world) {
		t := w.t
		dropLayers(t, w)
		h := w.space.History
		for i, f := range w.inOrder(func(*fact) bool { return true }) {
			if i%2 == 1 {
				w.space.Board.Puzzle = oneWay{w.puzzle}
			} else {
				w.space.Board.Puzzle = w.puzzle
			}
			place, err := w.space.Locate(t.Context(), f.key)
			if f.depth > 0 && h.Dropped(h.Layers(history.Forward)[f.depth]) {
				if !IsDropped(err) {
					t.Fatalf("depth %d: %+v, %v", f.depth, place, err)
				}
				continue
			}
			if err != nil || place.Depth != f.depth || place.Link != f.link && f.depth > 0 {
				t.Fatalf("depth %d: %+v, %v", f.depth, place, err)
			}
			found := 0.0
			w.space.Searching = func(part float64) { found = part }
			path, err := w.space.FromStart(t.Context(), f.key)
			if err != nil {
				t.Fatalf("depth %d: %v", f.depth, err)
			}
			if (found == 1) != (path.Searched > 0) {
				t.Errorf("depth %d: %d moves searched, the part told last is %v", f.depth, path.Searched, found)
			}
			w.checkPath(t, path, f.depth)
			words := w.puzzle.Layout().Words()
			first, starts := path.States[0], w.puzzle.Starts()
			if !slices.Equal(path.States[f.depth], f.key) || !slices.ContainsFunc(slices.Collect(slices.Chunk(starts, words)), func(s []uint64) bool { return slices.Equal(s, first) }) {
				t.Fatalf("depth %d: a path from %v to %v", f.depth, first, path.States[f.depth])
			}
			if want := f.depth > 1 && h.KeptFrom() > 1; want != (path.Searched > 0) {
				t.Errorf("depth %d: %d moves searched", f.depth, path.Searched)
			}
		}
		for _, key := range stray(w) {
			if _, err := w.space.Locate(t.Context(), key); err != nil && !errors.Is(err, ErrUnreachable) && !IsDropped(err) {
				t.Fatalf("a stray key: %v", err)
			}
		}
	})
}

// What cannot be answered says which layer is missing, and how to keep it.
func TestDroppedLayerIsNamed(t *testing.T) {
	t.Parallel()
	w := explore(t, line(3000, 1), 4, reach{})
	dropLayers(t, w)
	err := w.space.EachAt(t.Context(), history.Forward, 3, func([]uint64) error { return nil })
	if !IsDropped(err) || !strings.HasPrefix(err.Error(), "layer 3 was dropped") || !strings.HasSuffix(err.Error(), "--keep frontier,3, or --keep all") {
		t.Errorf("the states of layer 3: %v", err)
	}
	w.space.searchStatesMax = 20
	deepest, err := w.space.Deepest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.space.FromStart(t.Context(), deepest); !IsDropped(err) || !strings.Contains(err.Error(), "in memory") {
		t.Errorf("a path that takes too much memory: %v", err)
	}
}
