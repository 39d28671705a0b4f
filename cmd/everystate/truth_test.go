package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/local"
	"github.com/everystate/everystate/puzzle/families"
)

// Bounds of these tests: of one space, and of all spaces of a family together,
// the small ones first.
const (
	truthStatesMax      = 1_000_000
	truthStatesShortMax = 300
	truthPrefixMax      = 300_000
	truthFamilyMax      = 3_000_000

	// With EVERYSTATE_THOROUGH set.
	truthThoroughMax = 30_000_000
)

// truth is a record of testdata/truth. What is not given is not compared.
type truth struct {
	ID             string          `json:"id"`
	Input          string          `json:"input"`
	Format         string          `json:"format"`
	Goal           json.RawMessage `json:"goal"`
	Box            []int           `json:"box"`
	Metric         string          `json:"metric"`
	Complete       *bool           `json:"complete"`
	Reachable      *int64          `json:"reachable"`
	Layers         []int64         `json:"layers"`
	LayersPrefix   []int64         `json:"layers_prefix"`
	Goals          int64           `json:"goals"`
	SolutionLength *int            `json:"solution_length"`
	DistanceToGoal []int64         `json:"distance_to_goal"`
	Dead           *int64          `json:"dead"`
	Hardest        *struct {
		Distance int     `json:"distance"`
		Count    *int64  `json:"count"`
		Example  *string `json:"example"`
	} `json:"hardest"`
}

// whole reports whether the record is about a whole space.
func (c *truth) whole() bool {
	return c.Reachable != nil && len(c.Layers) > 0 && (c.Complete == nil || *c.Complete)
}

// text is the record as a file.
func (c *truth) text(t *testing.T) string {
	t.Helper()
	text := "puzzle: " + c.Format + "\n"
	if goal := c.goal(t); goal != "" {
		text += "goal: " + goal + "\n"
	}
	if len(c.Box) == 2 {
		text += fmt.Sprintf("box: %dx%d\n", c.Box[0], c.Box[1])
	}
	return text + "\n" + c.Input + "\n"
}

// goal is an arrangement, or the place of a piece.
func (c *truth) goal(t *testing.T) string {
	t.Helper()
	var arrangement string
	var place struct {
		Piece    string
		Row, Col int
	}
	switch {
	case c.Goal == nil:
		return ""
	case json.Unmarshal(c.Goal, &arrangement) == nil:
		return strings.ReplaceAll(arrangement, "\n", " / ")
	}
	if err := json.Unmarshal(c.Goal, &place); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s at %d,%d", place.Piece, place.Row, place.Col)
}

// fromStart reports whether the hardest states of the record are those farthest
// from the start.
func (c *truth) fromStart() bool { return c.Format == "hanoi" || c.Metric == "backward-push" }

// asksDistances reports whether the record knows of goal distances.
func (c *truth) asksDistances() bool {
	return !c.fromStart() && (c.DistanceToGoal != nil || c.Hardest != nil || c.Dead != nil)
}

// readTruths returns the records of a family.
func readTruths(t *testing.T, family *families.Family) []truth {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(moduleDir(t), "testdata", "truth", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []truth
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var records []truth
		if err := json.Unmarshal(text, &records); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, c := range records {
			if f, ok := families.ByName(c.Format); ok && f.Name == family.Name {
				all = append(all, c)
			}
		}
	}
	return all
}

// TestTruth compares what `explore --json` prints with what is known.
func TestTruth(t *testing.T) {
	t.Parallel()
	limit, prefixLimit, familyLimit := int64(truthStatesMax), int64(truthPrefixMax), int64(truthFamilyMax)
	switch {
	case testing.Short():
		limit, prefixLimit = truthStatesShortMax, truthStatesShortMax
	case os.Getenv("EVERYSTATE_THOROUGH") != "":
		limit, prefixLimit, familyLimit = truthThoroughMax, truthThoroughMax, math.MaxInt64
	}
	for _, family := range families.All() {
		t.Run(family.Name, func(t *testing.T) {
			t.Parallel()
			var whole []truth
			tried := 0
			for _, c := range readTruths(t, &family) {
				switch {
				case c.whole():
					whole = append(whole, c)
				case len(c.LayersPrefix) > 0:
					tried++
					t.Run(c.ID, func(t *testing.T) { c.checkPrefix(t, prefixLimit) })
				}
			}
			slices.SortStableFunc(whole, func(a, b truth) int { return cmp.Compare(*a.Reachable, *b.Reachable) })
			total := int64(0)
			for _, c := range whole {
				if total += *c.Reachable; *c.Reachable > limit || total > familyLimit {
					break
				}
				tried++
				t.Run(c.ID, c.checkWhole)
			}
			if tried == 0 {
				t.Error("nothing was compared")
			}
		})
	}
}

