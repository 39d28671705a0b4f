package folding

import (
	"slices"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/permutation/structure"
	"github.com/everystate/everystate/puzzle/permutation/whole"
)

// Held says that a system counts a state once for each turn of the whole puzzle, and how
// the states are numbered in which a piece is held: by other parts, and by moves that are
// those of the system, each followed by the turn that brings the piece home.
type Held struct {
	Turns *whole.Turns
	Parts []Part
	Moves []structure.Move
}

// turned are the turns of the whole puzzle, and how states are coded.
type turned struct {
	turns        []structure.Move // first the one that does nothing
	outer, inner []*Part          // of a key

	// Where there are turns: the held piece and its place, the moves that stand for those
	// of a key, their inverses among them, and what each move is called.
	held      *Held
	piece     uint8
	moves     []structure.Move
	names     []puzzle.Move // by move of the system
	placeOut  bool          // the place of the held piece follows from the block
	orientOut bool          // so does its orientation

	// bring holds, by class, by place of the held piece if the block gives that, and by
	// item: the turn that brings the piece home.
	bring [2][][]uint16
	// home holds, likewise, what the item then counts in a key.
	home [2][][]uint64
}

// setTurns sets the turns of the whole puzzle and the names of moves. It reports false if
// there are none that fit.
func (f *Space) setTurns(held *Held) bool {
	f.turns, f.moves = []structure.Move{structure.Still(len(f.system.Moduli))}, f.system.Moves
	if held == nil {
		return true
	}
	f.held, f.turns = held, held.Turns.All()
	return f.setNames()
}

// setParts divides the parts of a key as the orbits are divided. It reports false if a
// turn maps a block to itself.
func (f *Space) setParts(parts []Part) bool {
	if f.held != nil {
		parts = f.held.Parts
		var at int
		f.piece, at = f.held.Turns.Held()
		f.placeOut, f.orientOut = f.isOuter(at, false), f.isOuter(at, true)
	}
	for i := range parts {
		p := &parts[i]
		if f.isOuter(p.Places[0], p.Labels == nil) {
			f.turned.outer = append(f.turned.outer, p)
		} else {
			f.turned.inner = append(f.turned.inner, p)
		}
	}
	return f.free()
}

// isOuter reports whether the block gives the piece at a place, or its turn, or both are
// the same in all states.
func (f *Space) isOuter(place int, turn bool) bool {
	return !slices.ContainsFunc(f.choice.inner, func(n *numbering) bool {
		return slices.Contains(n.Places, place) && (n.Labels == nil) == turn
	})
}

// free reports whether each turn moves an outer piece that is unlike all others, so that
// no block is its own image under a turn.
func (f *Space) free() bool {
	for _, t := range f.turns[1:] {
		moves := slices.ContainsFunc(f.choice.outer, func(n *numbering) bool {
			return n.Distinct && slices.ContainsFunc(n.Places, func(place int) bool { return int(t.From[place]) != place })
		})
		if !moves {
			return false
		}
	}
	return true
}

// closed reports whether the turns of the whole lead from states that are numbered to
// others: that they leave each piece in its orbit, and that what moves reach of each part
// includes the start after a turn.
func (f *Space) closed() bool {
	for i := range f.turns {
		t := &f.turns[i]
		for _, o := range f.system.Orbits {
			if slices.ContainsFunc(o.Places, func(place int) bool { return !slices.Contains(o.Places, int(t.From[place])) }) {
				return false
			}
		}
		a := f.start
		turn(&a, &f.start, t, f.system, f.innerPlaces)
		turn(&a, &f.start, t, f.system, f.outerPlaces)
		inner := f.number(f.choice.inner, &a)
		if inner < 0 || f.number(f.choice.outer, &a) < 0 || !f.reached(&a) || f.classOf[inner] != f.class(&a) {
			return false
		}
	}
	return true
}

// setNames chooses a move of the system for each move of a key, so that their inverses
// are among them.
func (f *Space) setNames() bool {
	s, held := f.system, f.held
	moduli := s.Moduli
	names := make([]int, len(s.Moves)) // by move: that of a key which it is where a piece is held
	for i, m := range s.Moves {
		names[i] = slices.IndexFunc(held.Moves, held.Turns.Reduce(m).Equal)
	}
	chosen := slices.Repeat([]int{-1}, len(held.Moves))
	for i, m := range s.Moves {
		if names[i] < 0 || chosen[names[i]] >= 0 {
			continue
		}
		back := slices.IndexFunc(s.Moves, m.Inverse(moduli).Equal)
		if back < 0 || names[back] < 0 {
			return false
		}
		chosen[names[i]] = i
		if other := chosen[names[back]]; other >= 0 && other != back {
			return false
		}
		chosen[names[back]] = back
	}
	f.moves = nil
	for _, i := range chosen {
		if i < 0 {
			return false
		}
		f.moves = append(f.moves, s.Moves[i])
	}
	// A move is called what it is where its predecessor holds the piece. If the state
	// after the move holds it, the predecessor has it where the inverse brings it.
	_, home := held.Turns.Held()
	for _, m := range s.Moves {
		at := m.From[home]
		turn, ok := held.Turns.Home(at, (s.Moduli[home]-m.By[home])%s.Moduli[home])
		if !ok {
			return false
		}
		there := turn.Inverse(moduli).Then(m, moduli).Then(turn, moduli)
		i := slices.IndexFunc(s.Moves, there.Equal)
		if i < 0 || names[i] < 0 {
			return false
		}
		f.names = append(f.names, puzzle.Move(names[i]))
	}
	return true
}

