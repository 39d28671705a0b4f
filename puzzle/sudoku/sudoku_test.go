package sudoku_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/test/puzzletest"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/sudoku"
)

// bounds are low: states of empty grids take several words.
func bounds() puzzletest.Bounds {
	return puzzletest.Bounds{States: 110_000, Begun: 110_000, Short: 30_000}
}

func read(tb testing.TB, metric, text string) puzzle.Puzzle {
	tb.Helper()
	boards, err := sudoku.Read([]byte(text), puzzle.ReadOptions{Metric: metric})
	if err != nil {
		tb.Fatal(err)
	}
	return boards[0].Puzzle
}

func TestTruth(t *testing.T) {
	puzzletest.Truth(t, "sudoku.json", 18, sudoku.Read, bounds())
}

func TestShippedPuzzles(t *testing.T) { puzzletest.Shipped(t, "sudoku", sudoku.Read, bounds()) }

// twin is the slow, obvious grid: a text, and what may be filled in found by looking at
// every other cell.
type twin struct {
	side, boxRows, boxCols int
	text                   string // without line ends
	anyCell                bool
}

func (w twin) clash(at, other int) bool {
	row, col, row2, col2 := at/w.side, at%w.side, other/w.side, other%w.side
	return row == row2 || col == col2 || row/w.boxRows == row2/w.boxRows && col/w.boxCols == col2/w.boxCols
}

func (w twin) successors() []string {
	var list []string
	for at := range w.text {
		if w.text[at] != '.' {
			continue
		}
		for digit := 1; digit <= w.side; digit++ {
			symbol := fmt.Sprint(digit)
			legal := true
			for other := range w.text {
				legal = legal && (w.text[other:other+1] != symbol || !w.clash(at, other))
			}
			if legal {
				list = append(list, w.text[:at]+symbol+w.text[at+1:])
			}
		}
		if !w.anyCell {
			break
		}
	}
	return list
}

// randomTwin makes a grid with some givens.
func randomTwin(rng *rand.Rand) twin {
	boxes := [][2]int{{2, 2}, {2, 3}, {3, 3}, {3, 2}, {1, 3}, {1, 2}}
	box := boxes[rng.IntN(len(boxes))]
	w := twin{side: box[0] * box[1], boxRows: box[0], boxCols: box[1], anyCell: true}
	w.text = strings.Repeat(".", w.side*w.side)
	for range rng.IntN(w.side * w.side) {
		list := w.successors()
		if len(list) == 0 {
			break
		}
		w.text = list[rng.IntN(len(list))]
	}
	w.anyCell = rng.IntN(2) == 0
	return w
}

func (w twin) read(t *testing.T) puzzle.Puzzle {
	t.Helper()
	return read(t, map[bool]string{false: "row-major", true: "any-cell"}[w.anyCell],
		fmt.Sprintf("box: %dx%d\n\n%s", w.boxRows, w.boxCols, w.text))
}

func TestTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 25 {
		w := randomTwin(rng)
		p := w.read(t)
		for {
			state, err := p.Parse(w.text)
			if err != nil {
				t.Fatal(err)
			}
			checkEdges(t, p, state)
			var edges puzzle.Edges
			p.Successors(state, &edges)
			var got []string
			for i := range edges.Len() {
				words := len(state)
				got = append(got, strings.ReplaceAll(p.Format(edges.Keys[i*words:i*words+words]), "\n", ""))
			}
			want := w.successors()
			if !slices.Equal(got, want) {
				t.Fatalf("%s leads to %v, want %v", w.text, got, want)
			}
			marks := []bool{false}
			if p.Goals(state, marks); marks[0] == strings.Contains(w.text, ".") {
				t.Fatalf("%s is a goal: %v", w.text, marks[0])
			}
			if len(want) == 0 {
				break
			}
			w.text = want[rng.IntN(len(want))]
		}
	}
}

