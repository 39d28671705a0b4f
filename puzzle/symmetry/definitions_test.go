package symmetry_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/test/puzzletest"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// TestDefinitions compares small definitions of twsearch's format with what another program
// counts (testdata/truth/definitions/random.py): as they are, written as others read them, and
// with symmetric states merged.
func TestDefinitions(t *testing.T) {
	text, err := os.ReadFile("../../testdata/truth/definitions/random.json")
	if err != nil {
		t.Fatal(err)
	}
	var records []struct {
		ID, Metric, Definition string
		Layers                 []int
	}
	if err := json.Unmarshal(text, &records); err != nil {
		t.Fatal(err)
	}
	merged := 0
	for _, r := range records {
		boards, err := families.Read([]byte(r.Definition), puzzle.ReadOptions{Metric: r.Metric})
		if err != nil {
			t.Errorf("%s: %v", r.ID, err)
			continue
		}
		plain := boards[0].Puzzle
		all := puzzletest.Explore(plain)
		if !slices.Equal(all.Layers, r.Layers) {
			t.Errorf("%s: layers %v, want %v\n%s", r.ID, all.Layers, r.Layers, r.Definition)
		}
		for _, format := range []string{"tws", "kpuzzle"} {
			written, what, ok := plain.(puzzle.Defined).Definition(format)
			if !ok && format == "kpuzzle" && strings.Contains(r.Definition, "Illegal") {
				continue // JSON has nothing like it
			}
			again, err := families.Read([]byte(written), puzzle.ReadOptions{Metric: r.Metric})
			if err != nil || !slices.Equal(puzzletest.Explore(again[0].Puzzle).States, all.States) {
				t.Errorf("%s as %s is another puzzle: %v %s\n%s", r.ID, format, err, what, written)
			}
		}
		if checkMerged(t, r.ID, r.Definition, r.Metric, r.Layers) {
			merged++
		}
	}
	if len(records) < 80 || merged < 20 {
		t.Errorf("%d definitions, of which %d have symmetries", len(records), merged)
	}
}

// checkMerged compares what the layers of a merged definition stand for, if it has symmetries.
func checkMerged(t *testing.T, id, definition, metric string, layers []int) bool {
	t.Helper()
	boards, err := families.ReadWith([]byte(definition), []families.Header{{Key: "symmetry", Value: "on"}}, puzzle.ReadOptions{Metric: metric})
	if err != nil {
		return false
	}
	p := boards[0].Puzzle
	few := puzzletest.Explore(p)
	checkSize(t, p, few.Len())
	var weights []int
	for depth := range few.Layers {
		weights = append(weights, weightOf(p, few.Layer(depth)))
	}
	if !slices.Equal(weights, layers) {
		t.Errorf("%s: merged layers stand for %v, want %v\n%s", id, weights, layers, definition)
	}
	return true
}
