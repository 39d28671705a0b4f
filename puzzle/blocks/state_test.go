package blocks

import (
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/puzzle"
)

func mustRead(tb testing.TB, text string) puzzle.Puzzle {
	tb.Helper()
	b, _, err := readOne(text)
	if err != nil {
		tb.Fatal(err)
	}
	return b.Puzzle
}

// movesOfStart lists the moves of the start.
func movesOfStart(p puzzle.Puzzle) string {
	var names []string
	var out puzzle.Edges
	p.Successors(p.Starts(), &out)
	for _, m := range out.Moves {
		names = append(names, p.FormatMove(m))
	}
	return strings.Join(names, " ")
}

func TestClassicKey(t *testing.T) {
	for _, c := range []struct {
		metric string
		ids    int
		moves  string
	}{
		{"step", 62, "r4c2-down r4c3-down r5c1-right r5c4-left"},
		{"slide", 140, "r4c2-down1 r4c3-down1 r5c1-right1 r5c1-right2 r5c4-left2 r5c4-left1"},
		{"move", 380, "r4c2-r5c2 r4c2-r5c3 r4c3-r5c2 r4c3-r5c3 r5c1-r5c2 r5c1-r5c3 r5c4-r5c2 r5c4-r5c3"},
	} {
		p := mustRead(t, "metric: "+c.metric+"\ngoal: A at 3,1\n\n"+classic)
		// All 65880 placements of the ten pieces fit 17 bits.
		if got, want := p.Layout(), (puzzle.Layout{KeyBits: 17, Moves: c.ids, Reversible: true, Alternating: c.metric == "step", HasGoal: true}); got != want {
			t.Errorf("layout %+v, want %+v", got, want)
		}
		// Stored runs depend on this value.
		if got, want := p.Starts()[0], uint64(8473); got != want {
			t.Errorf("start key %d, want %d", got, want)
		}
		if got := movesOfStart(p); got != c.moves {
			t.Errorf("%s: moves %s, want %s", c.metric, got, c.moves)
		}
	}
}

func TestParse(t *testing.T) {
	p := mustRead(t, "goal: A at 3,1\n\n"+classic)
	for _, text := range []string{
		classic,
		"BAAC / BAAC / DEEF / DGHF / I..J",
		"name: typed\n\n xAAy\n xAAy\n 1ZZ2\n 1ab2\n c..d",
		"bQQc\nbQQc\nDEEF\nDGHF\nI..J", // the only square needs no letter
	} {
		key, err := p.Parse(text)
		if err != nil || !slices.Equal(key, p.Starts()) {
			t.Errorf("%q: %x, %v", text, key, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	p := mustRead(t, "AC.\nDD#\nBEE")
	for text, want := range map[string]string{
		"":                  "no board: the text is empty or has only headers and comments",
		"AC\nDD":            "line 1, column 1: a board of 2x2, but the puzzle has 3x3",
		"AC.\nDD.\nBEE":     "line 1, column 1: no wall at r2c3, but the puzzle has one",
		"AC#\nDD#\nBEE":     "line 1, column 1: a wall at r1c3, but the puzzle has none",
		"XC.\nDD#\nBEE":     "line 1, column 1: piece A is missing: it is the piece of 1 cell that must keep its letter",
		"AC.\nDD#\n.EE":     "line 1, column 1: a piece is missing: the puzzle has 2 pieces like the one at r1c2",
		"ACF\nDD#\nBEE":     "line 1, column 1: piece B is surplus, or has a shape that no piece of the puzzle has",
		"AC.\nDD#\nBEE\nFF": "line 4, column 1: row 4 has 2 cells where the rows above have 3",
		"AC.\nDD#\nBED":     "line 3, column 3: piece D is not connected: its cells must share sides, and each piece needs its own letter",
	} {
		if _, err := p.Parse(text); err == nil || err.Error() != want {
			t.Errorf("%q:\n got %v\nwant %s", text, err, want)
		}
	}
}

// TestManyPieces draws as many pieces as there are letters, and refuses nothing.
func TestManyPieces(t *testing.T) {
	rows := symbols[:16] + "\n" + symbols[16:32] + "\n" + symbols[32:48] + "\n" + symbols[48:] + ".."
	for header, last := range map[string]string{"goal: C at 0,0\n\n": "A..", "interchangeable: no\n\n": "9..", "": "9.."} {
		b, g, err := readOne(header + rows)
		if err != nil {
			t.Fatal(err)
		}
		if text := g.Format(g.Starts()); !strings.HasSuffix(text, last) {
			t.Errorf("%q: drawn as\n%s", header, text)
		}
		if err := checkCanonical(b); err != nil {
			t.Error(err)
		}
	}
}

// TestMoveName has names of moves of earlier versions.
func TestMoveName(t *testing.T) {
	for earlier, now := range map[string]string{
		"3,1-down": "r4c2-down", "3,1-down2": "r4c2-down2", "15,0-15,9": "r16c1-r16c10",
		"r4c2-down": "r4c2-down", "3,1 right": "3,1 right", "A+1": "A+1", "3333,1-up": "3333,1-up",
	} {
		if got := MoveName(earlier); got != now {
			t.Errorf("%s is now %s, not %s", earlier, got, now)
		}
	}
}

func TestPicture(t *testing.T) {
	g := mustRead(t, "goal: A at 1,1\n\nAA.#\n.BC.").(*game)
	pic := g.Picture(g.Starts())
	if pic.Rows != 2 || pic.Cols != 4 || pic.Ground[3] != puzzle.GroundWall || pic.Ground[6] != puzzle.GroundTarget || pic.Ground[7] != puzzle.GroundFloor {
		t.Errorf("ground %v", pic)
	}
	if len(pic.Pieces) != 3 {
		t.Fatalf("%d pieces", len(pic.Pieces))
	}
	a, b, c := pic.Pieces[0], pic.Pieces[1], pic.Pieces[2]
	if !pic.Numbered || a.Label+b.Label+c.Label != "ABC" || !a.Goal || b.Goal || a.Colour == b.Colour || b.Colour != c.Colour {
		t.Errorf("pieces %+v", pic.Pieces)
	}
	if want := []puzzle.Cell{{Row: 0, Col: 0}, {Row: 0, Col: 1}}; !slices.Equal(a.Cells, want) || a.Kind != puzzle.PieceBlock {
		t.Errorf("piece A %+v", a)
	}
}

func TestNoAllocations(t *testing.T) {
	const wide = "ABBC............\nADDC............\nEEFFG...........\n................\n................"
	for _, text := range []string{classic, wide} {
		for _, metric := range []string{"step", "slide", "move"} {
			p := mustRead(t, "metric: "+metric+"\n\n"+text)
			var out puzzle.Edges
			states := p.Starts()
			p.Successors(states, &out)
			links := slices.Clone(out.Moves[:1])
			next := slices.Clone(out.Keys[:len(states)])
			if n := testing.AllocsPerRun(100, func() {
				out.Reset()
				p.Successors(states, &out)
				p.(puzzle.Onward).Onward(next, links, &out)
			}); n != 0 {
				t.Errorf("%s: %v allocations", metric, n)
			}
		}
	}
}
