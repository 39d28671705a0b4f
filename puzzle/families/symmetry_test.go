package families

import (
	"strings"
	"testing"

	"github.com/everystate/everystate/puzzle"
)

// TestSymmetryHeader reads texts with a header that names a group. The first is the
// canonical text of earlier versions, which stored runs hold.
func TestSymmetryHeader(t *testing.T) {
	const stored = "puzzle: peg-square\nmetric: jump\ngoal: b2\nsymmetry: on\n\noo.\n .o\n"
	for _, c := range []struct{ text, want string }{
		{stored, stored},
		{"puzzle: peg\ngoal: B2\nsymmetry: ON\n\noo.\n .o", stored},
		{"puzzle: peg\nsymmetry: off\n\noo.\n .o", "puzzle: peg-square\nmetric: jump\n\noo.\n .o\n"},
		{"symmetry: on\n\n1 2\n3 0", "puzzle: tiles\nmetric: tile\ngoal: 1 2 / 3 0\nsymmetry: on\n\n1 2\n3 0\n"},
	} {
		boards, err := Read([]byte(c.text), puzzle.ReadOptions{})
		if err != nil || boards[0].Text != c.want {
			t.Errorf("%q: %v, %+v", c.text, err, boards)
			continue
		}
		if _, err := ReadStored(c.want); err != nil {
			t.Errorf("%q: %v", c.text, err)
		}
	}
	for text, want := range map[string]string{
		"puzzle: peg\nsymmetry: all\n\noo.":                         `line 2, column 11: unknown symmetry "all": must be off, on or start`,
		"symmetry: on\n\nAA.B\n...B":                                `the goal vehicle must be in the middle row`,
		"puzzle: sudoku\nsymmetry: on\n\n1...\n....\n....\n...2":    `the puzzle sudoku has no symmetries`,
		"puzzle: blocks\nsymmetry: on\n\nAA.B\n...B":                `only the identity maps the walls, the start and the goal to themselves`,
		"symmetry: on\n\n2 1 4 3":                                   `line 1, column 11: symmetry "on": only the identity maps moves to moves and both the start and the goals to themselves`,
		"symmetry: on\n\n1 2 3\n4 0 5\n6 7 8":                       `the hole of the goal must be on an axis of the board`,
		"symmetry: on\n\n3 pegs 4 discs":                            `no two pegs are alike`,
		"pieces: 4\nsymmetry: on\ngoal: 1 2 3 5\n\nmove A: (1 2 3)": `line 3, column 13`,
	} {
		if _, err := Read([]byte(text), puzzle.ReadOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
