package query

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/puzzle"
)

// eachWorld runs a test for every world, with all of it known.
func eachWorld(t *testing.T, r reach, test func(w *world)) {
	t.Helper()
	for name, p := range worlds(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := explore(t, p, 4, r)
			w.t = t
			test(w)
		})
	}
}

// stray returns keys of states that no way leads to.
func stray(w *world) (keys [][]uint64) {
	if toy, ok := w.puzzle.(*toy); ok {
		for v := range toy.size {
			if key := toy.key(v); w.facts[name(key)] == nil {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

func TestLocate(t *testing.T) {
	eachWorld(t, reach{distances: true}, func(w *world) {
		t := w.t
		if !w.space.Complete() || !w.space.HasDistances() {
			t.Error("the run is not complete")
		}
		for _, f := range w.facts {
			got, err := w.space.Locate(t.Context(), f.key)
			if want := (Place{Depth: f.depth, Link: f.link, Goal: f.goal, GoalDistance: f.goalDistance}); err != nil || got != want {
				t.Fatalf("%s\ngot %+v, %v, want %+v", f.text, got, err, want)
			}
		}
		for _, key := range stray(w) {
			if _, err := w.space.Locate(t.Context(), key); !errors.Is(err, ErrUnreachable) {
				t.Fatalf("a stray key: %v", err)
			}
		}
	})
}

// checkPath checks that a path is one.
func (w *world) checkPath(t *testing.T, path Path, length int) {
	t.Helper()
	if len(path.Moves) != length || len(path.States) != length+1 {
		t.Fatalf("%d moves and %d states, want %d moves", len(path.Moves), len(path.States), length)
	}
	for i, move := range path.Moves {
		next := make([]uint64, len(path.States[i]))
		if !w.puzzle.Apply(next, path.States[i], move) || !slices.Equal(next, path.States[i+1]) {
			t.Fatalf("step %d: %s does not lead from\n%s\nto\n%s", i, w.puzzle.FormatMove(move),
				w.puzzle.Format(path.States[i]), w.puzzle.Format(path.States[i+1]))
		}
	}
}

// The way to a state begins at a start, takes as many moves as the state is
// deep, and follows the links.
func TestFromStart(t *testing.T) {
	eachWorld(t, reach{}, func(w *world) {
		t := w.t
		for _, f := range w.facts {
			key := slices.Clone(f.key)
			path, err := w.space.FromStart(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			w.checkPath(t, path, f.depth)
			for i, key := range path.States {
				at := w.facts[name(key)]
				if at.depth != i || i > 0 && path.Moves[i-1] != at.link {
					t.Fatalf("step %d is at depth %d, and not along the links", i, at.depth)
				}
			}
			path.States[len(path.States)-1][0]++ // the caller owns the path
			if !slices.Equal(key, f.key) || !slices.Equal(path.States[len(path.States)-1][1:], f.key[1:]) {
				t.Fatal("the path does not end with a copy of the state")
			}
		}
		for _, key := range stray(w) {
			if _, err := w.space.FromStart(t.Context(), key); !errors.Is(err, ErrUnreachable) {
				t.Fatalf("a stray key: %v", err)
			}
		}
	})
}

// checkToGoal checks the way to a goal, with the least move at every step.
func (w *world) checkToGoal(t *testing.T, f *fact) {
	t.Helper()
	path, err := w.space.ToGoal(t.Context(), f.key)
	if f.goalDistance < 0 {
		if !errors.Is(err, ErrNoGoal) {
			t.Fatalf("no goal can be reached: %v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	w.checkPath(t, path, f.goalDistance)
	for i, key := range path.States[:f.goalDistance] {
		var edges puzzle.Edges
		w.puzzle.Successors(key, &edges)
		words := w.puzzle.Layout().Words()
		for j, move := range edges.Moves {
			near := w.facts[name(edges.Keys[j*words:(j+1)*words])].goalDistance == f.goalDistance-i-1
			if near && move < path.Moves[i] {
				t.Fatalf("step %d takes move %d, and move %d is as short", i, path.Moves[i], move)
			}
		}
	}
	if last := w.facts[name(path.States[f.goalDistance])]; !last.goal {
		t.Fatalf("the way does not end at a goal:\n%s", last.text)
	}
}

func TestToGoal(t *testing.T) {
	eachWorld(t, reach{distances: true}, func(w *world) {
		t := w.t
		for _, f := range w.facts {
			w.checkToGoal(t, f)
		}
		for _, key := range stray(w) {
			if _, err := w.space.ToGoal(t.Context(), key); !errors.Is(err, ErrUnreachable) {
				t.Fatalf("a stray key: %v", err)
			}
		}
	})
}

// The hardest 6x6 board, by a sample of its states.
func TestJam93(t *testing.T) {
	w := explore(t, board(t, "jam-93.txt", "step"), 16, reach{distances: true})
	if len(w.facts) != 24132 {
		t.Fatalf("%d states, want 24132", len(w.facts))
	}
	start, err := w.space.Locate(t.Context(), w.puzzle.Starts())
	if err != nil || start.Depth != 0 || start.GoalDistance != 93 {
		t.Errorf("the start is at %+v, %v, want goal distance 93", start, err)
	}
	const seed = 5
	rng := rand.New(rand.NewPCG(seed, 0))
	all := w.inOrder(func(*fact) bool { return true })
	for range 200 {
		f := all[rng.IntN(len(all))]
		w.checkToGoal(t, f)
		path, err := w.space.FromStart(t.Context(), f.key)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		w.checkPath(t, path, f.depth)
	}
	w.checkExtremes(t)
}

// checkExtremes compares Hardest, Deepest and FirstGoal with the slow twin's.
func (w *world) checkExtremes(t *testing.T) {
	t.Helper()
	ctx := context.Background()
	distance, depth, firstGoal := -1, 0, -1
	for _, f := range w.facts {
		distance, depth = max(distance, f.goalDistance), max(depth, f.depth)
		if f.goal && (firstGoal < 0 || f.depth < firstGoal) {
			firstGoal = f.depth
		}
	}
	hardest := w.inOrder(func(f *fact) bool { return f.goalDistance == distance })
	for _, n := range []int{0, 1, 2, 3, 10, len(hardest), len(hardest) + 1} {
		got, err := w.space.Hardest(ctx, n)
		if distance < 0 {
			if !errors.Is(err, ErrNoGoal) {
				t.Errorf("hardest of a space without goal: %v", err)
			}
			continue
		}
		if err != nil || got.Distance != distance || got.Count != int64(len(hardest)) || len(got.States) != min(n, len(hardest)) {
			t.Fatalf("the %d hardest: %d of %d at distance %d, %v, want %d at %d",
				n, len(got.States), got.Count, got.Distance, err, len(hardest), distance)
		}
		for i, key := range got.States {
			if !slices.Equal(key, hardest[i].key) {
				t.Errorf("number %d of the hardest is\n%s\nwant\n%s", i, w.puzzle.Format(key), hardest[i].text)
			}
		}
	}
	check := func(what string, got []uint64, err error, keep func(*fact) bool) {
		t.Helper()
		want := w.inOrder(keep)[0]
		if err != nil || !slices.Equal(got, want.key) {
			t.Errorf("%s: %v, %v, want %v", what, got, err, want.key)
		}
	}
	w.checkGoals(t)
	got, err := w.space.Deepest(ctx)
	check("deepest", got, err, func(f *fact) bool { return f.depth == depth })
	got, err = w.space.FirstGoal(ctx)
	if firstGoal < 0 {
		if !errors.Is(err, ErrNoGoal) {
			t.Errorf("first goal of a space without goal: %v", err)
		}
		return
	}
	check("first goal", got, err, func(f *fact) bool { return f.goal && f.depth == firstGoal })
	// It is the first by its text however many goals there are.
	layer := &w.space.History.Layers(history.Forward)[firstGoal]
	goals := layer.Goals
	layer.Goals = TextsMax + 1
	got, err = w.space.FirstGoal(ctx)
	layer.Goals = goals
	check("first goal of many", got, err, func(f *fact) bool { return f.goal && f.depth == firstGoal })
}

// checkGoals compares pages of Goals and Page with the slow twin's.
func (w *world) checkGoals(t *testing.T) {
	t.Helper()
	page := func(what string, want []*fact, list func(offset int64, n int) ([][]uint64, error)) {
		t.Helper()
		for _, c := range []struct{ offset, n int }{{0, 1}, {0, len(want) + 1}, {1, 2}, {len(want) / 2, len(want)}, {len(want), 1}, {len(want) + 5, 3}} {
			got, err := list(int64(c.offset), c.n)
			first := min(c.offset, len(want))
			wanted := want[first:min(first+c.n, len(want))]
			if err != nil || len(got) != len(wanted) {
				t.Fatalf("%s: %d from %d of %d: %d, %v", what, c.n, c.offset, len(want), len(got), err)
			}
			for i, key := range got {
				if !slices.Equal(key, wanted[i].key) {
					t.Fatalf("%s: %d from %d: number %d is\n%s\nwant\n%s", what, c.n, c.offset, i, w.puzzle.Format(key), wanted[i].text)
				}
			}
		}
	}
	var goals []*fact
	for _, layer := range w.space.History.Layers(history.Forward) {
		here := w.inOrder(func(f *fact) bool { return f.depth == int(layer.Depth) })
		page("layer", here, func(offset int64, n int) ([][]uint64, error) { return Page(t.Context(), w.space, layer, offset, n) })
		goals = append(goals, w.inOrder(func(f *fact) bool { return f.goal && f.depth == int(layer.Depth) })...)
	}
	page("goals", goals, func(offset int64, n int) ([][]uint64, error) { return Goals(t.Context(), w.space, offset, n) })
}

func TestExtremes(t *testing.T) {
	eachWorld(t, reach{distances: true}, func(w *world) { w.checkExtremes(w.t) })
}

func TestSuccessors(t *testing.T) {
	for _, r := range []reach{{distances: true}, {}, {depths: 2}} {
		eachWorld(t, r, func(w *world) {
			t := w.t
			for _, f := range w.facts {
				place, err := w.space.Locate(t.Context(), f.key)
				if err != nil {
					t.Fatal(err)
				}
				got, err := w.space.Successors(t.Context(), f.key, place)
				if err != nil {
					t.Fatal(err)
				}
				var edges puzzle.Edges
				w.puzzle.Successors(f.key, &edges)
				if len(got) != edges.Len() {
					t.Fatalf("%d successors, want %d", len(got), edges.Len())
				}
				words := w.puzzle.Layout().Words()
				for i, n := range got {
					key := edges.Keys[i*words : (i+1)*words]
					at := w.facts[name(key)]
					if !slices.Equal(n.State, key) || n.Move != edges.Moves[i] || n.Known != (at != nil) {
						t.Fatalf("successor %d: %+v", i, n)
					}
					want := Place{}
					if at != nil {
						want = Place{Depth: at.depth, Link: at.link, Goal: at.goal, GoalDistance: at.goalDistance}
					}
					if n.Place != want {
						t.Fatalf("successor %d: %+v, want %+v", i, n.Place, want)
					}
				}
			}
		})
	}
}

// A run that has not ended answers for what it has found.
func TestIncompleteRun(t *testing.T) {
	eachWorld(t, reach{depths: 3}, func(w *world) {
		t := w.t
		ctx := context.Background()
		whole := explore(t, w.puzzle, 4, reach{})
		if len(whole.facts) > len(w.facts) && w.space.Complete() {
			t.Error("the run says that it is complete")
		}
		if w.space.HasDistances() != w.known {
			t.Errorf("the run has goal distances: %v", !w.known)
		}
		if w.known {
			return // it is all there is
		}
		for _, f := range whole.facts {
			known := w.facts[name(f.key)] != nil
			place, err := w.space.Locate(t.Context(), f.key)
			if known && (err != nil || place.Depth != f.depth || place.GoalDistance != -1) || !known && !errors.Is(err, ErrUnreachable) {
				t.Fatalf("known %t: %+v, %v", known, place, err)
			}
			path, err := w.space.FromStart(t.Context(), f.key)
			if known {
				w.checkPath(t, path, f.depth)
			} else if !errors.Is(err, ErrUnreachable) {
				t.Fatalf("a way to where nobody was: %v", err)
			}
			if _, err := w.space.ToGoal(t.Context(), f.key); !errors.Is(err, ErrNoDistances) {
				t.Fatalf("a way to the goal without distances: %v", err)
			}
		}
		if _, err := w.space.Hardest(ctx, 1); !errors.Is(err, ErrNoDistances) {
			t.Errorf("hardest: %v", err)
		}
	})
	empty := &Space{History: &history.History{}}
	if _, err := empty.Deepest(context.Background()); !errors.Is(err, ErrUnreachable) {
		t.Errorf("deepest of nothing: %v", err)
	}
	if _, err := empty.FirstGoal(context.Background()); !errors.Is(err, ErrNoGoal) {
		t.Errorf("first goal of nothing: %v", err)
	}
}

// Cancelling ends every search within a block.
func TestCancel(t *testing.T) {
	w := explore(t, line(3000, 1), 1, reach{distances: true})
	ctx, cancel := context.WithCancel(context.Background())
	batches := 0
	encode := func(_ int, b *Batch) (int, error) { return b.Len(), nil }
	err := Table(ctx, w.space, TableOptions{Rows: 10}, encode, func(int) error {
		batches++
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) || batches != 1 {
		t.Errorf("Table: %v, after %d batches of %d rows", err, batches, len(w.facts))
	}
	_, hardest := w.space.Hardest(ctx, 1)
	_, deepest := w.space.Deepest(ctx)
	_, goal := w.space.FirstGoal(ctx)
	key := w.puzzle.Starts()
	_, locate := w.space.Locate(ctx, key)
	_, next := w.space.Successors(ctx, key, Place{})
	_, from := w.space.FromStart(ctx, key)
	_, to := w.space.ToGoal(ctx, key)
	for what, err := range map[string]error{
		"Table": Table(ctx, w.space, TableOptions{}, encode, func(int) error { t.Error("a batch"); return nil }), "Hardest": hardest, "Deepest": deepest, "FirstGoal": goal,
		"Locate": locate, "Successors": next, "FromStart": from, "ToGoal": to,
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A run whose records are not what was committed is said to be damaged.
func TestDamagedRun(t *testing.T) {
	toy := line(300, 1)
	fresh := func() (*world, records) {
		w := explore(t, toy, 1, reach{distances: true})
		return w, w.space.Records.(records)
	}
	damaged := func(what string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), "the run is damaged") {
			t.Errorf("%s: %v", what, err)
		}
	}
	ctx := context.Background()
	rows := func(s *Space) error {
		encode := func(_ int, b *Batch) (int, error) { return b.Len(), nil }
		return Table(ctx, s, TableOptions{Predecessors: true}, encode, func(int) error { return nil })
	}

	w, recs := fresh()
	last := history.Layer{Phase: history.Forward, Depth: uint32(len(w.space.History.Layers(history.Forward)) - 1)}
	at := place{last.Phase, last.Depth, 0}
	recs.parts[at] = recs.parts[at][1:]
	_, err := w.space.Deepest(ctx)
	damaged("Deepest of a layer that is too short", err)
	damaged("Table of a layer that is too short", rows(w.space))

	w, recs = fresh()
	at = place{history.Forward, 1, 0}
	deep := w.inOrder(func(f *fact) bool { return f.depth >= 3 && f.goalDistance >= 3 })[0]
	recs.parts[at] = recs.parts[at][:0]
	_, err = w.space.FromStart(t.Context(), deep.key)
	damaged("FromStart without the layer on the way", err)
	_, err = w.space.ToGoal(t.Context(), deep.key)
	if err != nil {
		t.Errorf("ToGoal does not need it: %v", err)
	}
	for d := range w.space.History.Layers(history.Goal) {
		at := place{history.Goal, uint32(d), 0}
		if d != w.facts[name(deep.key)].goalDistance {
			recs.parts[at] = recs.parts[at][:0]
		}
	}
	_, err = w.space.ToGoal(t.Context(), deep.key)
	damaged("ToGoal without the layers on the way", err)
}
