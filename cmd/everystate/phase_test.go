package main

import (
	"encoding/csv"
	"encoding/json"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
)

// phases are definitions, pieces that are solved, and the same said of a state's words.
var phases = []struct {
	name, board string
	flags       []string
	pieces      string
	solved      func(words []string) bool
}{
	{
		"corners", "pocket-cube-generated.txt", []string{"--moves", "U,R"}, "CORNERS 2, CORNERS 6",
		func(w []string) bool { return w[1] == "2" && w[5] == "6" },
	},
	{
		"centres", "skewb.txt", []string{"--moves", "URF,UBL"}, "CENTRES",
		func(w []string) bool { return strings.Join(w[slices.Index(w, "/")+5:], " ") == "/ 1 2 3 4 5 6" },
	},
	{
		"one way", "puzzle: permutation\npieces: 5\norientations: 2\n\nmove A: (1+1 2 3)\nmove B: (3 4 5+1)", nil, "2 4",
		func(w []string) bool { return w[1] == "2" && w[3] == "4" },
	},
	{
		"alike, two goals", "puzzle: permutation\npieces: a a b b c\ngoal: a a b b c ; c b b a a\n\nmove A, A': (1 2 3)\nmove B: (3 4)\nmove C: (4 5)", nil, "1 2",
		func(w []string) bool { return w[0] == "a" && w[1] == "a" || w[0] == "c" && w[1] == "b" },
	},
	{
		"modulo turns", "puzzle: permutation\npieces: 5\nmodulo: r\n\nmove A: (1 2)\nmove B: (2 3)\nmove C: (3 4)\nmove D: (4 5)\nmove E: (5 1)\nalias r: (1 2 3 4 5)", nil, "2 3",
		func(w []string) bool {
			return slices.ContainsFunc([]int{0, 1, 2, 3, 4}, func(turn int) bool { return w[(1+turn)%5] == "2" && w[(2+turn)%5] == "3" })
		},
	},
	{
		"modulo turns that twist pieces whose orientation is ignored",
		"puzzle: permutation\npieces: 1 2? 3? 4?\norientations: 2\nmodulo: r\n\nmove A: (1 2)\nmove B: (2 3)\nmove C: (3 4)\nmove D: (4 1)\n" +
			"move E: (1+1)\nmove F: (2+1)\nmove G: (3+1)\nmove H: (4+1)\nalias r: (1+1 2+1 3+1 4+1)", nil, "3 4",
		func(w []string) bool {
			return slices.ContainsFunc([]int{0, 1, 2, 3}, func(turn int) bool { return w[(2+turn)%4] == "3" && w[(3+turn)%4] == "4" })
		},
	},
}

// TestPhases compares how far the states are in which some pieces are solved with what the
// export has of each state, and with symmetric states merged where there are any.
func TestPhases(t *testing.T) {
	t.Parallel()
	for _, phase := range phases {
		t.Run(phase.name, func(t *testing.T) {
			t.Parallel()
			board, merged := phase.board, true
			if !strings.Contains(board, "\n") {
				board = puzzleFile(t, filepath.Join("..", "permutation", board))
			}
			dir := t.TempDir()
			run := filepath.Join(dir, "plain")
			must(t, append([]string{"explore", board, "--goal-distance", "--run", run, "-q"}, phase.flags...)...)
			type answer struct {
				Distance int      `json:"distance"`
				Count    int64    `json:"count"`
				States   []string `json:"states"`
				Total    int64    `json:"solved_states"`
				Layers   []int64  `json:"solved_layers"`
			}
			ask := func(run string) (got answer, text string) {
				text = must(t, "hardest", run, "--solved", phase.pieces, "-n", "3", "--json", "-q")
				if err := json.Unmarshal([]byte(text), &got); err != nil {
					t.Fatal(err)
				}
				_, text, _ = strings.Cut(text, `"metric"`) // names differ, and runs
				text, _, _ = strings.Cut(text, `"run"`)
				return got, text
			}
			got, text := ask(run)

			var want answer
			rows, err := csv.NewReader(strings.NewReader(must(t, "export", run))).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			var farthest []string
			for _, row := range rows[1:] {
				distance, err := strconv.Atoi(row[4])
				if err != nil || !phase.solved(strings.Fields(row[0])) {
					continue
				}
				for len(want.Layers) <= distance {
					want.Layers, farthest = append(want.Layers, 0), nil
				}
				want.Layers[distance]++
				if want.Total++; distance == len(want.Layers)-1 {
					farthest = append(farthest, row[0])
				}
			}
			slices.Sort(farthest)
			want.Distance, want.Count = len(want.Layers)-1, int64(len(farthest))
			if got.Distance != want.Distance || got.Count != want.Count || got.Total != want.Total ||
				!slices.Equal(got.Layers, want.Layers) || !slices.Equal(got.States, farthest[:min(3, len(farthest))]) || want.Total < 2 {
				t.Errorf("got %+v\nwant %+v, the first of %q", got, want, farthest)
			}

			run = filepath.Join(dir, "merged")
			if r := call("", append([]string{"explore", board, "--symmetry", "on", "--goal-distance", "--run", run, "-q"}, phase.flags...)...); r.code == exit.Usage {
				merged = false
			} else if r.code != exit.Complete {
				t.Fatal(r.errs)
			}
			if merged {
				if _, again := ask(run); again != text {
					t.Errorf("merged\n%s\nplain\n%s", again, text)
				}
			}
			t.Logf("%+v, merged %v", got, merged)
		})
	}
}

// TestPhasesRefused has hardest --solved refuse what it cannot answer.
func TestPhasesRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	board, tiles := filepath.Join(dir, "board"), filepath.Join(dir, "tiles")
	must(t, "explore", puzzleFile(t, filepath.Join("..", "permutation", "pocket-cube-generated.txt")), "--moves", "U,R", "--run", board, "-q")
	must(t, "explore", "1 2 / 0 3", "--run", tiles, "-q")
	for _, c := range []struct{ run, pieces, says string }{
		{board, "EDGES 1", `unknown set "EDGES"; the sets are CORNERS`},
		{board, "CORNERS 8", "place"},
		{board, "", "no places"},
		{tiles, "1", "permutation puzzles whose file defines the moves"},
	} {
		r := call("", "hardest", c.run, "--solved", c.pieces, "-q")
		if r.code != exit.Usage || !strings.Contains(r.errs, c.says) {
			t.Errorf("%q: exit %d, %s", c.pieces, r.code, r.errs)
		}
	}
}
