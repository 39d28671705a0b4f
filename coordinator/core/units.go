package core

import "github.com/everystate/everystate/coordinator/history"

// Units decides who does which unit of a sweep. Like [Core] it is a state machine that
// performs no I/O and knows no time. Units are independent, so nothing needs agreement:
// a lane has one at a time, losing a worker costs the units of its lanes, and each unit
// is done once.
type Units struct {
	plan   []uint32 // what is left, in the order handed out; some may be done
	done   history.UnitSet
	count  int
	leased map[uint32]Lane
	has    map[Lane]uint32
	failed map[uint32]int // how often
	shares Shares
}

// Shares is what each worker has done of a sweep, counted from when a coordinator took
// it up: the journal does not say whose units are.
type Shares map[history.WorkerID]*Share

// A Share is the units of a worker that were committed, the states that it visited for
// them, and the units that were taken back from it because it was lost.
type Share struct {
	Units, Lost uint32
	States      uint64
}

// of returns a worker's share, to be added to.
func (s Shares) of(w history.WorkerID) *Share {
	if s[w] == nil {
		s[w] = new(Share)
	}
	return s[w]
}

// Lane is one of a worker's goroutines that do units.
type Lane struct {
	Worker history.WorkerID
	Lane   uint32
}

// NewUnits returns the units of a sweep, given those done so far. plan is the order in
// which the others are handed out. shares, which outlives the units, is added to.
func NewUnits(plan []uint32, done history.UnitSet, shares Shares) *Units {
	u := &Units{
		plan: plan, done: append(history.UnitSet(nil), done...),
		leased: make(map[uint32]Lane), has: make(map[Lane]uint32), failed: make(map[uint32]int),
		shares: shares,
	}
	for _, unit := range plan {
		if !u.done.Done(int(unit)) {
			u.count++
		}
	}
	return u
}

// Left returns how many units are not done.
func (u *Units) Left() int { return u.count }

// Leased returns how many units lanes are working on.
func (u *Units) Leased() int { return len(u.leased) }

// Holds reports whether lanes of a worker are working on units.
func (u *Units) Holds(w history.WorkerID) bool {
	for lane := range u.has {
		if lane.Worker == w {
			return true
		}
	}
	return false
}

// Take gives a lane a unit that no lane is working on, if there is one. The unit that
// the lane had before is handed out again.
func (u *Units) Take(l Lane) (unit uint32, ok bool) {
	u.free(l)
	for len(u.plan) > 0 {
		unit, u.plan = u.plan[0], u.plan[1:]
		if u.done.Done(int(unit)) {
			continue
		}
		u.leased[unit], u.has[l] = l, unit
		return unit, true
	}
	return 0, false
}

// free takes a lane's unit back: it is the next to be handed out. The order in which
// several are returned does not matter, as a sweep's result does not depend on it.
func (u *Units) free(l Lane) {
	unit, has := u.has[l]
	if !has {
		return
	}
	delete(u.has, l)
	delete(u.leased, unit)
	u.plan = append([]uint32{unit}, u.plan...)
}

// Release takes a lane's unit back; it is the last to be handed out again.
func (u *Units) Release(l Lane) {
	if unit, has := u.has[l]; has {
		u.free(l)
		u.plan = append(u.plan[1:], unit)
	}
}

// unitTriesMax is how often a unit may fail before the sweep does.
const unitTriesMax = 3

// Fail notes that a unit has failed, and takes back what its lane has. Others try it
// again, as it may only have lacked memory. It reports whether the unit has failed
// unitTriesMax times.
func (u *Units) Fail(l Lane, unit uint32) (tooOften bool) {
	u.failed[unit]++
	u.Release(l)
	return u.failed[unit] == unitTriesMax
}

// Lost hands the units of a worker's lanes out again. It reports whether there were
// any.
func (u *Units) Lost(w history.WorkerID) bool {
	found := false
	for lane := range u.has {
		if lane.Worker == w {
			u.free(lane)
			u.shares.of(w).Lost++
			found = true
		}
	}
	return found
}

// Done reports whether a unit is done.
func (u *Units) Done(unit uint32) bool { return u.done.Done(int(unit)) }

// Commit notes that a unit's findings are recorded, whichever lane of a worker made them,
// and how many states it visited. It reports whether that is new.
func (u *Units) Commit(unit uint32, by history.WorkerID, states uint64) bool {
	if !u.done.Add(unit) {
		return false
	}
	u.count--
	share := u.shares.of(by)
	share.Units++
	share.States += states
	if lane, leased := u.leased[unit]; leased {
		delete(u.leased, unit)
		delete(u.has, lane)
	}
	return true
}
