package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/test/truth"
	"github.com/everystate/everystate/internal/test/truth/found"
	"github.com/everystate/everystate/puzzle/families"
)

// Bounds of these tests: of one space, and of all spaces of a family together,
// the small ones first.
const (
	truthStatesMax      = 200_000
	truthStatesShortMax = 300
	truthPrefixMax      = 100_000
	truthFamilyMax      = 300_000
	truthCasesMax       = 15 // of a family, small and large ones alike

	// With EVERYSTATE_THOROUGH set.
	truthThoroughMax = 30_000_000
)

// allTruths reads all records, once.
var allTruths = sync.OnceValues(func() ([]truth.Record, error) { return truth.ReadAll("../..") })

// readTruths returns the records of a family.
func readTruths(t *testing.T, family *families.Family) []truth.Record {
	t.Helper()
	all, err := allTruths()
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(slices.Clone(all), func(r truth.Record) bool {
		f, ok := families.ByName(r.Format)
		return !ok || f.Name != family.Name
	})
}

// TestTruth compares what `explore --json` prints with what is known.
func TestTruth(t *testing.T) {
	t.Parallel()
	limit, prefixLimit, familyLimit, casesLimit := int64(truthStatesMax), int64(truthPrefixMax), int64(truthFamilyMax), truthCasesMax
	switch {
	case testing.Short():
		limit, prefixLimit = truthStatesShortMax, truthStatesShortMax
	case os.Getenv("EVERYSTATE_THOROUGH") != "":
		limit, prefixLimit, familyLimit, casesLimit = truthThoroughMax, truthThoroughMax, math.MaxInt64, math.MaxInt
	}
	for _, family := range families.All() {
		t.Run(family.Name, func(t *testing.T) {
			t.Parallel()
			var whole []truth.Record
			tried := 0
			for _, c := range readTruths(t, &family) {
				switch {
				case c.Whole():
					whole = append(whole, c)
				case len(c.LayersPrefix) > 0:
					tried++
					t.Run(c.ID, func(t *testing.T) { checkPrefix(t, &c, prefixLimit) })
				}
			}
			slices.SortStableFunc(whole, func(a, b truth.Record) int { return cmp.Compare(*a.Reachable, *b.Reachable) })
			total, n := int64(0), 0
			for n < len(whole) && *whole[n].Reachable <= limit && total+*whole[n].Reachable <= familyLimit {
				total += *whole[n].Reachable
				n++
			}
			every := max(1, n/casesLimit)
			for i := n - 1; i >= 0; i -= every {
				c := whole[i]
				tried++
				t.Run(c.ID, func(t *testing.T) { checkWhole(t, &c) })
			}
			if tried == 0 {
				t.Error("nothing was compared")
			}
		})
	}
}

// exploreRecord explores the record's board.
func exploreRecord(t *testing.T, c *truth.Record, code int, flags ...string) *engine.Summary {
	t.Helper()
	text, err := c.Text()
	if err != nil {
		t.Fatal(err)
	}
	args := []string{
		"explore", "-", "--metric", c.Metric, "--run", t.TempDir(),
		"--json", "--quiet", "--partitions", "8", "--memory", "64MiB",
	}
	r := call(text, append(args, flags...)...)
	warned := strings.Contains(r.errs, `: no state is a goal","where":{`) && strings.Count(r.errs, "\n") == 1
	if r.code != code || r.errs != "" && !warned {
		t.Fatalf("exit %d\n%s", r.code, r.errs)
	}
	var s engine.Summary
	if err := json.Unmarshal([]byte(r.out), &s); err != nil {
		t.Fatal(err)
	}
	if warned && s.GoalStates != 0 {
		t.Errorf("%d goal states, and it says: %s", s.GoalStates, r.errs)
	}
	return &s
}

// checkPrefix compares the first layers of a space.
func checkPrefix(t *testing.T, c *truth.Record, limit int64) {
	t.Helper()
	t.Parallel()
	layers, states := 0, int64(0)
	for layers < len(c.LayersPrefix) && states+c.LayersPrefix[layers] <= limit {
		states += c.LayersPrefix[layers]
		layers++
	}
	s := exploreRecord(t, c, exit.Incomplete, "--max-depth", fmt.Sprint(layers-1))
	if want := c.LayersPrefix[:layers]; !slices.Equal(s.Layers, want) || s.Complete {
		t.Errorf("layers are %v, want %v; complete is %v", s.Layers, want, s.Complete)
	}
}

// checkWhole compares a whole space.
func checkWhole(t *testing.T, c *truth.Record) {
	t.Helper()
	t.Parallel()
	var flags []string
	if c.AsksDistances() {
		flags = []string{"--goal-distance"}
	}
	if err := found.Check(c, exploreRecord(t, c, exit.Complete, flags...), c.AsksDistances()); err != nil {
		t.Error(err)
	}
}
