package rushhour

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/puzzle"
)

func mustRead(tb testing.TB, text string) puzzle.Board {
	tb.Helper()
	boards, err := Read([]byte(text), puzzle.ReadOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	return boards[0]
}

const famousTypes = "333BCC\nB22BCC\nB.XXCC\n22B...\n.BB.22\n.B2222"

func TestFamousKey(t *testing.T) {
	p := mustRead(t, famousTypes).Puzzle
	if got, want := p.Layout(), (puzzle.Layout{KeyBits: 33, Moves: 26, Reversible: true, Alternating: true, HasGoal: true}); got != want {
		t.Errorf("layout %+v, want %+v", got, want)
	}
	// Stored runs depend on this value.
	if got, want := p.Starts()[0], uint64(0x14253180); got != want {
		t.Errorf("start key %#x, want %#x", got, want)
	}
	// States name vehicles as moves do, and both notations are read.
	const named = "AAABCD\nEFFBCD\nE.XXCD\nGGH...\n.IH.JJ\n.IKKLL"
	if got := p.Format(p.Starts()); got != named || got != p.Draw(p.Starts()) {
		t.Errorf("start:\n%s", got)
	}
	var names []string
	var out puzzle.Edges
	p.Successors(p.Starts(), &out)
	for _, m := range out.Moves {
		names = append(names, p.FormatMove(m))
	}
	if got, want := strings.Join(names, " "), "X-1 J-1 C+1 D+1"; got != want {
		t.Errorf("moves %s, want %s", got, want)
	}
}

func TestParseOtherNotations(t *testing.T) {
	p := mustRead(t, famousTypes).Puzzle
	for _, text := range []string{
		famousTypes,
		"AAABCD\nEFFBCD\nE.XXCD\nGGH...\n.IH.JJ\n.IKKLL",
		"AAABCD / EFFBCD / E.XXCD / GGH... / .IH.JJ / .IKKLL",
		"333BCC / B22BCC / B.XXCC / 22B... / .BB.22 / .B2222",
		"BBBCDE\nFGGCDE\nF.AADE\nHHI...\n.JI.KK\n.JLLMM",
		"BBBCDEFGGCDEFoAADEHHIooooJIoKKoJLLMM",
		"49 BBBCDEFGGCDEFoAADEHHIooooJIoKKoJLLMM 24132",
		"[(17,18),(1,3),(4,11),(5,19),(6,20),(8,15),(9,10),(22,23),(24,31),(30,37),(33,34),(38,39),(40,41)]",
	} {
		key, err := p.Parse(text)
		if err != nil || !slices.Equal(key, p.Starts()) {
			t.Errorf("%q: %x, %v", text, key, err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	p := mustRead(t, "AA.B\n.x.B\nCCDD").Puzzle
	for text, want := range map[string]string{
		"AA.B\n.x.B\nCC..":                     "line 3, column 1: row 3 has a vehicle of length 2, but the puzzle has vehicles of lengths 2, 2",
		"AA..\n.x..\nCCDD":                     "column 4 has no vertical vehicle, but the puzzle has a vehicle of length 2",
		"AA.B\nEx.B\nCCDD":                     "line 2, column 1: row 2 has a vehicle of length 1, but the puzzle has none",
		"AA.B\n...B\nCCDD":                     "row 2, column 2 has no wall, but the puzzle has one",
		"AA.B\nxx.B\nCCDD":                     "row 2, column 1 has a wall, but the puzzle has none",
		"AA.\n.x.\nCC.":                        "line 1, column 1: the board is 3x3, but the size is 3x4",
		"":                                     "no board: the text is empty or has only headers and comments",
		"AA.B\n.x.B\nCCDD\n\nAA../x.":          "line 5, column 6: row 2 has 2 cells where the rows above have 4",
		"AA.B\n.x.B\nCCDD\n\nAA.B\n.x.B\nCCDD": "line 5, column 1: a second board: a state is one board",
	} {
		if _, err := p.Parse(text); err == nil || err.Error() != want {
			t.Errorf("%q:\n got %v\nwant %s", text, err, want)
		}
	}
	types := mustRead(t, "XX.22B\n.....B").Puzzle
	want := "line 1, column 3: X is the goal vehicle here, but not in the puzzle"
	if _, err := types.Parse("22XX.B\n.....B"); err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

func TestValid(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		g, fault := newGame(randomSetup(rng.IntN, []int{6, 16}[seed%2]))
		if fault != nil {
			t.Fatal(fault)
		}
		key := make([]uint64, g.layout.Words())
		for range 50 {
			for i := range key {
				key[i] = rng.Uint64() & rng.Uint64() & rng.Uint64()
			}
			if seed%4 < 2 && g.layout.KeyBits < 64 {
				key[0] &= 1<<g.layout.KeyBits - 1
			}
			valid := g.Valid(key)
			if valid != obviouslyValid(g, key) {
				t.Fatalf("seed %d: valid(%x) = %t", seed, key, valid)
			}
		}
		if g.Valid(slices.Concat(key, []uint64{0})) || g.Valid(nil) {
			t.Fatalf("seed %d: a key of another width is valid", seed)
		}
	}
}

// obviouslyValid draws the key and writes it again.
func obviouslyValid(g *game, key []uint64) bool {
	for n := range g.lines {
		if g.lines[n].get(key) >= uint64(g.lines[n].placements) {
			return false
		}
	}
	placed := g.placed(key)
	again := make([]uint64, len(key))
	for n := range g.lines {
		g.lines[n].put(again, g.lines[n].rank(placed))
	}
	cells := map[[2]int]bool{}
	for _, v := range placed {
		for range v.length {
			if cells[[2]int{v.row, v.col}] {
				return false
			}
			cells[[2]int{v.row, v.col}] = true
			if v.vertical {
				v.row++
			} else {
				v.col++
			}
		}
	}
	return slices.Equal(again, key)
}

// TestLineWidths checks the proof at setFields: lines of one row of at most 8
// cells, with vehicles of at least 2, take at most 4 bits together.
func TestLineWidths(t *testing.T) {
	var widest func(cells, k, taken int) uint
	widest = func(cells, k, taken int) uint {
		l := []line{{placements: choose(cells-taken+k, k)}}
		if _, err := setFields(l); err != nil {
			t.Fatal(err)
		}
		best := l[0].width
		for length := 2; taken+length <= cells; length++ {
			best = max(best, widest(cells, k+1, taken+length))
		}
		return best
	}
	var row func(cells int) uint
	row = func(cells int) uint {
		best := widest(cells, 0, 0)
		for wall := range cells {
			best = max(best, row(wall)+row(cells-wall-1))
		}
		return best
	}
	for cells := 1; cells <= 8; cells++ {
		if got := row(cells); got > 4 {
			t.Errorf("%d cells: %d bits", cells, got)
		}
	}
	if row(8) != 4 {
		t.Errorf("8 cells: %d bits, want 4", row(8))
	}
}

// TestWidestKey is the board with the most placements a line: 8 single cells in
// each row and column.
func TestWidestKey(t *testing.T) {
	b := board{rows: sideMax, cols: sideMax, walls: make([]bool, sideMax*sideMax)}
	for row := range sideMax {
		for col := range sideMax {
			b.vehicles = append(b.vehicles, vehicle{row: row, col: col, length: 1, vertical: (row+col)%2 == 0})
		}
	}
	g, fault := newGame(&setup{board: b, exit: sideBottom})
	if fault != nil {
		t.Fatal(fault)
	}
	if got := g.layout.Words(); got != puzzle.WordsMax {
		t.Errorf("%d words, want %d", got, puzzle.WordsMax)
	}
	if !g.Valid(g.Starts()) {
		t.Error("the start is not valid")
	}
	var out puzzle.Edges
	if g.Successors(g.Starts(), &out); out.Len() != 0 {
		t.Errorf("%d successors of a full board", out.Len())
	}
}

func TestManyVehiclesHaveText(t *testing.T) {
	var text strings.Builder
	for row := range 16 {
		if row == 0 {
			text.WriteString("X1")
		}
		text.WriteString(strings.Repeat("1", 12) + strings.Repeat(".", 2))
		if row > 0 {
			text.WriteString("AA")
		}
		text.WriteByte('\n')
	}
	b := mustRead(t, text.String())
	g := b.Puzzle.(*game)
	if len(g.vehicles) != 16*14 {
		t.Fatalf("%d vehicles", len(g.vehicles))
	}
	if err := checkCanonical(g.setup, g); err != nil {
		t.Error(err)
	}
	names := map[string]bool{}
	for _, name := range vehicleNames(g.setup) {
		names[name] = true
	}
	if len(names) != len(g.vehicles) {
		t.Errorf("%d names of %d vehicles", len(names), len(g.vehicles))
	}
}

func TestNoAllocations(t *testing.T) {
	for _, text := range []string{
		famousTypes, "metric: slide\n\n" + famousTypes,
		"AA.......CC.....\nBBBB............\n......D.........\n" + strings.Repeat("................\n", 9),
		"AA..............\nB.C.D.E.F.G.H.I.\n.J.K.L.M.N.P.Q.R\nS.T.U.V.........\nW.Y.Z...........\n",
	} {
		p := mustRead(t, text).Puzzle
		states := p.Starts()
		out := &puzzle.Edges{}
		p.Successors(states, out)
		marks := make([]bool, 1)
		dst := make([]uint64, len(states))
		move := out.Moves[0]
		if n := testing.AllocsPerRun(100, func() {
			out.Reset()
			p.Successors(states, out)
			p.Goals(states, marks)
			p.Apply(dst, states, move)
			p.Undo(dst, dst, move)
			p.Valid(dst)
		}); n != 0 {
			t.Errorf("%v allocations:\n%s", n, text)
		}
	}
}
