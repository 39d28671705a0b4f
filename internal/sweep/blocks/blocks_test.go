package blocks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/sweep"
)

func board(metric, goal, rows string) string {
	return fmt.Sprintf("metric: %s\ngoal: %s\n\n%s\n", metric, goal, rows)
}

func do(t *testing.T, rules Rules) (*Enumeration, sweep.Findings) {
	t.Helper()
	e, err := New(rules)
	if err != nil {
		t.Fatal(err)
	}
	f, err := e.Worker().Do(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	return e, f
}

func TestSweepIsWhatTheTwinFinds(t *testing.T) {
	t.Parallel()
	for _, rows := range []string{
		"AB\n..",
		"AAB\nAAB\n...",
		"ABB\nC.D\n...",
		"AAB\nA.B\nCC.",
		"AA.\nAA#\nBCC\n.D.",
		"#AA.\nBBCD\n.CC.",
	} {
		for _, metric := range []string{"step", "slide", "move"} {
			tw := newTwin(rows, metric)
			e, f := do(t, Rules{Board: board(metric, "A at 1,0", rows)})
			var want, got []string
			var totals sweep.Totals
			for _, c := range tw.clusters(1, 0) {
				if len(c.layers) == 0 {
					totals.AddCluster(uint64(c.states))
					continue
				}
				totals.AddSolvable(c.layers, len(c.layers) > 1)
				if len(c.layers) > 1 {
					want = append(want, fmt.Sprint(c.layers, c.hardest))
				}
			}
			for _, r := range f.Records {
				got = append(got, fmt.Sprint(r.Layers, r.Board))
			}
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("%s of\n%s\nfinds\n%s\nwant\n%s", metric, rows, strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if n := uint64(len(tw.states)); e.Expected() != n || f.Totals.States != n || totals.Clusters != f.Totals.Clusters ||
				totals.Solvable != f.Totals.Solvable || totals.Goals != f.Totals.Goals || totals.Largest != f.Totals.Largest {
				t.Errorf("%s of\n%s\n%d placements, totals %+v\nwant %d, %+v", metric, rows, e.Expected(), f.Totals, n, totals)
			}
		}
	}
}

const klotski = "BAAC\nBAAC\nDEEF\nDGHF\nI..J"

// TestKlotski has the numbers of the pieces of Hua Rong Dao: 65,880 placements, and a
// cluster of 25,955, as published; there is another one as large, the same upside
// down.
func TestKlotski(t *testing.T) {
	t.Parallel()
	e, f := do(t, Rules{Board: board("step", "A at 3,1", klotski)})
	if e.Expected() != 65880 || f.Totals.States != 65880 || f.Totals.Clusters != 898 || f.Totals.Largest != 25955 {
		t.Errorf("%d placements, totals %+v", e.Expected(), f.Totals)
	}
	var largest []string
	for _, r := range f.Records {
		if r.States() == 25955 {
			largest = append(largest, fmt.Sprint(r.Distance(), " ", r.Board))
		}
	}
	slices.Sort(largest)
	if want := []string{"126 .AAB/CAAB/DEEF/DG.F/HGIJ", "91 .BAA/CBAA/DEFF/DEG./HIGJ"}; !slices.Equal(largest, want) {
		t.Errorf("the largest clusters are %q, want %q", largest, want)
	}
	// Where the pieces stand is of no meaning.
	_, other := do(t, Rules{Board: board("step", "A at 3,1", "I..J\nDGHF\nDEEF\nBAAC\nBAAC")})
	if other.Totals.Digest != f.Totals.Digest {
		t.Error("from another placement it finds something else")
	}
}

func TestWorkerStops(t *testing.T) {
	t.Parallel()
	e, err := New(Rules{Board: board("step", "A at 3,1", klotski)})
	if err != nil {
		t.Fatal(err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if f, err := e.Worker().Do(stopped, 0); !errors.Is(err, context.Canceled) || len(f.Records) > 0 {
		t.Errorf("%d records (%v)", len(f.Records), err)
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		board("slide", "A at 3,1", klotski):                  "sweep: blocks\nmetric: slide\ngoal: A at 3,1\nboard: BAAC/BAAC/DEEF/DGHF/I..J\nmin-distance: 2\n",
		"goal: .A / .. \ninterchangeable: no\n\nAB\n..\n":    "sweep: blocks\nmetric: step\ninterchangeable: no\ngoal: A at 0,1\nboard: AB/..\nmin-distance: 2\n",
		"puzzle: klotski\ngoal: .B / .. \nmoves: 3\n\nCB/..": "sweep: blocks\nmetric: step\ngoal: .B / ..\nboard: BC/..\nmin-distance: 2\n",
	} {
		e, err := New(Rules{Board: text, MinDistance: 2})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if e.Rules() != want {
			t.Errorf("rules\n%s\nwant\n%s", e.Rules(), want)
		}
		r, err := Parse(e.Rules())
		if err != nil {
			t.Fatal(err)
		}
		if again, err := New(r); err != nil || again.Rules() != want {
			t.Errorf("%v: read again\n%s", err, again.Rules())
		}
	}
	for rules, want := range map[Rules]string{
		{Board: klotski + "\n"}: "the board has no goal, so no placement is harder than another: add a header such as goal: A at r4c2",
		{Board: board("step", "A at 3,1", "ABCD\nEFGH\nIJKL\n....")}:                           "",
		{Board: board("step", "A at 9,1", klotski)}:                                            `line 2, column 12: row "9" is not a number from 0 to 4`,
		{Board: board("step", "A at 3,1", klotski), MinDistance: -1}:                           "least distance -1: must be 0 or more",
		{Board: "interchangeable: no\n" + board("step", "A at 3,2", "ABC.\nDEF.\nGHI.\n....")}: "4151347200 placements: a sweep takes at most 8388608",
	} {
		_, err := New(rules)
		if err == nil && want != "" || err != nil && err.Error() != want {
			t.Errorf("%+v: %v\nwant %s", rules, err, want)
		}
	}
	for _, text := range []string{"sweep: rush-hour\n", "min-distance: far\n", "colour: red\n", "board\n"} {
		if _, err := Parse(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}
