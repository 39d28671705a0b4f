package core

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
)

func TestClaim(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		session bool
		now     Prospect
		want    Move
	}{
		{name: "nobody is there", now: Prospect{}, want: AwaitWorkers},
		{name: "nobody is there yet, for a run that is kept", now: Prospect{Kept: true, Read: true}, want: AwaitWorkers},
		{name: "without a bucket", now: Prospect{Gathered: true}, want: BeginSession},
		{name: "without a bucket, begun", session: true, now: Prospect{Gathered: true}, want: Work},
		{name: "unread", now: Prospect{Gathered: true, Kept: true}, want: AwaitLog},
		{name: "unread again, in the middle", session: true, now: Prospect{Gathered: true, Kept: true, Behind: true, Stuck: true}, want: AwaitLog},
		{name: "leftovers", now: Prospect{Gathered: true, Kept: true, Read: true, Behind: true}, want: AwaitCopy},
		{name: "leftovers of who is gone", now: Prospect{Gathered: true, Kept: true, Read: true, Behind: true, Stuck: true}, want: CutBack},
		{name: "level", now: Prospect{Gathered: true, Kept: true, Read: true}, want: BeginSession},
		{name: "the session is on its way", session: true, now: Prospect{Gathered: true, Kept: true, Read: true, Behind: true}, want: AwaitCopy},
		{name: "a session is never cut off", session: true, now: Prospect{Gathered: true, Kept: true, Read: true, Behind: true, Stuck: true}, want: AwaitCopy},
		{name: "the session is there", session: true, now: Prospect{Gathered: true, Kept: true, Read: true}, want: Work},
	} {
		c := Claim{Session: test.session}
		if got := c.Next(test.now); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

func TestClaimIsLost(t *testing.T) {
	t.Parallel()
	c := Claim{Session: true}
	if c.Lost(true) || !c.Session {
		t.Error("who is at work begins again")
	}
	for i := range claimsMax {
		if !c.Lost(false) || c.Session {
			t.Fatalf("the claim is given up after %d tries, or its session is still there", i)
		}
		c.Session = true
	}
	if c.Lost(false) {
		t.Error("a run is claimed for ever from who goes on writing")
	}
}

func TestQueue(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		runs []InQueue
		want string
	}{
		{name: "nothing"},
		{name: "nothing queued", runs: []InQueue{{"a", history.Paused, 1, 0}, {"b", history.Failed, 1, 0}}},
		{name: "the first that was submitted", runs: []InQueue{{"a", history.Queued, 3, 0}, {"b", history.Queued, 2, 0}, {"c", history.Stopped, 1, 0}}, want: "b"},
		{name: "together", runs: []InQueue{{"b", history.Queued, 1, 0}, {"a", history.Queued, 1, 0}}, want: "a"},
		{name: "of an unknown time", runs: []InQueue{{"b", history.Queued, -1 << 62, 0}}, want: "b"},
		{name: "one that is worked on keeps its slice", runs: []InQueue{{"a", history.Running, 2, 9}, {"b", history.Queued, 1, 0}}, want: "a"},
		{name: "and not more", runs: []InQueue{{"a", history.Running, 1, 10}, {"b", history.Queued, 2, 0}}, want: "b"},
		{name: "of the same slices it stays", runs: []InQueue{{"a", history.Running, 2, 19}, {"b", history.Queued, 1, 10}}, want: "a"},
		{name: "the fewest slices", runs: []InQueue{{"a", history.Queued, 1, 40}, {"b", history.Queued, 2, 20}}, want: "b"},
		{name: "a damaged time", runs: []InQueue{{"a", history.Queued, 1, -1}}, want: "a"},
	} {
		if got, ok := First(10, test.runs); got != test.want || ok != (test.want != "") {
			t.Errorf("%s: %q, %t, want %q", test.name, got, ok, test.want)
		}
	}
}