// withTurns returns the symmetries followed by each turn: those that differ in the turn
// alone are neighbours, first the one without.
func (f *Space) withTurns(list []structure.Automorphism) (all []structure.Automorphism) {
	moduli := f.system.Moduli
	for i := range list {
		for _, turn := range f.turns {
			t := list[i]
			t.To, t.Turns, t.Back = slices.Clone(t.To), slices.Clone(t.Turns), slices.Clone(t.Back)
			t.Moves = slices.Clone(t.Moves)
			for to, from := range turn.From {
				place := list[i].Back[from]
				t.To[place], t.Back[to] = uint8(to), place
				t.Turns[place] = (t.Turns[place] + turn.By[to]) % moduli[to]
			}
			for id, m := range t.Moves {
				image := turn.Inverse(moduli).Then(f.system.Moves[m], moduli).Then(turn, moduli)
				t.Moves[id] = puzzle.Move(slices.IndexFunc(f.system.Moves, image.Equal))
			}
			all = append(all, t)
		}
	}
	return all
}

// called returns the images of the moves of a key under a symmetry.
func (f *Space) called(t *structure.Automorphism) []puzzle.Move {
	if f.held == nil {
		return t.Moves
	}
	var moves []puzzle.Move
	for _, m := range f.moves {
		i := slices.IndexFunc(f.system.Moves, m.Equal)
		moves = append(moves, f.names[t.Moves[i]])
	}
	return moves
}

// homeward returns the index of the turn that brings the held piece home.
func (f *Space) homeward(place, orient uint8) uint16 {
	turn, ok := f.held.Turns.Home(place, orient)
	if !ok {
		return 0 // of a block and an item that no state has
	}
	return uint16(slices.IndexFunc(f.turns, turn.Equal))
}

// addItem adds an item of a class, whose inner parts are those of a state.
func (f *Space) addItem(a *state, class uint8) {
	b := *a
	for len(f.keys[class]) < len(f.turns) {
		f.keys[class] = append(f.keys[class], nil)
	}
	for i := range f.turns {
		turn(&b, a, &f.turns[i], f.system, f.innerPlaces)
		f.keys[class][i] = append(f.keys[class][i], share(f.turned.inner, &b))
	}
	if f.held == nil || f.placeOut && f.orientOut {
		return
	}
	if !f.placeOut {
		place := slices.Index(a.pieces[:len(f.system.Moduli)], f.piece)
		f.addBring(class, 0, f.homeward(uint8(place), a.orients[place]))
		return
	}
	for place := range f.system.Moduli {
		if slices.Contains(f.innerPlaces, place) {
			f.addBring(class, place, f.homeward(uint8(place), a.orients[place]))
		}
	}
}

func (f *Space) addBring(class uint8, place int, turn uint16) {
	for len(f.bring[class]) <= place {
		f.bring[class], f.home[class] = append(f.bring[class], nil), append(f.home[class], nil)
	}
	keys := f.keys[class][turn]
	f.bring[class][place] = append(f.bring[class][place], turn)
	f.home[class][place] = append(f.home[class][place], keys[len(keys)-1])
}

// placeOf returns where the held piece is in a block, 0 if that depends on the item.
func (f *Space) placeOf(a *state) int {
	if !f.placeOut {
		return 0
	}
	return slices.Index(a.pieces[:len(f.system.Moduli)], f.piece)
}

// share returns what parts of a state count in a key.
func share(parts []*Part, a *state) (key uint64) {
	var items [placesMax]uint8
	for _, p := range parts {
		key += p.Rank(p.take(&items, a)) * p.Stride
	}
	return key
}

// bringing returns, for a block, the turn that brings the held piece home by item, or if
// that is the same for all items, that turn.
func (f *Space) bringing(a *state, class uint8) (byItem []uint16, all uint16) {
	if f.held == nil {
		return nil, 0
	}
	place := f.placeOf(a)
	if f.placeOut && f.orientOut {
		return nil, f.homeward(uint8(place), a.orients[place])
	}
	return f.bring[class][place], 0
}
