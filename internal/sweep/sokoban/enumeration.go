package sokoban

import (
	"fmt"

	"github.com/everystate/everystate/internal/sweep"
	family "github.com/everystate/everystate/puzzle/sokoban"
)

// An Enumeration is all goal sets of a room, in units.
type Enumeration struct {
	rules Rules
	room  *family.Room
	unit  uint64 // goal sets per unit; the last one may have fewer
	units int
}

const (
	// keysMax bounds the states of a goal set, which a worker holds in memory: a bit
	// for each possible key, and eight bytes for each state.
	keysMax = 1 << 28

	// unitKeys is about how many keys the goal sets of a unit have together. It is
	// part of the units' identity.
	unitKeys = 1 << 25

	// unitsMax is how many units a database can hold.
	unitsMax = 1 << 26
)

var _ sweep.Enumeration = (*Enumeration)(nil)

// New plans an enumeration. A fault in the room's text is a *puzzle.InputError.
func New(rules Rules) (*Enumeration, error) { return newEnumeration(rules, unitKeys) }

func newEnumeration(rules Rules, unitKeys uint64) (*Enumeration, error) {
	room, err := family.ReadRoom([]byte(rules.Room), rules.Boxes)
	if err != nil {
		return nil, err
	}
	rules.Room = oneLine(room.Drawing())
	rules.Sample = max(1, rules.Sample)
	if rules.MinDistance < 0 {
		return nil, fmt.Errorf("least distance %d: must be 0 or more", rules.MinDistance)
	}
	keys := room.Keys()
	if keys == 0 || keys > keysMax {
		return nil, fmt.Errorf("%d boxes on %d cells make %s states per goal set: a sweep takes at most %d", rules.Boxes, room.Cells(), upTo(keys), uint64(keysMax))
	}
	e := &Enumeration{rules: rules, room: room, unit: max(1, unitKeys/keys)}
	units := (room.Sets() + e.unit - 1) / e.unit
	if units > unitsMax {
		return nil, fmt.Errorf("%d goal sets in %d units of work: a sweep has at most %d", room.Sets(), units, unitsMax)
	}
	e.units = int(units)
	return e, nil
}

func upTo(keys uint64) string {
	if keys == 0 {
		return "more than 2^64"
	}
	return fmt.Sprintf("up to %d", keys)
}

// Rules returns the canonical text of the rules.
func (e *Enumeration) Rules() string { return e.rules.String() }

// Units returns the number of units.
func (e *Enumeration) Units() int { return e.units }

// Sets returns the number of goal sets of all units, sampled or not.
func (e *Enumeration) Sets() uint64 { return e.room.Sets() }

// Cost returns the number of goal sets of a unit, divided by the sample.
func (e *Enumeration) Cost(unit int) uint64 {
	first, behind := e.sets(unit)
	return (behind - first) / uint64(e.rules.Sample)
}

// Name returns the numbers of a unit's goal sets.
func (e *Enumeration) Name(unit int) string {
	first, behind := e.sets(unit)
	return fmt.Sprintf("goal sets %d to %d of %d", first, behind-1, e.room.Sets())
}

// sets returns the first goal set of a unit, and the first one after it.
func (e *Enumeration) sets(unit int) (first, behind uint64) {
	first = uint64(unit) * e.unit
	return first, min(first+e.unit, e.room.Sets())
}
