package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
)

// TestModuleIsTaken gives a module to every command that takes a board, and its run to
// those that take a run.
func TestModuleIsTaken(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	module, board := moduleFile(t, "jugs"), "8 5 3 : 4"
	must(t, "explore", "--puzzle", module, board, "--run", at("run"), "--goal-distance", "-q")
	writeFile(t, at("way.txt"), "AB5 BC3 CA3 BC2 AB5 BC1")
	const graph = "16 states, 7 moves deep; in red a shortest path to a goal, 6 moves"
	for _, test := range []struct {
		args string // with words of B for the board, R for the run, - for a file
		want []string
	}{
		{"solve B", []string{"jugs: solved in 6 moves, optimal"}},
		{"compare B", []string{"bfs            6*        12", "idastar        6*"}},
		{"check B " + at("way.txt"), []string{"6 moves"}},
		{"plan B", []string{"states      16, counted"}},
		{"puzzles show B", []string{"jugs (wasm, pour): water is poured", "keys    of 24 bits, 2,304 moves, 1 start", "some moves cannot be undone, goals", "8 0 0"}},
		{"draw B -o -", []string{"<svg", ">8</text>"}},
		{"draw B --layers -o -", []string{"<svg", "16 states, wasm (pour)", "hardest: 6"}},
		{"draw B --graph -o -", []string{"<svg", graph, "goal distance"}},
		{"draw B --path --first-goal -o -", []string{"<svg", "BC1"}},
		{"draw R --graph -o -", []string{"<svg", graph, "goal distance"}},
		{"draw R --layers -o -", []string{"<svg", "hardest: 6"}},
		{"draw R --hardest -o -", []string{"<svg", "6 moves to the nearest goal, 3 states"}},
		{"draw R --cards --hardest --format svg -o -", []string{"<svg", "6 moves (pour)"}},
		{"report B", []string{"water is poured", graph, "sha256:"}},
		{"report R", []string{"water is poured", graph, "6 moves"}},
	} {
		var args []string
		for word := range strings.FieldsSeq(test.args) {
			switch word {
			case "B":
				args = append(args, "--puzzle", module, board)
			case "R":
				args = append(args, at("run"))
			default:
				args = append(args, word)
			}
		}
		out := must(t, args...)
		for _, want := range test.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %q in\n%.2000s", test.args, want, out)
			}
		}
	}
	played := call("AB5\nhint\nmake\nq\n", "play", "--puzzle", module, board)
	for _, want := range []string{"3 5 0", "hint: BC3", "move 2, by BC3"} {
		if played.code != exit.Complete || !strings.Contains(played.out, want) {
			t.Errorf("play: exit %d, no %q in\n%s", played.code, want, played.out)
		}
	}
	for _, test := range []struct{ want, args string }{
		{"is a module: its boards are shown by", "puzzles show " + module},
		{"--json describes a PUZZLE", "puzzles show --json --puzzle " + module + " board"},
		{"es_successors traps: unreachable", "draw --graph --puzzle " + moduleFile(t, "liar") + " trap"},
	} {
		if r := call("", strings.Fields(test.args)...); r.code == exit.Complete || !strings.Contains(r.errs, test.want) {
			t.Errorf("%s: exit %d, %s", test.args, r.code, r.errs)
		}
	}
}

// TestModuleWithoutPredecessors compares goal distances, dead states and all that is
// asked of them with a search in the test, of a module that can neither undo its moves
// nor name predecessors.
func TestModuleWithoutPredecessors(t *testing.T) {
	t.Parallel()
	run := filepath.Join(t.TempDir(), "drain")
	got := summaryOf(t, must(t, "explore", "--puzzle", moduleFile(t, "drain"), "8534", "--run", run, "--goal-distance", "--json", "-q"))

	type jugs [3]int
	size, target := jugs{8, 5, 3}, 4
	states, after := []jugs{size}, map[jugs][]jugs{}
	depth := map[jugs]int{size: 0}
	var layers []int64
	for i := 0; i < len(states); i++ {
		from := states[i]
		layers = append(layers, 0)[:max(len(layers), depth[from]+1)]
		layers[depth[from]]++
		for a := range from {
			for b := range from {
				next := from
				if next[a] = 0; a != b {
					much := min(from[a], size[b]-from[b])
					next[a], next[b] = from[a]-much, from[b]+much
				}
				after[from] = append(after[from], next)
				if _, known := depth[next]; !known {
					depth[next] = depth[from] + 1
					states = append(states, next)
				}
			}
		}
	}
	distance := map[jugs]int{}
	for d, grown := 0, true; grown; d++ {
		grown = false
		for _, s := range states {
			near := slices.ContainsFunc(after[s], func(n jugs) bool { at, ok := distance[n]; return ok && at == d-1 })
			if _, known := distance[s]; !known && (slices.Contains(s[:], target) && d == 0 || near) {
				distance[s], grown = d, true
			}
		}
	}
	var goal []int64
	firstDead := len(layers)
	for _, s := range states {
		d, ok := distance[s]
		if !ok {
			firstDead = min(firstDead, depth[s])
			continue
		}
		goal = append(goal, make([]int64, max(0, d+1-len(goal)))...)
		goal[d]++
	}

	if !slices.Equal(got.Layers, layers) || !slices.Equal(got.GoalDistanceLayers, goal) {
		t.Errorf("layers %v and goal distances %v, want %v and %v", got.Layers, got.GoalDistanceLayers, layers, goal)
	}
	hardest, dead := len(goal)-1, len(states)-len(distance)
	if dead == 0 || len(states) == dead {
		t.Fatalf("%d of %d states are dead: that is not a test", dead, len(states))
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"hardest", run}, fmt.Sprintf("%d moves to the nearest goal; %d states", hardest, goal[hardest])},
		{[]string{"trace", run, "--dead"}, fmt.Sprintf("first dead state in %d moves", firstDead)},
		{[]string{"show", run, "3 0 0"}, "depth 3, no goal can be reached\nlost by move 3 on the way here"},
		{[]string{"trace", run, "8 0 3", "--to-goal"}, fmt.Sprintf("in %d moves", distance[jugs{8, 0, 3}])},
		{[]string{"draw", run, "--graph"}, fmt.Sprintf("%d states, %d moves deep; in red", len(states), len(layers)-1)},
		{[]string{"draw", run, "--graph"}, "goal distance"},
		{[]string{"report", run}, fmt.Sprintf("%d of %d states, %.1f %%, lead to no goal; the first %d moves from the start", dead, len(states), 100*float64(dead)/float64(len(states)), firstDead)},
		{[]string{"verify", run, "--complete"}, fmt.Sprintf("%d goal distances agree", len(distance))},
	} {
		if out := must(t, test.args...); !strings.Contains(out, test.want) {
			t.Errorf("%v: no %q in\n%.2000s", test.args, test.want, out)
		}
	}
	// Each goal is a red diamond, and so is the legend's; dead states are grey.
	graph := must(t, "draw", run, "--graph")
	if n := strings.Count(graph, `fill="#d62f45"`); int64(n) != goal[0]+1 || !strings.Contains(graph, `fill="#5e6977"/>`) {
		t.Errorf("the graph has %d goals and dead states %v, want %d and some", n, strings.Contains(graph, `fill="#5e6977"/>`), goal[0]+1)
	}
}
