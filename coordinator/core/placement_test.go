package core

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
)

func placed(t *testing.T) history.History {
	t.Helper()
	var h history.History
	if !h.AddPlacement(history.Placement{Workers: []string{"ada", "bob"}, Homes: []history.WorkerID{0, 1, 1, 0}}) {
		t.Fatal("the placement is refused")
	}
	if !h.AddLayer(history.Layer{Phase: history.Forward, Epoch: 1, States: 1, PartStates: []int64{1, 0, 0, 0}}) {
		t.Fatal("the layer is refused")
	}
	return h
}

func newPlaced(h history.History) *Core {
	return New(history.Spec{Partitions: 4}, Options{Reversible: true, Placed: true, Spread: -1}, h, history.Want{})
}

func mustStep(t *testing.T, c *Core, ev Event) []Effect {
	t.Helper()
	effects, err := c.Step(ev)
	if err != nil {
		t.Fatal(err)
	}
	return effects
}

func wantEffects(t *testing.T, what string, got []Effect, want ...Effect) {
	t.Helper()
	if len(got) == 0 && len(want) == 0 {
		return
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%s:\n%+v, want\n%+v", what, got, want)
	}
}

// wantShares checks that a layer is begun by these workers, with these
// partitions.
func wantShares(t *testing.T, what string, got []Effect, want map[history.WorkerID][]uint32) {
	t.Helper()
	shares := make(map[history.WorkerID][]uint32)
	for _, e := range got {
		if begin, ok := e.(Begin); ok {
			shares[begin.Worker] = begin.Parts
		}
	}
	if !reflect.DeepEqual(shares, want) {
		t.Fatalf("%s: %+v, want shares %v", what, got, want)
	}
}

// Without a backup, a run waits for every worker that keeps something.
func TestWaitsForKeepers(t *testing.T) {
	c := newPlaced(placed(t))
	wantEffects(t, "one of two", mustStep(t, c, Joined{Worker: 1}), Wait{For: []history.WorkerID{0}})
	wantEffects(t, "the other is lost", mustStep(t, c, Lost{Worker: 0}), Wait{For: []history.WorkerID{0}})
	wantShares(t, "both", mustStep(t, c, Joined{Worker: 0}), map[history.WorkerID][]uint32{0: {0, 3}, 1: {1, 2}})
	got := mustStep(t, c, Lost{Worker: 1})
	wantEffects(t, "lost again", got[1:], Wait{For: []history.WorkerID{1}})
}

// A worker that comes later takes its share from the others, which it fetches.
func TestNewcomerGetsItsShare(t *testing.T) {
	c := newPlaced(placed(t))
	mustStep(t, c, Joined{Worker: 0})
	mustStep(t, c, Joined{Worker: 2, Weight: 2}) // bob, who keeps two of four, is not there yet
	got := mustStep(t, c, Joined{Worker: 1})
	hold, ok := got[0].(Hold)
	if len(got) != 1 || !ok || hold.Worker != 2 || len(hold.Parts) != 2 || !slices.Equal(hold.From, []history.WorkerID{1, 0}) {
		t.Fatalf("%+v", got)
	}
	got = mustStep(t, c, Held{Worker: 2, Epoch: hold.Epoch})
	commit, ok := got[0].(CommitPlacement)
	if !ok || !slices.Equal(commit.Homes, []history.WorkerID{0, 1, 2, 2}) {
		t.Fatalf("%+v", got)
	}
	wantEffects(t, "held again", mustStep(t, c, Held{Worker: 2, Epoch: hold.Epoch}))
	wantShares(t, "moved", mustStep(t, c, Committed{}), map[history.WorkerID][]uint32{0: {0}, 1: {1}, 2: {2, 3}})
}

// If a worker is lost while it is fetched from, the move is given up.
func TestMoveIsGivenUp(t *testing.T) {
	c := newPlaced(placed(t))
	mustStep(t, c, Joined{Worker: 0})
	mustStep(t, c, Joined{Worker: 2, Weight: 2})
	mustStep(t, c, Joined{Worker: 1})
	got := mustStep(t, c, Lost{Worker: 1})
	wantEffects(t, "the end", got[len(got)-1:], Wait{For: []history.WorkerID{1}})
}

// With a backup that has everything, others take over what a lost worker kept.
func TestLostIsRestored(t *testing.T) {
	c := newPlaced(placed(t))
	wantEffects(t, "nobody there", mustStep(t, c, Durable{Forward: 1}), Wait{For: []history.WorkerID{0, 1}})
	wantEffects(t, "not lost yet", mustStep(t, c, Joined{Worker: 1}), Wait{For: []history.WorkerID{0}})
	got := mustStep(t, c, Lost{Worker: 0})
	wantEffects(t, "lost", got, Hold{Worker: 1, Epoch: 2, Parts: []uint32{0, 3}, From: []history.WorkerID{history.NoWorker, history.NoWorker}})
	wantEffects(t, "held", mustStep(t, c, Held{Worker: 1, Epoch: 2}), CommitPlacement{Homes: []history.WorkerID{1, 1, 1, 1}})
	got = mustStep(t, c, Committed{})
	wantEffects(t, "the end of the move", got[:1], End{Worker: 1, Attempt: Attempt{Epoch: 2}, Committed: true})
	wantShares(t, "restored", got, map[history.WorkerID][]uint32{1: {0, 1, 2, 3}})
}

