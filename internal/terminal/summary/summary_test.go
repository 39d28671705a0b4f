package summary

import (
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/terminal/paint"
	"github.com/everystate/everystate/internal/terminal/picture"
)

func TestLayersInBrief(t *testing.T) {
	t.Parallel()
	layers := make([]Layer, 100)
	for i := range layers {
		layers[i].States = int64(1 + min(i, 99-i))
	}
	var out strings.Builder
	if !LayersInBrief(&out, layers, paint.Paint{}) {
		t.Error("a hundred layers were shown whole")
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if want := 1 + layersHead + 1 + 2*layersAround + 1 + 1 + layersTail; len(lines) != want {
		t.Errorf("%d lines, want %d:\n%s", len(lines), want, out.String())
	}
	for _, want := range []string{"   49      50      0   1,275  " + strings.Repeat("█", barWidth), "\n  ...\n", "   99       1      0   2,550"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	out.Reset()
	if LayersInBrief(&out, layers[:layersMax], paint.Paint{}) || strings.Contains(out.String(), "...") {
		t.Errorf("forty layers were shortened:\n%s", out.String())
	}
	LayersInBrief(&out, nil, paint.Paint{})
}

func TestSummary(t *testing.T) {
	t.Parallel()
	solution, unsolvable, represented := 2, int64(3), int64(9000)
	s := Summary{
		Summary: engine.Summary{
			Metric: "slide", States: 1200, Depth: 7, Generated: 3000, Duplicates: 1801, GoalStates: 12,
			SolutionLength: &solution, UnsolvableStates: &unsolvable, RepresentedStates: &represented,
			Hardest: &engine.HardestSummary{Distance: 9, Count: 2, Example: "AA.\n..B"},
			Digest:  "00ff", Seconds: 0.5, StatesPerSecond: 2400, PeakMemoryBytes: 1 << 20, DiskBytes: 12_000,
			Run: "runs/x", Complete: true,
		},
		Promise: "1 state but found 1,200",
		Next:    []string{"everystate hardest runs/x", "everystate layers runs/x"},
	}
	var out strings.Builder
	s.Write(&out, picture.Painter{})
	want := `states       1,200, complete
stand for    9,000 states with their symmetric images
depth        7
generated    3,000 successors, 1,801 of them duplicates
goal states  12, the first at depth 2
hardest      9 moves to the nearest goal: 2 states, the first drawn below
unsolvable   3 states
time         0.500 s, 2,400 states per second
memory       1.0 MiB at the peak
disk         11.7 KiB, 10.0 bytes per state
digest       00ff
run          runs/x
promised     1 state but found 1,200

AA.
..B

next         everystate hardest runs/x
             everystate layers runs/x
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}

	out.Reset()
	Table(&out, []engine.Summary{s.Summary, {Name: "Other", States: 5, Run: "runs/y"}}, paint.Paint{})
	want = `name   states  depth  goals  first goal  hardest     time  run
        1,200      7     12           2        9  0.500 s  runs/x
Other     > 5      0      0           -        -  0.000 s  runs/y
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
