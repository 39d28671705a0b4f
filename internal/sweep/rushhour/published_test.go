package rushhour

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestPublishedDatabase compares what the sweeps of all 6x6 boards with none, one and two
// walls have found with the published database: as many puzzles for each number of moves.
func TestPublishedDatabase(t *testing.T) {
	t.Parallel()
	var found []uint64 // by number of moves
	for walls := range 3 {
		text, err := os.ReadFile(fmt.Sprintf("../../../docs/lab/database-run/walls-%d.json", walls))
		if err != nil {
			t.Fatal(err)
		}
		var sum struct {
			Rules      string `json:"rules"`
			Complete   bool   `json:"complete"`
			Puzzles    uint64 `json:"puzzles"`
			ByDistance []struct {
				Puzzles uint64 `json:"puzzles"`
			} `json:"by_distance"`
		}
		if err := json.Unmarshal(text, &sum); err != nil {
			t.Fatal(err)
		}
		if rules := fmt.Sprintf("size: 6x6\nexit-row: 2\nlengths: 2 3\nmetric: slide\nwalls: %d..%d\n", walls, walls); !strings.Contains(sum.Rules, rules) || !sum.Complete {
			t.Errorf("%d walls: complete %t, %q", walls, sum.Complete, sum.Rules)
		}
		all := uint64(0)
		for moves, of := range sum.ByDistance {
			for len(found) <= moves {
				found = append(found, 0)
			}
			found[moves] += of.Puzzles
			all += of.Puzzles
		}
		if all != sum.Puzzles {
			t.Errorf("%d walls: %d puzzles by distance, and %d in all", walls, all, sum.Puzzles)
		}
	}
	published := readTruth(t).Published
	for _, line := range published.ByDistance {
		moves, want := line[0], line[1]
		got := uint64(0)
		if moves < uint64(len(found)) {
			got, found[moves] = found[moves], 0
		}
		if got != want {
			t.Errorf("%d moves: %d puzzles, and %d are published", moves, got, want)
		}
	}
	for moves, others := range found {
		if others > 0 {
			t.Errorf("%d moves: %d puzzles, and none is published", moves, others)
		}
	}
}
