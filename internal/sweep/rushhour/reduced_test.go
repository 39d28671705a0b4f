package rushhour

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// recordText writes all there is to a record.
func recordText(r *sweep.Record) string {
	b, _ := r.AppendBinary(nil)
	return fmt.Sprintf("%s %x", r.Board, b)
}

// by has a worker do a unit.
func by(t *testing.T, w sweep.Worker, unit int) sweep.Findings {
	t.Helper()
	f, err := w.Do(t.Context(), unit)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// searching returns an enumeration whose workers keep no distances: whether a board is
// minimal takes a search for each piece.
func searching(t *testing.T, given rules.Rules) *Enumeration {
	t.Helper()
	e, err := New(given)
	if err != nil {
		t.Fatal(err)
	}
	for i := range e.units {
		e.units[i].bound = math.MaxUint64
	}
	return e
}

// samePuzzles does some units, each visiting everything, reduced, and reduced without known
// distances.
func samePuzzles(t *testing.T, given rules.Rules, every int) {
	t.Helper()
	whole, err := New(given)
	if err != nil {
		t.Fatal(err)
	}
	given.Reduced = true
	reduced, err := New(given)
	if err != nil {
		t.Fatal(err)
	}
	if whole.Units() != reduced.Units() {
		t.Fatalf("%d units, reduced %d", whole.Units(), reduced.Units())
	}
	a, b, bare := whole.Worker(), reduced.Worker(), searching(t, given).Worker()
	var all, some sweep.Totals
	for i := every / 2; i < whole.Units(); i += every { // unit 0 is by far the longest
		x, y, z := by(t, a, i), by(t, b, i), by(t, bare, i)
		same := func(r, s sweep.Record) bool { return recordText(&r) == recordText(&s) }
		if !slices.EqualFunc(x.Records, y.Records, same) || !slices.EqualFunc(y.Records, z.Records, same) {
			t.Fatalf("unit %d (%s): %d records, reduced %d, by searches alone %d", i, whole.Name(i), len(x.Records), len(y.Records), len(z.Records))
		}
		all.Add(&x.Totals)
		some.Add(&y.Totals)
	}
	if all.Puzzles != some.Puzzles || all.PuzzleStates != some.PuzzleStates || some.Clusters != some.Solvable {
		t.Errorf("everything %+v, reduced %+v", all, some)
	}
	for d := range all.Distances {
		x, y := all.At(d), some.At(d)
		if x.Puzzles != y.Puzzles || x.PuzzleStates != y.PuzzleStates || x.Clusters < y.Clusters || x.States < y.States {
			t.Errorf("distance %d: everything %+v, reduced %+v", d, x, y)
		}
	}
	if some.States >= all.States {
		t.Errorf("%d states, reduced %d", all.States, some.States)
	}
	t.Logf("%d puzzles in %d states of %d", some.Puzzles, some.States, all.States)
}

// thorough reports whether "make thorough" runs the tests: then more of each space is
// swept.
func thorough() bool { return os.Getenv("EVERYSTATE_THOROUGH") != "" }

// TestReducedAsBefore visits what earlier versions visited: their databases are continued.
func TestReducedAsBefore(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes a second")
	}
	for _, test := range []struct {
		as                int
		clusters, visited uint64
		digest            string
	}{
		{1, 13_256, 2_024_110, "253ea2d940a4259433fedb93fc851ac2"},
		{2, 7_466, 1_336_826, "01ddb0c5d72610cf1b2edef85262f48a"},
		{0, 6_250, 1_101_342, ""},
	} {
		_, sum := all(t, rules.Rules{Size: rules.Square(5), ExitRow: 2, Reduced: true, ReducedAs: test.as})
		if sum.Clusters != test.clusters || sum.States != test.visited || sum.Puzzles != 1730 {
			t.Errorf("as version %d: %d puzzles in %d clusters with %d states", test.as, sum.Puzzles, sum.Clusters, sum.States)
		}
		if digest := sum.Digest.String(); test.as != 0 && digest != test.digest {
			t.Errorf("as version %d: digest %s, want %s", test.as, digest, test.digest)
		}
	}
}

func TestReducedFindsTheSamePuzzles(t *testing.T) {
	t.Parallel()
	const skip = math.MaxInt // its plan alone takes ten seconds
	for _, test := range []struct {
		rules rules.Rules
		every int // unit; the long ones fewer, but with make thorough
		long  int
	}{
		{rules.Rules{Size: rules.Square(3), ExitRow: 1, WallsMax: 3}, 1, 0},
		{rules.Rules{Size: rules.Square(4), ExitRow: 1, WallsMax: 2}, 1, 0},
		{rules.Rules{Size: rules.Square(4), ExitRow: 0, FullRows: true, FullColumns: true, Step: true, WallsMax: 1}, 1, 0},
		{rules.Rules{Size: rules.Square(4), ExitRow: 2, PrimaryRowShared: true, FullRows: true, WallsMax: 1}, 1, 0},
		{rules.Rules{Size: rules.Square(4), ExitRow: 1, Lengths: []int{1, 2, 3}, FullColumns: true, Limits: []rules.Limit{horizontal(1, 1), vertical(1, 1)}}, 1, 0},
		{rules.Rules{Size: rules.Size{Rows: 3, Columns: 4}, ExitRow: 1, WallsMax: 2, FullColumns: true}, 1, 0},
		{rules.Rules{Size: rules.Size{Rows: 4, Columns: 3}, ExitRow: 2, WallsMax: 2, Step: true}, 1, 0},
		{rules.Rules{Size: rules.Size{Rows: 5, Columns: 4}, ExitRow: 2, WallsMax: 1}, 1, 17},
		{rules.Rules{Size: rules.Size{Rows: 4, Columns: 5}, ExitRow: 1, WallsMin: 1, WallsMax: 2}, 5, 97},
		{rules.Rules{Size: rules.Size{Rows: 5, Columns: 6}, ExitRow: 2, WallsMax: 1}, 31, 997},
		{rules.Rules{Size: rules.Square(5), ExitRow: 2}, 1, 97},
		{rules.Rules{Size: rules.Square(5), ExitRow: 0, Step: true}, 1, 199},
		{rules.Rules{Size: rules.Square(5), ExitRow: 2, MirrorsMerged: true}, 1, 293},
		{rules.Rules{Size: rules.Square(5), ExitRow: 2, WallsMin: 1, WallsMax: 1}, 3, 1201},
		{rules.Rules{Size: rules.Square(5), ExitRow: 2, PrimaryRowShared: true, WallsMax: 1, Sample: 7}, 1, 499},
		{rules.Rules{Size: rules.Square(5), ExitRow: 2, WallsMin: 2, WallsMax: 2}, 29, 4513},
		{rules.Rules{Size: rules.Square(6), ExitRow: 2}, 2003, 2003},
		{rules.Rules{Size: rules.Square(6), ExitRow: 2, WallsMin: 1, WallsMax: 1, Sample: 9}, 30011, skip},
	} {
		test.rules.EnsureDefaults()
		t.Run(strings.ReplaceAll(test.rules.String(), "\n", " "), func(t *testing.T) {
			t.Parallel()
			every := test.every
			if test.long > 0 && !thorough() {
				every = test.long
			}
			if test.long > 0 && testing.Short() || every == skip {
				t.Skip("takes seconds")
			}
			samePuzzles(t, test.rules, every)
		})
	}
}
