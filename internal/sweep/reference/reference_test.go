package reference

import (
	"iter"
	"reflect"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/sweep"
)

func records(all ...sweep.Record) iter.Seq2[*sweep.Record, error] {
	return func(yield func(*sweep.Record, error) bool) {
		for i := range all {
			if !yield(&all[i], nil) {
				return
			}
		}
	}
}

var some = []sweep.Record{
	{Board: "BBoFAAoFECCCEoDD", Layers: []uint64{4, 4, 6, 5, 4, 6, 4, 1}, Pieces: 6},
	{Board: "BBoFAAoFECCCEDDD", Layers: []uint64{2, 2, 3, 2, 3, 3, 4, 1}, Pieces: 6},
	{Board: "BBBFEAAFEoCCEDDD", Layers: []uint64{1, 1, 1, 1, 1, 1, 1, 1}, Pieces: 5, Attributes: []uint64{0, 2}},
}

func everything(*sweep.Record) bool { return true }

// TestCompare finds one difference of each kind, and nothing where there is none.
func TestCompare(t *testing.T) {
	t.Parallel()
	const same = "07 BBoFAAoFECCCEoDD 34\n07 BB.FAA.FECCCEDDD 20 2,2,3,2,3,3,4,1\n\n7 BBBFEAAFEoCCEDDD 8\n"
	c, err := Compare(records(some...), strings.NewReader(same), everything, 10)
	if err != nil || !c.Same() || c.Equal != 3 || len(c.Differences) != 0 {
		t.Errorf("the same is %+v, %v", c, err)
	}
	const other = "06 oooooAAooooooooo 3\n08 BBoFAAoFECCCEoDD 34\n07 BBBFEAAFEoCCEDDD 8\n"
	c, err = Compare(records(some...), strings.NewReader(other), everything, 10)
	want := &Comparison{Equal: 1, Different: 1, Missing: 1, Extra: 1, Differences: []Difference{
		{Line: 2, File: &Entry{8, "BBoFAAoFECCCEoDD", 34}, Here: &Entry{7, "BBoFAAoFECCCEoDD", 34}},
		{Here: &Entry{7, "BBoFAAoFECCCEDDD", 20}},
		{Line: 1, File: &Entry{6, "oooooAAooooooooo", 3}},
	}}
	if err != nil || !reflect.DeepEqual(c, want) {
		t.Errorf("it is %+v, %v", c, err)
	}
	if c, err = Compare(records(some...), strings.NewReader(other), everything, 1); err != nil || len(c.Differences) != 1 || c.Missing != 1 {
		t.Errorf("with one difference: %+v, %v", c, err)
	}
	walls := func(r *sweep.Record) bool { return r.Attribute(1) > 0 }
	if c, err = Compare(records(), strings.NewReader("3 oxAA 5\n3 ooAA 5\n"), walls, 0); err != nil || c.Missing != 1 {
		t.Errorf("of one with walls: %+v, %v", c, err)
	}
}

// TestLinesThatAreNone are named.
func TestLinesThatAreNone(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"7 AAoo 3\nseven AAoo 3\n":             "line 2: \"seven\": must be a number of moves",
		"-7 AAoo 3\n":                          "line 1: \"-7\": must be a number of moves",
		"99999999 AAoo 3\n":                    "line 1: \"99999999\": must be a number of moves",
		"7 AAoo\n":                             "line 1: \"7 AAoo\": must be MOVES BOARD STATES",
		"7 AAoo x\n":                           "line 1: \"x\": must be a number of states",
		"7 AAoo 3\n\n8 AA.. 3\n":               "line 3: repeats the board of line 1",
		"7 " + strings.Repeat("o", 999) + " 3": "line 1: a board of 999 cells: at most 256",
	} {
		if _, err := Compare(records(), strings.NewReader(text), everything, 0); err == nil || err.Error() != want {
			t.Errorf("%.40q: %v, want %s", text, err, want)
		}
	}
}
