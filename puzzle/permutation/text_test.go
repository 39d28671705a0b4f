package permutation

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/test/puzzletest"
	"github.com/everystate/everystate/puzzle"
)

// pyraminx is the puzzle without its tips: six edges, four centres.
const pyraminx = `pieces: UL UR UB LR LB RB U L R B
orientations: 2 2 2 2 2 2 3 3 3 3

move U, U': (1 3+1 2+1)(7+1)
move L, L': (1+1 4+1 5)(8+1)
move R, R': (2 6+1 4+1)(9+1)
move B, B': (3+1 5+1 6)(10+1)
`

// TestGroups generates groups whose orders are known.
func TestGroups(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
	}{
		{"pieces: 7\n\nmove a: (1 2 3 4 5 6 7)\nmove b: (1 2)", 5040},
		{"pieces: 7\n\nmove a: (1 2 3)\nmove b: (3 4 5 6 7)", 2520},
		{"pieces: 8\n\nmove r: (1 2 3 4 5 6 7 8)\nmove s: (2 8)(3 7)(4 6)", 16},
		// The Mathieu group M11 moves any four of its places to any other four.
		{"pieces: 11\n\nmove a: (1 2 3 4 5 6 7 8 9 10 11)\nmove b: (3 7 11 8)(4 10 5 6)", 7920},
		{"pieces: a a b b b\n\nmove a: (1 2 3 4 5)\nmove b: (1 2)", 10},
		{"pieces:" + strings.Repeat(" a", 63) + " b\n\nmove a: (1 2)\nmove b: (2 3)\nmove c: (64 63 3)", 5},
		{"pieces: 3\norientations: 2\n\nmove a: (1 2 3)\nmove b: (1+1)", 24},
		{"pieces: 3\norientations: 3\n\nmove a: (1 2 3)\nmove b: (1+1)(2+2)", 27},
		{"pieces: 2\norientations: 5\n\nmove a: (1+1)", 5},
	} {
		if got := len(puzzletest.Explore(mustRead(t, Read, c.text).Puzzle).States); got != c.want {
			t.Errorf("%s: %d states, want %d", c.text, got, c.want)
		}
	}
}

// TestWhole turns the whole cube, where no corner is fixed: it stays solved.
func TestWhole(t *testing.T) {
	p := mustRead(t, ReadPocketCube, "fixed: no").Puzzle
	if got, want := p.Layout(), (puzzle.Layout{KeyBits: 27, Moves: 18, Reversible: true, HasGoal: true}); got != want {
		t.Errorf("layout %+v, want %+v", got, want)
	}
	states := p.Starts()
	for _, move := range []string{"", "R L'", "U D'", "F B' U D'", "L R' U2 D2 F B'"} {
		key, err := p.Parse(move)
		if err != nil {
			t.Fatal(err)
		}
		states = append(states, key[0])
	}
	states = append(states, p.Starts()[0]+1)
	marks := make([]bool, len(states))
	p.Goals(states, marks)
	if want := []bool{true, true, true, true, true, true, false}; !slices.Equal(marks, want) {
		t.Errorf("goals %v, want %v", marks, want)
	}
}

// TestKeys pins keys: stored runs depend on them.
func TestKeys(t *testing.T) {
	for _, c := range []struct {
		read  puzzletest.Reader
		text  string
		start uint64
		bits  int
		moves string
	}{
		{ReadPancake, "3 1 4 2", 0b1101, 5, "2 3 4"},
		{ReadPancake, "-2 1 3", 20, 6, "1 2 3"},
		{ReadTopSpin, "5 3: 3 2 1 5 4", 23, 5, "1-3 2-4 3-5 4-1 5-2"},
		{ReadPocketCube, "R U", 266493, 22, "U U2 U' R R2 R' F F2 F'"},
		{ReadPocketCube, "metric: qtm\n\n", 0, 22, "U U' R R' F F'"},
		{Read, "pieces: a a b b b\nstart: b b b a a\n\nmove A, B: (1 2 3 4 5)", 9, 4, "A B"},
	} {
		p := mustRead(t, c.read, c.text).Puzzle
		if got := p.Starts()[0]; got != c.start || p.Layout().KeyBits != c.bits {
			t.Errorf("%q: start %d with %d bits, want %d with %d", c.text, got, p.Layout().KeyBits, c.start, c.bits)
		}
		var names []string
		for id := range p.Layout().Moves {
			names = append(names, p.FormatMove(puzzle.Move(id)))
		}
		if got := strings.Join(names, " "); got != c.moves {
			t.Errorf("%q: moves %s, want %s", c.text, got, c.moves)
		}
	}
}

