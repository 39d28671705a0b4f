package conformance

import (
	"testing"

	"github.com/everystate/everystate/internal/truth"
)

// dealt are the cases of the other families that every `go test` explores, dealt
// out over the kinds of clusters in turn. Those of Sokoban, the pegs, Sudoku and
// the cyclic tower cannot be undone by moves, so that goal distances go back along
// other ways than the states were found on.
var dealt = []string{
	"hanoi-cyclic-4", "klotski-slide-rand-11/move",
	"sokoban-microban-027/push", "peg-tri5-00/jump",
	"sudoku-4x4-2/row-major", "tiles-2x3-solved/line",
	"sokoban-kids-007/push", "topspin-7-4",

	"hanoi-4-5", "burnt-4",
	"pancake-7", "adjacent-5/move",
	"peg-english-plus/jump", "sokoban-kids-005/backward-push",
	"peg-rect3x5-12/jump", "sokoban-kids-027/push",
}

// othersStatesMax bounds the cases of other families that are explored on every
// kind of cluster.
const othersStatesMax = 6000

// others returns cases of every family but Rush Hour.
func (b budget) others(t *testing.T) []*known {
	t.Helper()
	all := map[string]*known{"hanoi-cyclic-4": cyclic(t)}
	files := []string{
		"hanoi.json", "klotski.json", "pancake.json", "peg-solitaire.json", "permutation.json",
		"sliding-tiles.json", "sokoban.json", "sudoku.json", "topspin.json",
	}
	ids := []string{"hanoi-cyclic-4"}
	for _, file := range files {
		for _, r := range readFile(t, file) {
			if !r.Whole() || *r.Reachable > othersStatesMax {
				continue
			}
			text, err := r.Text()
			if err != nil {
				t.Fatal(err)
			}
			all[r.ID] = caseOf(t, r, text)
			ids = append(ids, r.ID)
		}
	}
	if b.runs > 0 {
		ids = dealt
	}
	var cases []*known
	for _, id := range ids {
		k := all[id]
		if k == nil {
			t.Fatalf("there is no small record %s", id)
		}
		if *k.Reachable <= b.statesMax {
			cases = append(cases, k)
		}
	}
	return cases
}

// cyclic is a tower whose discs go one way only. It takes 59 moves by the recurrence
// of M. D. Atkinson, The cyclic towers of Hanoi (1981).
func cyclic(t *testing.T) *known {
	t.Helper()
	states, moves := int64(81), 59
	r := truth.Record{ID: "hanoi-cyclic-4", Format: "hanoi", Metric: "disc", Reachable: &states, SolutionLength: &moves}
	return caseOf(t, r, "puzzle: hanoi\nrule: cyclic\n\n3 pegs 4 discs\n")
}

// TestDealt checks that every family has a share, irreversible ones on several
// workers.
func TestDealt(t *testing.T) {
	t.Parallel()
	families := map[string]int{}
	for i, k := range thisBudget().others(t) {
		s := settings()[i%len(settings())]
		families[k.board.Family] = max(families[k.board.Family], s.workers)
	}
	if testing.Short() {
		return
	}
	for _, name := range []string{"blocks", "hanoi", "pancake", "permutation", "tiles", "topspin"} {
		if families[name] < 1 {
			t.Errorf("nothing of %s is explored: %v", name, families)
		}
	}
	for _, name := range []string{"peg", "sokoban", "sudoku"} {
		if families[name] < 2 {
			t.Errorf("nothing of %s is explored on several workers: %v", name, families)
		}
	}
}

// settings are the kinds of clusters.
func settings() []setting {
	var all []setting
	for _, workers := range []int{1, 2, 3, 7} {
		all = append(all, setting{workers, false}, setting{workers, true})
	}
	return all
}
