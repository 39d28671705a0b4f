package permutation

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/test/puzzletest"
	"github.com/everystate/everystate/puzzle"
)

// cubeOfEight is the pocket cube with all of its corners; lines follow.
const cubeOfEight = `puzzle: permutation
metric: htm
pieces: 8
orientations: 3
%s
move U: (1 2 3 4)
move D: (5 8 7 6)
move R: (1+2 4+1 8+2 5+1)
move L: (3+2 2+1 6+2 7+1)
move F: (2+2 1+1 5+2 6+1)
move B: (4+2 3+1 7+2 8+1)
alias x: R L'
alias y: U D'
`

// TestModuloCube compares the pocket cube modulo its 24 turns with the one that has a
// corner fixed.
func TestModuloCube(t *testing.T) {
	p := mustRead(t, Read, fmt.Sprintf(cubeOfEight, "modulo: x y\n")).Puzzle
	fixed := mustRead(t, ReadPocketCube, "U U'").Puzzle
	const layers = 6
	got, want := puzzletest.ExploreLayers(p, layers).Layers, puzzletest.ExploreLayers(fixed, layers).Layers
	if !slices.Equal(got, want) || p.Layout().Moves != 9 {
		t.Errorf("%d moves, layers %v, want %v", p.Layout().Moves, got, want)
	}
	if size := p.(puzzle.Sized).Size(); !size.Exact || size.States.Int64() != 3674160 {
		t.Errorf("size %+v", size)
	}
	solved := p.Format(p.Starts())
	for _, text := range []string{"x", "y2 x'", "R L'", "U2 D2", "2 3 4 1 6 7 8 5"} {
		if key, err := p.Parse(text); err != nil || p.Format(key) != solved {
			t.Errorf("%s: %v, %v", text, key, err)
		}
	}
	one, _ := p.Parse("U")
	if other, err := p.Parse("D y x2"); err != nil || !slices.Equal(one, other) {
		t.Errorf("U is %x, D turned is %x, %v", one, other, err)
	}
}

// TestModuloForeign reads the same cube as a definition of another program, which names
// rotations.
func TestModuloForeign(t *testing.T) {
	free := strings.Split(fmt.Sprintf(cubeOfEight, "name: cube\n"), "alias")[0]
	tws, _, ok := mustRead(t, Read, free).Puzzle.(puzzle.Defined).Definition("tws")
	if !ok {
		t.Fatal("there is no definition")
	}
	named := tws + "\nMoveSequence x R L'\nMoveSequence y U D'\nMoveSequence other U2\n"
	for _, value := range []string{"x y", "rotations"} {
		b := mustRead(t, Read, "modulo: "+value+"\n"+named)
		if size := b.Puzzle.(puzzle.Sized).Size(); !size.Exact || size.States.Int64() != 3674160 || b.Puzzle.Layout().Moves != 9 {
			t.Errorf("%s: %d moves, size %+v", value, b.Puzzle.Layout().Moves, size)
		}
		if again := mustRead(t, Read, b.Text); again.Text != b.Text || !strings.Contains(b.Text, "modulo: x y\n") {
			t.Errorf("%s: the canonical text is\n%s", value, b.Text)
		}
	}
	const want = "the definition names no rotations"
	if _, err := Read([]byte("modulo: rotations\n"+tws), puzzle.ReadOptions{}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestModuloRandom compares random puzzles modulo their turns with a search in which
// turns cost nothing.
func TestModuloRandom(t *testing.T) {
	compared := 0
	for seed := range uint64(160) {
		text := puzzletest.SymmetricText(rand.New(rand.NewPCG(seed, 5)))
		withTurn, ok := puzzletest.ModuloText(text)
		move, sites, _ := puzzletest.SiteTurn(text, "move x")
		if !ok {
			continue
		}
		modulo, err := Read([]byte(withTurn), puzzle.ReadOptions{})
		if err != nil {
			continue // no piece can be held
		}
		free, err := Read([]byte(text+move), puzzle.ReadOptions{})
		if err != nil {
			continue
		}
		if size := free[0].Puzzle.(puzzle.Sized).Size().States; !size.IsInt64() || size.Int64() > 8_000 {
			continue
		}
		compared++
		got, want := puzzletest.Explore(modulo[0].Puzzle).Layers, freeLayers(free[0].Puzzle, sites)
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: layers %v, want %v\n%s", seed, got, want, text)
		}
	}
	if compared < 20 {
		t.Errorf("only %d were compared", compared)
	}
}

// freeLayers returns the sizes of the layers of a puzzle in which moves whose names begin
// with x cost nothing, divided by how many states those lead to.
func freeLayers(p puzzle.Puzzle, turns int) (layers []int) {
	seen := map[uint64]bool{}
	front := p.Starts()
	for len(front) > 0 {
		var layer []uint64
		for len(front) > 0 { // the closure under turns
			var next []uint64
			for _, key := range front {
				if !seen[key] {
					seen[key] = true
					layer = append(layer, key)
					next = append(next, after(p, key, true)...)
				}
			}
			front = next
		}
		if len(layer) > 0 {
			layers = append(layers, len(layer)/turns)
		}
		for _, key := range layer {
			for _, to := range after(p, key, false) {
				if !seen[to] {
					front = append(front, to)
				}
			}
		}
	}
	return layers
}

// after returns where turns, or other moves, lead.
func after(p puzzle.Puzzle, key uint64, turns bool) (keys []uint64) {
	var out puzzle.Edges
	p.Successors([]uint64{key}, &out)
	for i, to := range out.Keys {
		if strings.HasPrefix(p.FormatMove(out.Moves[i]), "x") == turns {
			keys = append(keys, to)
		}
	}
	return keys
}

// TestModuloRefused has turns that are none.
func TestModuloRefused(t *testing.T) {
	for header, want := range map[string]string{
		"modulo: z":               "z is not defined: write a line such as alias z: (1 2 3 4)",
		"modulo: U":               "U is not a turn of the whole puzzle",
		"modulo: x y\nalike: 1 2": "",
	} {
		_, err := Read([]byte(fmt.Sprintf(cubeOfEight, header+"\n")), puzzle.ReadOptions{})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", header, err)
		}
	}
	const still = "pieces: 3\norientations: 2\nmodulo: x\n\nmove A: (1+1 2+1)\nmove B: (2+1 3+1)\nmove C: (3+1 1+1)\nalias x: (1 2 3)\n"
	if _, err := Read([]byte(still), puzzle.ReadOptions{}); err == nil || !strings.Contains(err.Error(), "no piece can be held") {
		t.Errorf("%v", err)
	}
}