// What is lost with a worker before it was durable is forgotten.
func TestRewind(t *testing.T) {
	c := newPlaced(placed(t))
	wantEffects(t, "nobody there", mustStep(t, c, Durable{}), Wait{For: []history.WorkerID{0, 1}})
	mustStep(t, c, Joined{Worker: 1})
	wantEffects(t, "lost", mustStep(t, c, Lost{Worker: 0}), Wait{For: []history.WorkerID{0}})
	wantEffects(t, "stuck", mustStep(t, c, Durable{Stuck: true}), Rewind{})
	wantEffects(t, "joined meanwhile", mustStep(t, c, Joined{Worker: 0}))
	var h history.History
	wantEffects(t, "rewound", mustStep(t, c, Rewound{h}), CommitPlacement{Homes: []history.WorkerID{0, 0, 1, 1}})
	wantShares(t, "placed", mustStep(t, c, Committed{}), map[history.WorkerID][]uint32{0: {0, 1}, 1: {2, 3}})
	if _, err := c.Step(Rewound{h}); err == nil {
		t.Error("forgetting what nobody asked to forget is accepted")
	}
}

// A worker that wants to leave does so when others have what it keeps.
func TestLeaving(t *testing.T) {
	c := newPlaced(placed(t))
	mustStep(t, c, Joined{Worker: 0})
	mustStep(t, c, Joined{Worker: 1})
	a, _ := c.Attempt()
	wantEffects(t, "in the middle of a layer", mustStep(t, c, Leaving{Worker: 1}))
	for w := range history.WorkerID(2) {
		mustStep(t, c, Began{Worker: w, Epoch: a.Epoch})
	}
	for w := range history.WorkerID(2) {
		mustStep(t, c, Expanded{Worker: w, Epoch: a.Epoch})
	}
	mustStep(t, c, Written{Expanded: Expanded{Worker: 0, Epoch: a.Epoch}, Parts: []Part{{Part: 0, States: 1}, {Part: 3}}})
	mustStep(t, c, Written{Expanded: Expanded{Worker: 1, Epoch: a.Epoch}, Parts: []Part{{Part: 1}, {Part: 2}}})
	got := mustStep(t, c, Committed{})
	hold, ok := got[len(got)-1].(Hold)
	if !ok || hold.Worker != 0 || !slices.Equal(hold.Parts, []uint32{1, 2}) {
		t.Fatalf("after the layer: %+v", got)
	}
	if !c.Needs(1) {
		t.Error("it may leave before it was fetched from")
	}
	mustStep(t, c, Held{Worker: 0, Epoch: hold.Epoch})
	mustStep(t, c, Committed{})
	if c.Needs(1) || !c.Needs(0) {
		t.Error("it is needed afterwards")
	}
}

// The last worker may leave; the run waits for it.
func TestLastMayLeave(t *testing.T) {
	c := newPlaced(placed(t))
	mustStep(t, c, Joined{Worker: 0})
	mustStep(t, c, Leaving{Worker: 0})
	if c.Needs(0) {
		t.Error("it may not leave")
	}
}

func TestAddPlacement(t *testing.T) {
	h := placed(t)
	if h.AddPlacement(history.Placement{Workers: []string{"eve"}, Homes: []history.WorkerID{0}}) {
		t.Error("a placement of other partitions is accepted")
	}
	if !h.AddPlacement(history.Placement{Workers: []string{"eve"}, Homes: []history.WorkerID{0, 0, 0, 0}}) {
		t.Error("a second placement is refused")
	}
	for name, p := range map[string]history.Placement{
		"no worker":        {Homes: []history.WorkerID{0}},
		"no partition":     {Workers: []string{"ada"}},
		"a worker twice":   {Workers: []string{"ada", "ada"}, Homes: []history.WorkerID{0, 1}},
		"without name":     {Workers: []string{""}, Homes: []history.WorkerID{0}},
		"a home elsewhere": {Workers: []string{"ada"}, Homes: []history.WorkerID{1}},
	} {
		var h history.History
		if h.AddPlacement(p) {
			t.Errorf("%s is accepted", name)
		}
	}
}

// Shares follow the weights to within one, and nothing moves that need not.
func TestRebalance(t *testing.T) {
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 1))
		n := 1 << rng.IntN(9)
		var workers []weighted
		var total int64
		for id := range history.WorkerID(1 + rng.IntN(9)) {
			if rng.IntN(4) > 0 || id == 0 {
				w := weighted{id, 1 + rng.Uint32N(5)}
				if rng.IntN(3) == 0 {
					w.weight = 1 + rng.Uint32()>>1
				}
				workers = append(workers, w)
				total += int64(w.weight)
			}
		}
		homes := make([]history.WorkerID, n)
		for p := range homes {
			if homes[p] = history.WorkerID(rng.IntN(10)); homes[p] == 9 {
				homes[p] = history.NoWorker
			}
		}
		got := rebalance(homes, workers)
		excess, moved := 0, 0
		for p := range got {
			if got[p] != homes[p] {
				moved++
			}
		}
		for _, w := range workers {
			has, had := len(partsOf(got, w.id)), len(partsOf(homes, w.id))
			if share := float64(n) * float64(w.weight) / float64(total); float64(has) <= share-1 || float64(has) >= share+1 {
				t.Fatalf("seed %d: worker %d has %d of %d partitions, its share is %.2f", seed, w.id, has, n, share)
			}
			excess += max(0, has-had)
		}
		if moved != excess {
			t.Fatalf("seed %d: %d partitions moved to fill %d places", seed, moved, excess)
		}
		if again := rebalance(got, workers); !slices.Equal(again, got) {
			t.Fatalf("seed %d: what is balanced moves", seed)
		}
	}
}
