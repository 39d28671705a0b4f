package edit_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/everystate/everystate/internal/edit"
	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/internal/solve/check"
	"github.com/everystate/everystate/puzzle"
)

func read(t *testing.T, text string) puzzle.Board {
	t.Helper()
	b, err := edit.Read(text, "")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func file(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../puzzles/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestReadBackwards reads a level that is explored from its goals as it stands in the text.
func TestReadBackwards(t *testing.T) {
	t.Parallel()
	const level = "\n########\n#      #\n# $ .# #\n#@  $. #\n#      #\n########\n"
	forward := read(t, "puzzle: sokoban\n"+level)
	backward := read(t, "puzzle: sokoban\nmetric: backward-push\n"+level)
	if got, want := edit.Start(&backward), edit.Start(&forward); got != want || backward.Metric != forward.Metric {
		t.Errorf("%s: it is\n%s, want\n%s", backward.Metric, got, want)
	}
}

// TestAnalyse checks the answers on boards whose numbers are known.
func TestAnalyse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text       string
		states, distance int
		dead, hardest    int
	}{
		{"jam-93", file(t, "rushhour/jam-93.txt"), 24132, 93, 0, 93},
		{"tiles", "3 1 2\n4 0 5\n", 360, 15, 0, 21},
		{"corridor of Sokoban", "  ####\n###  #\n#@$. #\n######\n", 3, 1, 1, 1},
		{"peg", "puzzle: peg\n\noo.o\n", 3, 2, 0, 2},
		{"blocks", "puzzle: blocks\ngoal: A at r1c2\n\nA.\n", 2, 1, 0, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := read(t, test.text)
			a, err := edit.Analyse(t.Context(), &b, edit.DefaultLimits())
			if err != nil {
				t.Fatal(err)
			}
			if !a.Complete || a.States != test.states || a.Outcome != solve.Solved || a.Distance != test.distance || !a.Optimal ||
				len(a.Solution) != test.distance || a.Unsolvable != test.dead || a.HardestDistance != test.hardest {
				t.Errorf("%+v, want %+v", a, test)
			}
			if _, err := check.Text(&b, strings.Join(a.Solution, " ")); err != nil {
				t.Error(err)
			}
			far := read(t, a.Hardest)
			again, err := edit.Analyse(t.Context(), &far, edit.DefaultLimits())
			if err != nil || again.Distance != test.hardest {
				t.Errorf("the hardest start\n%s takes %d moves, %v", a.Hardest, again.Distance, err)
			}
		})
	}
}

// TestAnalyseUnsolvable finds out that a board cannot be solved, by exploring it or by
// its parity alone.
func TestAnalyseUnsolvable(t *testing.T) {
	t.Parallel()
	for text, why := range map[string]bool{
		"puzzle: rush-hour\n\nAA.B\n...B\n": false, "2 1 3\n4 5 0\n": true, "2 1 3 4\n5 6 7 8\n9 10 11 12\n13 14 15 0\n": true,
	} {
		b := read(t, text)
		limits := edit.DefaultLimits()
		limits.StatesMax = 1000
		a, err := edit.Analyse(t.Context(), &b, limits)
		if err != nil || a.Outcome != solve.Unsolvable || a.Hardest != "" || (a.Why != "") != why {
			t.Errorf("%s: %+v, %v", text, a, err)
		}
	}
}

// TestAnalyseLarge solves boards whose spaces are too large, and says so.
func TestAnalyseLarge(t *testing.T) {
	t.Parallel()
	limits := edit.DefaultLimits()
	limits.StatesMax, limits.Time = 500, time.Minute // however slow the machine is
	for text, distance := range map[string]int{
		"1 2 3 4\n5 6 7 8\n9 10 11 12\n13 0 14 15\n": 2, file(t, "rushhour/jam-93.txt"): 93,
		file(t, "peg/triangle-15.txt"): 13,
	} {
		b := read(t, text)
		a, err := edit.Analyse(t.Context(), &b, limits)
		if err != nil || a.Complete || a.States <= 500 || a.Outcome != solve.Solved || a.Distance != distance || !a.Optimal || a.Hardest != "" {
			t.Errorf("%s: %+v, %v", text, a, err)
		}
	}
	limits.Search.NodesMax = 100
	b := read(t, file(t, "rushhour/jam-93.txt"))
	if a, err := edit.Analyse(t.Context(), &b, limits); err != nil || a.Outcome != solve.Unknown {
		t.Errorf("after 100 nodes: %+v, %v", a, err)
	}
}

// TestAnalyseEnds stops when its context does, and keeps to its bounds on a board with
// very many moves.
func TestAnalyseEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wide := "puzzle: rush-hour\nmetric: slide\nnotation: letters-extended\ngoal: A\n\n"
	for _, symbol := range "ABCDEFGHIJKLMNOP" {
		wide += strings.Repeat(string(symbol), 2) + strings.Repeat(".", 14) + "\n"
	}
	b := read(t, wide)
	if _, err := edit.Analyse(ctx, &b, edit.DefaultLimits()); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	limits := edit.DefaultLimits()
	limits.EdgesMax, limits.Search.NodesMax = 20_000, 10
	a, err := edit.Analyse(t.Context(), &b, limits)
	if err != nil || a.Complete || a.States > 20_000 {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestReadRefuses names what cannot be edited.
func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"3 pegs 4 discs": "cannot be edited", strings.Repeat("A", 1<<16): "more than 32 KiB", "AA.\nA..\n": "line",
	} {
		_, err := edit.Read(text, "")
		if fault := new(puzzle.InputError); !errors.As(err, &fault) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20s: %v", text, err)
		}
	}
}

// TestNotations reads every text that is offered: it is the same board.
func TestNotations(t *testing.T) {
	t.Parallel()
	limits := edit.DefaultLimits()
	limits.StatesMax, limits.Search.NodesMax = 2000, 1
	for text, want := range map[string]string{
		file(t, "rushhour/jam-93.txt"):                "as a file for explore, as it was given, letters, letters on one line, line, types, pairs",
		"..B.\nAAB.\n..x.\n":                          "as a file for explore, letters, letters on one line, line, types",
		"vertical: C\n\nAA.C\nB...\n....\n....\n":     "as a file for explore, letters, letters on one line, line",
		file(t, "blocks/hengdaolima.txt"):             "as a file for explore, one line",
		"  ####\n###  #\n#@$. #\n######\n":            "as a file for explore, xsb, rle",
		"puzzle: peg-tri\n\n./oo/ooo/oooo/ooooo\n":    "as a file for explore, one line",
		"goal: 0 1 2 / 3 4 5\n\n3 1 2\n4 . 5\n":       "as a file for explore, rows, one line",
		"puzzle: peg\ngoal: b1\n\n ooo\noo.o\n ooo\n": "as a file for explore, one line",
	} {
		b := read(t, text)
		var names []string
		for _, n := range edit.Notations(&b) {
			names = append(names, n.Name)
			again := read(t, n.Text)
			x, err := edit.Analyse(t.Context(), &b, limits)
			if err != nil {
				t.Fatal(err)
			}
			if y, err := edit.Analyse(t.Context(), &again, limits); err != nil || x.Complete != y.Complete || x.Complete && x.States != y.States || x.Distance != y.Distance || again.Metric != b.Metric {
				t.Errorf("%s: %d states and %d moves, not %d and %d: %v", n.Text, y.States, y.Distance, x.States, x.Distance, err)
			}
		}
		if got := strings.Join(names, ", "); got != want {
			t.Errorf("%s:\n%s, want\n%s", text, got, want)
		}
	}
}
