package puzzletest_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/test/puzzletest"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// randomBoards are texts of small boards, by family.
var randomBoards = map[string]func(rng *rand.Rand) string{
	"rush-hour": func(rng *rand.Rand) string { return pieces(rng, true) },
	"blocks":    func(rng *rand.Rand) string { return pieces(rng, false) },
	"tiles": func(rng *rand.Rand) string {
		rows, cols := 1+rng.IntN(3), 2+rng.IntN(2)
		if rows == 3 {
			cols = 2
		}
		var text strings.Builder
		for row := range slices.Chunk(rng.Perm(rows*cols), cols) {
			fmt.Fprintln(&text, strings.Trim(fmt.Sprint(row), "[]"))
		}
		return text.String()
	},
	"peg": func(rng *rand.Rand) string {
		kind, rows := "peg-square", 2+rng.IntN(4)
		if rng.IntN(3) == 0 {
			kind = "peg-tri"
		}
		text := "puzzle: " + kind + "\nsymmetry: " + []string{"off", "on", "start"}[rng.IntN(3)] + "\n\n"
		cols, gaps := 2+rng.IntN(4), 2*rng.IntN(2) // without any there are more symmetries
		for row := range rows {
			if kind == "peg-tri" {
				cols = row + 1
			}
			for range cols {
				text += string("oooooo..##"[rng.IntN(8+gaps)])
			}
			text += "\n"
		}
		return text
	},
	"sudoku": func(rng *rand.Rand) string {
		full := []string{"1234341221434321", "1234432124133142"}[rng.IntN(2)]
		text := []byte(full)
		for _, cell := range rng.Perm(16)[:1+rng.IntN(10)] {
			text[cell] = '.'
		}
		return "puzzle: sudoku\n\n" + string(text[:4]) + "\n" + string(text[4:8]) + "\n" + string(text[8:12]) + "\n" + string(text[12:])
	},
	"hanoi": func(rng *rand.Rand) string {
		rule := []string{"any", "adjacent", "cyclic"}[rng.IntN(3)]
		return fmt.Sprintf("puzzle: hanoi\nrule: %s\n\n%d pegs %d discs", rule, 3+rng.IntN(4), 2+rng.IntN(3))
	},
	"pancake": func(rng *rand.Rand) string { return "puzzle: pancake\n\n" + numbers(rng, 3+rng.IntN(5)) },
	"topspin": func(rng *rand.Rand) string {
		n := 5 + rng.IntN(3)
		return fmt.Sprintf("puzzle: topspin\n\n%d %d: %s", n, 2+rng.IntN(3), numbers(rng, n))
	},
	"permutation": func(rng *rand.Rand) string {
		n := 4 + rng.IntN(4)
		var labels []string
		for range n {
			labels = append(labels, "abcdefgh"[rng.IntN(n):][:1])
		}
		text := "puzzle: permutation\ngoal: none\npieces: " + strings.Join(labels, " ") + "\n\n"
		for m := range 2 + rng.IntN(4) {
			cycle := rng.Perm(n)[:2+rng.IntN(n-1)]
			text += fmt.Sprintf("move m%d", m)
			if rng.IntN(2) == 0 {
				text += fmt.Sprintf(", n%d", m)
			}
			text += ": ("
			for _, place := range cycle {
				text += fmt.Sprintf(" %d", place+1)
			}
			text += ")\n"
		}
		return text
	},
}

func numbers(rng *rand.Rand, n int) string {
	order := rng.Perm(n)
	for i := range order {
		order[i]++
	}
	return strings.Trim(fmt.Sprint(order), "[]")
}

// pieces lays letters on a small board: vehicles, or pieces of any shape.
func pieces(rng *rand.Rand, vehicles bool) string {
	rows, cols := 2+rng.IntN(4), 2+rng.IntN(4)
	if vehicles {
		rows, cols = rows+1, cols+1
	}
	grid := []byte(strings.Repeat(".", rows*cols))
	next := byte('A')
	for range 2 + rng.IntN(10) {
		at, down := rng.IntN(len(grid)), rng.IntN(2) == 0
		var cells []int
		for range 1 + rng.IntN(3) {
			if at >= len(grid) || grid[at] != '.' || slices.Contains(cells, at) {
				break
			}
			cells = append(cells, at)
			if !vehicles {
				down = rng.IntN(2) == 0
			}
			switch {
			case down:
				at += cols
			case at%cols == cols-1:
				at = len(grid)
			default:
				at++
			}
		}
		if vehicles && len(cells) < 2 {
			continue
		}
		for _, cell := range cells {
			grid[cell] = next
		}
		if len(cells) > 0 {
			next++
		}
	}
	if next == 'A' {
		grid[0], grid[1] = 'A', 'A'
	}
	text := "puzzle: rush-hour\n\n"
	if !vehicles {
		text = "puzzle: blocks\ngoal: A at 0,0\n\n"
	}
	for row := range slices.Chunk(grid, cols) {
		text += string(row) + "\n"
	}
	return text
}

// TestPruning explores random small boards of every family that prunes, in all
// metrics, with pruning and without.
func TestPruning(t *testing.T) {
	boards := 36
	switch {
	case thorough():
		boards = 150
	case testing.Short():
		boards = 30
	}
	for name, text := range randomBoards {
		family, ok := families.ByName(name)
		if !ok {
			t.Fatalf("no family %s", name)
		}
		for _, metric := range family.Metrics {
			t.Run(name+"/"+metric.Name, func(t *testing.T) {
				made, all, read := 0, 0, 0
				for seed := range uint64(boards) {
					text := text(rand.New(rand.NewPCG(seed, 5)))
					if !strings.HasPrefix(text, "puzzle: ") {
						text = "puzzle: " + name + "\n\n" + text
					}
					boards, err := families.Read([]byte(text), puzzle.ReadOptions{Metric: metric.Name})
					if err != nil {
						continue // not every random board is one
					}
					read++
					m, a, err := puzzletest.Pruning(boards[0].Puzzle, 1500)
					if err != nil {
						t.Fatalf("%s\n%v", text, err)
					}
					made, all = made+m, all+a
				}
				if read < boards/3 || made == all && metric.Name != "row-major" {
					t.Errorf("%d boards, %d of %d edges made", read, made, all)
				}
				t.Logf("%d boards, %d of %d edges made", read, made, all)
			})
		}
	}
}

// TestPruningShipped does so with the first boards of shipped files.
func TestPruningShipped(t *testing.T) {
	statesMax := 500
	switch {
	case thorough():
		statesMax = 5000
	case testing.Short():
		statesMax = 300
	}
	for _, file := range shipped(t) {
		t.Run(filepath.ToSlash(file), func(t *testing.T) {
			t.Parallel()
			made, all, err := puzzletest.Pruning(boardsOf(t, file)[0].Puzzle, statesMax)
			if err != nil {
				t.Error(err)
			}
			t.Logf("%d of %d edges made", made, all)
		})
	}
}
