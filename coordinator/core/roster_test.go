package core

import (
	"errors"
	"fmt"
	"slices"
	"testing"
)

func TestRosterCalls(t *testing.T) {
	t.Parallel()
	call := func(incarnation uint64, draining bool) Call { return Call{"w", incarnation, draining} }
	for _, test := range []struct {
		name   string
		before []Call
		lost   bool // the lease runs out in between
		call   Call
		want   Arrival
		err    error
	}{
		{name: "first", call: call(1, false), want: Arrival{Came: true}},
		{name: "again", before: []Call{call(1, false)}, call: call(1, false)},
		{name: "came draining", call: call(1, true), want: Arrival{Came: true}},
		{name: "wants to leave", before: []Call{call(1, false)}, call: call(1, true), want: Arrival{Leaves: true}},
		{name: "still wants to", before: []Call{call(1, false), call(1, true)}, call: call(1, true)},
		{name: "other process", before: []Call{call(1, false)}, call: call(2, false), want: Arrival{Restarted: true}},
		{name: "other process that wants to leave", before: []Call{call(1, false)}, call: call(2, true), want: Arrival{Restarted: true, Leaves: true}},
		{name: "other process after one that wanted to leave", before: []Call{call(1, true)}, call: call(2, false), want: Arrival{Left: true, Came: true}},
		{name: "overtaken", before: []Call{call(1, false), call(2, false)}, call: call(1, false), err: ErrOvertaken},
		{name: "overtaken while nobody was there", before: []Call{call(1, false), call(2, false)}, lost: true, call: call(1, false), err: ErrOvertaken},
		{name: "back", before: []Call{call(1, false)}, lost: true, call: call(1, false), want: Arrival{Came: true}},
		{name: "back in another process", before: []Call{call(1, false)}, lost: true, call: call(2, false), want: Arrival{Came: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r, now := NewRoster(RosterOptions{LeaseTicks: 100}), Ticks(0)
			for _, c := range test.before {
				if _, err := r.Call(now, c); err != nil {
					t.Fatal(err)
				}
			}
			if test.lost {
				now = 101
				r.Tick(now, func(string) bool { return false })
			}
			was := r.Of("w")
			got, err := r.Call(now, test.call)
			if got != test.want || !errors.Is(err, test.err) {
				t.Fatalf("%+v, %v, want %+v, %v", got, err, test.want, test.err)
			}
			is := r.Of("w")
			if err == nil && (!is.Present || is.Incarnation != test.call.Incarnation || is.Draining != test.call.Draining || is.LastCall != now) {
				t.Errorf("%+v after %+v", is, test.call)
			}
			if err != nil && (is.Present != was.Present || is.Incarnation != was.Incarnation || is.LastCall != was.LastCall) {
				t.Errorf("%+v was noted of a refused call, before it %+v", is, was)
			}
		})
	}
}

// TestRosterRemembers has a process come back after as many others as are remembered.
func TestRosterRemembers(t *testing.T) {
	t.Parallel()
	r := NewRoster(RosterOptions{LeaseTicks: 100})
	for i := range uint64(endedMax + 1) {
		if _, err := r.Call(0, Call{"w", i + 1, false}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Call(0, Call{"w", 1, false}); !errors.Is(err, ErrOvertaken) {
		t.Errorf("the first of %d processes: %v", endedMax+1, err)
	}
}

func TestRosterLeases(t *testing.T) {
	t.Parallel()
	const lease, settle = 100, 30
	r := NewRoster(RosterOptions{LeaseTicks: lease, SettleTicks: settle})
	keeps := func(worker string) bool { return worker == "keeper" }
	wantTick := func(now Ticks, lost, forgotten []string) {
		t.Helper()
		gotLost, gotForgotten := r.Tick(now, keeps)
		if !slices.Equal(gotLost, lost) || !slices.Equal(gotForgotten, forgotten) {
			t.Errorf("at %d: lost %v, forgotten %v, want %v, %v", now, gotLost, gotForgotten, lost, forgotten)
		}
	}
	if r.Settled(0) || r.GivenUp(lease, "keeper") || !r.GivenUp(lease+1, "keeper") {
		t.Error("one who has never come is expected for a lease, and nobody is nobody")
	}
	for _, c := range []Call{{"keeper", 1, false}, {"b", 2, false}, {"a", 3, true}} {
		if _, err := r.Call(10, c); err != nil {
			t.Fatal(err)
		}
	}
	if got := r.Available(); !slices.Equal(got, []string{"b", "keeper"}) {
		t.Errorf("%v are available", got)
	}
	if r.Settled(10+settle-1) || !r.Settled(10+settle) {
		t.Errorf("it is not settled %d ticks after the last one came", settle)
	}
	wantTick(10+lease, nil, nil)
	if _, err := r.Call(10+lease, Call{"b", 2, false}); err != nil {
		t.Fatal(err)
	}
	wantTick(11+lease, []string{"a", "keeper"}, nil)
	wantTick(11+lease, nil, nil)
	if !r.GivenUp(11+lease, "a") || r.GivenUp(11+lease, "b") {
		t.Error("who is lost is given up, and nobody else")
	}
	r.Leave("b")
	if !r.GivenUp(11+lease, "b") || r.Settled(1000) {
		t.Error("who has left is gone")
	}
	wantTick(10+forgetTicks, nil, nil)
	wantTick(11+forgetTicks, nil, []string{"a"})
	wantTick(11+lease+forgetTicks, nil, []string{"b"})
	if r.Of("a").LastCall != 0 || r.Of("keeper").LastCall != 10 {
		t.Errorf("%+v and %+v are known", r.Of("a"), r.Of("keeper"))
	}
}

// TestRosterIsBounded fills it: nobody else is let in, and who is in stays.
func TestRosterIsBounded(t *testing.T) {
	t.Parallel()
	r := NewRoster(RosterOptions{LeaseTicks: 100})
	for i := range WorkersMax {
		if _, err := r.Call(0, Call{fmt.Sprint(i), 1, false}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Call(0, Call{"one more", 1, false}); !errors.Is(err, ErrFull) {
		t.Errorf("one more than %d: %v", WorkersMax, err)
	}
	if _, err := r.Call(0, Call{"0", 1, false}); err != nil {
		t.Error(err)
	}
}
