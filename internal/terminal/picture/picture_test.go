package picture

import (
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/terminal/paint"
)

func TestPlain(t *testing.T) {
	t.Parallel()
	p := Painter{Goal: 'A'}
	pic := p.Draw("AA.\n..x\n.BB")
	if !slices.Equal(pic.Lines, []string{"AA.", "..x", ".BB"}) || pic.Width != 3 {
		t.Errorf("got %q, %d wide", pic.Lines, pic.Width)
	}
}

func TestColour(t *testing.T) {
	t.Parallel()
	p := Painter{Paint: paint.New(true), Goal: 'A'}
	pic := p.Draw("A.x")
	for _, want := range []string{"\x1b[38;5;231;48;5;160mA \x1b[", "\x1b[2m· \x1b[", "\x1b[38;5;231;48;5;240m  \x1b["} {
		if !strings.Contains(pic.Lines[0], want) {
			t.Errorf("got %q, which lacks %q", pic.Lines[0], want)
		}
	}
	if pic.Width != 6 {
		t.Errorf("%d wide, want 6", pic.Width)
	}
}

func TestColourOfNumbers(t *testing.T) {
	t.Parallel()
	p := Painter{Paint: paint.New(true)}
	pic := p.DrawMove("10 .\n 2 1", " . 10\n 2 1")
	const marked = ";1;4m"
	for i, want := range [][]string{{"\x1b[2m  · \x1b[", marked + " 10 \x1b["}, {"m  2 \x1b[", "m  1 \x1b["}} {
		for _, part := range want {
			if !strings.Contains(pic.Lines[i], part) || strings.Contains(pic.Lines[1], marked) {
				t.Errorf("line %d: got %q, which lacks %q", i, pic.Lines[i], part)
			}
		}
	}
	if pic.Width != 8 {
		t.Errorf("%d wide, want 8", pic.Width)
	}
	for _, text := range []string{"AA.\n..x", "22\n22", "1 A", ".", ". ."} {
		if words(text) != nil {
			t.Errorf("%q is numbers", text)
		}
	}
}

// TestColourOfBlanks has boards with blanks in them, and texts that are no board.
func TestColourOfBlanks(t *testing.T) {
	t.Parallel()
	p := Painter{Paint: paint.New(true)}
	pic := p.Draw("####\n#. #")
	if !strings.Contains(pic.Lines[1], "\x1b[2m· \x1b[22m  \x1b[") || pic.Width != 8 {
		t.Errorf("floor and a target: got %q, %d wide", pic.Lines[1], pic.Width)
	}
	if pic := p.Draw("  .\n o o"); !strings.HasPrefix(pic.Lines[0], "    \x1b[2m· ") || pic.Width != 8 {
		t.Errorf("pegs: got %q, %d wide", pic.Lines, pic.Width)
	}
	for _, text := range []string{"1: 3 2\n2:\n3: 1", "UL UR UL+1"} {
		if pic := p.Draw(text); strings.TrimRight(strings.Join(pic.Lines, ""), " ") == "" || strings.Contains(strings.Join(pic.Lines, ""), "\x1b") {
			t.Errorf("words: got %q", pic.Lines)
		}
	}
	tones := map[uint8]bool{}
	for _, face := range "URFDLB" {
		tones[paint.Tone(int(face))] = true
	}
	if len(tones) != 6 {
		t.Errorf("the faces of a cube have %d colours", len(tones))
	}
}

func TestGoalSymbol(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]byte{
		"puzzle: rush-hour\ngoal: X\n\nAA": 'X',
		"goal: A at 3,1\n\nAA":             'A',
		"goal: AB at 3,1\n\nAA":            0,
		"goal: 1 2 / 3 0\n\n1 2":           0,
		"puzzle: rush-hour\n\nAA":          0,
		"":                                 0,
	} {
		if got := GoalSymbol(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestMoved marks with # what the painter would highlight.
func TestMoved(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, before, after, want string }{
		{"one step", "AAA.\n....", ".AAA\n....", ".###\n...."},
		{"far", "BB..", "..BB", "..##"},
		{"down", "C.\nC.\n..", "..\nC.\nC.", "..\n#.\n#."},
		{"neighbour across stays", "22.\n.22", ".22\n.22", ".##\n.22"},
		{"nothing", "AA", "AA", "AA"},
		{"other size", "A", "A\nB", "A\nB"},
	} {
		rows := strings.Split(test.after, "\n")
		marked := moved(strings.Split(test.before, "\n"), rows)
		for at := range marked {
			row := []byte(rows[at.row])
			row[at.col] = '#'
			rows[at.row] = string(row)
		}
		if got := strings.Join(rows, "\n"); got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

func TestBeside(t *testing.T) {
	t.Parallel()
	pics := []Picture{
		{Title: "1 A+1", Lines: []string{"AA", "BB"}, Width: 2},
		{Title: "2", Lines: []string{"CCC"}, Width: 3},
		{Lines: []string{"D"}, Width: 1},
	}
	want := []string{"1 A+1   2", "AA      CCC", "BB", "", "D"}
	if got := Beside(pics, 11); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Beside(pics, 1); len(got) != 3+1+2+1+1 {
		t.Errorf("too narrow for one: got %q", got)
	}
}
