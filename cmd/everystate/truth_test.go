package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/local"
)

// truthStatesMax and truthStatesShortMax bound the spaces of these tests: all,
// and the small ones with -short.
const (
	truthStatesMax      = 3_000_000
	truthStatesShortMax = 300
)

// truth is a record of testdata/truth.
type truth struct {
	ID             string  `json:"id"`
	Input          string  `json:"input"`
	Metric         string  `json:"metric"`
	Reachable      int64   `json:"reachable"`
	Layers         []int64 `json:"layers"`
	Goals          int64   `json:"goals"`
	SolutionLength *int    `json:"solution_length"`
	DistanceToGoal []int64 `json:"distance_to_goal"`
	Hardest        *struct {
		Distance int    `json:"distance"`
		Count    int64  `json:"count"`
		Example  string `json:"example"`
	} `json:"hardest"`
}

// TestTruth compares what `explore --goal-distance --json` prints with what is
// known.
func TestTruth(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(moduleDir(t), "testdata", "truth", "rush-hour.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []truth
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	limit := int64(truthStatesMax)
	if testing.Short() {
		limit = truthStatesShortMax
	}
	tried := 0
	for _, c := range cases {
		if c.Reachable > limit {
			continue
		}
		tried++
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			r := call(c.Input, "explore", "-", "--metric", c.Metric, "--run", t.TempDir(),
				"--goal-distance", "--json", "--quiet", "--partitions", "8", "--memory", "64MiB")
			if r.code != exitComplete || r.errs != "" {
				t.Fatalf("exit %d\n%s", r.code, r.errs)
			}
			var s local.Summary
			if err := json.Unmarshal([]byte(r.out), &s); err != nil {
				t.Fatal(err)
			}
			c.check(t, &s)
		})
	}
	if tried == 0 {
		t.Error("nothing was compared")
	}
}

func (c *truth) check(t *testing.T, s *local.Summary) {
	t.Helper()
	if s.States != c.Reachable || s.GoalStates != c.Goals || !s.Complete {
		t.Errorf("%d states and %d goals, want %d and %d", s.States, s.GoalStates, c.Reachable, c.Goals)
	}
	if !slices.Equal(s.Layers, c.Layers) {
		t.Errorf("layers are %v, want %v", s.Layers, c.Layers)
	}
	if got, want := numberOr(s.SolutionLength, "none"), numberOr(c.SolutionLength, "none"); got != want {
		t.Errorf("solution length is %s, want %s", got, want)
	}
	if !slices.Equal(s.GoalDistanceLayers, c.DistanceToGoal) {
		t.Errorf("goal distance layers are %v, want %v", s.GoalDistanceLayers, c.DistanceToGoal)
	}
	switch {
	case s.Hardest == nil || c.Hardest == nil:
		if s.Hardest != nil || c.Hardest != nil {
			t.Errorf("hardest is %v, want %v", s.Hardest, c.Hardest)
		}
	case s.Hardest.Distance != c.Hardest.Distance || s.Hardest.Count != c.Hardest.Count:
		t.Errorf("hardest is %v, want %v", *s.Hardest, *c.Hardest)
	case s.Hardest.Example != strings.ReplaceAll(c.Hardest.Example, " / ", "\n"):
		t.Errorf("hardest example is\n%s\nwant\n%s", s.Hardest.Example, c.Hardest.Example)
	}
}
