package rules

import (
	"reflect"
	"testing"
)

func TestRulesAreReadAgain(t *testing.T) {
	t.Parallel()
	for _, r := range []Rules{
		{ExitRow: -1},
		{
			Size: Square(5), ExitRow: 0, Lengths: []int{3, 1}, Step: true, WallsMin: 1, WallsMax: 2,
			Limits:   []Limit{{Vertical: true, Length: 3, Most: 2}, {Length: 1, Most: 4}},
			FullRows: true, FullColumns: true, Everything: true, MinDistance: 7, Sample: 100, PrimaryRowShared: true,
		},
		{Size: Square(7), ExitRow: -1, MirrorsMerged: true},
		{Size: Square(7), ExitRow: -1, MergedBefore: true},
		{Size: Size{Rows: 5, Columns: 8}, ExitRow: -1, Lengths: []int{2, 7}, MirrorsMerged: true, Reduced: true},
		{Size: Square(7), ExitRow: -1, Reduced: true, ReducedAs: 1},
		{Size: Square(7), ExitRow: -1, Reduced: true, ReducedAs: 2},
		{ExitRow: 2, Family: "ooooooooooooAAoooooooooooooooooooooo"},
	} {
		r.EnsureDefaults()
		if err := r.Validate(); err != nil {
			t.Fatal(err)
		}
		got, err := Parse(r.String())
		if err != nil || !reflect.DeepEqual(got, r) {
			t.Errorf("%s is read as\n%s%v", &r, &got, err)
		}
	}
}
