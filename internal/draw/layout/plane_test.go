package layout

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// A piece that moves along a line of cells is placed along a line, in order, and a
// second piece that hardly moves changes the place less.
func TestPlane(t *testing.T) {
	board := func(a, b int) string {
		rows := []string{strings.Repeat(".", a) + "A" + strings.Repeat(".", 9-a), strings.Repeat(".", b) + "B" + strings.Repeat(".", 9-b)}
		return strings.Join(rows, "\n")
	}
	var sample []string
	for a := range 10 {
		sample = append(sample, board(a, 0), board(a, 1))
	}
	p := NewPlane(sample)
	again := NewPlane(sample)
	distinct := make(map[string]bool)
	for _, text := range sample {
		x, y := p.Place(text)
		if r := math.Hypot(x, y); r > 1+1e-9 {
			t.Errorf("%q is %v from the origin", text, r)
		}
		ax, ay := again.Place(text)
		if x != ax || y != ay {
			t.Errorf("%q has two places", text)
		}
		distinct[fmt.Sprintf("%.6f %.6f", x, y)] = true
	}
	if len(distinct) < len(sample)/2 {
		t.Errorf("%d texts have %d places", len(sample), len(distinct))
	}
	// What the sample has not shown has a place too, within the unit.
	for _, text := range []string{"", "\xff\xfe", "15 2 1 12\n8 5 6 11", board(4, 9), strings.Repeat("Z", 1000)} {
		if x, y := p.Place(text); math.IsNaN(x) || math.IsNaN(y) || math.Hypot(x, y) > 1+1e-9 {
			t.Errorf("%q is at %v, %v", text, x, y)
		}
	}
	// Texts that are all the same are at the origin.
	same := NewPlane([]string{"AB", "AB"})
	if x, y := same.Place("AB"); x != 0 || y != 0 {
		t.Errorf("the only text is at %v, %v", x, y)
	}
	if x, y := NewPlane(nil).Place("AB"); x != 0 || y != 0 {
		t.Errorf("without a sample, a text is at %v, %v", x, y)
	}
}

// States with more in common are closer: places keep distances, within what two
// dimensions can show.
func TestPlaneKeepsDistances(t *testing.T) {
	// A grid of two independent pieces whose places change the text in proportion.
	text := func(a, b int) string {
		return strings.Repeat("x", a) + strings.Repeat("-", 8-a) + strings.Repeat("o", b) + strings.Repeat("-", 8-b)
	}
	var sample []string
	for a := range 9 {
		for b := range 9 {
			sample = append(sample, text(a, b))
		}
	}
	p := NewPlane(sample)
	between := func(s, t string) float64 {
		x, y := p.Place(s)
		u, v := p.Place(t)
		return math.Hypot(x-u, y-v)
	}
	near, far := between(text(3, 4), text(4, 4)), between(text(0, 4), text(8, 4))
	if !(near > 0 && far > 3*near) {
		t.Errorf("one step is %v, eight are %v", near, far)
	}
}
