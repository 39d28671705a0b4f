package permutation

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/test/puzzletest"
	"github.com/everystate/everystate/puzzle"
)

// TestSizes compares counted spaces with explored ones: pieces alike or not, turned
// or not, told apart in some ways only.
func TestSizes(t *testing.T) {
	exact := 0
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 9))
		n, m := 3+rng.IntN(3), 1+rng.IntN(3)
		var pieces []string
		ignored := map[int]string{}
		for range n {
			kind := rng.IntN(n + 2)
			if _, known := ignored[kind]; !known {
				ignored[kind] = []string{"", "?"}[rng.IntN(2)]
			}
			pieces = append(pieces, fmt.Sprintf("p%d%s", kind, ignored[kind]))
		}
		text := fmt.Sprintf("pieces: %s\norientations: %d\n\n", strings.Join(pieces, " "), m)
		for i := range 2 + rng.IntN(2) {
			text += fmt.Sprintf("move m%d:", i)
			for _, from := range rng.Perm(n) {
				text += fmt.Sprintf(" %d+%d", from+1, rng.IntN(m))
			}
			text += "\n"
		}
		boards, err := Read([]byte(text), puzzle.ReadOptions{})
		if err != nil {
			continue // a move that does nothing, or the same as another
		}
		p := boards[0].Puzzle
		size := p.(puzzle.Sized).Size()
		states := int64(len(puzzletest.Explore(p).States) / p.Layout().Words())
		if size.Exact {
			exact++
		}
		if size.Exact && size.States.Int64() != states || size.States.Int64() < states {
			t.Errorf("seed %d: counted %v (exact %v), explored %d:\n%s", seed, size.States, size.Exact, states, text)
		}
	}
	if exact < 50 {
		t.Errorf("only %d were exact", exact)
	}
}

// TestOrders compares the puzzles that people know with the numbers that they know.
func TestOrders(t *testing.T) {
	for name, want := range map[string]string{
		"pocket-cube-generated": "3674160",
		"pyraminx":              "933120",
		"skewb":                 "3149280",
		"dino-cube":             "19958400",
		"fto-without-centres":   "229920768000",
		"rubiks-cube":           "43252003274489856000",
		"rubiks-cube-corners":   "88179840",
		"kilominx":              "23563902142421896679424000",
		"megaminx":              "100669616553523347122516032313645505168688116411019768627200000000000",
		"m12":                   "95040",
		"m24":                   "244823040",
		"topspin-20-4":          "2432902008176640000",
		"loopover-3x3":          "181440",
		"loopover-4x4":          "20922789888000",
	} {
		text, err := os.ReadFile("../../puzzles/permutation/" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		size := mustRead(t, Read, string(text)).Puzzle.(puzzle.Sized).Size()
		if size.Group == nil || size.Group.String() != want || !size.Exact || size.States.String() != want {
			t.Errorf("%s: order %v, states %v, exact %v, want %s", name, size.Group, size.States, size.Exact, want)
		}
	}
}

// TestOrbits compares the numbers of orbits with what is known: that of the cube was published
// (positions up to its 48 symmetries), the others are those of explored spaces.
func TestOrbits(t *testing.T) {
	for name, want := range map[string]string{
		"rubiks-cube":           "901083404981813616",
		"rubiks-cube-corners":   "1841970",
		"dino-cube":             "4990848",
		"pocket-cube-generated": "612630",
		"loopover-3x3":          "2584",
	} {
		text, err := os.ReadFile("../../puzzles/permutation/" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		s, err := mustRead(t, Read, string(text)).Puzzle.(puzzle.Symmetric).Symmetries("on")
		if err != nil {
			t.Fatal(err)
		}
		if size := s.SymmetryAction.(puzzle.OrbitCounter).Orbits(); !size.Exact || size.States.String() != want {
			t.Errorf("%s: %v orbits, exact %v, want %s", name, size.States, size.Exact, want)
		}
	}
}

// TestWritten writes every definition for other programs and reads it again.
func TestWritten(t *testing.T) {
	texts := map[string]string{"star": starText, "own": starOwn}
	files, err := filepath.Glob("../../puzzles/permutation/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[file] = string(text)
	}
	for name, text := range texts {
		boards, err := Read([]byte(text), puzzle.ReadOptions{})
		if err != nil {
			continue // of another family
		}
		b := boards[0]
		for _, format := range []string{notationMoves, notationTws, notationKPuzzle} {
			written, what, ok := b.Puzzle.(puzzle.Defined).Definition(format)
			if !ok {
				t.Logf("%s: %s", name, what)
				continue
			}
			again, err := Read([]byte(written), puzzle.ReadOptions{Metric: b.Metric})
			if err != nil {
				t.Errorf("%s as %s: %v\n%s", name, format, err, written)
				continue
			}
			p, q := b.Puzzle, again[0].Puzzle
			if p.Layout().KeyBits != q.Layout().KeyBits || p.Layout().Moves != q.Layout().Moves {
				t.Errorf("%s as %s: layout %+v, want %+v", name, format, q.Layout(), p.Layout())
			}
			if !slices.Equal(p.Starts(), q.Starts()) {
				continue // a start of its own, which those formats do not have
			}
			if got, want := puzzletest.ExploreLayers(q, 3).Layers, puzzletest.ExploreLayers(p, 3).Layers; !slices.Equal(got, want) {
				t.Errorf("%s as %s: layers %v, want %v", name, format, got, want)
			}
			if strings.HasPrefix(name, "star") && again[0].Text != b.Text {
				t.Errorf("%s as %s: read again as\n%s\nwant\n%s", name, format, again[0].Text, b.Text)
			}
		}
	}
}