func TestTexts(t *testing.T) {
	for _, c := range []struct {
		read       puzzletest.Reader
		text, want string
		note       string
	}{
		{
			ReadPancake, "+1 2", "puzzle: pancake\nnotation: burnt-pancake\nmetric: flip\ngoal: 1 2\n\n1 2\n",
			"2 burnt pancakes",
		},
		{
			ReadPancake, "puzzle: burnt-pancake\n\n1 2", "puzzle: pancake\nnotation: burnt-pancake\nmetric: flip\ngoal: 1 2\n\n1 2\n",
			"2 burnt pancakes",
		},
		{
			ReadPancake, "goal: 3 2 1\n\n1 2 3", "puzzle: pancake\nnotation: pancake\nmetric: flip\ngoal: 3 2 1\n\n1 2 3\n",
			"3 pancakes; goal 3 2 1",
		},
		{
			ReadTopSpin, "4 2: 3 4 1 2", "puzzle: topspin\nmetric: turn\ngoal: 1 2 3 4\n\n4 2: 1 2 3 4\n",
			"4 tokens, 2 are reversed; goal 1 2 3 4",
		},
		{
			ReadPocketCube, "U", "puzzle: pocket-cube\nnotation: corners\nmetric: htm\nfixed: yes\n\nUBR URF UFL ULB DFR DLF DRB\n",
			"corner DBL stays in its place; U, R and F turn",
		},
		{
			Read, "pieces: 3\norientations: 2\nstart: 2+1 1 3\n\nmove A, A': (1 2 3+1)\nmove B: 2 1 3+1\nmove C: A B A'",
			"puzzle: permutation\nmetric: move\npieces: 3\norientations: 2 2 2\nstart: 2+1 1 3\ngoal: 1 2 3\n\n" +
				"move A: 3+1 1 2\nmove A': 2 3 1+1\nmove B: 2 1 3+1\nmove C: 3+1 2+1 1+1\n",
			"3 pieces in up to 2 orientations, 4 moves; goal 1 2 3",
		},
	} {
		b := mustRead(t, c.read, c.text)
		if b.Text != c.want || b.Note != c.note {
			t.Errorf("%q: got\n%s%s\nwant\n%s%s", c.text, b.Text, b.Note, c.want, c.note)
		}
		if again := mustRead(t, c.read, b.Text); again.Text != b.Text {
			t.Errorf("%q is read again as %q", b.Text, again.Text)
		}
	}
	p := mustRead(t, ReadPocketCube, "").Puzzle
	if got, want := p.Draw(p.Starts()), "  UU\n  UU\nLLFFRRBB\nLLFFRRBB\n  DD\n  DD"; got != want {
		t.Errorf("drawn:\n%s", got)
	}
}

