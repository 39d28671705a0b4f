package blocks

import (
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/test/puzzletest"
	"github.com/everystate/everystate/puzzle"
	family "github.com/everystate/everystate/puzzle/blocks"
)

// TestKnownBoardsAreFound looks for boards whose spaces are known among all placements
// of their pieces: a cluster has the same states at each distance to the goal, and
// the same hardest board.
func TestKnownBoardsAreFound(t *testing.T) {
	t.Parallel()
	found := 0
	for _, r := range puzzletest.Records(t, "klotski.json") {
		name, metric, _ := strings.Cut(r.ID, "/")
		name = strings.TrimPrefix(name, "klotski-")
		known := []string{"huarong-hengdaolima", "huarong-yushengxili", "dads-puzzler", "century", "super-century-138", "bickford-131"}
		if !slices.Contains(known, name) {
			continue
		}
		found++
		t.Run(name+"-"+metric, func(t *testing.T) {
			t.Parallel()
			text, err := r.Text()
			if err != nil {
				t.Fatal(err)
			}
			boards, err := family.Read([]byte(text), puzzle.ReadOptions{Metric: metric})
			if err != nil {
				t.Fatal(err)
			}
			_, f := do(t, Rules{Board: boards[0].Text})
			for _, record := range f.Records {
				if record.Board != oneLine(*r.Hardest.Example) {
					continue
				}
				last := int64(record.Layers[len(record.Layers)-1])
				if record.Distance() != r.Hardest.Distance || last != *r.Hardest.Count || int64(record.States()) != *r.Reachable || int64(record.Goals()) != *r.Goals {
					t.Errorf("%d states, %d goals, %d at %d: want %d, %d, %d at %d", record.States(), record.Goals(), last, record.Distance(),
						*r.Reachable, *r.Goals, *r.Hardest.Count, r.Hardest.Distance)
				}
				for d, n := range r.DistanceToGoal {
					if record.Layers[d] != uint64(n) {
						t.Errorf("distance %d: %d states, want %d", d, record.Layers[d], n)
					}
				}
				return
			}
			t.Errorf("no record has the board %s", oneLine(*r.Hardest.Example))
		})
	}
	if found != 18 {
		t.Errorf("%d known spaces, want 18", found)
	}
}
