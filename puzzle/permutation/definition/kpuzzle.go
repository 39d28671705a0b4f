package definition

import (
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
)

// Keys of KPuzzle JSON.
const (
	keyOrbits       = "orbits"
	keyName         = "name"
	keyDefault      = "defaultPattern"
	keyMoves        = "moves"
	keyDerived      = "derivedMoves"
	keyOrbitName    = "orbitName"
	keyPieces       = "numPieces"
	keyOrientations = "numOrientations"
	keyPermutation  = "permutation"
	keyDelta        = "orientationDelta"
	keyPatternOf    = "pieces"
	keyOrientation  = "orientation"
	keyModulus      = "orientationMod"
)

// looksJSON reports whether a file is an object with orbits.
func looksJSON(f *boardfile.File) bool {
	if len(f.Body) == 0 || !strings.HasPrefix(f.Body[0].Trim().Text, "{") {
		return false
	}
	for _, line := range f.Body {
		if strings.Contains(line.Text, `"`+keyOrbits+`"`) {
			return true
		}
	}
	return false
}

// readJSON reads a KPuzzle definition. If a pattern follows, it is the solved state.
func readJSON(f *boardfile.File) (*Definition, *puzzle.InputError) {
	values, fault := parseJSON(f.Body)
	if fault != nil {
		return nil, fault
	}
	root := &values[0]
	d := &Definition{}
	if fault := d.readOrbits(root); fault != nil {
		return nil, fault
	}
	if name := root.member(keyName); name != nil {
		d.Name = name.at.Text
	}
	pattern := root.member(keyDefault)
	if pattern == nil {
		return nil, root.at.Faultf("no %s: it is the solved state", keyDefault)
	}
	if len(values) > 2 {
		return nil, values[2].at.Faultf("a third value: only a pattern may follow the definition")
	}
	if len(values) == 2 {
		pattern = &values[1]
	}
	if fault := d.readPattern(pattern); fault != nil {
		return nil, fault
	}
	if fault := d.readMoves(root); fault != nil {
		return nil, fault
	}
	fault = d.complete()
	return d, fault
}

// readOrbits reads the sets.
func (d *Definition) readOrbits(root *node) *puzzle.InputError {
	orbits := root.member(keyOrbits)
	if orbits == nil || orbits.kind != '[' {
		return root.at.Faultf("no list %s: each has %s, %s and %s", keyOrbits, keyOrbitName, keyPieces, keyOrientations)
	}
	for i := range orbits.items {
		orbit := &orbits.items[i]
		name, pieces, orientations := orbit.member(keyOrbitName), orbit.member(keyPieces), orbit.member(keyOrientations)
		if name == nil || pieces == nil || orientations == nil {
			return orbit.at.Faultf("an orbit without %s, %s or %s", keyOrbitName, keyPieces, keyOrientations)
		}
		places, fault := pieces.number(keyPieces, 1, PlacesMax)
		if fault != nil {
			return fault
		}
		ways, fault := orientations.number(keyOrientations, 1, OrientationsMax)
		if fault != nil {
			return fault
		}
		if fault := d.addSet(name.at, places, ways); fault != nil {
			return fault
		}
	}
	return nil
}

// readPattern reads the solved state.
func (d *Definition) readPattern(pattern *node) *puzzle.InputError {
	for i := range pattern.members {
		key, value := pattern.members[i].key, &pattern.members[i].value
		s := d.set(key.Text)
		if s == nil {
			return d.noSet(key)
		}
		pieces := value.member(keyPatternOf)
		if pieces == nil {
			return key.Faultf("no %s of orbit %s", keyPatternOf, s.Name)
		}
		numbers, fault := pieces.numbers(keyPatternOf, s.Places, Unknown-1)
		if fault != nil {
			return fault
		}
		turns, moduli := make([]int, s.Places), make([]int, s.Places)
		if v := value.member(keyOrientation); v != nil {
			if turns, fault = v.numbers(keyOrientation, s.Places, s.Orientations-1); fault != nil {
				return fault
			}
		}
		if v := value.member(keyModulus); v != nil {
			if moduli, fault = v.numbers(keyModulus, s.Places, s.Orientations); fault != nil {
				return fault
			}
		}
		for i, modulus := range moduli {
			if modulus == 0 {
				modulus = s.Orientations
			}
			if s.Orientations%modulus != 0 {
				return key.Faultf("%s %d of orbit %s: it must divide %d", keyModulus, modulus, s.Name, s.Orientations)
			}
			d.Solved[s.First+i] = Piece{Number: numbers[i] + 1, Turn: turns[i] % modulus, Modulus: modulus}
		}
	}
	return d.checkSolved(pattern.at)
}

// readMoves reads the moves, and those derived from others.
func (d *Definition) readMoves(root *node) *puzzle.InputError {
	moves := root.member(keyMoves)
	if moves == nil {
		return root.at.Faultf("no %s", keyMoves)
	}
	for i := range moves.members {
		m := d.still(moves.members[i].key)
		value := &moves.members[i].value
		for j := range value.members {
			if fault := d.readImages(&m, value.members[j].key, &value.members[j].value); fault != nil {
				return fault
			}
		}
		if fault := d.add(m); fault != nil {
			return fault
		}
	}
	derived := root.member(keyDerived)
	if derived == nil {
		return nil
	}
	for i := range derived.members {
		key, value := derived.members[i].key, &derived.members[i].value
		if moves.member(key.Text) != nil {
			continue // a move's own definition takes precedence
		}
		steps, fault := ParseSteps(value.at.Fields(), nil)
		if fault != nil {
			return fault
		}
		if len(steps) == 0 {
			return value.at.Faultf("move %s is derived from no moves", key.Text)
		}
		if fault := d.add(Move{Name: key, Rotation: IsRotation(key.Text), Steps: steps}); fault != nil {
			return fault
		}
	}
	return nil
}

// readImages reads the effect of a move on an orbit.
func (d *Definition) readImages(m *Move, key boardfile.Piece, value *node) *puzzle.InputError {
	s := d.set(key.Text)
	if s == nil {
		return d.noSet(key)
	}
	if v := value.member(keyPermutation); v != nil {
		from, fault := v.numbers(keyPermutation, s.Places, s.Places-1)
		if fault != nil {
			return fault
		}
		used := make([]bool, s.Places)
		for i, place := range from {
			if used[place] {
				return v.items[i].at.Faultf("place %d of orbit %s is in the move twice", place, s.Name)
			}
			used[place], m.From[s.First+i] = true, uint8(s.First+place)
		}
	}
	if v := value.member(keyDelta); v != nil {
		by, fault := v.numbers(keyDelta, s.Places, s.Orientations-1)
		if fault != nil {
			return fault
		}
		for i, turn := range by {
			m.By[s.First+i] = uint8(turn)
		}
	}
	return nil
}