// TestPromises drops a promised number of moves in another metric.
func TestPromises(t *testing.T) {
	for metric, want := range map[string]int{"": 3, "htm": 3, "qtm": -1} {
		boards, err := ReadPocketCube([]byte("moves: 3\n\nU' R' U2"), puzzle.ReadOptions{Metric: metric})
		if err != nil || boards[0].Expect.SolutionLength != want {
			t.Errorf("metric %q: got %+v, %v", metric, boards, err)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		read       puzzletest.Reader
		text, want string
	}{
		{ReadPancake, "1", "line 1, column 1: 1 pancake: a stack has 2 to 64, written top to bottom as in 3 1 2"},
		{ReadPancake, "1 2 2", "line 1, column 5: pancake 2 is in the stack twice"},
		{ReadPancake, "1 4 2", `line 1, column 3: unknown piece "4"; the pieces are 1 2 3`},
		{ReadPancake, "1 2\n2 1", "line 2, column 1: a second line: an arrangement is one line"},
		{ReadPancake, "notation: pancake\n\n1 -2", `line 3, column 3: unknown piece "-2"; the pieces are 1 2`},
		{ReadPancake, "goal: 1 2\n\n1 2 3", "line 1, column 7: 2 pieces, but the puzzle has 3 places"},
		{ReadTopSpin, "1 2 3", `line 1, column 1: "1 2 3" is not a ring: write tokens, how many are reversed and the ring, as in 5 3: 1 2 3 4 5`},
		{ReadTopSpin, "5 6: 1 2 3 4 5", `line 1, column 3: reversed tokens "6" is not a number from 2 to 5`},
		{ReadTopSpin, "3 2: 1 2 2", "line 1, column 10: token 2 is in the ring twice"},
		{ReadPocketCube, "U X", `line 1, column 3: "X" is not a turn: must be a face of U R F, alone or with 2 or '`},
		{ReadPocketCube, "FUR UFL ULB UBR DFR DLF DRB", "line 1, column 1: a corner is twisted: no turn of the faces leads from the solved cube there"},
		{ReadPocketCube, "URF URF ULB UBR DFR DLF DRB", "line 1, column 5: corner URF is at two places"},
		{ReadPocketCube, "metric: stm\n\nU", `line 1, column 9: unknown metric "stm": must be htm or qtm`},
		{Read, "move A: (1 2)", "no header pieces: give their number or their names"},
		{Read, "pieces: 65\n\nmove A: (1 2)", `line 1, column 9: pieces "65" is not a number from 1 to 64`},
		{Read, "pieces: 3", "no moves: write one move per line, as in move A: (1 2 3)"},
		{Read, "pieces: 3\n\nmove A: (1 4)", `line 3, column 12: place "4" is not a number from 1 to 3`},
		{Read, "pieces: 3\n\nmove A: (1 2)(2 3)", "line 3, column 15: place 2 is in the move twice"},
		{Read, "pieces: 3\n\nmove A: (1 2+1)", `line 3, column 14: turn "1" is not a number from 0 to 0`},
		{Read, "pieces: 3\nignore: X 1\n\nmove A: (1 2)", `line 2, column 9: unknown set "X"; the puzzle has no sets with names: write places, as in 1 2 3`},
		{Read, "pieces: 3\n\nmove A: (1)", "line 3, column 6: move A moves nothing"},
		{Read, "pieces: 3\n\nmove A, B: (1 2)", "line 3, column 9: move B does the same as A"},
		{Read, "pieces: 3\n\nmove A: (1 2)\nmove B: A C", `line 4, column 11: no line above defines move "C": moves are written with moves of the lines above`},
		{Read, "pieces: 3\n\nmove A: 1 2", "line 3, column 9: 2 places: write cycles as in (1 2 3), moves defined above, or for each of the 3 places where its piece comes from"},
		{Read, "pieces: 3\n\nturn A: 1 2", `line 3, column 1: "turn A: 1 2" is not a move: write its name and what it does, as in move A: (1 2 3)`},
		{Read, "pieces: 3\norientations: 1 1 2\n\nmove A: (1 3)", "line 4, column 10: a piece of place 1, with 1 orientations, cannot go to place 3, with 2"},
		{Read, "pieces: 3\nstart: 1 1 2\n\nmove A: (1 3)", "line 2, column 8: the pieces are not those of the puzzle, which are 1 2 3"},
		{Read, "pieces: 5\ngoal: 1 2 3 4 5 ; 1 2 4 3 5 ; 2 3 1 4 5\n\nmove A: (1 2 3)", "line 2, column 7: goal 2 of 3 cannot be reached: no move brings the piece that it has at place 3 there: 1 2 4 3 5; leave it out"},
		{Read, "pieces: 3\nstart: 2 1 3\n\nmove A: (1 3)", "no move brings the piece that the goal has at place 1 there: 1 2 3"},
	} {
		if _, err := c.read([]byte(c.text), puzzle.ReadOptions{}); err == nil || err.Error() != c.want {
			t.Errorf("%q:\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"puzzle: pancake\n\n3 1 2", "puzzle: pancake\n\n-3 1 2", "puzzle: topspin\n\n5 3: 1 2 3 4 5", "puzzle: pocket-cube\n\nR U2 F'",
		"puzzle: pocket-cube\nfixed: no\n\nR L'", pyraminx, "pieces: a a b\norientations: 3\n\nmove A: 2+1 3 1\nmove B: A A",
		"pieces: 64\ngoal: none\n\nmove A: (1 2)", randomFileText, starText, starJSON, starOwn, "ignore: TIPS\n\n" + starText,
		"Set R 4 1\nSolved\nR\n1 2 3 3\nEnd\nMove A\nR\n2 3 4 1\nEnd\nIllegal R 3 2",
	} {
		f.Add(text, uint64(5))
	}
	f.Fuzz(func(t *testing.T, text string, key uint64) {
		for _, read := range readers() {
			boards, err := read([]byte(text), puzzle.ReadOptions{})
			if err != nil {
				continue
			}
			b := boards[0]
			again := mustRead(t, read, b.Text)
			if again.Text != b.Text || again.Puzzle.Layout() != b.Puzzle.Layout() || !slices.Equal(again.Puzzle.Starts(), b.Puzzle.Starts()) {
				t.Fatalf("%q is read again as %q", b.Text, again.Text)
			}
			puzzletest.Conform(t, b.Puzzle, key, 3)
			words := make([]uint64, b.Puzzle.Layout().Words())
			for i := range words {
				words[i] = key
			}
			if b.Puzzle.Valid(words) {
				state, err := b.Puzzle.Parse(b.Puzzle.Format(words))
				if err != nil || !slices.Equal(state, words) {
					t.Fatalf("key %x is read as %x, %v", words, state, err)
				}
			}
		}
	})
}

// randomFileText has keys of several words and moves without inverses.
var randomFileText = func() string {
	text := "pieces: 30\norientations: 2\n\nmove A: ("
	for place := range 30 {
		text += fmt.Sprintf(" %d+%d", place+1, place%2)
	}
	return text + ")"
}()
