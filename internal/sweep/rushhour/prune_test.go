package rushhour

import (
	"reflect"
	"testing"

	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// TestFamiliesPassedOverTogether has units swept with and without passing over many
// families at a time: what is visited and found is the same. A limit that is never
// reached turns that off.
func TestFamiliesPassedOverTogether(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rules rules.Rules
		every int
	}{
		{rules.Rules{Size: rules.Square(4), ExitRow: 1, WallsMin: 1, WallsMax: 2, Reduced: true}, 7},
		{rules.Rules{Size: rules.Square(4), ExitRow: 2, WallsMin: 1, WallsMax: 2, PrimaryRowShared: true, FullColumns: true, Reduced: true}, 11},
		{rules.Rules{Size: rules.Square(5), ExitRow: 2, WallsMin: 1, WallsMax: 1, Reduced: true}, 301},
		{rules.Rules{Size: rules.Square(5), ExitRow: 0, Step: true, WallsMin: 2, WallsMax: 2, Reduced: true}, 3001},
	} {
		fast, err := New(test.rules)
		if err != nil {
			t.Fatal(err)
		}
		test.rules.Limits = []rules.Limit{{Vertical: false, Length: 2, Most: rules.SizeMax * rules.SizeMax}}
		slow, err := New(test.rules)
		if err != nil {
			t.Fatal(err)
		}
		a, b := fast.Worker().(*worker), slow.Worker().(*worker)
		for i := 0; i < fast.Units(); i += test.every {
			x, y := by(t, a, i), by(t, b, i)
			if !a.prunes || b.prunes {
				t.Fatalf("together %v, one by one %v", a.prunes, !b.prunes)
			}
			if !reflect.DeepEqual(x, y) {
				t.Fatalf("unit %d (%s): together %+v, one by one %+v", i, fast.Name(i), x.Totals, y.Totals)
			}
		}
		if a.families >= b.families {
			t.Errorf("%v: together %d families were looked at, one by one %d", test.rules, a.families, b.families)
		}
	}
}