// explore explores the record's board.
func (c *truth) explore(t *testing.T, code int, flags ...string) *local.Summary {
	t.Helper()
	args := []string{
		"explore", "-", "--metric", c.Metric, "--run", t.TempDir(),
		"--json", "--quiet", "--partitions", "8", "--memory", "64MiB",
	}
	r := call(c.text(t), append(args, flags...)...)
	if r.code != code || r.errs != "" {
		t.Fatalf("exit %d\n%s", r.code, r.errs)
	}
	var s local.Summary
	if err := json.Unmarshal([]byte(r.out), &s); err != nil {
		t.Fatal(err)
	}
	return &s
}

// checkPrefix compares the first layers of a space.
func (c *truth) checkPrefix(t *testing.T, limit int64) {
	t.Helper()
	t.Parallel()
	layers, states := 0, int64(0)
	for layers < len(c.LayersPrefix) && states+c.LayersPrefix[layers] <= limit {
		states += c.LayersPrefix[layers]
		layers++
	}
	s := c.explore(t, exitIncomplete, "--max-depth", fmt.Sprint(layers-1))
	if want := c.LayersPrefix[:layers]; !slices.Equal(s.Layers, want) || s.Complete {
		t.Errorf("layers are %v, want %v; complete is %v", s.Layers, want, s.Complete)
	}
}

// checkWhole compares a whole space.
func (c *truth) checkWhole(t *testing.T) {
	t.Helper()
	t.Parallel()
	var flags []string
	distances := c.asksDistances()
	if distances {
		flags = []string{"--goal-distance"}
	}
	s := c.explore(t, exitComplete, flags...)
	if s.States != *c.Reachable || s.GoalStates != c.Goals || !s.Complete {
		t.Errorf("%d states and %d goals, want %d and %d", s.States, s.GoalStates, *c.Reachable, c.Goals)
	}
	layers := c.Layers
	for len(layers) > 1 && layers[len(layers)-1] == 0 {
		layers = layers[:len(layers)-1]
	}
	if !slices.Equal(s.Layers, layers) {
		t.Errorf("layers are %v, want %v", s.Layers, layers)
	}
	if got, want := numberOr(s.SolutionLength, "none"), numberOr(c.SolutionLength, "none"); got != want && c.Metric != "backward-push" {
		t.Errorf("solution length is %s, want %s", got, want)
	}
	if distances {
		c.checkDistances(t, s)
	}
	if c.fromStart() && c.Hardest != nil {
		if count := s.Layers[len(s.Layers)-1]; s.Depth != c.Hardest.Distance || c.Hardest.Count != nil && count != *c.Hardest.Count {
			t.Errorf("the deepest are %d states at %d, want %+v", count, s.Depth, *c.Hardest)
		}
	}
}

func (c *truth) checkDistances(t *testing.T, s *local.Summary) {
	t.Helper()
	if c.DistanceToGoal != nil && !slices.Equal(s.GoalDistanceLayers, c.DistanceToGoal) {
		t.Errorf("goal distance layers are %v, want %v", s.GoalDistanceLayers, c.DistanceToGoal)
	}
	if c.Dead != nil && (s.UnsolvableStates == nil || *s.UnsolvableStates != *c.Dead) {
		t.Errorf("unsolvable are %v, want %d", s.UnsolvableStates, *c.Dead)
	}
	want := c.Hardest
	switch {
	case s.Hardest == nil || want == nil:
		if s.Hardest != nil || want != nil {
			t.Errorf("hardest is %v, want %v", s.Hardest, want)
		}
	case s.Hardest.Distance != want.Distance || want.Count != nil && s.Hardest.Count != *want.Count:
		t.Errorf("hardest is %v, want %+v", *s.Hardest, *want)
	case want.Example != nil && s.Hardest.Example != strings.ReplaceAll(*want.Example, " / ", "\n"):
		t.Errorf("hardest example is\n%s\nwant\n%s", s.Hardest.Example, *want.Example)
	}
}

// TestTruthText checks how records become files.
func TestTruthText(t *testing.T) {
	t.Parallel()
	for record, want := range map[string]string{
		`{"format":"tiles","input":"2 1\n3 0","goal":"1 2\n3 0"}`:               "puzzle: tiles\ngoal: 1 2 / 3 0\n\n2 1\n3 0\n",
		`{"format":"blocks","input":"A.","goal":{"piece":"A","row":0,"col":1}}`: "puzzle: blocks\ngoal: A at 0,1\n\nA.\n",
		`{"format":"sudoku","input":"12..","box":[2,3]}`:                        "puzzle: sudoku\nbox: 2x3\n\n12..\n",
		`{"format":"xsb","input":"  ####\n###@ #"}`:                             "puzzle: xsb\n\n  ####\n###@ #\n",
		`{"format":"cube-scramble","input":""}`:                                 "puzzle: cube-scramble\n\n\n",
	} {
		var c truth
		if err := json.Unmarshal([]byte(record), &c); err != nil {
			t.Fatal(err)
		}
		if got := c.text(t); got != want {
			t.Errorf("%s becomes\n%s\nnot\n%s", record, got, want)
		}
	}
}
