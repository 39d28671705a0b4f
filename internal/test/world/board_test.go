package world

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// partitions is few, so that a layer of a small space is cheap.
const partitions = 8

// truth is a board with the results of an undisturbed run on one machine.
type truth struct {
	ID     string  `json:"id"`
	Input  string  `json:"input"`
	Metric string  `json:"metric"`
	States int64   `json:"reachable"`
	Layers []int64 `json:"layers"`

	forwardOnly bool // no goal distances are asked for

	board   puzzle.Board
	explore func() (*history.History, error)
}

// truths are the cheap boards of testdata/truth: reversible spaces and others, with
// goals and without.
var truths = sync.OnceValues(func() ([]*truth, error) {
	var all []*truth
	for _, file := range []string{"rush-hour.json", "sokoban.json", "sliding-tiles.json", "peg-solitaire.json", "hanoi.json"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", "testdata", "truth", file))
		if err != nil {
			return nil, err
		}
		var list []*truth
		if err := json.Unmarshal(text, &list); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for _, b := range list {
			states := int64(0)
			for _, n := range b.Layers {
				states += n
			}
			if states < 20 || states > 800 || len(b.Layers) < 4 || len(b.Layers) > 24 {
				continue
			}
			read, err := families.Read([]byte(b.Input), puzzle.ReadOptions{Metric: b.Metric})
			if err != nil || len(read) != 1 {
				continue // it belongs to a test that sets more options
			}
			b.board = read[0]
			b.explore = sync.OnceValues(b.plain)
			all = append(all, b)
		}
	}
	if len(all) < 50 {
		return nil, fmt.Errorf("%d boards", len(all))
	}
	return all, nil
})

// forward returns the truth of a run that is not asked for goal distances.
func (b *truth) forward() *truth {
	only := *b
	only.forwardOnly = true
	only.explore = sync.OnceValues(only.plain)
	return &only
}

func (b *truth) everything() history.Want {
	return history.Want{GoalDistance: b.board.Puzzle.Layout().HasGoal && !b.forwardOnly}.For(b.board.Puzzle, &history.History{})
}

// plain explores the board in process, where nothing goes wrong, and checks the layers
// against the known ones.
func (b *truth) plain() (*history.History, error) {
	r, err := engine.Create("run", b.board, engine.Options{
		Workers: 1, Partitions: partitions, MemoryBytes: engine.MemoryMin, FS: vfs.NewMem(),
	})
	if err != nil {
		return nil, err
	}
	want := b.everything()
	want.MaxDepth = new(len(b.Layers)) // ends even if duplicates are no longer recognised
	if _, err := r.Explore(context.Background(), want); err != nil {
		return nil, err
	}
	h := r.History()
	var layers []int64
	for _, l := range h.Layers(history.Forward) {
		layers = append(layers, l.States)
	}
	if !slices.Equal(layers, b.Layers) {
		return nil, fmt.Errorf("%s: layers %v, want %v", b.ID, layers, b.Layers)
	}
	return h, r.Close()
}

// sameLayer reports whether two layers have the same content, whoever made them and
// when.
func sameLayer(a, b history.Layer) bool {
	return a.Phase == b.Phase && a.Depth == b.Depth && a.States == b.States && a.Generated == b.Generated &&
		a.Goals == b.Goals && a.Represented == b.Represented && a.Pruned == b.Pruned && a.Digest == b.Digest &&
		slices.Equal(a.PartStates, b.PartStates)
}

// disagrees returns how a history differs from a prefix of the truth or, if all is set,
// from all of it.
func (b *truth) disagrees(h *history.History, all bool) string {
	want, err := b.explore()
	if err != nil {
		return err.Error()
	}
	for _, phase := range []history.Phase{history.Forward, history.Goal} {
		got, right := h.Layers(phase), want.Layers(phase)
		if len(got) > len(right) {
			return fmt.Sprintf("%v has %d layers of %d", phase, len(got), len(right))
		}
		for i, l := range got {
			if !sameLayer(l, right[i]) {
				return fmt.Sprintf("%v layer %d is\n%+v, should be\n%+v", phase, i, l, right[i])
			}
			if sample := min(l.States, history.SampleMax); h.Keep().Frontier && phase == history.Forward && int64(len(l.Sample)) != sample {
				return fmt.Sprintf("layer %d has a sample of %d states, should have %d", i, len(l.Sample), sample)
			}
		}
		if end := h.End(phase); end != nil && (len(got) < len(right) || want.End(phase) == nil || end.Generated != want.End(phase).Generated) {
			return fmt.Sprintf("%v ends after %d layers of %d: %+v", phase, len(got), len(right), end)
		}
		if all && (phase == history.Forward || !h.Keep().Frontier) && (len(got) < len(right) || (h.End(phase) == nil) != (want.End(phase) == nil)) {
			return fmt.Sprintf("%v has %d layers of %d only", phase, len(got), len(right))
		}
	}
	if all && h.Keep().Frontier && len(h.Layers(history.Forward)) > 4 && h.DroppedLayers() == 0 {
		return "no layer was dropped"
	}
	return ""
}
