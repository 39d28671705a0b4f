package heuristic_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/internal/solve/heuristic"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

func boardOf(t *testing.T, text, metric string) puzzle.Board {
	t.Helper()
	boards, err := families.Read([]byte(text), puzzle.ReadOptions{Metric: metric})
	if err != nil || len(boards) != 1 {
		t.Fatalf("%q: %d boards, %v", text, len(boards), err)
	}
	return boards[0]
}

// distances are those of all reachable states of a reversible puzzle to a goal, -1
// for those that have none.
func distances(p puzzle.Puzzle) map[uint64]int {
	all := map[uint64]int{}
	walk := func(from []uint64, found func(key uint64, depth int) bool) {
		depth := 0
		for len(from) > 0 {
			var next []uint64
			for _, key := range from {
				if found(key, depth) {
					var edges puzzle.Edges
					p.Successors([]uint64{key}, &edges)
					next = append(next, edges.Keys...)
				}
			}
			from, depth = next, depth+1
		}
	}
	var goals []uint64
	walk(p.Starts(), func(key uint64, _ int) bool {
		if _, known := all[key]; known {
			return false
		}
		all[key] = -1
		goal := []bool{false}
		if p.Goals([]uint64{key}, goal); goal[0] {
			goals = append(goals, key)
		}
		return true
	})
	walk(goals, func(key uint64, depth int) bool {
		if all[key] >= 0 {
			return false
		}
		all[key] = depth
		return true
	})
	return all
}

// texts are small boards of the families that have heuristics.
var texts = []string{
	"puzzle: tiles\n\n3 1 2\n4 5 0",
	"puzzle: tiles\n\n2 1 3\n4 5 0",
	"puzzle: tiles\ngoal: 0 1 2 3 / 4 5 6 7\n\n1 2 3 4\n5 6 7 0",
	"puzzle: rush-hour\n\nE.BB\nECCC\nAA.F\nDD.F",
	"puzzle: rush-hour\n\n.BCC.\n.B.D.\nAA.D.\nx.EE.\n..x..",
	"puzzle: rush-hour\nexit: left\n\n..BC.\n..BC.\n..DAA\n..D..\n.EE..",
	"puzzle: rush-hour\n\n....\nAABB\n....",
	"puzzle: rush-hour\nexit: top\n\n.BB.\nC..x\nCAA.\n",
	"puzzle: rush-hour\ngoal: B\n\nCC..\n.B..\n.B.D\n...D",
	"puzzle: blocks\ngoal: A at 2,1\n\nAAB\nC..\nCDD",
	"puzzle: blocks\ngoal: A at 1,1; B at 0,0\n\nABC\nCC.\n.DD",
}

// TestAdmissible compares every heuristic with the distances of whole spaces, in
// every metric. What it calls dead has no way to a goal, and it tells something.
func TestAdmissible(t *testing.T) {
	t.Parallel()
	tried := map[string]int{}
	for _, text := range texts {
		family, _, _ := strings.Cut(strings.TrimPrefix(text, "puzzle: "), "\n")
		f, _ := families.ByName(family)
		for _, m := range f.Metrics {
			boards, err := families.Read([]byte(text), puzzle.ReadOptions{Metric: m.Name})
			if err != nil {
				continue // an exit that this goal vehicle has not
			}
			b := boards[0]
			known := distances(b.Puzzle)
			for _, k := range heuristic.All() {
				if k.Family != b.Family {
					continue
				}
				h, err := k.New(&b)
				if err != nil {
					continue
				}
				name := fmt.Sprintf("%s of %s in %s", k.Name, text, m.Name)
				if estimates := compare(t, name, b.Puzzle, h, known); estimates > 0 {
					tried[k.Name]++
				}
			}
		}
	}
	for _, k := range heuristic.All() {
		if tried[k.Name] < 2 {
			t.Errorf("%s says something of %d boards only", k.Name, tried[k.Name])
		}
	}
}

func compare(t *testing.T, name string, p puzzle.Puzzle, h solve.Heuristic, known map[uint64]int) (estimates int) {
	t.Helper()
	for key, distance := range known {
		var got [1]int32
		h.Estimate([]uint64{key}, got[:])
		if got[0] > 0 {
			estimates++
		}
		if distance >= 0 && int(got[0]) > distance {
			t.Fatalf("%s: %d, and it is %d:\n%s", name, got[0], distance, p.Format([]uint64{key}))
		}
	}
	return estimates
}

// TestDatabase makes a database of the distances of a pattern. It is admissible,
// and of the whole puzzle it is the distance itself.
func TestDatabase(t *testing.T) {
	t.Parallel()
	b := boardOf(t, "puzzle: tiles\n\n3 1 2\n4 5 0", "")
	known := distances(b.Puzzle)
	for _, text := range []string{
		"puzzle: tiles\nany: 3 4 5\n\n1 2 3\n4 5 0",
		"puzzle: tiles\nany: 1 2\n\n1 2 3\n4 5 0",
		"puzzle: tiles\n\n3 1 2\n4 5 0",
	} {
		abstract := boardOf(t, text, "")
		d, err := heuristic.NewDatabase(&abstract)
		if err != nil {
			t.Fatal(err)
		}
		for key, distance := range distances(abstract.Puzzle) {
			d.Add([]uint64{key}, distance)
		}
		h, err := d.For(&b)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, text, b.Puzzle, h, known)
		none, _ := heuristic.For(&b, "manhattan")
		compare(t, text, b.Puzzle, heuristic.Max(h, none), known)
		var got [1]int32
		if h.Estimate(b.Puzzle.Starts(), got[:]); !strings.Contains(text, "any") && int(got[0]) != known[b.Puzzle.Starts()[0]] {
			t.Errorf("%s: %d, want the distance", text, got[0])
		}
		// The other half of the arrangements has no way to the goal.
		other := boardOf(t, "puzzle: tiles\n\n2 1 3\n4 5 0", "")
		if h, err = d.For(&other); err != nil {
			t.Fatal(err)
		}
		if h.Estimate(other.Puzzle.Starts(), got[:]); !strings.Contains(text, "any") && got[0] != solve.Dead {
			t.Errorf("%s: %d of what cannot be solved", text, got[0])
		}
	}
	rush := boardOf(t, texts[3], "")
	d, err := heuristic.NewDatabase(&b)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.For(&rush); err == nil {
		t.Error("tiles are taken for an abstraction of Rush Hour")
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	b := boardOf(t, texts[0], "")
	if h, err := heuristic.For(&b, "none"); h != nil || err != nil {
		t.Errorf("none is %v, %v", h, err)
	}
	if _, err := heuristic.For(&b, "blockers"); err == nil || !strings.Contains(err.Error(), "linear-conflict, manhattan, none") {
		t.Errorf("%v", err)
	}
	line := boardOf(t, texts[0], "line")
	if h, err := heuristic.For(&line, ""); h == nil || err != nil {
		t.Errorf("in the metric line: %v, %v", h, err)
	}
}