// TestShares has runs of any length come at any time, in layers of any length. None
// waits longer than it would if every run before it had as much of the coordinator as
// it has itself, to within a slice and a layer; and none is put aside more often than
// there are slices in it for each run that comes while it is there.
func TestShares(t *testing.T) {
	t.Parallel()
	const slice, layerMax = 100, 60
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 17))
		var runs []InQueue
		var needs, over []Ticks
		aside := make([]int, 2+rng.IntN(6))
		for i := range aside {
			runs = append(runs, InQueue{Name: fmt.Sprint(i), State: history.Paused, Submitted: rng.Int64N(5000)})
			needs = append(needs, 1+Ticks(rng.Int64N(1<<(1+rng.IntN(14)))))
			over = append(over, -1)
		}
		last, left := "", len(runs)
		for now := Ticks(0); left > 0; {
			for i := range runs {
				if runs[i].State == history.Paused && runs[i].Submitted <= int64(now) {
					runs[i].State = history.Queued
				}
			}
			name, ok := First(slice, runs)
			if !ok {
				now++
				continue
			}
			if last != "" && name != last {
				if i, _ := strconv.Atoi(last); runs[i].State == history.Running {
					runs[i].State = history.Queued
					aside[i]++
				}
			}
			i, _ := strconv.Atoi(name)
			runs[i].State, last = history.Running, name
			took := min(1+Ticks(rng.Int64N(layerMax)), needs[i]-runs[i].Worked)
			now += took
			if runs[i].Worked += took; runs[i].Worked == needs[i] {
				runs[i].State, over[i] = history.Stopped, now
				left--
			}
		}
		for i := range runs {
			most := needs[i]
			for j := range runs {
				if j != i { // twice its own slices, the one that it is in, and a layer
					most += min(needs[j], 2*needs[i]+slice) + layerMax
				}
			}
			if waited := over[i] - Ticks(runs[i].Submitted); waited > most+layerMax*Ticks(aside[i]+1) {
				t.Errorf("seed %d: run %d needs %d and took %d, more than %d", seed, i, needs[i], waited, most)
			}
			if slices := runs[i].slices(slice); aside[i] > (slices+1)*len(runs) {
				t.Errorf("seed %d: run %d of %d slices was put aside %d times", seed, i, slices, aside[i])
			}
		}
	}
}

func TestStates(t *testing.T) {
	t.Parallel()
	type row struct{ is, reopened, imported, adopted, paused, cancelled history.State }
	const (
		queued, running, waiting   = history.Queued, history.Running, history.Waiting
		paused, stopped, cancelled = history.Paused, history.Stopped, history.Cancelled
		failed                     = history.Failed
	)
	table := []row{
		{queued, queued, paused, queued, paused, cancelled},
		{running, queued, paused, queued, paused, cancelled},
		{waiting, queued, paused, queued, paused, cancelled},
		{paused, paused, paused, paused, paused, cancelled},
		{stopped, stopped, stopped, stopped, stopped, stopped},
		{cancelled, cancelled, cancelled, cancelled, cancelled, cancelled},
		{failed, failed, paused, paused, paused, cancelled},
	}
	for _, want := range table {
		s := want.is
		got := row{s, Reopened(s), Imported(s, false), Imported(s, true), Aside(s, paused), Aside(s, cancelled)}
		if got != want {
			t.Errorf("%v: %v, want %v", s, got, want)
		}
	}
	if len(table) != len(history.States()) {
		t.Errorf("%d states of %d", len(table), len(history.States()))
	}
	if Resumed(false, false) != queued || Resumed(true, true) != queued || Resumed(true, false) != stopped {
		t.Error("what is complete is queued, or what is not is not")
	}
	for _, s := range history.States() {
		if Repeats(s, 605, 5, 100) || Repeats(s, 606, 5, 100) != (s == stopped) {
			t.Errorf("%v: gone on with after 600 ticks: %v, after 601: %v", s, Repeats(s, 605, 5, 100), Repeats(s, 606, 5, 100))
		}
	}
}

func TestPace(t *testing.T) {
	t.Parallel()
	const silence = 100
	var p Pace
	want := func(now, idle Ticks, complains bool) {
		t.Helper()
		if p.Idle(now) != idle {
			t.Errorf("at %d: idle for %d, want %d", now, p.Idle(now), idle)
		}
		if got := p.Complain(now, silence); got != complains {
			t.Errorf("at %d: complains %t", now, got)
		}
	}
	p.Progressed(10)
	want(109, 99, false)
	want(110, 100, true)
	want(209, 199, false)
	want(210, 200, true)
	p.Reached(220, 5)
	p.Reached(230, 5) // as far as somebody else
	want(319, 99, false)
	want(320, 100, true)
	p.Progressed(400)
	p.Reached(410, 1) // of the next attempt
	want(509, 99, false)
	want(510, 100, true)
}
