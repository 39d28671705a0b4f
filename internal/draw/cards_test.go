package draw

import (
	"bytes"
	"testing"

	"github.com/everystate/everystate/puzzle"
)

// TestCardBack says how long the solution is, or why there is none.
func TestCardBack(t *testing.T) {
	t.Parallel()
	for want, card := range map[string]Card{
		"0 moves":     {},
		"1 move":      {Solution: []string{"up"}},
		"2 moves":     {Solution: []string{"up", "down"}},
		"no solution": {Unsolved: "no solution"},
	} {
		card.Picture = &puzzle.Picture{Rows: 1, Cols: 1, Ground: make([]puzzle.Ground, 1)}
		if back := Cards([]Card{card}, Options{})[1].SVG(Options{}); !bytes.Contains(back, []byte(">"+want+"</text>")) {
			t.Errorf("there is no %q in\n%s", want, back)
		}
	}
}
