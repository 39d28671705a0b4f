package core

import (
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
		{name: "nothing queued", runs: []InQueue{{"a", history.Paused, 1}, {"b", history.Failed, 1}}},
		{name: "the first that was submitted", runs: []InQueue{{"a", history.Queued, 3}, {"b", history.Queued, 2}, {"c", history.Stopped, 1}}, want: "b"},
		{name: "together", runs: []InQueue{{"b", history.Queued, 1}, {"a", history.Queued, 1}}, want: "a"},
		{name: "of an unknown time", runs: []InQueue{{"b", history.Queued, -1 << 62}}, want: "b"},
	} {
		if got, ok := First(test.runs); got != test.want || ok != (test.want != "") {
			t.Errorf("%s: %q, %t, want %q", test.name, got, ok, test.want)
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
	p.GotOn(10)
	want(109, 99, false)
	want(110, 100, true)
	want(209, 199, false)
	want(210, 200, true)
	p.Reached(220, 5)
	p.Reached(230, 5) // as far as somebody else
	want(319, 99, false)
	want(320, 100, true)
	p.GotOn(400)
	p.Reached(410, 1) // of the next attempt
	want(509, 99, false)
	want(510, 100, true)
}