// checkEdges checks Apply, Undo and Predecessors of a state against Successors, for
// every move id.
func checkEdges(t *testing.T, p puzzle.Puzzle, state []uint64) {
	t.Helper()
	words := len(state)
	var out, back puzzle.Edges
	p.Successors(state, &out)
	p.(puzzle.Backward).Predecessors(state, &back)
	n, m := 0, 0
	for move := range puzzle.Move(p.Layout().Moves) {
		dst := slices.Clone(state)
		legal := n < out.Len() && out.Moves[n] == move
		if p.Apply(dst, dst, move) != legal {
			t.Fatalf("Apply(%d) is %v in\n%s", move, !legal, p.Format(state))
		}
		if legal {
			if !slices.Equal(dst, out.Keys[n*words:n*words+words]) || !p.Valid(dst) {
				t.Fatalf("Apply(%d) gives %x, not %x", move, dst, out.Keys[n*words:n*words+words])
			}
			if !p.Undo(dst, dst, move) {
				t.Fatalf("Undo(%d) is not legal", move)
			}
			n++
		}
		if !slices.Equal(dst, state) {
			t.Fatalf("%x is not %x again after move %d", dst, state, move)
		}
		legal = m < back.Len() && back.Moves[m] == move
		if p.Undo(dst, dst, move) != legal {
			t.Fatalf("Undo(%d) is %v in\n%s", move, !legal, p.Format(state))
		}
		if legal {
			if !slices.Equal(dst, back.Keys[m*words:m*words+words]) || !p.Valid(dst) {
				t.Fatalf("Undo(%d) gives %x", move, dst)
			}
			if !p.Apply(dst, dst, move) {
				t.Fatalf("Apply(%d) is not legal", move)
			}
			m++
		}
		if !slices.Equal(dst, state) {
			t.Fatalf("%x is not %x again after move %d", dst, state, move)
		}
	}
	if n < out.Len() || m < back.Len() {
		t.Fatalf("moves %v and %v are not in order", out.Moves, back.Moves)
	}
}

