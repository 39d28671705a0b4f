package table

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/everystate/everystate/internal/test/puzzletest"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
	"github.com/everystate/everystate/puzzle/partition"
)

// folded are puzzles whose ranks can be folded, and by how many symmetries.
var folded = []struct {
	name, text string
	symmetries int
}{
	{"turns as items", "puzzle: permutation\nmetric: htm\nsets: P Q\npieces: 4 / 4\norientations: 3 3 3 3 1 1 1 1\n" +
		"move A: (1+1 2+2)(5 6 7)\nmove B: (2+1 3+2)(6 7 8)\nmove C: (3+1 4+2)(7 8 5)\nmove D: (4+1 1+2)(8 5 6)\n", 8},
	{"items whose parity follows", "puzzle: permutation\nmetric: htm\nsets: P Q\npieces: 5 / 5\norientations: 1 1 1 1 1 1 1 1 1 1\n" +
		"move A: (1 2)(6 8)\nmove B: (2 3)(7 9)\nmove C: (3 4)(8 10)\nmove D: (4 5)(9 6)\nmove E: (5 1)(10 7)\n", 10},
	{"pieces that look alike", "puzzle: permutation\nmetric: htm\nsets: P Q\npieces: 1 2 1 2 1 2 / 6\n" +
		"move A: (1 2 3)(7 8 10)\nmove B: (3 4 5)(9 10 12)\nmove C: (5 6 1)(11 12 8)\n", 6},
	{"modulo turns of the whole", "puzzle: permutation\nmetric: htm\nsets: P Q\npieces: 3 / 6\norientations: 2 2 2 1 1 1 1 1 1\nmodulo: x\n" +
		"move A: (3 2)(9 6 5)\nmove B: (1 3)(5 8 7)\nmove C: (2 1)(7 4 9)\nalias x: (1 2 3)(4 6 8)(5 7 9)\n", 18},
	{"hanoi", "puzzle: hanoi\n\n4 pegs 7 discs\n", 2},
	{"hanoi, back to where it began", "puzzle: hanoi\npegs: 4\ngoal: 1 1 1 1 1 1 1\n\n1 1 1 1 1 1 1\n", 6},
	{"hanoi of five pegs in a row", "puzzle: hanoi\nrule: adjacent\npegs: 5\ngoal: 3 3 3 3 3 3\n\n3 3 3 3 3 3\n", 2},
}

func foldedSpace(tb testing.TB, p puzzle.Puzzle) *Space {
	tb.Helper()
	f, ok := p.(puzzle.Foldable)
	if !ok {
		tb.Fatal("the puzzle cannot be folded")
	}
	r := f.Folded(nil)
	if r == nil {
		tb.Fatal("the puzzle has no folded ranks")
	}
	scheme, err := partition.New(p.Layout(), 64)
	if err != nil {
		tb.Fatal(err)
	}
	return NewSpace(p, r, scheme)
}

// Every layer of a folded table is that of a plain search: states, successors, goals,
// links, parts.
func TestFoldedSameAsSlowTwin(t *testing.T) {
	for _, b := range folded {
		t.Run(b.name, func(t *testing.T) {
			p := boardOf(t, b.text).Puzzle
			space := foldedSpace(t, p)
			table := compareWithSlow(t, p, space)
			r := space.Ranks
			if n := len(r.Fold.Moves); n != b.symmetries || r.States() > r.Represented() {
				t.Errorf("%d symmetries; %d ranks stand for %d", n, r.States(), r.Represented())
			}
			for depth, keys := range layersOf(p) {
				for _, key := range keys {
					link, at := table.LinkOf(key)
					if at != depth || link != leastMove(p, table, key, depth) {
						t.Fatalf("state %d of layer %d: depth %d, link %d", key, depth, at, link)
					}
				}
			}
		})
	}
}

// layersOf returns the states by depth.
func layersOf(p puzzle.Puzzle) (layers [][]uint64) {
	seen := map[uint64]bool{}
	for _, key := range p.Starts() {
		seen[key] = true
	}
	for front := p.Starts(); len(front) > 0; {
		layers = append(layers, front)
		var out puzzle.Edges
		p.Successors(front, &out)
		front = nil
		for _, key := range out.Keys {
			if !seen[key] {
				seen[key] = true
				front = append(front, key)
			}
		}
	}
	return layers
}

