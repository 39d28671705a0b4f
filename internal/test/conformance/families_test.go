package conformance

import (
	"cmp"
	"slices"
	"testing"

	"github.com/everystate/everystate/internal/test/truth"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// othersStatesMax bounds the cases of other families that are explored on every kind of
// cluster.
const othersStatesMax = 3000

// others returns cases of every family but Rush Hour, which has tests of its own.
func (b budget) others(t *testing.T) []*known {
	t.Helper()
	all := append(merged(t), cyclic(t))
	records, err := truth.ReadAll("../../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		family, ok := families.ByName(r.Format)
		if !ok || family.Name == families.All()[0].Name || !r.Whole() || *r.Reachable > min(othersStatesMax, b.statesMax) {
			continue
		}
		text, err := r.Text()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, caseOf(t, r, text))
	}
	if b.runs > 0 {
		return dealt(all)
	}
	return all
}

// dealt returns the cases of the other families that every `go test` explores, the
// largest of each family and metric, to be dealt out over the kinds of clusters in
// turn. Those whose moves cannot be undone by moves go to several workers, as far as
// the others suffice for one: goal distances go back along other ways than the states
// were found on.
func dealt(all []*known) []*known {
	slices.SortStableFunc(all, func(a, b *known) int { return cmp.Compare(*b.Reachable, *a.Reachable) })
	type kind struct {
		family, metric     string
		reversible, merged bool
	}
	taken := map[kind]bool{}
	var reversible, others, list []*known
	for _, k := range all {
		at := kind{k.board.Family, k.Metric, k.reversible(), k.merged()}
		if taken[at] {
			continue
		}
		taken[at] = true
		if at.reversible {
			reversible = append(reversible, k)
		} else {
			others = append(others, k)
		}
	}
	for len(reversible)+len(others) > 0 {
		from := &others
		alone := settings()[len(list)%len(settings())].workers == 1
		if len(others) == 0 || alone && len(reversible) > 0 {
			from = &reversible
		}
		list = append(list, (*from)[0])
		*from = (*from)[1:]
	}
	return list
}

func (k *known) reversible() bool { return k.board.Puzzle.Layout().Reversible }

func (k *known) merged() bool {
	_, ok := k.board.Puzzle.(puzzle.Merged)
	return ok
}

// merged is spaces whose symmetric states are merged. Of two symmetries, the number of
// orbits is half the sum of all states and of those that the reflection maps to
// themselves (Burnside). Of tiles those have the hole and tile 4 in the middle column,
// and of each other row a pair of tiles: 16 arrangements, half of which can be
// reached. Of the tower they have no disc on the two pegs that are exchanged.
func merged(t *testing.T) []*known {
	t.Helper()
	tiles, hanoi := int64(360+8)/2, int64(1024+32)/2
	none, frame := 0, 13 // moves to the goal; of the tower by Frame and Stewart
	return []*known{
		caseOf(t, truth.Record{ID: "tiles-merged", Format: "tiles", Metric: "tile", Reachable: &tiles, SolutionLength: &none}, "puzzle: tiles\ngoal: 1 0 2 / 3 4 5\nsymmetry: on\n\n1 0 2\n3 4 5\n"),
		caseOf(t, truth.Record{ID: "hanoi-merged", Format: "hanoi", Metric: "disc", Reachable: &hanoi, SolutionLength: &frame}, "puzzle: hanoi\nsymmetry: on\n\n4 pegs 5 discs\n"),
	}
}

// cyclic is a tower whose discs go one way only. It takes 59 moves by the recurrence
// of M. D. Atkinson, The cyclic towers of Hanoi (1981).
func cyclic(t *testing.T) *known {
	t.Helper()
	states, moves := int64(81), 59
	r := truth.Record{ID: "hanoi-cyclic-4", Format: "hanoi", Metric: "disc", Reachable: &states, SolutionLength: &moves}
	return caseOf(t, r, "puzzle: hanoi\nrule: cyclic\n\n3 pegs 4 discs\n")
}

// TestDealt checks that every family with a small record has a share, and those whose
// moves cannot be undone on several workers.
func TestDealt(t *testing.T) {
	t.Parallel()
	workers, irreversible, together := map[string]int{}, 0, 0
	for i, k := range thisBudget().others(t) {
		s := settings()[i%len(settings())]
		if !k.reversible() {
			irreversible++
		}
		if k.merged() && s.workers > 1 {
			together++
		}
		if k.reversible() || s.workers > 1 {
			workers[k.board.Family]++
		}
	}
	every := thisBudget()
	every.runs = 0
	for _, k := range every.others(t) {
		if workers[k.board.Family] == 0 {
			t.Errorf("nothing of %s is explored: %v", k.board.Family, workers)
			workers[k.board.Family]++
		}
	}
	if b := thisBudget(); !testing.Short() && b.runs > 0 && together == 0 {
		t.Error("no merged space is explored by several workers")
	}
	if !testing.Short() && irreversible < 4 {
		t.Errorf("%d cases have moves that cannot be undone", irreversible)
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
