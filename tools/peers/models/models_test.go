package models_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
	"github.com/everystate/everystate/tools/peers/models"
)

var update = flag.Bool("update", false, "rewrite the files in testdata")

// boards are small and have all that a model has to tell: walls, vehicles on one
// line, one that can never move, columns other than rows.
var boards = map[string]string{
	"tiles-2x3":  "puzzle: tiles\n\n1 2 3\n4 5 0\n",
	"tiles-4x2":  "puzzle: tiles\n\n0 2\n1 3\n4 5\n7 6\n",
	"tiles-1x5":  "puzzle: tiles\n\n1 2 0 3 4\n",
	"vehicles":   "puzzle: rush-hour\nnotation: letters\n\nBB..CC\nD.###.\nD.AA.E\n.#...E\nFF#GG#\n",
	"in-the-way": "puzzle: rush-hour\nnotation: letters\n\nCCC..\nAA.B.\n...B.\n..D..\n..D..\n",
	"one-line":   "puzzle: rush-hour\nnotation: letters\n\nAA.B.CC\n...B...\n",
}

func read(t *testing.T, text string) puzzle.Board {
	t.Helper()
	all, err := families.Read([]byte(text), puzzle.ReadOptions{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return all[0]
}

func TestGolden(t *testing.T) {
	t.Parallel()
	for name, text := range boards {
		m, err := models.Of(read(t, text))
		if err != nil {
			t.Fatal(err)
		}
		for ext, got := range map[string]string{".pml": m.Promela(name), ".m": m.Murphi(name)} {
			golden := filepath.Join("testdata", name+ext)
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s: got\n%s\nwant\n%s", golden, got, want)
			}
		}
	}
}

// TestSpaces explores what the models say, and the boards.
func TestSpaces(t *testing.T) {
	t.Parallel()
	for name, text := range boards {
		compare(t, name, text)
	}
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	const tries = 60
	for range tries {
		compare(t, fmt.Sprint("seed ", seed), randomVehicles(random))
	}
}

// compare holds the models of a board against the board itself.
func compare(t *testing.T, name, text string) {
	t.Helper()
	b := read(t, text)
	m, err := models.Of(b)
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, text)
	}
	states, moves := explorePuzzle(b.Puzzle)
	for language, p := range map[string]*interpreted{"Promela": readPromela(t, m.Promela(name)), "Murphi": readMurphi(t, m.Murphi(name))} {
		if s, n := p.explore(t); s != states || n != moves {
			t.Errorf("%s: %s has %d states and %d moves, the board %d and %d\n%s", name, language, s, n, states, moves, text)
		}
	}
}

// explorePuzzle counts the states and moves of a small space.
func explorePuzzle(p puzzle.Puzzle) (states, moves int) {
	seen := map[string]bool{}
	queue := [][]uint64{p.Starts()}
	seen[fmt.Sprint(queue[0])] = true
	words := p.Layout().Words()
	for ; len(queue) > 0; queue = queue[1:] {
		var out puzzle.Edges
		p.Successors(queue[0], &out)
		moves += out.Len()
		for i := range out.Len() {
			key := out.Keys[i*words : (i+1)*words]
			if !seen[fmt.Sprint(key)] {
				seen[fmt.Sprint(key)] = true
				queue = append(queue, key)
			}
		}
	}
	return len(seen), moves
}

// randomVehicles makes a board of vehicles of 2 and 3 cells, and some walls.
func randomVehicles(random *rand.Rand) string {
	rows, cols := 3+random.IntN(2), 3+random.IntN(3)
	cells := []byte(strings.Repeat(".", rows*cols))
	for range random.IntN(3) {
		cells[random.IntN(len(cells))] = 'x'
	}
	letter := byte('A')
	for range 30 {
		r, c, by, length := random.IntN(rows), random.IntN(cols), 1, 2+random.IntN(2)
		fits := c+length <= cols
		if letter != 'A' && random.IntN(2) == 0 {
			by, fits = cols, r+length <= rows
		}
		for i := 0; fits && i < length; i++ {
			fits = cells[r*cols+c+i*by] == '.'
		}
		if !fits || letter > 'F' {
			continue
		}
		for i := range length {
			cells[r*cols+c+i*by] = letter
		}
		letter++
	}
	if letter == 'A' {
		copy(cells, "AA")
		cells[2] = '.'
	}
	text := "puzzle: rush-hour\nnotation: letters\ngoal: A\n\n"
	for r := range rows {
		text += string(cells[r*cols:(r+1)*cols]) + "\n"
	}
	return text
}

func TestNoModel(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "1 2\n3\n", "1 2\n3 4", "1 1\n2 0", "1 x\n2 0"} {
		if _, err := models.ReadTiles(text); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
	for _, text := range []string{"A.\n..", "AA.\n.A.", "AA.A", "AA\nA", "A.A"} {
		if _, err := models.ReadVehicles(text); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
	one := "puzzle: rush-hour\nnotation: letters\nhorizontal: B\n\nAA.\nB..\n"
	if _, err := models.Of(read(t, one)); !errors.Is(err, models.ErrNoModel) {
		t.Errorf("a vehicle of one cell: %v", err)
	}
}