// leastMove returns the least move to a state from the layer before, found among its
// neighbours.
func leastMove(p puzzle.Puzzle, t *Table, key uint64, depth int) puzzle.Move {
	least, found := puzzle.Move(0), false
	var out, back puzzle.Edges
	p.Successors([]uint64{key}, &out)
	for _, from := range out.Keys {
		if _, at := t.LinkOf(from); at != depth-1 {
			continue
		}
		back.Keys, back.Moves = back.Keys[:0], back.Moves[:0]
		p.Successors([]uint64{from}, &back)
		for i, to := range back.Keys {
			if to == key && (!found || back.Moves[i] < least) {
				least, found = back.Moves[i], true
			}
		}
	}
	return least
}

// TestFoldedRandom compares random symmetric puzzles with plain searches, also modulo the
// turns of the whole puzzle.
func TestFoldedRandom(t *testing.T) {
	var compared, held int
	for seed := range uint64(120) {
		text := puzzletest.SymmetricText(rand.New(rand.NewPCG(seed, 18)))
		if compareFolded(t, text) {
			compared++
		}
		if modulo, ok := puzzletest.ModuloText(text); ok && compareFolded(t, modulo) {
			held++
		}
	}
	if compared < 12 || held < 5 {
		t.Errorf("only %d could be folded, and %d modulo turns", compared, held)
	}
}

// compareFolded compares a small puzzle that can be folded with a plain search, and
// reports whether it is one.
func compareFolded(t *testing.T, text string) bool {
	t.Helper()
	boards, err := families.Read([]byte(text), puzzle.ReadOptions{})
	if err != nil {
		return false // two moves are the same, or no piece can be held
	}
	p := boards[0].Puzzle
	f, ok := p.(puzzle.Foldable)
	if sized := p.(puzzle.Sized).Size(); !ok || !sized.States.IsInt64() || sized.States.Int64() > 30_000 {
		return false
	}
	r := f.Folded(nil)
	if r == nil {
		return false
	}
	scheme, err := partition.New(p.Layout(), 16)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("", func(t *testing.T) {
		t.Log(text)
		compareWithSlow(t, p, NewSpace(p, r, scheme))
	})
	return true
}

// What folding would take is known before anything is made.
func TestFoldNeeds(t *testing.T) {
	for _, b := range folded {
		p := boardOf(t, b.text).Puzzle
		f, ok := p.(puzzle.Foldable)
		if !ok {
			t.Fatal(b.name)
		}
		// Blocks that symmetries map to themselves make more, in small puzzles much more.
		ranks, bytes := f.FoldNeeds()
		if made := f.Folded(nil).States(); bytes <= 0 || ranks > made || made > 5*ranks {
			t.Errorf("%s: %d ranks are made, about %d were said, in %d bytes", b.name, made, ranks, bytes)
		}
	}
	large := boardOf(t, "puzzle: hanoi\n\n4 pegs 16 discs\n").Puzzle
	if _, need := large.(puzzle.Foldable).FoldNeeds(); need < 1<<30 || need > 1<<31 {
		t.Errorf("16 discs: %d bytes", need)
	}
}

// Whoever has ranks folded is told how far that is, and can stop it.
func TestFoldingStops(t *testing.T) {
	for _, b := range folded {
		f := boardOf(t, b.text).Puzzle.(puzzle.Foldable)
		var told []float64
		r := f.Folded(func(done float64) bool {
			told = append(told, done)
			return true
		})
		if r == nil || len(told) == 0 || !slices.IsSorted(told) || told[0] < 0 || told[len(told)-1] > 1 {
			t.Errorf("%s: %v was told", b.name, told)
		}
		for last := range min(len(told), 20) {
			calls := 0
			if f.Folded(func(float64) bool { calls++; return calls <= last }) != nil || calls != last+1 {
				t.Errorf("%s: it was told %d times after it was stopped", b.name, calls-last-1)
			}
		}
	}
}
