package peg_test

import (
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/test/puzzletest"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/peg"
)

func TestRead(t *testing.T) {
	const square = "puzzle: peg-square\nmetric: jump\n\noo.\n .o\n"
	const tri = "puzzle: peg-tri\nmetric: jump\n\n  .\n o o\no o o\n"
	for text, want := range map[string]string{
		"oo.\n .o":                          square,
		"puzzle: Peg-Solitaire\n\n**.\n .*": square,
		"xx./#.x":                           square,
		"xx. / #.x":                         square,
		"\n  oo.\r\n   .o\n\n":              square,
		"  .\n o o\no o o":                  tri,
		". / o o / o o o":                   tri,
		"puzzle: peg-tri\n\n.\noo\nooo":     tri,
		".\noo\nooo":                        "puzzle: peg-square\nmetric: jump\n\n.\noo\nooo\n",
		"goal: B2\n\noo.\n .o":              "puzzle: peg-square\nmetric: jump\ngoal: b2\n\noo.\n .o\n",
		"goal: ... #oo\n\no.o\n oo":         "puzzle: peg-square\nmetric: jump\ngoal: ... / oo\n\no.o\n oo\n",
		"puzzle: peg-tri\n\n#\no#\noo.":     "puzzle: peg-tri\nmetric: jump\n\n  #\n o #\no o .\n",
	} {
		boards, err := peg.Read([]byte(text), puzzle.ReadOptions{})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if boards[0].Text != want {
			t.Errorf("%q: got\n%s", text, boards[0].Text)
		}
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "no board: the input is empty or has only headers and comments"},
		{"...\n...", "line 1, column 1: the board has no peg: o is a peg, . an empty hole"},
		{"##", "line 1, column 1: the board has no hole: o is a peg, . an empty hole"},
		{"oo.\noé.", `line 2, column 2: "é" is not a hole: o is a peg, . an empty hole, a blank or # no hole`},
		{"oo.\n*..", "line 2, column 1: o and * on one board: o, * and x all mean a peg, and an empty hole is ."},
		{"puzzle: peg-tri\n\no\n. .\n. .", "line 5, column 1: row 3 of a triangle has 3 holes, not 2 (# is not a hole)"},
		{strings.Repeat("o", 65), "line 1, column 65: a board has at most 64 holes"},
		{"o" + strings.Repeat("#", 26) + "o", "line 1, column 28: a board of more than 26 rows or columns"},
		{"goal: d1\n\noo.", `line 1, column 7: goal "d1" is not a hole of the board: must be a hole such as a1, or an arrangement such as .o. / ...`},
		{"goal: .o\n\noo.", "line 1, column 7: a goal of 2 holes, but the board has 3"},
		{"metric: sweep\n\noo.", `line 1, column 9: unknown metric "sweep": must be jump`},
		{"puzzle: chess\n\noo.", `line 1, column 9: unknown puzzle "chess" here: must be peg, peg-solitaire, peg-square or peg-tri`},
	} {
		_, err := peg.Read([]byte(c.text), puzzle.ReadOptions{})
		if err == nil || err.Error() != c.want {
			t.Errorf("%q: got %v, want %s", c.text, err, c.want)
		}
	}
	p := read(t, "", english)
	for _, c := range []struct{ text, want string }{
		{"ooo\n...", "line 1, column 1: the rows have 3 3 holes, but those of the board have 3 3 7 7 7 3 3"},
		{strings.Replace(english, "ooo.ooo", "ooooooo", 1), "not reachable: the arrangement is not in the start's position class"},
	} {
		if _, err := p.Parse(c.text); err == nil || err.Error() != c.want {
			t.Errorf("%q: got %v, want %s", c.text, err, c.want)
		}
	}
}

// The keys of the English board leave out its four position classes, and merging takes
// a jump and one of eight symmetries.
func TestLayout(t *testing.T) {
	if got, want := read(t, "", english).Layout(), (puzzle.Layout{KeyBits: 29, Moves: 76, Graded: true, HasGoal: true}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got, want := read(t, "symmetry: on", english).Layout(), (puzzle.Layout{KeyBits: 29, Moves: 608, Graded: true, HasGoal: true}); got != want {
		t.Errorf("merged: got %+v, want %+v", got, want)
	}
}

// A goal in one hole is a goal there only.
func TestGoals(t *testing.T) {
	count := func(headers string) int {
		return puzzletest.Explore(read(t, headers, triangle)).Goals
	}
	for headers, want := range map[string]int{
		"":                       7,
		"goal: a1":               1,
		"goal: b3":               1, // the peg in the middle of row 3
		"goal: a2":               0, // another position class
		"symmetry: on":           5, // two pairs of mirror images
		"symmetry: on\ngoal: a1": 1,
		"symmetry: start":        5,
	} {
		if got := count(headers); got != want {
			t.Errorf("%q: %d goals, want %d", headers, got, want)
		}
	}
}
