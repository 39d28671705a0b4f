package blocks

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/puzzle"
)

// TestSymmetries names the symmetries of boards, and finds none where the walls, the
// start, the goal or the letters of pieces tell the images apart. Package symmetry
// explores such boards.
func TestSymmetries(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"Klotski", "goal: A at r4c2\n\nBAAC\nBAAC\nDEEF\nDGHF\nI..J", "mirror"},
		{"its goal on one side", "goal: A at r4c1\n\nBAAC\nBAAC\nDEEF\nDGHF\nI..J", ""},
		{"its start on one side", "goal: A at r4c2\n\nBAAC\nBAAC\nDEEF\nDGHF\n.I.J", ""},
		{"exchanged pieces", "goal: A at r4c2\ninterchangeable: no\n\nBAAC\nBAAC\nDEEF\nDGHF\nI..J", "mirror"},
		{"a goal for one of two", "goal: B at r1c2\n\nB.C\n...", ""},
		{"goals that are images", "goal: B at r1c3; C at r1c1\n\nB.C\n...", "mirror"},
		{"goals that are not", "goal: B at r1c2; C at r1c1\n\nB.C\n...", ""},
		{"two distinct pieces", "interchangeable: no\n\nB.C\n...", "mirror"},
		{"a goal picture", "goal: ... / B.C\n\nB.C\n...", "mirror"},
		{"a pinwheel", "BB.C\n...C\nD...\nD.EE", "r180 r90 r270"},
		{"a square", "B.C\n.A.\nD.E", "mirror flip r180 diagonal r90 r270 antidiagonal"},
		{"a rectangle", "B..C\nD..E", "mirror flip r180"},
		{"a row", "B..C", "mirror"},
		{"a wall in a corner", "B.C\n...\nD.#", "diagonal"},
		{"walls around a part", "######\n#B.C##\n#...##", "mirror"},
		{"a shape without its image", "BB.CC\nB...C\n.....\n.DD..", ""},
		{"more than 64 cells", "BB.......\nBB.......\n.........\n.........\n.........\n.........\n.........\n.......CC\n.......CC", "r180 diagonal antidiagonal"},
	} {
		t.Run(c.name, func(t *testing.T) {
			boards, err := Read([]byte(c.text), puzzle.ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			s, err := boards[0].Puzzle.(puzzle.Symmetric).Symmetries("on")
			if err == nil {
				names = s.Names[1:]
			} else if fault := (*puzzle.InputError)(nil); !errors.As(err, &fault) {
				t.Fatal(err)
			}
			if got := strings.Join(names, " "); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestImages draws the images of a state whose pieces go to pieces of another class.
func TestImages(t *testing.T) {
	boards, err := Read([]byte("BB.C\n...C\nD...\nD.EE"), puzzle.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := boards[0].Puzzle.(puzzle.Symmetric).Symmetries("on")
	if err != nil {
		t.Fatal(err)
	}
	p := s.Puzzle
	state, err := p.Parse(".BBC\nD..C\nDEE.\n....")
	if err != nil {
		t.Fatal(err)
	}
	before := slices.Clone(state)
	for name, want := range map[string]string{
		"r0":   ".BBC\nD..C\nDEE.\n....",
		"r90":  ".BB.\n.C.D\n.C.D\n..EE",
		"r180": "....\n.BBC\nD..C\nDEE.",
		"r270": "BB..\nC.D.\nC.D.\n.EE.",
	} {
		image := make([]uint64, len(state))
		s.Image(image, state, slices.Index(s.Names, name))
		if got := p.Format(image); got != want || !slices.Equal(state, before) {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
		}
	}
}

// TestFewGroups compares the images by tables with those by the places of pieces.
func TestFewGroups(t *testing.T) {
	for _, text := range []string{
		"goal: A at r4c2\n\nBAAC\nBAAC\nDEEF\nDGHF\nI..J",
		"BB.C\n...C\nD...\nD.EE",
		"B.C\n.A.\nD.E",
		"B.CD\nE..F\nG.HI", // more pieces than empty cells
		"BB.CC\n.....\nDD.EE",
	} {
		boards, err := Read([]byte(text), puzzle.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := boards[0].Puzzle.(puzzle.Symmetric).Symmetries("on")
		if err != nil {
			t.Fatal(err)
		}
		fast := s.SymmetryAction.(*action)
		if fast.cells == nil {
			t.Fatalf("no tables of\n%s", text)
		}
		slow := *fast
		slow.cells = nil
		placements, _ := PlacementsOf(boards[0].Puzzle)
		count := 0
		for key := range placements.All() {
			if count++; count > 3000 {
				break
			}
			if fast.Fixing(key) != slow.Fixing(key) {
				t.Fatalf("%d symmetries, or %d, fix\n%s", fast.Fixing(key), slow.Fixing(key), s.Puzzle.Format(key))
			}
			var a, b [1]uint64
			for i := range s.Names {
				fast.Image(a[:], key, i)
				slow.Image(b[:], key, i)
				if a != b {
					t.Fatalf("images\n%s\n\n%s\nby %s of\n%s", s.Puzzle.Format(a[:]), s.Puzzle.Format(b[:]), s.Names[i], s.Puzzle.Format(key))
				}
			}
		}
	}
}

// TestTooManyMoves refuses a board whose moves and symmetries are too many for links.
func TestTooManyMoves(t *testing.T) {
	rows := strings.Repeat("................\n", 6)
	boards, err := Read([]byte("metric: move\n\nBB............CC\nDDD..........EEE\n"+rows+"F..............G"), puzzle.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = boards[0].Puzzle.(puzzle.Symmetric).Symmetries("on")
	var fault *puzzle.InputError
	if !errors.As(err, &fault) || !strings.Contains(fault.What, "moves of pieces") {
		t.Errorf("%v", err)
	}
}
