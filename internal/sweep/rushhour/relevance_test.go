package rushhour

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestPiecesThatAreNotAskedAreUseless has the twin solve random boards with and without
// each piece that is not asked, of which some are walls and some share a line.
func TestPiecesThatAreNotAskedAreUseless(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(21, 1))
	boards, pieces, count := 0, 0, 300
	if thorough() {
		count = 1500
	}
	for boards < count {
		board, ok := randomBoard(random, 5)
		if !ok {
			continue
		}
		e, err := New(Rules{Family: board, PrimaryRowShared: true, Step: random.IntN(2) == 0})
		if err != nil {
			t.Fatal(err)
		}
		w := &twin{rules: e.rules, size: e.rules.Size}
		start := piecesOf(board, e.rules.Size)
		moves := w.solution(start)
		if moves <= 0 {
			continue
		}
		boards++
		for _, p := range notAsked(t, e, board) {
			pieces++
			i := slices.IndexFunc(start, func(q twinPiece) bool { return q.cells[0] == p })
			if less := w.solution(slices.Delete(slices.Clone(start), i, i+1)); less < moves {
				t.Errorf("%s, step %v: takes %d moves, %d without the piece at cell %d", board, e.rules.Step, moves, less, p)
			}
		}
	}
	if pieces < count {
		t.Errorf("of %d boards %d pieces are not asked: nothing is told", boards, pieces)
	}
}

// notAsked returns the first cells of the pieces of a board that are not asked.
func notAsked(t *testing.T, e *Enumeration, board string) (cells []int) {
	t.Helper()
	w := e.Worker().(*worker)
	w.unit = &e.units[0]
	w.prepare()
	for j := range w.columns {
		w.columns[j] = w.lines[j][0]
	}
	w.needs.bind(w.rows, w.columns)
	size := e.rules.Size
	first := func(i int, s int8) int {
		p := &w.needs.pieces[i]
		if p.down {
			return int(s)*size + int(p.line)
		}
		return int(p.line)*size + int(s)
	}
	var starts []int
	for i, q := range w.needs.pieces { // in its line, in order
		for s := range size {
			at := first(i, int8(s))
			c := board[at]
			covers := c != emptySymbol && (c == wallSymbol) == q.wall && !slices.Contains(starts, at)
			for k := 1; k < int(q.length) && covers; k++ {
				covers = s+k < size && board[first(i, int8(s+k))] == c
			}
			before := s > 0 && board[first(i, int8(s-1))] == c && !q.wall
			if covers && !before {
				starts = append(starts, at)
				w.needs.place(i, int8(s), int8(s))
				break
			}
		}
	}
	if len(starts) != len(w.needs.pieces) {
		t.Fatalf("%s: found %d of %d pieces", board, len(starts), len(w.needs.pieces))
	}
	asked := w.needs.asked()
	for i, at := range starts {
		if asked>>i&1 == 0 {
			cells = append(cells, at)
		}
	}
	return cells
}
