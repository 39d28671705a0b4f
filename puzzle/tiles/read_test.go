package tiles_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
	"github.com/everystate/everystate/puzzle/tiles"
)

var readCases = []struct {
	name, text, metric string
	start, goal        string // on one line
	note               string
}{
	{"rows", "1 2 3\n4 5 0\n", "", "1 2 3 / 4 5 0", "1 2 3 / 4 5 0", "2x3, goal 1 2 3 / 4 5 0"},
	{"a line", "0 1 / 2 3", "", "0 1 / 2 3", "1 2 / 3 0", "2x2, goal 1 2 / 3 0"},
	{"columns", " 1   2\n10  -\n 3  4\n 5  6\n 7  8\n 9 11\n", "line", "1 2 / 10 0 / 3 4 / 5 6 / 7 8 / 9 11", "1 2 / 3 4 / 5 6 / 7 8 / 9 10 / 11 0", "6x2, goal 1 2 / 3 4 / 5 6 / 7 8 / 9 10 / 11 0"},
	{"goal", "Puzzle: Sliding-Tiles\ngoal: _ 1 / 02 3\n\n3 2\n1 .\n", "", "3 2 / 1 0", "0 1 / 2 3", "2x2, goal 0 1 / 2 3"},
	{"one line", "2 1 0 3", "", "2 1 / 0 3", "1 2 3 0", "2x2, goal 1 2 / 3 0"},
	{"15-puzzle", "15 2 1 12 8 5 6 11 4 9 10 7 3 14 13 0", "", "15 2 1 12 / 8 5 6 11 / 4 9 10 7 / 3 14 13 0",
		"1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 0", "4x4, goal 1 2 3 4 / 5 6 7 8 / 9 10 11 12 / 13 14 15 0"},
	{"one line and its goal", "goal: 0 1 2 3\n\n2 1 0 3", "", "2 1 / 0 3", "0 1 / 2 3", "2x2, goal 0 1 / 2 3"},
	{"size", "size: 2x3\n\n2 1 0 3 4 5", "", "2 1 0 / 3 4 5", "1 2 3 4 5 0", "2x3, goal 1 2 3 / 4 5 0"},
	{"one row", "size: 1x4\n\n2 1 0 3", "", "2 1 0 3", "1 2 3 0", "1x4, goal 1 2 3 0"},
	{"one row of a prime number", "2 1 0", "", "2 1 0", "1 2 0", "1x3, goal 1 2 0"},
	{"pattern", "any: 1\n\n2 1 0 3", "", "2 x / 0 3", "x 2 3 0", "2x2, 1 tiles that are all alike, goal x 2 / 3 0"},
	{"pattern of one row", "size: 1x4\nany: 1\n\n2 1 0 3", "", "2 x 0 3", "x 2 3 0", "1x4, 1 tiles that are all alike, goal x 2 3 0"},
	{"promise", "metric: tile\nmoves: 5\n\n1 0", "line", "1 0", "1 0", "1x2, goal 1 0; the promised length of 5 counts in the metric tile and is not checked"},
}

func TestRead(t *testing.T) {
	for _, c := range readCases {
		t.Run(c.name, func(t *testing.T) {
			b, err := readOne(c.text, c.metric)
			if err != nil {
				t.Fatal(err)
			}
			start := strings.ReplaceAll(b.Puzzle.Format(b.Puzzle.Starts()), "\n", " / ")
			if start != c.start || b.Note != c.note {
				t.Errorf("read %s, %s", start, b.Note)
			}
			goal, err := b.Puzzle.Parse(c.goal)
			if err != nil {
				t.Fatal(err)
			}
			marks := []bool{false, true}
			b.Puzzle.Goals([]uint64{goal[0], goal[0] ^ 1}, marks)
			if !marks[0] || marks[1] {
				t.Errorf("%s is the goal: %v, another one is: %v", c.goal, marks[0], marks[1])
			}
			if err := sameAgain(b); err != nil {
				t.Error(err)
			}
		})
	}
}

