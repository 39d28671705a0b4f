package symmetry_test

import (
	"os"
	"strings"
	"testing"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/conformance"
	"github.com/everystate/everystate/puzzle/families"
)

// TestRanks checks the ranks of merged puzzles: their actions lead where moves do, to
// representatives, and are named as the merged moves.
func TestRanks(t *testing.T) {
	t.Parallel()
	for file, blocks := range map[string]int{
		"permutation/rubiks-cube-corners.txt":   984, // as many classes of permutations under the 48
		"permutation/pocket-cube-generated.txt": 870,
		"permutation/skewb.txt":                 0,
		"permutation/pyraminx.txt":              0,
		"hanoi/five-pegs-9.txt":                 0,
		"permutation/dino-cube.txt":             2032, // of 7,920 ways to place four pieces, by the lemma of Burnside
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile("../../puzzles/" + file)
			if err != nil {
				t.Fatal(err)
			}
			boards, err := families.Read([]byte("symmetry: on\n"+string(text)), puzzle.ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			dense, ok := boards[0].Puzzle.(puzzle.Dense)
			if !ok {
				t.Fatal("a merged puzzle has no ranks")
			}
			r := dense.Ranks()
			if r == nil || r.Orbits == nil || blocks > 0 && r.Blocks != blocks || !strings.Contains(boards[0].Note, "merged") {
				t.Fatalf("%q: %d blocks", boards[0].Note, blocksOf(r))
			}
			report := conformance.Check(boards[0], conformance.Options{StatesMax: 300, MovesMax: 30})
			for _, f := range report.Findings {
				t.Error(f)
			}
		})
	}
}

func blocksOf(r *puzzle.Ranks) int {
	if r == nil {
		return 0
	}
	return r.Blocks
}
