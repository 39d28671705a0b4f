package local

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

func TestSmoke(t *testing.T) {
	file := os.Getenv("BOARD")
	if file == "" {
		file = "../puzzles/rushhour/jam-93.txt"
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	boards, err := families.Read(text, puzzle.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, parts := range []int{64} {
		start := time.Now()
		r, err := Create(t.TempDir(), boards[0], Options{Partitions: parts})
		if err != nil {
			t.Fatal(err)
		}
		t.Log("open", time.Since(start))
		reason, err := r.Explore(context.Background(), core.Want{MaxDepth: -1, GoalDistance: true})
		t.Log("explore", time.Since(start))
		h := r.History()
		t.Log(reason, err, h.States(core.Forward), len(h.Layers(core.Forward)), h.Goals(), h.FirstGoal(), len(h.Layers(core.Goal)), h.States(core.Goal), h.Digest(), h.Generated(core.Forward), r.store.DiskBytes())
		hard, err := r.Space().Hardest(1)
		if err != nil {
			t.Fatal(err)
		}
		t.Log(hard.Distance, hard.Count, "\n"+r.board.Puzzle.Format(hard.States[0]))
		t.Log("hardest", time.Since(start))
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		t.Log("close", time.Since(start))
	}
}
