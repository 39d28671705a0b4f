package layout

import (
	"errors"
	"math"
	"slices"
	"testing"
)

func place(t *testing.T, n int, pairs []uint32) []float32 {
	t.Helper()
	last := 0.0
	at, err := Place(NewGraph(n, pairs), Options{Progress: func(part float64) error {
		if part < last || part > 1 {
			t.Errorf("%v is done after %v", part, last)
		}
		last = part
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if len(at) != 3*n {
		t.Fatalf("%d numbers for %d nodes", len(at), n)
	}
	for _, x := range at {
		if math.IsNaN(float64(x)) || x < -1.0001 || x > 1.0001 {
			t.Fatalf("%v lies outside", x)
		}
	}
	return at
}

func between(at []float32, i, j int) float64 {
	var sum float64
	for d := range 3 {
		x := float64(at[3*i+d] - at[3*j+d])
		sum += x * x
	}
	return math.Sqrt(sum)
}

// grid is a grid of w by h nodes.
func grid(w, h int) []uint32 {
	var pairs []uint32
	for i := range w * h {
		if i%w+1 < w {
			pairs = append(pairs, uint32(i), uint32(i+1))
		}
		if i+w < w*h {
			pairs = append(pairs, uint32(i), uint32(i+w))
		}
	}
	return pairs
}

func TestGridIsFlatAndEven(t *testing.T) {
	t.Parallel()
	const w, h = 30, 20
	pairs := grid(w, h)
	at := place(t, w*h, pairs)
	var lengths []float64
	for i := 0; i < len(pairs); i += 2 {
		lengths = append(lengths, between(at, int(pairs[i]), int(pairs[i+1])))
	}
	slices.Sort(lengths)
	if short, long := lengths[len(lengths)/20], lengths[len(lengths)*19/20]; long > 4*short {
		t.Errorf("edges are from %v to %v long", short, long)
	}
	// Corners that are far apart lie far apart.
	if far, near := between(at, 0, w*h-1), between(at, 0, 1); far < 10*near {
		t.Errorf("opposite corners are %v apart, neighbours %v", far, near)
	}
}

func TestOddGraphs(t *testing.T) {
	t.Parallel()
	place(t, 0, nil)
	place(t, 1, nil)
	place(t, 2, []uint32{0, 1})
	place(t, 5, []uint32{0, 1, 2, 3}) // in three pieces
	place(t, 50, nil)                 // all alone
}

func TestSameGraphSamePlaces(t *testing.T) {
	t.Parallel()
	a, b := place(t, 400, grid(20, 20)), place(t, 400, grid(20, 20))
	if !slices.Equal(a, b) {
		t.Error("the same graph has other places")
	}
}

func TestFlat(t *testing.T) {
	t.Parallel()
	const w, h = 20, 20
	at, err := Place(NewGraph(w*h, grid(w, h)), Options{Flat: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := 2; i < len(at); i += 3 {
		if at[i] != 0 {
			t.Fatalf("node %d lies %v above the paper", i/3, at[i])
		}
	}
	if far, near := between(at, 0, w*h-1), between(at, 0, 1); far < 10*near {
		t.Errorf("opposite corners are %v apart, neighbours %v", far, near)
	}
}

func TestProgressCanEndIt(t *testing.T) {
	t.Parallel()
	enough := errors.New("enough")
	calls := 0
	at, err := Place(NewGraph(400, grid(20, 20)), Options{Progress: func(float64) error {
		if calls++; calls == 3 {
			return enough
		}
		return nil
	}})
	if !errors.Is(err, enough) || at != nil || calls != 3 {
		t.Errorf("%v after %d calls, %d places", err, calls, len(at))
	}
}

func BenchmarkPlace(b *testing.B) {
	const w, h = 200, 120
	g := NewGraph(w*h, grid(w, h))
	for b.Loop() {
		if _, err := Place(g, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
