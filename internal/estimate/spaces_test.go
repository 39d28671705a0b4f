package estimate_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// A random writes a board of a family, at random, and the metric that it is read by.
// What it writes may be no board of the family.
type random func(r *rand.Rand) (text, metric string)

// randoms has a random for every family.
func randoms(t *testing.T) map[string]random {
	t.Helper()
	crates, err := os.ReadFile("../../puzzles/puzzlescript/crates.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, game, _ := bytes.Cut(crates, []byte("title Crates"))
	rules, _, _ := bytes.Cut(game, []byte("########\n#"))
	return map[string]random{
		"rush-hour": randomRushHour, "blocks": randomBlocks, "tiles": randomTiles, "sokoban": randomSokoban,
		"puzzlescript": func(r *rand.Rand) (string, string) {
			level, _ := randomSokoban(r)
			_, level, _ = strings.Cut(level, "\n\n")
			level = strings.NewReplacer(" ", ".", ".", "O", "$", "*", "@", "P").Replace(level)
			return "puzzle: puzzlescript\n\ntitle Random\n" + string(rules) + level + "\n", ""
		},
		"hanoi": func(r *rand.Rand) (string, string) {
			pegs := 3 + r.IntN(3)
			rule := pick(r, "", "", "rule: adjacent\n", "rule: cyclic\n")
			return fmt.Sprintf("puzzle: hanoi\n%s\n%d pegs %d discs", rule, pegs, 4+r.IntN([]int{8, 6, 5}[pegs-3])), ""
		},
		"peg": randomPeg, "sudoku": randomSudoku,
		"pancake": func(r *rand.Rand) (string, string) {
			n, burnt := 5+r.IntN(5), r.IntN(2) == 0
			if burnt {
				n = 4 + r.IntN(3)
			}
			text := "puzzle: pancake\n\n"
			for _, p := range r.Perm(n) {
				text += pick(r, "", map[bool]string{true: "-"}[burnt]) + fmt.Sprint(p+1) + " "
			}
			return text, ""
		},
		"topspin": func(r *rand.Rand) (string, string) {
			n := 6 + r.IntN(4)
			text := fmt.Sprintf("puzzle: topspin\n\n%d %d:", n, 2+r.IntN(4))
			for _, p := range r.Perm(n) {
				text += fmt.Sprint(" ", p+1)
			}
			return text, ""
		},
		"pocket-cube": func(r *rand.Rand) (string, string) {
			return "puzzle: pocket-cube\n\nR U2 F2", pick(r, "htm", "qtm") // all of it is too large
		},
		"permutation": randomPermutation,
	}
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// grid makes rows of cells, of which some are walls.
func grid(r *rand.Rand, rows, cols, walls int) [][]byte {
	cells := make([][]byte, rows)
	for row := range cells {
		cells[row] = bytes.Repeat([]byte{'.'}, cols)
		for col := range cells[row] {
			if r.IntN(100) < walls {
				cells[row][col] = '#'
			}
		}
	}
	return cells
}

func rowsOf(cells [][]byte) string { return string(bytes.Join(cells, []byte("\n"))) }

func randomRushHour(r *rand.Rand) (text, metric string) {
	cells := grid(r, 4+r.IntN(3), 4+r.IntN(3), pick(r, 0, 0, 8))
	letter := byte('A')
	for range 3 + r.IntN(14) {
		length, down := 2+r.IntN(2), r.IntN(2)*min(1, int(letter-'A')) // the first lies
		row, col := r.IntN(len(cells)), r.IntN(len(cells[0]))
		free := true
		for i := range length {
			y, x := row+i*down, col+i*(1-down)
			free = free && y < len(cells) && x < len(cells[0]) && cells[y][x] == '.'
		}
		for i := 0; free && i < length; i++ {
			cells[row+i*down][col+i*(1-down)] = letter
		}
		if free {
			letter++
		}
	}
	return "puzzle: rush-hour\nexit: right\n\n" + rowsOf(cells), pick(r, "step", "slide")
}

func randomBlocks(r *rand.Rand) (text, metric string) {
	cells := grid(r, 3+r.IntN(3), 3+r.IntN(3), pick(r, 0, 0, 10))
	letter := byte('A')
	for range 3 + r.IntN(9) {
		at := [2]int{r.IntN(len(cells)), r.IntN(len(cells[0]))}
		if cells[at[0]][at[1]] != '.' {
			continue
		}
		for range 1 + r.IntN(4) {
			cells[at[0]][at[1]] = letter
			step := pick(r, [2]int{0, 1}, [2]int{1, 0}, [2]int{0, -1}, [2]int{-1, 0})
			next := [2]int{at[0] + step[0], at[1] + step[1]}
			if next[0] >= 0 && next[0] < len(cells) && next[1] >= 0 && next[1] < len(cells[0]) && cells[next[0]][next[1]] == '.' {
				at = next
			}
		}
		letter++
	}
	return "puzzle: blocks\ngoal: A at 1,1\n\n" + rowsOf(cells), pick(r, "step", "slide", "move")
}

func randomTiles(r *rand.Rand) (text, metric string) {
	size := pick(r, [2]int{2, 4}, [2]int{3, 3}, [2]int{3, 3}, [2]int{2, 5}, [2]int{3, 4}, [2]int{4, 4})
	n := size[0] * size[1]
	var same []string
	for tile := 1; tile < n; tile++ {
		if n > 12 && tile > 3 || n > 9 && tile > 5 || r.IntN(4) == 0 {
			same = append(same, fmt.Sprint(tile))
		}
	}
	if len(same) > 0 {
		text = "any: " + strings.Join(same, " ") + "\n"
	}
	text = "puzzle: tiles\n" + text
	for i, tile := range r.Perm(n) {
		text += pick(r, " ", " ") + fmt.Sprint(tile)
		if i%size[1] == 0 {
			text = text[:len(text)-len(fmt.Sprint(tile))-1] + "\n" + fmt.Sprint(tile)
		}
	}
	return text, pick(r, "tile", "line")
}

func randomSokoban(r *rand.Rand) (text, metric string) {
	rows, cols := 5+r.IntN(4), 6+r.IntN(4)
	cells := grid(r, rows, cols, pick(r, 5, 15, 30))
	var free [][2]int
	for row := range cells {
		for col := range cells[row] {
			switch {
			case row == 0 || row == rows-1 || col == 0 || col == cols-1:
				cells[row][col] = '#'
			case cells[row][col] == '.':
				cells[row][col] = ' '
				free = append(free, [2]int{row, col})
			}
		}
	}
	r.Shuffle(len(free), func(i, j int) { free[i], free[j] = free[j], free[i] })
	for i := range min(1+r.IntN(4), (len(free)-1)/2) {
		cells[free[2*i][0]][free[2*i][1]] = '$'
		cells[free[2*i+1][0]][free[2*i+1][1]] = '.'
	}
	if n := len(free); n > 0 {
		cells[free[n-1][0]][free[n-1][1]] = '@'
	}
	return "puzzle: sokoban\n\n" + rowsOf(cells), pick(r, "push", "move", "backward-push")
}

func randomPeg(r *rand.Rand) (text, metric string) {
	if r.IntN(3) == 0 {
		n := 4 + r.IntN(3)
		for row := range n {
			text += "\n" + strings.Repeat(" ", n-row)
			for range row + 1 {
				text += pick(r, "o ", "o ", "o ", "o ", ". ")
			}
		}
		return "puzzle: peg-tri\n" + text, ""
	}
	cells := grid(r, 3+r.IntN(3), 4+r.IntN(3), pick(r, 0, 10, 20))
	for _, row := range cells {
		for col := range row {
			if row[col] == '.' && r.IntN(6) > 0 {
				row[col] = 'o'
			}
		}
	}
	return "puzzle: peg-square\n\n" + rowsOf(cells), ""
}

func randomSudoku(r *rand.Rand) (text, metric string) {
	box := pick(r, [2]int{2, 2}, [2]int{2, 2}, [2]int{2, 3})
	n := box[0] * box[1]
	shift, rows := r.Perm(n), ""
	keep := 1 + r.IntN(4) // of eight cells
	for row := range n {
		for col := range n {
			digit := shift[(row%box[0]*box[1]+row/box[0]+col)%n] + 1
			if r.IntN(8) < keep {
				rows += fmt.Sprint(digit)
			} else {
				rows += "."
			}
		}
		rows += "\n"
	}
	return fmt.Sprintf("puzzle: sudoku\nbox: %dx%d\n\n%s", box[0], box[1], rows), pick(r, "row-major", "any-cell")
}

func randomPermutation(r *rand.Rand) (text, metric string) {
	n := 5 + r.IntN(6)
	kinds := 3 + r.IntN(n-2)
	var labels []string
	for i := range n {
		labels = append(labels, fmt.Sprintf("p%d", i%kinds))
	}
	text = "puzzle: permutation\npieces: " + strings.Join(labels, " ") + "\ngoal: none\n\n"
	for m := range 2 + r.IntN(3) {
		places := r.Perm(n)[:2+r.IntN(4)]
		text += fmt.Sprintf("move m%d", m)
		if r.IntN(2) == 0 {
			text += fmt.Sprintf(", n%d", m)
		}
		text += ": ("
		for _, place := range places {
			text += fmt.Sprint(" ", place+1)
		}
		text += ")\n"
	}
	return text, ""
}

// randomSpace reads a random board of a family, or the next one if it cannot be read.
func randomSpace(t *testing.T, r *rand.Rand, family string, write random) (puzzle.Puzzle, string) {
	t.Helper()
	var last error
	for range 1000 {
		text, metric := write(r)
		o := puzzle.ReadOptions{Metric: metric}
		if metric == "backward-push" {
			o.FromGoals, o.Metric = true, ""
		}
		boards, err := families.Read([]byte(text), o)
		if err == nil && len(boards) == 1 {
			return boards[0].Puzzle, text + "\n" + metric
		}
		last = fmt.Errorf("%w\n%s", err, text)
	}
	t.Fatalf("%s: no board of a thousand can be read: %v", family, last)
	return nil, ""
}

// namesIn lists names in order.
func namesIn[T any](of map[string]T) []string {
	var names []string
	for name := range of {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
