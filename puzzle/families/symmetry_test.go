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
		if _, err := ReadStored(c.want, 0); err != nil {
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

// What earlier versions stored as "on" keeps its representatives, where "on" means another
// name now.
func TestStoredSymmetry(t *testing.T) {
	const head, body = "puzzle: permutation\nmetric: move\npieces: 10\n", "\nmove R, R': (1 2 3 4 5 6 7 8 9 10)\nmove T: (1 6)\nmove U: (1 2)(6 7)\nmove V: (1 10)(6 5)\n"
	boards, err := Read([]byte("symmetry: on\n"+head+body), puzzle.ReadOptions{})
	if err != nil || !strings.Contains(boards[0].Text, "\nsymmetry: marked\n") {
		t.Fatalf("%v, %+v", err, boards)
	}
	now := boards[0]
	earlier := strings.Replace(now.Text, "symmetry: marked", "symmetry: on", 1)
	before, err := ReadStored(earlier, 0)
	if err != nil || before.Text != earlier {
		t.Fatalf("%v, %q", err, before.Text)
	}
	if again, err := ReadStored(now.Text, 0); err != nil || again.Text != now.Text {
		t.Fatalf("%v, %q", err, again.Text)
	}
	// A state whose representatives differ.
	differ := false
	state := boards[0].Puzzle.Starts()
	merged, was := now.Puzzle.(puzzle.Merged), before.Puzzle.(puzzle.Merged)
	base := merged.Unmerged()
	seen := map[uint64]bool{state[0]: true}
	for at := 0; at < len(state) && !differ; at++ {
		var out puzzle.Edges
		base.Successors(state[at:at+1], &out)
		for _, key := range out.Keys {
			if !seen[key] {
				seen[key] = true
				state = append(state, key)
			}
		}
		a, b := []uint64{state[at]}, []uint64{state[at]}
		merged.Represent(a, a)
		was.Represent(b, b)
		differ = a[0] != b[0]
	}
	if !differ {
		t.Errorf("all %d states have the same representative either way", len(state))
	}
}
