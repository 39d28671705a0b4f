package core

import (
	"reflect"
	"testing"
)

func placed(t *testing.T) History {
	t.Helper()
	var h History
	if !h.AddPlacement(Placement{Workers: []string{"ada", "bob"}, Homes: []WorkerID{0, 1, 1, 0}}) {
		t.Fatal("the placement is refused")
	}
	return h
}

func mustStep(t *testing.T, c *Core, ev Event) []Effect {
	t.Helper()
	effects, err := c.Step(ev)
	if err != nil {
		t.Fatal(err)
	}
	return effects
}

// Where partitions have homes, an attempt waits for all of them, gives each its
// own, and leaves others out.
func TestPlacement(t *testing.T) {
	c := New(Spec{Partitions: 4}, true, placed(t), Want{MaxDepth: -1})
	if got := mustStep(t, c, Joined{Worker: 1}); !reflect.DeepEqual(got, []Effect{Wait{For: []WorkerID{0}}}) {
		t.Fatalf("with one of two workers: %+v", got)
	}
	if got := mustStep(t, c, Joined{Worker: 7}); !reflect.DeepEqual(got, []Effect{Wait{For: []WorkerID{0}}}) {
		t.Fatalf("with a worker that keeps nothing: %+v", got)
	}
	got := mustStep(t, c, Joined{Worker: 0})
	if len(got) != 2 {
		t.Fatalf("with both: %+v", got)
	}
	for i, want := range [][]uint32{{0, 3}, {1, 2}} {
		begin, ok := got[i].(Begin)
		if !ok || begin.Worker != WorkerID(i) || !reflect.DeepEqual(begin.Parts, want) {
			t.Errorf("worker %d: %+v, want partitions %v", i, got[i], want)
		}
	}
	if got := mustStep(t, c, Lost{Worker: 7}); got != nil {
		t.Errorf("the loss of a worker that keeps nothing: %+v", got)
	}
	got = mustStep(t, c, Lost{Worker: 1})
	if len(got) != 2 || !reflect.DeepEqual(got[1], Wait{For: []WorkerID{1}}) {
		t.Errorf("the loss of one that keeps something: %+v", got)
	}
}

func TestPlacementIsSettledOnce(t *testing.T) {
	h := placed(t)
	if h.AddPlacement(Placement{Workers: []string{"eve"}, Homes: []WorkerID{0, 0, 0, 0}}) {
		t.Error("a second placement is accepted")
	}
	for name, p := range map[string]Placement{
		"no worker":        {Homes: []WorkerID{0}},
		"no partition":     {Workers: []string{"ada"}},
		"a worker twice":   {Workers: []string{"ada", "ada"}, Homes: []WorkerID{0, 1}},
		"without name":     {Workers: []string{""}, Homes: []WorkerID{0}},
		"a home elsewhere": {Workers: []string{"ada"}, Homes: []WorkerID{1}},
	} {
		var h History
		if h.AddPlacement(p) {
			t.Errorf("%s is accepted", name)
		}
	}
}

// A worker that wants to go does so when the layer is done, not before.
func TestLeaving(t *testing.T) {
	c := New(Spec{Partitions: 4}, true, placed(t), Want{MaxDepth: -1})
	mustStep(t, c, Joined{Worker: 0})
	begin, ok := mustStep(t, c, Joined{Worker: 1})[0].(Begin)
	if !ok {
		t.Fatal("nothing begins")
	}
	epoch := begin.Attempt.Epoch
	if got := mustStep(t, c, Leaving{Worker: 1}); got != nil {
		t.Fatalf("in the middle of a layer: %+v", got)
	}
	for w := range WorkerID(2) {
		mustStep(t, c, Began{Worker: w, Epoch: epoch})
	}
	for w := range WorkerID(2) {
		mustStep(t, c, Expanded{Worker: w, Epoch: epoch})
	}
	mustStep(t, c, Written{Worker: 0, Epoch: epoch, Parts: []Part{{Part: 0, States: 1}, {Part: 3}}})
	mustStep(t, c, Written{Worker: 1, Epoch: epoch, Parts: []Part{{Part: 1}, {Part: 2}}})
	got := mustStep(t, c, Committed{})
	if last := got[len(got)-1]; !reflect.DeepEqual(last, Wait{For: []WorkerID{1}}) {
		t.Errorf("after the layer: %+v", got)
	}
	if got := mustStep(t, c, Joined{Worker: 1}); len(got) != 2 {
		t.Errorf("when it is back: %+v", got)
	}
}
