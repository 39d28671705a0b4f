package rushhour

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// truth is testdata/truth/sweep/rush-hour.json: what a published enumerator
// finds.
type truth struct {
	Sweeps []struct {
		Size          string      `json:"size"`
		PrimaryRow    int         `json:"primary_row"`
		Clusters      uint64      `json:"clusters"`
		Solvable      uint64      `json:"solvable_clusters"`
		Puzzles       uint64      `json:"puzzles"`
		States        uint64      `json:"states"`
		InSolvable    uint64      `json:"states_in_solvable"`
		InPuzzles     uint64      `json:"states_in_puzzles"`
		Largest       uint64      `json:"largest_cluster"`
		ByDistance    [][6]uint64 `json:"by_distance"`
		PuzzleLines   []string    `json:"puzzle_lines"`
		PuzzlesLineIs string      `json:"puzzle_line"`
	} `json:"sweeps"`
	Published struct {
		ByDistance [][2]uint64 `json:"puzzles_by_distance"` // numbers of moves, and of puzzles
	} `json:"published_6x6"`
}

func readTruth(tb testing.TB) (all truth) {
	tb.Helper()
	text, err := os.ReadFile("../../../testdata/truth/sweep/rush-hour.json")
	if err != nil {
		tb.Fatal(err)
	}
	if err := json.Unmarshal(text, &all); err != nil {
		tb.Fatal(err)
	}
	return all
}

// swept holds what all has found, by its rules: many tests look at the same sweep.
var swept sync.Map

// all does all units of some rules. What it returns must not be changed.
func all(tb testing.TB, given rules.Rules) (records []sweep.Record, totals sweep.Totals) {
	tb.Helper()
	e, err := New(given)
	if err != nil {
		tb.Fatal(err)
	}
	type found struct {
		records []sweep.Record
		totals  sweep.Totals
	}
	once, _ := swept.LoadOrStore(fmt.Sprintf("%+v", e.rules), sync.OnceValue(func() found {
		records, totals := allOf(tb, e)
		return found{records, totals}
	}))
	f := once.(func() found)() //nolint:errcheck // nothing else is stored
	return f.records, f.totals
}

// allOf does all units of an enumeration.
func allOf(tb testing.TB, e *Enumeration) (records []sweep.Record, totals sweep.Totals) {
	tb.Helper()
	w := e.Worker()
	for i := range e.Units() {
		f, err := w.Do(tb.Context(), i)
		if err != nil {
			tb.Fatal(err)
		}
		records = append(records, f.Records...)
		totals.Add(&f.Totals)
	}
	return records, totals
}

// puzzleLine writes a record as the truth does.
func puzzleLine(r *sweep.Record) string {
	return fmt.Sprintf("%02d %s %d %s", r.Distance(), strings.ReplaceAll(r.Board, "o", "."), r.States(),
		strings.ReplaceAll(strings.Trim(fmt.Sprint(r.Layers), "[]"), " ", ","))
}

func TestSweepsAreTheReference(t *testing.T) {
	t.Parallel()
	for _, want := range readTruth(t).Sweeps {
		t.Run(want.Size, func(t *testing.T) {
			t.Parallel()
			records, got := all(t, rules.Rules{Size: rules.Square(int(want.Size[0] - '0')), ExitRow: want.PrimaryRow})
			for _, n := range []struct {
				name      string
				got, want uint64
			}{
				{"clusters", got.Clusters, want.Clusters},
				{"solvable clusters", got.Solvable, want.Solvable},
				{"puzzles", got.Puzzles, want.Puzzles},
				{"states", got.States, want.States},
				{"states in solvable clusters", got.SolvableStates, want.InSolvable},
				{"states in puzzles", got.PuzzleStates, want.InPuzzles},
				{"largest cluster", got.Largest, want.Largest},
			} {
				if n.got != n.want {
					t.Errorf("%s: %d, want %d", n.name, n.got, n.want)
				}
			}
			var byDistance [][6]uint64
			for d, n := range got.Distances {
				byDistance = append(byDistance, [6]uint64{uint64(d), n.Puzzles, n.PuzzleStates, n.Clusters, n.ClusterStates, n.States})
			}
			if !slices.Equal(byDistance, want.ByDistance) {
				t.Errorf("by distance\n%v, want\n%v", byDistance, want.ByDistance)
			}
			var lines []string
			for i := range records {
				lines = append(lines, puzzleLine(&records[i]))
			}
			slices.Sort(lines)
			slices.Sort(want.PuzzleLines)
			if !slices.Equal(lines, want.PuzzleLines) {
				t.Errorf("puzzles differ: %d, want %d", len(lines), len(want.PuzzleLines))
				for i := range min(len(lines), len(want.PuzzleLines), 10) {
					t.Logf("%s\n%s", lines[i], want.PuzzleLines[i])
				}
			}
		})
	}
}

func sortedLines(records []sweep.Record) []string {
	var lines []string
	for i := range records {
		lines = append(lines, puzzleLine(&records[i]))
	}
	slices.Sort(lines)
	return lines
}

// TestSplitUnitsFindTheSame splits units that are not large, and has units done by
// one worker, in the opposite order, and by many.
func TestSplitUnitsFindTheSame(t *testing.T) {
	t.Parallel()
	given, limits := rules.Rules{Size: rules.Square(4), ExitRow: 1, WallsMax: 1}, []uint64{5, 40}
	if thorough() {
		given, limits = rules.Rules{Size: rules.Square(5), ExitRow: 2}, []uint64{100, 30000}
	}
	records, want := all(t, given)
	lines := sortedLines(records)
	for _, states := range limits {
		e, err := newEnumeration(given, states)
		if err != nil {
			t.Fatal(err)
		}
		records, got := allOf(t, e)
		if got.Units <= want.Units || !slices.Equal(sortedLines(records), lines) || !slices.Equal(got.Distances, want.Distances) || got.Clusters != want.Clusters {
			t.Errorf("units of up to %d states: %d units, %d clusters, %d puzzles; unsplit %d, %d, %d",
				states, got.Units, got.Clusters, got.Puzzles, want.Units, want.Clusters, want.Puzzles)
		}
	}
	e, err := New(given)
	if err != nil {
		t.Fatal(err)
	}
	var backwards, fresh sweep.Totals
	one := e.Worker()
	for i := range e.Units() {
		f, err := one.Do(t.Context(), e.Units()-1-i)
		if err != nil {
			t.Fatal(err)
		}
		backwards.Add(&f.Totals)
		if f, err = e.Worker().Do(t.Context(), i); err != nil {
			t.Fatal(err)
		}
		fresh.Add(&f.Totals)
	}
	if backwards.Digest != want.Digest || fresh.Digest != want.Digest {
		t.Errorf("digests %s, backwards %s, by a worker each %s", want.Digest, backwards.Digest, fresh.Digest)
	}
}

// TestSampleIsAPart has the puzzles of a sample among those of the whole, about as
// many as it says.
func TestSampleIsAPart(t *testing.T) {
	t.Parallel()
	records, whole := all(t, rules.Rules{Size: rules.Square(5), ExitRow: 2})
	lines := sortedLines(records)
	records, part := all(t, rules.Rules{Size: rules.Square(5), ExitRow: 2, Sample: 8})
	for _, line := range sortedLines(records) {
		if _, ok := slices.BinarySearch(lines, line); !ok {
			t.Errorf("%s is not a puzzle of the whole", line)
		}
	}
	if n := part.Families * 8; n < whole.Families*9/10 || n > whole.Families*11/10 {
		t.Errorf("%d of %d families are no eighth", part.Families, whole.Families)
	}
}
