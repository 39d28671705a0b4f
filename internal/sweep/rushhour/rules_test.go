package rushhour

import (
	"reflect"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

func TestRulesAreReadAgain(t *testing.T) {
	t.Parallel()
	for _, r := range []Rules{
		{ExitRow: -1},
		{
			Size: Square(5), ExitRow: 0, Lengths: []int{3, 1}, Step: true, WallsMin: 1, WallsMax: 2,
			Limits:   []Limit{vertical(3, 2), horizontal(1, 4)},
			FullRows: true, FullColumns: true, Everything: true, MinDistance: 7, Sample: 100, PrimaryRowShared: true,
		},
		{Size: Square(7), ExitRow: -1, MirrorsMerged: true},
		{Size: rules.Size{Rows: 5, Columns: 8}, ExitRow: -1, Lengths: []int{2, 7}, MirrorsMerged: true, Reduced: true},
		{ExitRow: 2, Family: "ooooooooooooAAoooooooooooooooooooooo"},
	} {
		r.EnsureDefaults()
		if err := r.Validate(); err != nil {
			t.Fatal(err)
		}
		got, err := rules.Parse(r.String())
		if err != nil || !reflect.DeepEqual(got, r) {
			t.Errorf("%s is read as\n%s%v", &r, &got, err)
		}
	}
}

// horizontal and vertical limit the vehicles of a length.
func horizontal(length, most int) Limit { return Limit{Length: length, Most: most} }

func vertical(length, most int) Limit { return Limit{Vertical: true, Length: length, Most: most} }

func TestFaultyRules(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rules Rules
		want  string
	}{
		{Rules{Size: Square(9)}, "size 9x9: must be 3x3 to 8x8"},
		{Rules{Size: rules.Size{Rows: 3, Columns: 9}}, "size 3x9: must be 3x3 to 8x8"},
		{Rules{Size: rules.Size{Rows: 3, Columns: 6}, ExitRow: 3}, "a board of 3 rows has rows 0 to 2"},
		{Rules{Size: rules.Size{Rows: 3, Columns: 6}, Lengths: []int{6}}, "length 6: must be 1 to 5"},
		{Rules{Size: rules.Size{Rows: 4, Columns: 5}, ExitRow: -1, MirrorsMerged: true}, "row 1 of 4x5 becomes row 2"},
		{Rules{Family: "oAAo/oooo/ooo"}, "a board of 11 cells: must be 3x3 to 8x8, with a slash after each row"},
		{Rules{Family: "oAAooooooooo"}, "a board of 12 cells"},
		{Rules{Size: Square(4), ExitRow: 4}, "a board of 4 rows has rows 0 to 3"},
		{Rules{Size: Square(4), Lengths: []int{4}}, "length 4: must be 1 to 3"},
		{Rules{Size: Square(4), Lengths: []int{2, 2}}, "length 2 is given twice"},
		{Rules{WallsMin: 2, WallsMax: 1}, "the smaller number first"},
		{Rules{Limits: []Limit{vertical(5, 1)}}, "limit v5=1: no vehicle has length 5"},
		{Rules{Sample: -1}, "must be 1/1 or less"},
		{Rules{Size: Square(6), Lengths: []int{1, 2}}, "leave out the shortest vehicles"},
		{Rules{Size: Square(7)}, "too many row placements to sweep"},
		{Rules{Size: Square(8)}, "leave out the shortest vehicles"},
		{Rules{Family: "AAoo"}, "a board of 4 cells"},
		{Rules{Family: "ooooooooo"}, "no vehicle A"},
		{Rules{Family: "AAooooooooooooo?"}, "is not a cell"},
		{Rules{Family: "AABBoooooooooooo"}, "row 0 has a horizontal vehicle besides A"},
		{Rules{Family: "AABBoooooooooooo", PrimaryRowShared: true}, "B is to the right of A in its row"},
		{Rules{Size: Square(6), ExitRow: -1, MirrorsMerged: true}, "mirrors merged: the exit must be in the middle row, such as row 2 of 5x5: top to bottom, row 2 of 6x6 becomes row 3"},
		{Rules{Size: Square(4), ExitRow: -1, MirrorsMerged: true}, "row 1 of 4x4 becomes row 2"},
		{Rules{Size: Square(5), ExitRow: 1, MirrorsMerged: true}, "row 1 of 5x5 becomes row 3"},
		{Rules{Family: "oooooooooooooAAoooooooooo", MirrorsMerged: true}, "mirrors merged: cannot be combined with a family"},
		{Rules{Family: "AAooBooooBoooooo"}, "B covers 2 cells, of which 1 are in line"},
		{Rules{Family: "AooooAoooooooooo"}, "a vehicle is straight"},
		{Rules{Family: "AoooAooooooooooo"}, "A must be horizontal"},
	} {
		_, err := New(test.rules)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %s", test.rules, err, test.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	r := Rules{ExitRow: -1, WallsMax: 1, Limits: []Limit{vertical(3, 2)}}
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
