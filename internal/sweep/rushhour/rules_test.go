package rushhour

import (
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// horizontal and vertical limit the vehicles of a length.
func horizontal(length, most int) rules.Limit { return rules.Limit{Length: length, Most: most} }

func vertical(length, most int) rules.Limit {
	return rules.Limit{Vertical: true, Length: length, Most: most}
}

func TestFaultyRules(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rules rules.Rules
		want  string
	}{
		{rules.Rules{Size: rules.Square(9)}, "size 9x9: must be 3x3 to 8x8"},
		{rules.Rules{Size: rules.Size{Rows: 3, Columns: 9}}, "size 3x9: must be 3x3 to 8x8"},
		{rules.Rules{Size: rules.Size{Rows: 3, Columns: 6}, ExitRow: 3}, "a board of 3 rows has rows 0 to 2"},
		{rules.Rules{Size: rules.Size{Rows: 3, Columns: 6}, Lengths: []int{6}}, "length 6: must be 1 to 5"},
		{rules.Rules{Size: rules.Size{Rows: 4, Columns: 5}, ExitRow: -1, MirrorsMerged: true}, "row 1 of 4x5 becomes row 2"},
		{rules.Rules{Family: "oAAo/oooo/ooo"}, "a board of 11 cells: must be 3x3 to 8x8, with slashes between its rows"},
		{rules.Rules{Family: "oAAooooooooo"}, "a board of 12 cells"},
		{rules.Rules{Size: rules.Square(4), ExitRow: 4}, "a board of 4 rows has rows 0 to 3"},
		{rules.Rules{Size: rules.Square(4), Lengths: []int{4}}, "length 4: must be 1 to 3"},
		{rules.Rules{Size: rules.Square(4), Lengths: []int{2, 2}}, "length 2 is given twice"},
		{rules.Rules{WallsMin: 2, WallsMax: 1}, "the smaller number first"},
		{rules.Rules{Limits: []rules.Limit{vertical(5, 1)}}, "limit v5=1: no vehicle has length 5"},
		{rules.Rules{Sample: -1}, "must be 1/1 or less"},
		{rules.Rules{Size: rules.Square(6), Lengths: []int{1, 2}}, "leave out the shortest vehicles"},
		{rules.Rules{Size: rules.Square(7)}, "too many row placements to sweep"},
		{rules.Rules{Size: rules.Square(8)}, "leave out the shortest vehicles"},
		{rules.Rules{Family: "AAoo"}, "a board of 4 cells"},
		{rules.Rules{Family: "ooooooooo"}, "no vehicle A"},
		{rules.Rules{Family: "AAooooooooooooo?"}, "is not a cell"},
		{rules.Rules{Family: "AABBoooooooooooo"}, "row 0 has a horizontal vehicle besides A"},
		{rules.Rules{Family: "AABBoooooooooooo", PrimaryRowShared: true}, "B is to the right of A in its row"},
		{rules.Rules{Family: "AAoxoooooooooooo"}, "the wall in column 3 is to the right of A in its row"},
		{rules.Rules{Size: rules.Square(6), ExitRow: -1, MirrorsMerged: true}, "mirrors merged: the exit must be in the middle row, such as row 2 of 5x5: top to bottom, row 2 of 6x6 becomes row 3"},
		{rules.Rules{Size: rules.Square(4), ExitRow: -1, MirrorsMerged: true}, "row 1 of 4x4 becomes row 2"},
		{rules.Rules{Size: rules.Square(5), ExitRow: 1, MirrorsMerged: true}, "row 1 of 5x5 becomes row 3"},
		{rules.Rules{Size: rules.Square(5), ExitRow: 2, MergedBefore: true}, "an earlier version began this sweep"},
		{rules.Rules{Family: "oooooooooooooAAoooooooooo", MirrorsMerged: true}, "mirrors merged: cannot be combined with a family"},
		{rules.Rules{Family: "AAooBooooBoooooo"}, "B covers 2 cells, of which 1 are in line"},
		{rules.Rules{Family: "AooooAoooooooooo"}, "a vehicle is straight"},
		{rules.Rules{Family: "AoooAooooooooooo"}, "A must be horizontal"},
	} {
		_, err := New(test.rules)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %s", test.rules, err, test.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	r := rules.Rules{ExitRow: -1, WallsMax: 1, Limits: []rules.Limit{vertical(3, 2)}}
	r.EnsureDefaults()
	f.Add(r.String())
	f.Add("sweep: rush-hour\nsize: 4x4\nfamily: AAoooooooooooooo\n")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := rules.Parse(text)
		if err != nil {
			return
		}
		again, err := rules.Parse(r.String())
		if err != nil || again.String() != r.String() {
			t.Errorf("%s is read again as %s: %v", &r, &again, err)
		}
		if r.Family != "" {
			_, _ = New(r) // must not panic
		}
	})
}
