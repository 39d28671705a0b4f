package rushhour

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/sweep/relevance"
	"github.com/everystate/everystate/internal/sweep/rushhour/boards"
	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// TestPiecesThatAreNotAskedAreUseless has the twin solve random boards with and without
// each piece that is not asked, of which some are walls and some share a line. Some boards
// are eight cells long or wide.
func TestPiecesThatAreNotAskedAreUseless(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(21, 1))
	boards, pieces, count := 0, 0, 300
	if thorough() {
		count = 1500
	}
	for boards < count {
		size := randomSize(random)
		if boards%4 == 0 {
			size = []rules.Size{{Rows: 3, Columns: rules.SizeMax}, {Rows: rules.SizeMax, Columns: 3}}[random.IntN(2)]
		}
		board, ok := randomBoard(random, size)
		if !ok {
			continue
		}
		e, err := New(rules.Rules{Family: board, PrimaryRowShared: true, Step: random.IntN(2) == 0})
		if err != nil {
			t.Fatal(err)
		}
		w := newTwin(e.rules)
		start := piecesOf(board, e.rules.Size.Columns)
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
	rows, columns := e.rules.Size.Rows, e.rules.Size.Columns
	board = strings.ReplaceAll(board, "/", "")
	var starts []int
	var places []int // of the vehicles of the current line
	// add finds the next piece, which is the next in its line: its cells are by apart.
	add := func(first, by, length int, wall bool) {
		line := columns
		if by != 1 {
			line = rows
		}
		for s := range line + 1 - length {
			at := first + s*by
			c := board[at]
			covers := c != boards.Empty && (c == boards.Wall) == wall && !slices.Contains(starts, at)
			for k := 1; k < length && covers; k++ {
				covers = board[at+k*by] == c
			}
			before := s > 0 && board[at-by] == c && !wall
			if covers && !before {
				starts = append(starts, at)
				if !wall {
					places = append(places, s)
				}
				return
			}
		}
	}
	sets := func() (sets uint64) {
		for k, at := range places {
			sets |= 1 << (8*k + at)
		}
		return sets
	}
	for i, l := range w.rows.lines {
		places = places[:0]
		for _, length := range l.lengths {
			add(i*columns, 1, length, false)
		}
		for range l.pieces() - len(l.lengths) {
			add(i*columns, 1, 1, true)
		}
		w.needs.Place(i, l.asks.Start(sets()))
	}
	for j, l := range w.columns {
		places = places[:0]
		for _, length := range l.lengths {
			add(j, columns, length, false)
		}
		w.needs.Place(relevance.SizeMax+j, l.asks.Start(sets()))
	}
	if len(starts) != w.needs.Len() {
		t.Fatalf("%s: found %d of %d pieces", board, len(starts), w.needs.Len())
	}
	asked := w.needs.Asked(w.needs.aside)
	for i, at := range starts {
		if asked>>i&1 == 0 {
			cells = append(cells, at)
		}
	}
	return cells
}