// A key has a bit or two more than its cells have information.
func TestKeyBits(t *testing.T) {
	for text, want := range map[string]int{
		strings.Repeat(".", 16): 38, // 16 log 5 = 37.2
		strings.Repeat(".", 81): 5 * 64,
		"1......1.......":       0,
	} {
		boards, err := sudoku.Read([]byte(text), puzzle.ReadOptions{})
		if want == 0 {
			if err == nil {
				t.Errorf("%s is read", text)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := boards[0].Puzzle.Layout().KeyBits; got != want {
			t.Errorf("%d cells: %d bits, want %d", len(text), got, want)
		}
	}
}

func TestRead(t *testing.T) {
	const want = "puzzle: sudoku\nmetric: row-major\nbox: 2x2\n\n12..\n..12\n....\n....\n"
	for _, text := range []string{
		"12..\n..12\n....\n....",
		"12....1200000000",
		"1 2 | . .\n. . | 1 2\n----+----\n_ _ | * *\n0 0 | 0 0",
		"12.. / ..12 / .... / ....",
		"puzzle: Sudoku\nBox: 2 X 2\nmetric: ROW-MAJOR\n\n12..\n..12\n....\n....",
	} {
		boards, err := sudoku.Read([]byte(text), puzzle.ReadOptions{})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if boards[0].Text != want {
			t.Errorf("%s: got %s", text, boards[0].Text)
		}
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "no grid: the input is empty or holds only headers and comments"},
		{"1...\n.1..\n....\n....", "line 2, column 2: digit 1 appears twice in a box: a digit appears once in each row, column and box"},
		{"1..1\n....\n....\n....", "line 1, column 4: digit 1 appears twice in a row: a digit appears once in each row, column and box"},
		{"1...\n....\n1...\n....", "line 3, column 1: digit 1 appears twice in a column: a digit appears once in each row, column and box"},
		{"5...\n....\n....\n....", "line 1, column 1: digit 5 in a grid of 4 rows: the digits are 1 to 4"},
		{"....\n...\n....\n....", "line 2, column 1: row 2 has 3 cells, but the grid has 4 rows: must be equally many"},
		{"...", "line 1, column 1: 3 cells in one line: a grid in one line has 16, 36, 64 or 81 cells, or another square's number"},
		{"...\n..a\n...", `line 2, column 3: "a" is not a cell: cells are digits, and . 0 _ * are empty`},
		{"...\n...\n...", "line 1, column 1: a grid of 3 rows has no usual boxes: it takes a header box: rows x columns, such as box: 1x3"},
		{"box: 2x3\n\n....\n....\n....\n....", "line 1, column 6: a box of 2x3 has 6 cells, but a grid of 4 rows takes 4"},
		{"puzzle: sudoku\n\n5", "line 3, column 1: digit 5 in a grid of 1 row: the only digit is 1"},
		{"puzzle: sudoku\n\n1", "line 3, column 1: a grid of 1 row has no usual boxes: it takes a header box: rows x columns, such as box: 1x1"},
		{"box: 4\n\n....\n....\n....\n....", `line 1, column 6: box "4": must be rows x columns, such as 2x3`},
		{"metric: fill\n\n....", `line 1, column 9: unknown metric "fill": must be row-major or any-cell`},
		{strings.Repeat(".", 82), "line 1, column 82: a grid has at most 81 cells"},
		{"goal: full\n\n....", `line 1, column 1: unknown header "goal"; the headers are puzzle, name, box, metric, moves, states`},
	} {
		_, err := sudoku.Read([]byte(c.text), puzzle.ReadOptions{})
		if err == nil || err.Error() != c.want {
			t.Errorf("%q: got %v, want %s", c.text, err, c.want)
		}
	}
	p := read(t, "", "12..\n..12\n....\n....")
	for _, c := range []struct{ text, want string }{
		{"12.3\n..12\n....\n....", "line 1, column 4: r1c4 is filled and r1c3 is not: the metric row-major fills cells in reading order"},
		{"21..\n..12\n....\n....", "line 1, column 1: the puzzle has a given here, 1"},
		{"1233\n..12\n....\n....", "line 1, column 4: digit 3 appears twice in a row: a digit appears once in each row, column and box"},
		{strings.Repeat(".", 81), "line 1, column 1: a grid of 9 rows, but the puzzle has 4"},
	} {
		if _, err := p.Parse(c.text); err == nil || err.Error() != c.want {
			t.Errorf("%q: got %v, want %s", c.text, err, c.want)
		}
	}
}

func TestSuccessorsAllocateNothing(t *testing.T) {
	for _, metric := range []string{"row-major", "any-cell"} {
		p := read(t, metric, strings.Repeat(".", 81))
		var states []uint64
		var edges puzzle.Edges
		for states = p.Starts(); len(states) < 500; states = slices.Clone(edges.Keys) {
			edges.Reset()
			p.Successors(states, &edges)
		}
		p.Successors(states, &edges)
		if n := testing.AllocsPerRun(10, func() {
			edges.Reset()
			p.Successors(states, &edges)
		}); n > 0 {
			t.Errorf("%s: %v allocations", metric, n)
		}
	}
}

// FuzzRead reads anything; what is read has a canonical text, and its keys, whatever
// they are, give no panic.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"12..\n..12\n....\n....", strings.Repeat(".", 81), "box: 1x3\nmetric: any-cell\n\n1..\n...\n..2",
		"12.3/...4/..../....", "box: 1x1\n\n1",
	} {
		f.Add([]byte(text), uint64(12345), uint64(99))
	}
	f.Fuzz(func(t *testing.T, text []byte, high, low uint64) {
		boards, err := sudoku.Read(text, puzzle.ReadOptions{})
		if err != nil {
			return
		}
		b := boards[0]
		again, err := sudoku.Read([]byte(b.Text), puzzle.ReadOptions{})
		if err != nil || again[0].Text != b.Text || again[0].Puzzle.Layout() != b.Puzzle.Layout() || again[0].Note != b.Note {
			t.Fatalf("%q is read again as %+v, %v", b.Text, again, err)
		}
		p := b.Puzzle
		random := p.Starts()
		random[0], random[len(random)-1] = high, low
		small := p.Starts()
		small[len(small)-1] = low & (1<<min(p.Layout().KeyBits, 63) - 1)
		for _, state := range [][]uint64{p.Starts(), random, small} {
			if !p.Valid(state) {
				continue
			}
			if got, err := p.Parse(p.Format(state)); err != nil || !slices.Equal(got, state) {
				t.Fatalf("%x is read as %x, %v", state, got, err)
			}
			checkEdges(t, p, state)
		}
	})
}

// BenchmarkSuccessors reports the time of a successor over states in the middle.
func BenchmarkSuccessors(b *testing.B) {
	for _, bench := range []struct {
		name, metric string
		cells        int
	}{{"4x4/any-cell", "any-cell", 16}, {"4x4/row-major", "row-major", 16}, {"9x9/row-major", "row-major", 81}} {
		b.Run(bench.name, func(b *testing.B) {
			p := read(b, bench.metric, strings.Repeat(".", bench.cells))
			words := p.Layout().Words()
			states := p.Starts()
			var edges puzzle.Edges
			for range bench.cells / 2 {
				edges.Reset()
				p.Successors(states, &edges)
				states = nil
				for i := 0; i < edges.Len() && len(states) < 1000*words; i++ {
					at := i * 7919 % edges.Len() * words
					states = append(states, edges.Keys[at:at+words]...)
				}
			}
			total := 0
			b.ReportAllocs()
			for b.Loop() {
				edges.Reset()
				p.Successors(states, &edges)
				total += edges.Len()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(total), "ns/succ")
			b.ReportMetric(float64(total)/float64(b.N)/float64(len(states)/words), "succ/state")
		})
	}
}
