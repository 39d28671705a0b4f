package core

import (
	"errors"
	"strings"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
)

// attempt takes two workers through an attempt at layer 0, in which worker 1 says that
// it sent 5 candidates to worker 2, and worker 2 what it has taken.
func attempt(t *testing.T, c *Core, took ...Carried) []Effect {
	t.Helper()
	epoch := c.attempt.Epoch
	var effects []Effect
	for _, ev := range []Event{
		Began{Worker: 1, Epoch: epoch}, Began{Worker: 2, Epoch: epoch},
		Expanded{Worker: 1, Epoch: epoch, Sent: []Carried{{Peer: 1, Records: 2, Sum: 9}, {Peer: 2, Records: 5, Sum: 77}}},
		Expanded{Worker: 2, Epoch: epoch},
		Written{Expanded: Expanded{Worker: 1, Epoch: epoch}, Parts: []Part{{Part: 0, States: 1}}, Took: []Carried{{Peer: 1, Records: 2, Sum: 9}}},
		Written{Expanded: Expanded{Worker: 2, Epoch: epoch}, Parts: []Part{{Part: 1, States: 1}}, Took: took},
	} {
		var err error
		if effects, err = c.Step(ev); err != nil {
			t.Fatal(err)
		}
	}
	return effects
}

func twoWorkers(t *testing.T) *Core {
	t.Helper()
	c := New(history.Spec{Partitions: 2}, Options{}, history.History{}, history.Want{})
	for _, w := range []history.WorkerID{1, 2} {
		if _, err := c.Step(Joined{Worker: w, More: w == 1}); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// A layer is committed only if what was sent is what was taken. If not, it is said who
// differs, and the attempt is made again, three times in all.
func TestConservation(t *testing.T) {
	for _, test := range []struct {
		what string
		took []Carried
		says string // empty if the layer is committed
	}{
		{what: "all", took: []Carried{{Peer: 1, Records: 5, Sum: 77}}},
		{what: "nothing", says: "worker 1 sent 5 to worker 2 (sum 000000000000004d), which received 0"},
		{what: "a batch less", took: []Carried{{Peer: 1, Records: 3, Sum: 60}}, says: "worker 1 sent 5 to worker 2"},
		{what: "a batch twice", took: []Carried{{Peer: 1, Records: 7, Sum: 94}}, says: "which received 7"},
		{what: "another state", took: []Carried{{Peer: 1, Records: 5, Sum: 78}}, says: "sum 000000000000004e"},
		{what: "from the wrong one", took: []Carried{{Peer: 2, Records: 5, Sum: 77}}, says: "worker 1 sent 5 to worker 2"},
		{what: "from nobody", took: []Carried{{Peer: 1, Records: 5, Sum: 77}, {Peer: 2, Records: 1, Sum: 1}}, says: "worker 2 sent 0 to worker 2"},
	} {
		c := twoWorkers(t)
		effects := attempt(t, c, test.took...)
		if test.says == "" {
			if _, is := effects[len(effects)-1].(CommitLayer); !is {
				t.Errorf("%s: %v", test.what, effects)
			}
			continue
		}
		for n := 1; n <= imbalancesMax; n++ {
			if n > 1 {
				effects = attempt(t, c, test.took...)
			}
			text, begun, stopped := "", 0, error(nil)
			for _, e := range effects {
				switch e := e.(type) {
				case Unbalanced:
					text = e.Err.Error()
				case Begin:
					begun++
				case Stop:
					stopped = e.Err
				case CommitLayer, CommitEnd:
					t.Fatalf("%s: committed", test.what)
				}
			}
			var lost *ConservationError
			if !strings.Contains(text, test.says) || (begun == 2) != (n < imbalancesMax) || errors.As(stopped, &lost) != (n == imbalancesMax) {
				t.Errorf("%s, attempt %d: %q, %d begin again, stopped by %v", test.what, n, text, begun, stopped)
			}
		}
	}
}

// What cannot be a tally is refused as nonsense.
func TestTallies(t *testing.T) {
	for what, sent := range map[string][]Carried{
		"a stranger":        {{Peer: 3, Records: 1}},
		"twice":             {{Peer: 1, Records: 1}, {Peer: 1, Records: 1}},
		"less than nothing": {{Peer: 1, Records: -1}},
	} {
		c := twoWorkers(t)
		for _, ev := range []Event{Began{Worker: 1, Epoch: 1}, Began{Worker: 2, Epoch: 1}} {
			if _, err := c.Step(ev); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := c.Step(Expanded{Worker: 1, Epoch: 1, Sent: sent}); err == nil {
			t.Errorf("%s: taken", what)
		}
	}
}
