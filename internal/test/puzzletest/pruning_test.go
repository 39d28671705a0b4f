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
	"github.com/everystate/everystate/puzzle/conformance"
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
	"sokoban": func(rng *rand.Rand) string {
		rows, cols := 2+rng.IntN(3), 3+rng.IntN(3)
		if rng.IntN(4) == 0 {
			rows, cols = 1, 65+rng.IntN(5) // sets of cells that do not fit a word
		}
		grid := []byte(strings.Repeat(" ", rows*cols))
		for range rng.IntN(rows + 1) {
			grid[rng.IntN(len(grid))] = '#'
		}
		boxes := 1 + rng.IntN(min(3, (len(grid)-1)/2))
		for i, cell := range rng.Perm(len(grid))[:2*boxes+1] {
			grid[cell] = "@$.$.$."[i]
		}
		edge := strings.Repeat("#", cols+2)
		text := fmt.Sprintf("puzzle: sokoban\nprune: %s\n\n%s\n", []string{"no", "yes"}[rng.IntN(2)], edge)
		for row := range slices.Chunk(grid, cols) {
			text += "#" + string(row) + "#\n"
		}
		return text + edge
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

// claims is a puzzle that leaves out one edge more than its rule allows.
type claims struct {
	puzzle.Puzzle
	rule puzzle.Onward
}

func (c claims) Onward(states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
	return overclaim(c.Layout().Words(), c.rule.Onward, states, links, out)
}

// claimsBack does so for predecessors as well.
type claimsBack struct {
	claims
	back puzzle.Homeward
}

func (c claimsBack) Predecessors(states []uint64, out *puzzle.Edges) {
	c.back.Predecessors(states, out)
}

func (c claimsBack) Homeward(states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
	return overclaim(c.Layout().Words(), c.back.Homeward, states, links, out)
}

func overclaim(words int, rule func([]uint64, []puzzle.Move, *puzzle.Edges) int, states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
	for i := range links {
		at := out.Len()
		pruned += rule(states[i*words:(i+1)*words], links[i:i+1], out)
		if n := out.Len(); n > at {
			out.Keys, out.Moves = out.Keys[:(n-1)*words], out.Moves[:n-1]
			pruned++
		}
	}
	return pruned
}

// TestWrongClaims has every family that prunes leave out the last edge that it would
// keep. The examination finds it, on one of a few random boards.
func TestWrongClaims(t *testing.T) {
	for name, text := range randomBoards {
		family, _ := families.ByName(name)
		for _, metric := range family.Metrics {
			t.Run(name+"/"+metric.Name, func(t *testing.T) {
				if metric.Name == "row-major" {
					t.Skip("nothing is pruned where cells are filled in order")
				}
				wanted, found := map[string]bool{}, map[string]bool{}
				for seed := range uint64(40) {
					text := text(rand.New(rand.NewPCG(seed, 6)))
					if !strings.HasPrefix(text, "puzzle: ") {
						text = "puzzle: " + name + "\n\n" + text
					}
					boards, err := families.Read([]byte(text), puzzle.ReadOptions{Metric: metric.Name})
					if err != nil {
						continue // not every random board is one
					}
					p := boards[0].Puzzle
					rule, ok := p.(puzzle.Onward)
					if !ok {
						t.Fatalf("%s does not prune", text)
					}
					wanted["onward"] = true
					liar := puzzle.Puzzle(claims{p, rule})
					if back, ok := p.(puzzle.Homeward); ok {
						liar, wanted["homeward"] = claimsBack{claims{p, rule}, back}, true
					}
					for _, f := range conformance.Check(puzzle.Board{Puzzle: liar}, conformance.Options{Seed: seed, StatesMax: 30, MovesMax: 64}).Findings {
						found[f.Rule] = true
					}
					if found["onward"] && found["homeward"] == wanted["homeward"] {
						return
					}
				}
				t.Errorf("found %v, want %v", found, wanted)
			})
		}
	}
}

// TestPruningShipped explores the first boards of shipped files, with pruning and
// without.
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
