package draw

import (
	"strings"
	"testing"

	"github.com/everystate/everystate/puzzle"
)

// TestParts puts a board together from its parts.
func TestParts(t *testing.T) {
	t.Parallel()
	pic := &puzzle.Picture{Rows: 2, Cols: 3, Ground: make([]puzzle.Ground, 6), Exit: []puzzle.Cell{{Row: 1, Col: 2}}, Pieces: []puzzle.Piece{
		{Kind: puzzle.PieceVehicle, Cells: []puzzle.Cell{{Row: 1, Col: 0}, {Row: 1, Col: 1}}, Label: "X", Goal: true},
		{Kind: puzzle.PieceBlock, Cells: []puzzle.Cell{{Row: 0, Col: 1}}, Label: "<", Colour: 3},
	}}
	o := Options{Labels: true, Pieces: true, Title: "a & b"}
	parts := NewParts(o)
	ground, pieces := parts.Of(pic)
	if len(pieces) != 2 || !strings.Contains(pieces[1], `data-piece="1"`) {
		t.Fatalf("pieces: %q", pieces)
	}
	if got, want := ground+strings.Join(pieces, "")+PartsEnd, string(SVG(pic, o)); got != want {
		t.Errorf("together:\n%s\nwant:\n%s", got, want)
	}
	// Another board has parts of its own, and the same one those that are remembered.
	other := *pic
	other.Ground = []puzzle.Ground{puzzle.GroundWall, 0, 0, 0, 0, 0}
	other.Pieces = pic.Pieces[:1]
	for _, p := range []*puzzle.Picture{&other, pic} {
		ground, pieces := parts.Of(p)
		if got, want := ground+strings.Join(pieces, "")+PartsEnd, string(SVG(p, o)); got != want {
			t.Errorf("together:\n%s\nwant:\n%s", got, want)
		}
	}
}
