package sweep_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/rushhour"
	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

func TestParsePart(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"3/64": "3/64", "1-3,7/64": "1-3,7/64", "7,1-2,3/9": "1-3,7/9", "1/1": "1/1", "1-4/4": "1-4/4",
	} {
		if p, err := sweep.ParsePart(text); err != nil || p.String() != want {
			t.Errorf("%s is %v, %v", text, p, err)
		}
	}
	for _, text := range []string{"", "3", "0/4", "5/4", "3-1/4", "1,1/4", "1/0", "a/4", "1-/4", "1/9999999", strings.Repeat("1-1048576,", 60) + "1/1048576"} {
		if p, err := sweep.ParsePart(text); err == nil {
			t.Errorf("%q is %v", text, p)
		}
	}
	var sum sweep.Part
	for i, text := range []string{"1-524288/1048576", "524289-1048576/1048576"} { // within this test
		p, err := sweep.ParsePart(text)
		if err == nil && i > 0 {
			p, err = sum.And(p)
		}
		if sum = p; err != nil {
			t.Error(err)
		}
	}
	if !sum.Whole() {
		t.Errorf("%v is not the whole", sum)
	}
	if (sweep.Part{}).String() != "1/1" || !(sweep.Part{}).Whole() {
		t.Error("the zero part is not the whole")
	}
}

// TestPartsAreDealt has every unit in one part, and parts of about equal cost.
func TestPartsAreDealt(t *testing.T) {
	t.Parallel()
	e, err := rushhour.New(rules.Rules{Size: rules.Square(5), ExitRow: -1, WallsMax: 1})
	if err != nil {
		t.Fatal(err)
	}
	const parts = 7
	var all []int
	var least, most uint64
	var sum sweep.Part
	for k := 1; k <= parts; k++ {
		p := sweep.Part{Of: parts, Numbers: []int{k}}
		var cost uint64
		for _, unit := range p.Units(e) {
			all = append(all, unit)
			cost += e.Cost(unit)
		}
		if k == 1 {
			least, sum = cost, p
		} else if sum, err = sum.And(p); err != nil {
			t.Fatal(err)
		}
		least, most = min(least, cost), max(most, cost)
		if _, err := sum.And(p); err == nil {
			t.Errorf("part %v can be added twice", p)
		}
	}
	slices.Sort(all)
	if whole := (sweep.Part{}).Units(e); !slices.Equal(all, whole) {
		t.Errorf("%d units in parts, want %d", len(all), len(whole))
	}
	if float64(most) > 1.1*float64(least) {
		t.Errorf("parts have from %d to %d states", least, most)
	}
	if !sum.Whole() {
		t.Errorf("%v is not the whole", sum)
	}
	if _, err := sum.And(sweep.Part{Of: 3, Numbers: []int{1}}); err == nil {
		t.Error("parts of different divisions add up")
	}
}
