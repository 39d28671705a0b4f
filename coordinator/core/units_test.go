package core

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/everystate/everystate/coordinator/history"
)

func TestUnitsAreHandedOutInOrder(t *testing.T) {
	t.Parallel()
	var done history.UnitSet
	done.Add(3)
	shares := Shares{}
	u := NewUnits([]uint32{4, 3, 0, 2}, done, shares)
	a, b := Lane{Worker: 1}, Lane{Worker: 1, Lane: 1}
	take := func(l Lane, want uint32) {
		t.Helper()
		if unit, ok := u.Take(l); !ok || unit != want {
			t.Errorf("lane %v takes %d (%t), want %d", l, unit, ok, want)
		}
	}
	take(a, 4)
	take(b, 0)
	take(a, 4) // it was told of 4 and did not hear it
	if u.Left() != 3 || u.Leased() != 2 || !u.Holds(1) || u.Holds(2) {
		t.Errorf("%d left, %d leased", u.Left(), u.Leased())
	}
	if !u.Commit(4, 1, 10) || u.Commit(4, 1, 10) || u.Commit(3, 1, 10) {
		t.Error("a unit is committed once")
	}
	take(a, 2)
	if _, ok := u.Take(Lane{Worker: 2}); ok {
		t.Error("a unit that somebody is at was handed out")
	}
	u.Release(a)
	take(Lane{Worker: 2}, 2)
	if !u.Lost(1) || u.Lost(1) {
		t.Error("worker 1 has unit 0 until it is lost")
	}
	take(a, 0)
	if !u.Commit(2, 2, 5) || !u.Commit(0, 1, 10) || u.Left() != 0 || u.Leased() != 0 {
		t.Errorf("%d left, %d leased", u.Left(), u.Leased())
	}
	if _, ok := u.Take(a); ok {
		t.Error("there is a unit left")
	}
	if a, b := *shares[1], *shares[2]; len(shares) != 2 || a != (Share{Units: 2, Lost: 1, States: 20}) || b != (Share{Units: 1, States: 5}) {
		t.Errorf("worker 1 did %+v, worker 2 %+v", a, b)
	}
}

// TestUnitsAreDoneOnce has lanes come, go, die and commit what they were told of
// long ago.
func TestUnitsAreDoneOnce(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 0))
		n := 1 + random.IntN(40)
		plan := make([]uint32, n)
		for i, unit := range random.Perm(n) {
			plan[i] = uint32(unit)
		}
		u := NewUnits(plan, nil, Shares{})
		has, done := map[Lane]uint32{}, map[uint32]bool{}
		var old []uint32 // units that somebody was at once
		for step := 0; u.Left() > 0; step++ {
			if step > 100_000 {
				t.Fatalf("seed %d: does not come to an end", seed)
			}
			l := Lane{history.WorkerID(random.IntN(3)), uint32(random.IntN(2))}
			switch random.IntN(8) {
			case 0:
				u.Lost(l.Worker)
				for lane := range has {
					if lane.Worker == l.Worker {
						delete(has, lane)
					}
				}
			case 1:
				u.Release(l)
				delete(has, l)
			case 2:
				if len(old) > 0 {
					unit := old[random.IntN(len(old))]
					if u.Commit(unit, 1, 10) == done[unit] {
						t.Fatalf("seed %d: unit %d: done is %t", seed, unit, done[unit])
					}
					done[unit] = true
				}
			case 3, 4:
				if unit, ok := has[l]; ok {
					if u.Commit(unit, 1, 10) == done[unit] {
						t.Fatalf("seed %d: unit %d: done is %t", seed, unit, done[unit])
					}
					done[unit] = true
					delete(has, l)
				}
			default:
				delete(has, l)
				unit, ok := u.Take(l)
				if !ok {
					continue
				}
				for lane, other := range has {
					if other == unit && !done[unit] {
						t.Fatalf("seed %d: unit %d is %v's, and was given to %v", seed, unit, lane, l)
					}
				}
				if done[unit] {
					t.Fatalf("seed %d: unit %d is done and handed out", seed, unit)
				}
				has[l], old = unit, append(old, unit)
			}
			if u.Left() != n-len(done) {
				t.Fatalf("seed %d: %d left of %d with %d done", seed, u.Left(), n, len(done))
			}
		}
	}
}

func TestUnitsThatFail(t *testing.T) {
	t.Parallel()
	u := NewUnits([]uint32{0, 1, 2}, nil, Shares{})
	a, b := Lane{Worker: 1}, Lane{Worker: 2}
	take := func(l Lane, want uint32) {
		t.Helper()
		if got, ok := u.Take(l); !ok || got != want {
			t.Fatalf("lane %v got unit %d, %t, want %d", l, got, ok, want)
		}
	}
	take(a, 0)
	take(b, 1)
	if u.Fail(a, 0) || u.Leased() != 1 {
		t.Error("a unit that failed once is too much, or is still being done")
	}
	take(a, 2) // what has failed comes last
	if u.Fail(a, 2) {
		t.Error("a unit that failed once is too much")
	}
	take(a, 0)
	if u.Fail(a, 0) {
		t.Error("a unit that failed twice is too much")
	}
	take(a, 2)
	u.Commit(2, 1, 10)
	take(a, 0)
	if !u.Fail(a, 0) {
		t.Errorf("a unit that has failed %d times is tried again", unitTriesMax)
	}
}

func TestUnitSet(t *testing.T) {
	t.Parallel()
	var s history.UnitSet
	var in []uint32
	random := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		unit := uint32(random.IntN(2000))
		if s.Done(int(unit)) != slices.Contains(in, unit) || s.Add(unit) == slices.Contains(in, unit) {
			t.Fatalf("unit %d", unit)
		}
		in = append(in, unit)
	}
	if s.Done(1 << 31) {
		t.Error("a unit far away")
	}
}
