package reference

import (
	"fmt"
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
	const same = "; moves board states\n07 BBoFAAoFECCCEoDD 34\n07 BB.FAA.FECCCEDDD 20 2,2,3,2,3,3,4,1\n\n7 BBBFEAAFEoCCEDDD 8\n"
	c, err := Compare(records(some...), strings.NewReader(same), everything, 10)
	if err != nil || !c.Same() || c.Equal != 3 || len(c.Differences) != 0 {
		t.Errorf("the same is %+v, %v", c, err)
	}
	const other = "06 oooooAAooooooooo 3\n08 BBoFAAoFECCCEoDD 34\n07 BBBFEAAFEoCCEDDD 8\n"
	c, err = Compare(records(some...), strings.NewReader(other), everything, 10)
	want := &Comparison{Counts: Counts{1, 1, 1, 1}, ByDistance: []Counts{
		6: {Missing: 1}, 7: {Equal: 1, Extra: 1}, 8: {Different: 1},
	}, Differences: []Difference{
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
	two := func(r *sweep.Record) bool { return r.Pieces == 2 } // and no slash is a piece
	if c, err = Compare(records(), strings.NewReader("3 AABB/oooo 5\n3 AAoo/oooo 5\n"), two, 0); err != nil || c.Missing != 1 {
		t.Errorf("of one with two vehicles: %+v, %v", c, err)
	}
}

// TestCompareInRange counts a puzzle if either side lies in the range.
func TestCompareInRange(t *testing.T) {
	t.Parallel()
	const file = "08 BBoFAAoFECCCEoDD 34\n07 BBoFAAoFECCCEDDD 20\n09 oooooAAooooooooo 3\n"
	at := func(distance int) func(*sweep.Record) bool {
		return func(r *sweep.Record) bool { return r.Distance() == distance }
	}
	for distance, want := range map[int]Counts{
		6: {}, 7: {Equal: 1, Different: 1, Extra: 1}, 8: {Different: 1}, 9: {Missing: 1},
	} {
		c, err := Compare(records(some...), strings.NewReader(file), at(distance), 10)
		if err != nil || c.Counts != want {
			t.Errorf("of %d moves: %+v, %v, want %+v", distance, c, err, want)
		}
	}
}

// TestLinesThatAreNone are named.
func TestLinesThatAreNone(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"7 AAoo 3\nseven AAoo 3\n":               "line 2: \"seven\": must be a number of moves below 4096",
		"-7 AAoo 3\n":                            "line 1: \"-7\": must be a number of moves below 4096",
		"4096 AAoo 3\n":                          "line 1: \"4096\": must be a number of moves below 4096",
		"7 AAoo\n":                               "line 1: \"7 AAoo\": must be MOVES BOARD STATES",
		"7 AAoo x\n":                             "line 1: \"x\": must be a number of states",
		"7 AAoo 3\n\n8 AA.. 3\n":                 "line 3: repeats the board of line 1",
		"7 " + strings.Repeat("o", 999) + " 3":   "line 1: a board of 999 cells: at most 256",
		"7 " + strings.Repeat("o", lineBytesMax): fmt.Sprintf("line 1: longer than %d bytes", lineBytesMax),
	} {
		if _, err := Compare(records(), strings.NewReader(text), everything, 0); err == nil || err.Error() != want {
			t.Errorf("%.40q: %v, want %s", text, err, want)
		}
	}
}

// FuzzCompare compares records with any file: each of its boards and each record is counted
// once, in all and by distance, and an equal file has no difference.
func FuzzCompare(f *testing.F) {
	f.Add("07 BBoFAAoFECCCEoDD 34\n", 3)
	f.Add("; a comment\n8 BBoFAAoFECCCEoDD 34\n7 BBBFEAAFEoCCEDDD 8\n", 1)
	f.Add("7 AAoo 99999999999999999999\n\x00", 0)
	f.Add("4095 \xff 0 0,0,0\n", 2)
	f.Fuzz(func(t *testing.T, text string, keep int) {
		keep &= 7
		c, err := Compare(records(some...), strings.NewReader(text), everything, keep)
		if err != nil {
			return
		}
		if c.Equal+c.Different+c.Extra != uint64(len(some)) {
			t.Fatalf("%+v of %d records", c.Counts, len(some))
		}
		var sum Counts
		for _, n := range c.ByDistance {
			sum.Equal, sum.Different, sum.Missing, sum.Extra = sum.Equal+n.Equal, sum.Different+n.Different, sum.Missing+n.Missing, sum.Extra+n.Extra
		}
		if sum != c.Counts {
			t.Fatalf("by distance they are %+v, in all %+v", sum, c.Counts)
		}
		if want := min(uint64(keep), c.Different+c.Missing+c.Extra); uint64(len(c.Differences)) != want {
			t.Fatalf("%d differences, want %d", len(c.Differences), want)
		}
		if lines := uint64(strings.Count(text, "\n") + 1); c.Equal+c.Different+c.Missing > lines {
			t.Fatalf("%+v of %d lines", c.Counts, lines)
		}
	})
}
