package engine

import (
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// Where moves can be undone and the goals are the starts, depths are goal distances: they
// are known without a goal phase, and answers are those of a run that has one.
func TestGoalsThatAreTheStarts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		opts Options
	}{
		"layers":   {"puzzle: burnt-pancake\n\n1 2 3 4", Options{}},
		"table":    {"puzzle: burnt-pancake\n\n1 2 3 4", Options{Store: StoreTable}},
		"merged":   {"puzzle: topspin\nsymmetry: on\n\n7 3: 1 2 3 4 5 6 7", Options{}},
		"frontier": {"puzzle: burnt-pancake\n\n1 2 3 4", Options{Keep: keepFrontier()}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			boards, err := families.Read([]byte(c.text), puzzle.ReadOptions{})
			check(t, err)
			opts := c.opts
			opts.Workers, opts.Partitions, opts.MemoryBytes = 2, 4, MemoryMin
			dir := t.TempDir() + "/run"
			r, err := Create(dir, boards[0], opts)
			check(t, err)
			_, err = r.Explore(t.Context(), history.Want{})
			check(t, err)
			_, err = r.Explore(t.Context(), history.Want{GoalDistance: true})
			check(t, err)
			s, h := r.Space(), r.History()
			if len(h.Layers(history.Goal)) != 0 || !s.HasDistances() {
				t.Fatalf("%d goal layers; distances known: %v", len(h.Layers(history.Goal)), s.HasDistances())
			}
			summary, err := r.Summary(t.Context())
			check(t, err)
			if !summary.Complete || !slices.Equal(summary.GoalDistanceLayers, summary.Layers) || *summary.UnsolvableStates != 0 ||
				summary.Hardest == nil || summary.Hardest.Distance != summary.Depth {
				t.Errorf("the summary is %+v", summary)
			}
			hardest, err := s.Hardest(t.Context(), 1)
			check(t, err)
			path, err := s.ToGoal(t.Context(), hardest.States[0])
			check(t, err)
			goal := []bool{false}
			boards[0].Puzzle.Goals(path.States[len(path.States)-1], goal)
			if len(path.Moves) != hardest.Distance || !goal[0] {
				t.Errorf("%d moves lead from the hardest state to a goal (%v), want %d", len(path.Moves), goal[0], hardest.Distance)
			}
			replays(t, s, path)
			if query.Whole(s) == nil {
				distancesAreDepths(t, s)
			}
			check(t, r.Close())
		})
	}
}

// replays checks that the moves of a path are those of the puzzle.
func replays(t *testing.T, s *query.Space, path query.Path) {
	t.Helper()
	var edges puzzle.Edges
	for i, move := range path.Moves {
		edges.Reset()
		s.Edges(path.States[i], &edges)
		at := slices.Index(edges.Moves, move)
		if words := s.Scheme.Words(); at < 0 || !slices.Equal(edges.Keys[at*words:(at+1)*words], path.States[i+1]) {
			t.Fatalf("move %d does not lead from state %d to the next", move, i)
		}
	}
}

// distancesAreDepths checks what the table of all states, as exports have it, says.
func distancesAreDepths(t *testing.T, s *query.Space) {
	t.Helper()
	rows := int64(0)
	err := query.Table(t.Context(), s, query.TableOptions{}, func(_ int64, b *query.Batch) (int64, error) {
		for i, d := range b.GoalDistances {
			if d != int32(b.Depths[i]) {
				t.Errorf("depth %d, goal distance %d", b.Depths[i], d)
			}
		}
		return int64(b.Len()), nil
	}, func(n int64) error { rows += n; return nil })
	if check(t, err); rows != s.History.States(history.Forward) {
		t.Errorf("%d rows", rows)
	}
}

// A goal phase that an earlier version began is completed, and answers are the same.
func TestGoalPhaseThatWasBegun(t *testing.T) {
	t.Parallel()
	boards, err := families.Read([]byte("puzzle: burnt-pancake\n\n1 2 3 4"), puzzle.ReadOptions{})
	check(t, err)
	r, err := Create("run", boards[0], Options{Workers: 2, Partitions: 4, MemoryBytes: MemoryMin, FS: vfs.NewMem()})
	check(t, err)
	_, err = r.Explore(t.Context(), history.Want{})
	check(t, err)
	first := r.history.Layers(history.Forward)[0]
	first.Phase, first.Epoch = history.Goal, r.history.LastEpoch()+1
	if !r.history.AddLayer(first) {
		t.Fatal("the layer was not added")
	}
	if !r.history.NeedsGoalPhase(true) || !(history.Want{GoalDistance: true}).For(boards[0].Puzzle, &r.history).GoalDistance {
		t.Error("the goal phase is left as it is")
	}
	check(t, r.Close())
}