var errorCases = []struct{ text, notation, metric, want string }{
	{"", "", "", "no board: the input is empty or has only headers and comments"},
	{"name: x\n\n", "", "", "no board: the input is empty or has only headers and comments"},
	{"0", "", "", "line 1, column 1: a board of one cell: must be at least 2"},
	{"1 2 3\n4 5", "", "", "line 2, column 1: row 2 has 2 tiles where the rows above have 3"},
	{"1 2\n\n3 0", "", "", "line 2, column 1: a row without tiles: a file holds one board, rows of numbers without blank lines between them"},
	{"1 2 / 3 0 /", "", "", "line 1, column 12: a row without tiles: a file holds one board, rows of numbers without blank lines between them"},
	{"1 2\n3 3", "", "", "line 2, column 3: tile 3 appears a second time: it is already in line 2, column 1"},
	{"1 0\n3 .", "", "", "line 2, column 3: the hole appears a second time: it is already in line 1, column 3"},
	{"1 2\n3 4", "", "", `line 2, column 3: "4" is not a tile: a 2x2 board has the tiles 1 to 3, and 0 for the hole`},
	{"1 2\n3 x", "", "", `line 2, column 3: "x" is not a tile: a 2x2 board has the tiles 1 to 3, and 0 for the hole`},
	{"1 99999999999999999999999 0", "", "", `line 1, column 3: "99999999999999999999999" is not a tile: a 1x3 board has the tiles 1 to 2, and 0 for the hole`},
	{"1 -2 0", "", "", `line 1, column 3: "-2" is not a tile: a 1x3 board has the tiles 1 to 2, and 0 for the hole`},
	{"1 2 3 4\n5 6 7 8\n9 10 11 12\n13 14 15 16\n17 18 19 0", "", "", "line 5, column 1: a board of more than 16 cells"},
	{"1 2 3\n4 5 6\n7 8 0\n1 2 3\n4 5 6\n7 0 8", "", "", "line 4, column 1: a second board: a file holds one board of tiles"},
	{strings.Repeat("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 0\n", 2), "", "", "line 2, column 1: a second board: a file holds one board of tiles"},
	{"goal: " + strings.Repeat("1 2 3 / ", 6) + "1 2 3\n\n1 2\n3 0", "", "", "line 1, column 47: a board of more than 16 cells"},
	{strings.Repeat("1 ", 17), "", "", "line 1, column 1: a board of more than 16 cells"},
	{"goal: 1 2 / 3 4 / 5 0\n\n1 2\n3 0", "", "", "line 1, column 7: a goal of 3x2, but the board is 2x2"},
	{"goal: 1 2 3 4 0\n\n1 2\n3 0", "", "", "line 1, column 7: 5 tiles, but a board of 2x2 has 4"},
	{"1 2 3 4 5 0", "", "", "line 1, column 1: 6 tiles in one line could be several boards: write / between the rows, or a header size: RxC"},
	{"size: 2x2\n\n1 2 3 4 5 0", "", "", "line 3, column 1: 6 tiles, but a board of 2x2 has 4"},
	{"size: 3x2\n\n1 2 3\n4 5 0", "", "", "line 3, column 1: the board is 2x3, but the size is 3x2"},
	{"size: 5x4\n\n1 0", "", "", `line 1, column 7: size "5x4" is not rows x columns of 2 to 16 cells, as in 4x4`},
	{"goal: 1 2 / 2 0\n\n1 2\n3 0", "", "", "line 1, column 13: tile 2 appears a second time: it is already in line 1, column 9"},
	{"goal:\n\n1 2\n3 0", "", "", "line 1, column 6: a goal without tiles: it is written as rows with / between them"},
	{"metric: push\n\n1 0", "", "", `line 1, column 9: unknown metric "push": must be tile or line`},
	{"1 0", "", "push", `unknown metric "push": must be tile or line`},
	{"1 0", "letters", "", `unknown notation "letters": must be rows`},
	{"puzzle: chess\n\n1 0", "", "", `line 1, column 9: puzzle "chess" is not tiles`},
	{"box: 2x2\n\n1 0", "", "", `line 1, column 1: unknown header "box"; the headers are puzzle, name, metric, size, any, goal, moves, states`},
}

func TestReadErrors(t *testing.T) {
	for _, c := range errorCases {
		_, err := tiles.Read([]byte(c.text), puzzle.ReadOptions{Notation: c.notation, Metric: c.metric})
		var fault *puzzle.InputError
		if !errors.As(err, &fault) || err.Error() != c.want {
			t.Errorf("%q:\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	b, err := readOne("1 2\n3 0", "")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"1 2 3 4 0":       "line 1, column 1: 5 tiles, but a board of 2x2 has 4",
		"0 1 / 2 3 / 4 5": "line 1, column 1: a board of 3x2, but the puzzle has 2x2",
		"1 2 / 3":         "line 1, column 7: row 2 has 1 tiles where the rows above have 2",
		"":                "no board: the input is empty or has only headers and comments",
	} {
		if _, err := b.Puzzle.Parse(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, not %s", text, err, want)
		}
	}
}

func TestLooks(t *testing.T) {
	for text, want := range map[string]bool{
		"1 2 3\n4 5 0": true, "1 2\n3 4": true, "1 2 / 3 0": true, "2 0 1": true, "1\n0\n2": true, "1 2 .": true,
		"goal: 0 1 / 2 3\n\n1 2\nx 0": true,
		"3 1 2":                       false, "-3 1 -2": false, "1\n2": false, "22\n..": false, "AA.\n...": false, "": false, ". .\n. .": false,
		"60 IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM 2332": false, "[(17,18),(1,15)]": false, "#####\n#@$.#\n#####": false,
		"10 4: 1 2 3": false, "3 pegs 4 discs": false, "U F2 R'": false, "  o o\n o . o": false, "53..7....\n6..195...": false,
	} {
		f, fault := boardfile.Parse([]byte(text))
		if fault != nil {
			t.Fatal(fault)
		}
		if tiles.Looks(f) != want {
			t.Errorf("%q looks like tiles: %v", text, !want)
		}
	}
}

// FuzzRead checks that no text makes the reader panic, that errors are one line,
// and that what is read is read again.
func FuzzRead(f *testing.F) {
	for _, c := range readCases {
		f.Add([]byte(c.text))
	}
	for _, c := range errorCases {
		f.Add([]byte(c.text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		boards, err := tiles.Read(text, puzzle.ReadOptions{})
		if err != nil {
			if what := err.Error(); len(what) > 400 || strings.ContainsAny(what, "\n\r\x00") {
				t.Fatalf("an error of more than a line: %q", what)
			}
			return
		}
		if err := sameAgain(&boards[0]); err != nil {
			t.Fatal(err)
		}
	})
}
