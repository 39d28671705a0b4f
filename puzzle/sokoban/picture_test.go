package sokoban

import (
	"testing"

	"github.com/everystate/everystate/puzzle"
)

// TestPlayerIsShownWhereItStands sees the player at the start where the file has it,
// and after a push where the box was, though states hold its region only.
func TestPlayerIsShownWhereItStands(t *testing.T) {
	t.Parallel()
	boards, err := Read([]byte("######\n#    #\n# $ .#\n#   @#\n######\n"), puzzle.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	g := boards[0].Puzzle.(*game)
	at := func(pic *puzzle.Picture) puzzle.Cell { return pic.Pieces[len(pic.Pieces)-1].Cells[0] }
	start := g.Starts()
	if got := at(g.Picture(start)); got != (puzzle.Cell{Row: 3, Col: 4}) {
		t.Errorf("at the start it is at %v", got)
	}
	if got := g.Draw(start); got != "######\n#    #\n# $ .#\n#   @#\n######" {
		t.Errorf("the start is drawn as\n%s", got)
	}
	var next puzzle.Edges
	g.Successors(start, &next)
	states, moves := [][]uint64{start}, []puzzle.Move{}
	for i, m := range next.Moves {
		if g.FormatMove(m) == "3,3 right" {
			states, moves = append(states, next.Keys[i*g.words():(i+1)*g.words()]), append(moves, m)
		}
	}
	if len(states) != 2 {
		t.Fatal("there is no push to the right")
	}
	if got := at(puzzle.Pictures(g, states, moves)[1]); got != (puzzle.Cell{Row: 2, Col: 2}) {
		t.Errorf("after the push it is at %v", got)
	}
}
