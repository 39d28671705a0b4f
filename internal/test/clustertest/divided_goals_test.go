package clustertest

import (
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/internal/table/stored"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
	workerserver "github.com/everystate/everystate/worker/server"
)

// divided says whether the runs of a world divide a table.
type divided struct {
	table bool
	later bool // they are explored first, and goal distances are asked for when that is over
	ahead bool // partitions are fetched ahead, however few states they have
	done  int  // entries when the first of the two was over
}

// entries returns how many entries a journal has where a scenario goes on that has n of a
// whole run.
func (d divided) entries(n int) int {
	if d.done == 0 {
		return n
	}
	return d.done + n/2 // of a board with about half as many goal layers as layers in all
}

// explored has a run explored without goal distances, and holds what follows.
func (c *coordinator) explored(run string, spec history.Spec) {
	c.t.Helper()
	c.gate.set(false)
	if _, err := c.client.Submit(c.t.Context(), run, spec, history.Want{}); err != nil {
		c.t.Fatal(err)
	}
	c.stopped(run)
	s, _ := c.get(run)
	c.divided.done = s.Entries
	c.hold()
}

// verified waits until all workers answer, and all layers are as they were committed.
func (c *coordinator) verified(r *client.Run) {
	c.t.Helper()
	if r.Spec().Store != history.DividedTable {
		return // a scenario has submitted another one
	}
	c.until("all layers are as committed", func() bool {
		checked := 0
		err := r.Divided().Verify(c.t.Context(), func(history.Layer) { checked++ })
		if fault := new(stored.FaultError); errors.As(err, &fault) {
			c.t.Fatal(err)
		}
		h := r.History()
		return err == nil && checked == len(h.Layers(history.Forward))+len(h.Layers(history.Goal))
	})
}

// TestDividedGoals has workers join, leave and be lost, and coordinators, while runs that
// divide a table get goal distances, in the same run or when it is resumed: as in runs that
// keep layers.
func TestDividedGoals(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	usual := []string{
		"a worker joins in the middle", "a worker is started again after its lease", "questions while partitions move",
		"the coordinator is started again", "a disk is lost", "all machines are lost", "a disk is lost before its uploads",
	}
	inOne := []string{"two coordinators begin at once", "the bucket is away"} // while the run goes on
	for i, s := range scenarios() {
		if !slices.Contains(usual, s.name) && os.Getenv("EVERYSTATE_THOROUGH") == "" {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			for name, bkt := range map[string]bool{"bucket": true, "no bucket": false} {
				if s.bucket && !bkt {
					continue
				}
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					at := ""
					if bkt {
						at = fileBucket(t)
					}
					w := newWorld(t, at)
					w.divided = divided{table: true, later: !slices.Contains(inOne, s.name) && (bkt || i%2 == 0), ahead: !bkt}
					s.run(w)
				})
			}
		})
	}
}

// TestGoalsOfDividedTables compares goal distances of runs that divide a table with those of
// runs that keep layers: where the start is among many goals or the only one, and where no
// goal is reached.
func TestGoalsOfDividedTables(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"tiles":           "puzzle: tiles\n\n1 4 2\n3 0 5\n",
		"tiles from goal": "puzzle: tiles\n\n1 2 3\n4 5 0\n",
		"rush hour":       "puzzle: rushhour\n\noBBooo\noooooC\nAAoooC\nDoEEEF\nDooooF\noGGGoo\n",
		"no goal":         "puzzle: rushhour\n\nooCo\nooCo\nAACo\nooCo\n",
		"hanoi":           "puzzle: hanoi\n\n4 pegs 5 discs\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all, err := families.Read([]byte(text), puzzle.ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			w := newWorld(t, "")
			c := w.coordinator("c", nil)
			w.divided.table = true
			for _, machine := range []string{"w1", "w2"} {
				c.workerWith(machine, func(o *workerserver.Options) { o.GatherStates = 1 })
			}
			c.present(2)
			b := &board{board: all[0]}
			c.submit(run, b, everything())
			c.stopped(run)
			r, err := c.client.Open(t.Context(), run)
			if err != nil {
				t.Fatal(err)
			}
			if goals := len(r.Space().GoalLayers()); goals == 0 != (name == "no goal") {
				t.Fatalf("%d layers of goal distances", goals)
			}
			sameGoals(t, r, all[0])
			c.verified(r)
			for _, what := range []string{"an attempt failed", "attempt abandoned", "records of a layer are lost"} {
				if w.log.has(what) {
					t.Errorf("the log says %q", what)
				}
			}
		})
	}
}

// sameGoals compares what a run says of goals with what one machine says that keeps layers.
func sameGoals(t *testing.T, r *client.Run, board puzzle.Board) {
	t.Helper()
	all := wholly(t, board, everything())
	want, got := all.Space(), r.Space()
	if got.History.Digest() != want.History.Digest() || !got.HasDistances() || got.DeadStates() != want.DeadStates() || !slices.Equal(got.GoalLayers(), want.GoalLayers()) {
		t.Errorf("digest %v, want %v; %v, want %v", got.History.Digest(), want.History.Digest(), got.GoalLayers(), want.GoalLayers())
	}
	hardest, err := want.Hardest(t.Context(), 5)
	if h, errs := got.Hardest(t.Context(), 5); !errors.Is(errs, err) || !slices.EqualFunc(h.States, hardest.States, slices.Equal[[]uint64]) {
		t.Errorf("%v, want %v: %v, %v", h, hardest, errs, err)
	}
	table := func(s *query.Space) (rows []query.Place) {
		for _, l := range s.History.Layers(history.Forward) {
			keys, err := s.Slice(t.Context(), l, 0, 4)
			if err != nil {
				t.Fatal(err)
			}
			for _, key := range keys {
				at, err := s.Locate(t.Context(), key)
				if err != nil {
					t.Fatal(err)
				}
				rows = append(rows, at)
				way, err := s.ToGoal(t.Context(), key)
				if at.GoalDistance < 0 != errors.Is(err, query.ErrNoGoal) || len(way.Moves) != max(0, at.GoalDistance) {
					t.Errorf("a path of %d moves to a goal at a distance of %d: %v", len(way.Moves), at.GoalDistance, err)
				}
			}
		}
		return rows
	}
	if got, want := table(got), table(want); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
