package sokoban

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/puzzle"
)

// On random rooms, feature-space search agrees with the enumeration of the whole
// space on what can be solved, its solutions replay, and it never calls one optimal.
func TestFessAgreesWithEnumeration(t *testing.T) {
	random := rand.New(rand.NewPCG(2020, 90))
	solved, unsolvable := 0, 0
	for range 250 {
		text, ok := randomLevel(random)
		if !ok {
			continue
		}
		p := readBoard(t, text, "push").Puzzle
		if p.Layout().KeyBits > 64 {
			continue
		}
		_, distance := distancesOf(p, 5_000)
		if distance == nil {
			continue
		}
		least, solvable := distance[p.Starts()[0]]
		r, pushes, _ := solveLevel(t, "fess", text, "push", solve.Limits{})
		switch {
		case r.Outcome == solve.Solved && solvable:
			solved++
		case r.Outcome == solve.Unsolvable && !solvable:
			unsolvable++
		default:
			t.Fatalf("%v, but solvable %v:\n%s", r.Outcome, solvable, text)
		}
		if r.Optimal || pushes < least {
			t.Fatalf("%d pushes, optimal %v; the fewest are %d:\n%s", pushes, r.Optimal, least, text)
		}
	}
	if solved < 20 || unsolvable < 80 {
		t.Errorf("%d solved, %d unsolvable: the test shows nothing", solved, unsolvable)
	}
}

// All children's levels are solved, and a few in steps of the player.
func TestFessOnKnownLevels(t *testing.T) {
	for _, metric := range []string{"push", "move"} {
		for _, c := range truthOf(t, metric) {
			if !strings.Contains(c.ID, "kids") || metric == "move" && c.Reachable > 1_000 {
				continue
			}
			r, pushes, steps := solveLevel(t, "fess", c.Input, metric, solve.Limits{NodesMax: 3_000})
			if r.Outcome != solve.Solved {
				t.Errorf("%s: %v %v after %d positions", c.ID, r.Outcome, r.Stop, r.Expanded)
				continue
			}
			if got := map[string]int{"push": pushes, "move": steps}[metric]; got < *c.SolutionLength || r.Optimal {
				t.Errorf("%s: %d, but the fewest are %d; optimal %v", c.ID, got, *c.SolutionLength, r.Optimal)
			}
		}
	}
}

// Limits end the search without an answer.
func TestFessLimits(t *testing.T) {
	const level = "########\n#@     #\n# $$ $ #\n#   #..#\n#    #.#\n########"
	for _, limits := range []solve.Limits{{NodesMax: 1}, {MemoryBytesMax: 1}} {
		if r, _, _ := solveLevel(t, "fess", level, "push", limits); r.Outcome != solve.Unknown || r.Stop == solve.StopNone {
			t.Errorf("%+v: %v %v", limits, r.Outcome, r.Stop)
		}
	}
}

// A room of three targets in a dead end is packed from its end.
func TestPackingOrder(t *testing.T) {
	const text = "###########\n#     ##  #\n# $$$    .#\n#@    ## .#\n#     ##..#\n###########"
	p := readBoard(t, strings.Replace(text, "..#\n####", " .#\n####", 1), "push").Puzzle
	l, err := NewLevel(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	packer := newPacker(l.tables.level)
	at := func(row, col int) (set cellSet) {
		for c, place := range l.tables.places {
			if place == (puzzle.Cell{Row: row, Col: col}) {
				set.add(c)
			}
		}
		return set
	}
	all := packer.of(&cellSet{}, nil)
	deep, first := at(4, 9), at(2, 9)
	if all.lost != 0 || all.rank[deep.least()] <= all.rank[first.least()] {
		t.Errorf("lost %d, rank %d in the corner and %d at the door", all.lost, all.rank[deep.least()], all.rank[first.least()])
	}
	if u := packer.of(&deep, nil); u.kept != deep || u.lost != 0 {
		t.Errorf("in the corner: kept %v, lost %d", u.kept, u.lost)
	}
}
