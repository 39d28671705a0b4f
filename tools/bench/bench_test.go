package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/everystate/everystate/internal/test/effort"
	"github.com/everystate/everystate/tools/measure"
)

var update = flag.Bool("update", false, "rewrite the files in testdata")

// madeClusters are results of clusters in the same manner.
func madeClusters() []*clusterResult {
	r := &clusterResult{Board: "first", outcome: outcome{States: 2_000_000, Generated: 12_000_000, Digest: "d"}}
	for _, load := range []float64{1, 3, 1.5} {
		r.Samples = append(r.Samples, clusterSample{
			AloneSeconds: 4 * load, Seconds: 5 * load,
			exchanged:            exchanged{Candidates: 6_000_000, Sent: 3_000_000, BlockBytes: 8_900_000, WireBytes: 9_000_000},
			CoordinatorPeakBytes: 30 << 20, WorkerPeakBytes: []int64{40 << 20, 41 << 20},
		})
	}
	return []*clusterResult{r}
}

// made are results whose every time can be computed in the head.
func made() []*result {
	var results []*result
	for _, board := range []string{"first", "tiny"} {
		for _, m := range modes() {
			r := &result{Board: board, mode: m, outcome: outcome{States: 2_000_000, Generated: 12_345_678, Digest: "d"}}
			if board == "tiny" {
				r.States = 1234
			}
			seconds := 8.0
			if m.GoalDistance {
				seconds *= 1.5
				r.Digest = "g"
			}
			if m.Workers == 2 {
				seconds /= 2
			}
			if m.Memory == quarterOfIt {
				seconds *= 1.25
			}
			for _, load := range []float64{1, 3, 1.5} {
				r.Samples = append(r.Samples, sample{Seconds: load * seconds, PeakBytes: 40 << 20, DiskBytes: 7_000_000})
			}
			results = append(results, r)
		}
	}
	return results
}

func TestReport(t *testing.T) {
	t.Parallel()
	results := made()
	r := report{
		Machine: measure.Machine{CPU: "Abacus", Cores: 2, MemoryBytes: 3 << 30, System: "linux/amd64", Go: "go1.26", Commit: "abc", Date: time.Unix(0, 0).UTC()},
		Rounds:  3, Results: results, Ratios: ratios(results), Clusters: madeClusters(),
	}
	golden := filepath.Join("testdata", "report.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(r.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.String(); got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for _, q := range r.Ratios {
		// The load of a round falls out.
		want := map[string]float64{someMemoryOnly: 1, lessMemory: 1.25, goalPhase: 0.5, twoWorkers: 2}[q.What]
		if q.Median != want || q.Least != want || q.Most != want || q.Board != "first" {
			t.Errorf("%+v, want %v", q, want)
		}
	}
}

func TestDisagreement(t *testing.T) {
	t.Parallel()
	if err := disagreement(made()); err != nil {
		t.Error(err)
	}
	for name, spoil := range map[string]func(r *result){
		"digest":    func(r *result) { r.Digest = "other" },
		"generated": func(r *result) { r.Generated++ },
		"states":    func(r *result) { r.States++ },
	} {
		results := made()
		spoil(results[len(results)-1])
		if err := disagreement(results); err == nil || !strings.HasPrefix(err.Error(), "tiny: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	o, err := parse([]string{"-boards", "a,b", "-huge", "-n", "2"}, io.Discard)
	if err != nil || strings.Join(o.boards, ",") != hugeBoards || !o.few || o.rounds != 2 || !o.explore || !o.cluster {
		t.Errorf("%+v, %v", o, err)
	}
	o, err = parse([]string{"-boards", "a,tiles/b"}, io.Discard)
	if err != nil || strings.Join(o.boards, " ") != "a tiles/b" || o.few {
		t.Errorf("%+v, %v", o, err)
	}
	for _, args := range [][]string{{"-n", "0"}, {"board"}, {"-nonsense"}} {
		if _, err := parse(args, io.Discard); !errors.Is(err, measure.ErrUsage) {
			t.Errorf("%q: %v", args, err)
		}
	}
	if _, err := parse([]string{"-help"}, io.Discard); !errors.Is(err, flag.ErrHelp) {
		t.Error(err)
	}
}

// TestMeasure measures a board that takes moments: so small that one worker makes its
// layers alone and no candidate is sent.
func TestMeasure(t *testing.T) {
	t.Parallel()
	effort.Needed(t, "builds the program and runs it in all ways")
	var out, notes bytes.Buffer
	if err := run(t.Context(), []string{"-boards", "small-4x4", "-n", "2", "-dir", t.TempDir(), "-json"}, &out, &notes); err != nil {
		t.Fatalf("%v\n%s", err, notes.String())
	}
	var r report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Results) != len(modes()) || r.Machine.Cores == 0 {
		t.Fatalf("%s", out.String())
	}
	for _, x := range r.Clusters {
		s := x.Samples[1]
		if x.outcome != r.Results[0].outcome || s.Seconds <= 0 || s.AloneSeconds <= 0 || s.WireBytes < s.BlockBytes || s.Candidates == 0 != (s.BlockBytes == 0) || len(s.WorkerPeakBytes) != clusterWorkers {
			t.Errorf("%+v", x)
		}
	}
	if len(r.Clusters) != 1 {
		t.Errorf("%d clusters", len(r.Clusters))
	}
	for _, x := range r.Results {
		if x.States < 1 || x.Generated < x.States || len(x.Digest) != 32 || len(x.Samples) != 2 || x.Samples[1].Seconds <= 0 || x.Samples[1].DiskBytes < x.States {
			t.Errorf("%+v", x)
		}
	}
}

func TestMeasureFails(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds the program")
	}
	dir := t.TempDir()
	err := run(t.Context(), []string{"-boards", "no-such-board", "-dir", dir}, io.Discard, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "no-such-board") {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
