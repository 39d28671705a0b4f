package sokoban

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/puzzle"
	puzzles "github.com/everystate/everystate/puzzle/sokoban"
)

func TestSymmetries(t *testing.T) {
	for text, want := range map[string]int{
		"#####\n#.@ #\n# $ #\n#   #\n#####":                             2, // about the diagonal through the target
		"#######\n#.   .#\n# $ $ #\n#  @  #\n#.$ $.#\n#     #\n#######": 2,
		"#####\n#   #\n#$.@#\n#   #\n#####":                             8,
		"#######\n#@$   #\n# . . #\n#  $  #\n#######":                   4,
	} {
		l, err := NewLevel(readBoard(t, text, "push").Puzzle, nil)
		if err != nil {
			t.Fatal(err)
		}
		all := l.tables.findSymmetries()
		if len(all) != want {
			t.Errorf("%d symmetries, want %d:\n%s", len(all), want, text)
		}
		for _, s := range all {
			for c := range l.tables.cells {
				for d := range directions {
					to := l.tables.next[c][d]
					image := l.tables.next[s.cells[c]][s.directions[d]]
					if to < 0 != (image < 0) || to >= 0 && int16(s.cells[to]) != image {
						t.Fatalf("cell %d, direction %d is not mapped with its neighbour", c, d)
					}
				}
			}
		}
	}
}

// Levels that are their own mirror images are solved as optimally as others, and the
// way back leads through what was pushed in truth.
func TestSymmetricLevels(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 93))
	levels := 0
	for range 400 {
		text, ok := symmetricLevel(random)
		if !ok {
			continue
		}
		board := readBoard(t, text, "push")
		states, distance := distancesOf(board.Puzzle, 3_000)
		if states == nil {
			continue
		}
		want, solvable := distance[states[0]]
		for _, name := range []string{"soko", "soko-5"} {
			r, pushes, _ := solveLevel(t, name, text, "push", solve.Limits{NodesMax: 20_000})
			switch {
			case r.Outcome == solve.Unknown && name == "soko-5":
			case solvable != (r.Outcome == solve.Solved) || pushes != want:
				t.Fatalf("%s: %v with %d pushes, want %d:\n%s", name, r.Outcome, pushes, want, text)
			}
		}
		steps, _, count := solveLevel(t, "soko", text, "move", solve.Limits{})
		if solvable != (steps.Outcome == solve.Solved) {
			t.Fatalf("%v in %d steps:\n%s", steps.Outcome, count, text)
		}
		if solvable {
			levels++
			blind, err := solve.BFS().Solve(t.Context(), &solve.Problem{Board: readBoard(t, text, "move")})
			if err != nil || len(blind.Moves) != count {
				t.Fatalf("%d steps, breadth first %d, %v:\n%s", count, len(blind.Moves), err, text)
			}
		}
	}
	if levels < 30 {
		t.Errorf("%d levels solved: the test shows nothing", levels)
	}
}

// symmetricLevel draws a level and its mirror image side by side. Boxes and player
// are anywhere.
func symmetricLevel(random *rand.Rand) (string, bool) {
	rows, half := 2+random.IntN(3), 2
	var lines []string
	wall := strings.Repeat("#", 2*half+3)
	lines = append(lines, wall)
	boxes := 0
	for range rows {
		row := []byte(wall)
		for c := 1; c <= half+1; c++ {
			symbol := byte(' ')
			switch n := random.IntN(12); {
			case n == 0:
				symbol = '#'
			case n < 3 && boxes < 3:
				symbol = '.'
				boxes++
				if c <= half {
					boxes++
				}
			}
			row[c], row[2*half+2-c] = symbol, symbol
		}
		lines = append(lines, string(row))
	}
	lines = append(lines, wall)
	grid := []byte(strings.Join(lines, "\n"))
	put := func(on, off byte) {
		for range 1000 {
			at := random.IntN(len(grid))
			switch grid[at] {
			case ' ':
				grid[at] = off
				return
			case '.':
				grid[at] = on
				return
			}
		}
	}
	put('+', '@')
	for range boxes {
		put('*', '$')
	}
	text := string(grid)
	_, err := puzzles.Read([]byte(text), puzzle.ReadOptions{})
	return text, err == nil
}
