package rushhour

import (
	"reflect"
	"testing"

	"github.com/everystate/everystate/puzzle"
)

func TestPicture(t *testing.T) {
	g := mustRead(t, "exit: left\n\n.AA.\n.x.B\n...B").Puzzle.(*game)
	want := &puzzle.Picture{
		Rows: 3, Cols: 4,
		Ground: make([]puzzle.Ground, 12),
		Pieces: []puzzle.Piece{
			{Kind: puzzle.PieceVehicle, Cells: []puzzle.Cell{{Row: 0, Col: 1}, {Row: 0, Col: 2}}, Label: "A", Colour: 0, Goal: true},
			{Kind: puzzle.PieceVehicle, Cells: []puzzle.Cell{{Row: 1, Col: 3}, {Row: 2, Col: 3}}, Label: "B", Colour: 1},
		},
		Exit: []puzzle.Cell{{Row: 0, Col: 0}},
	}
	want.Ground[5] = puzzle.GroundWall
	if got := g.Picture(g.Starts()); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// The order of pieces and their colours are the puzzle's, not the notation's.
func TestPictureOfPairs(t *testing.T) {
	one := mustRead(t, "[(17,18),(12,19),(1,15)]").Puzzle.(*game)
	two := mustRead(t, "[(17,18),(1,15),(12,19)]").Puzzle.(*game)
	a, b := one.Picture(one.Starts()), two.Picture(two.Starts())
	for i := range a.Pieces {
		a.Pieces[i].Label, b.Pieces[i].Label = "", ""
	}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("%+v and %+v", a, b)
	}
}
