package structure

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// An Automorphism renames places, pieces and moves so that the moves remain moves. If
// place i goes to place To[i], a piece there becomes Pieces[piece], and its turn o
// becomes Unit[i]*o + Turns[i] + PieceTurns[piece].
type Automorphism struct {
	To, Unit, Turns    []uint8 // by place
	Back               []uint8 // by place: the place whose image it is
	Pieces, PieceTurns []uint8 // by piece
	Moves              []puzzle.Move
}

// Apply writes the image of an arrangement to dst, which must not share memory with
// src.
func (t *Automorphism) Apply(dst, src Arrangement, s *System) {
	for i, to := range t.To {
		piece := src.Pieces[i]
		dst.Pieces[to] = t.Pieces[piece]
		dst.Orients[to] = t.Turn(i, piece, src.Orients[i], s)
	}
}

// Turn returns the turn of the image of a piece at a place.
func (t *Automorphism) Turn(place int, piece, turn uint8, s *System) uint8 {
	modulus := s.Moduli[place]
	if modulus == 1 {
		return 0
	}
	if t.Unit[place] != 1 {
		turn = modulus - turn // the other unit is -1
	}
	turn += t.Turns[place] + t.PieceTurns[piece] // at most three times the modulus
	for turn >= modulus {
		turn -= modulus
	}
	if s.Ways != nil {
		turn %= s.Ways[t.Pieces[piece]]
	}
	return turn
}

// Inverts reports whether an automorphism of a system is the inverse of another.
func (t *Automorphism) Inverts(u *Automorphism, s *System) bool {
	for i, to := range t.To {
		if piece := s.Start.Pieces[i]; int(u.To[to]) != i || u.Unit[to] != t.Unit[i] || u.Pieces[t.Pieces[piece]] != piece {
			return false
		}
	}
	for _, o := range s.Orbits {
		for _, i := range o.Places {
			for _, j := range o.Places {
				piece := s.Start.Pieces[j]
				turn := t.Turn(i, piece, 0, s)
				if u.Turn(int(t.To[i]), t.Pieces[piece], turn, s) != 0 {
					return false
				}
			}
		}
	}
	return true
}

// Bounds of the search for automorphisms.
const (
	searchStepsMax = 1 << 22
)

// Automorphisms returns the automorphisms under which the start, the set of goals and
// the blocked places remain the same, the identity first. what says why they cannot be
// listed.
//
// They are determined by the images of the moves and of one place of each orbit. Where
// place i goes to j and move m becomes n, the place from which m brings a piece to i
// goes to that from which n brings one to j, and so on.
func (s *System) Automorphisms() (list []Automorphism, what string) {
	x := &automorphismSearch{
		System: s, orbitOf: make([]int, len(s.Moduli)),
		to: make([]int, len(s.Moduli)), turns: make([]int, len(s.Moduli)), taken: make([]bool, len(s.Moduli)),
		image: slices.Repeat([]int{-1}, len(s.Moves)), used: make([]bool, len(s.Moves)),
	}
	for n, o := range x.Orbits {
		for _, place := range o.Places {
			x.orbitOf[place], x.to[place] = n, -1
		}
		if len(o.Places) == 1 && !s.turned(o.Places[0]) { // nothing distinguishes such places
			x.to[o.Places[0]], x.taken[o.Places[0]] = o.Places[0], true
		}
	}
	x.unit = slices.Repeat([]int{1}, len(x.Orbits))
	for i := range s.Moves {
		x.kinds = append(x.kinds, s.kind(&s.Moves[i]))
	}
	x.search()
	switch {
	case x.steps > searchStepsMax:
		return nil, "it would take too long to find them"
	case len(x.found) > puzzle.SymmetriesMax:
		return nil, fmt.Sprintf("there are more than %d", puzzle.SymmetriesMax)
	}
	slices.SortFunc(x.found, compare)
	list = slices.CompactFunc(x.found, func(a, b Automorphism) bool { return compare(a, b) == 0 })
	if slices.Contains(Inverses(list, s), -1) {
		return nil, "those found are not a group"
	}
	return list, ""
}

// compare orders automorphisms, the identity first. Two that move the places alike may
// still turn the pieces differently.
func compare(a, b Automorphism) int {
	return cmp.Or(slices.Compare(a.To, b.To), slices.Compare(a.Unit, b.Unit), slices.Compare(a.Turns, b.Turns))
}

// turned reports whether a move turns a piece at a place.
func (s *System) turned(place int) bool {
	return slices.ContainsFunc(s.Moves, func(t Move) bool { return t.By[place] != 0 })
}

// kind is the lengths of a move's cycles, with the moduli of their places: it is the
// same for the images of the move.
func (s *System) kind(t *Move) string {
	var cycles []string
	seen := make([]bool, len(t.From))
	for i := range t.From {
		length := 0
		for at := i; !seen[at]; at = int(t.From[at]) {
			seen[at] = true
			length++
		}
		if length > 0 {
			cycles = append(cycles, fmt.Sprintf("%d/%d", length, s.Moduli[i]))
		}
	}
	slices.Sort(cycles)
	return fmt.Sprint(cycles)
}

// automorphismSearch is a search with backtracking.
type automorphismSearch struct {
	*System
	orbitOf []int
	kinds   []string // by move

	to, turns []int // by place; to is -1 where it is not known
	taken     []bool
	unit      []int // by orbit
	image     []int // by move, or -1
	used      []bool
	trail     []int // places in the order in which their images became known

	steps int
	found []Automorphism
}

// search tries the images of the next move or place.
func (x *automorphismSearch) search() {
	if x.steps > searchStepsMax || len(x.found) > puzzle.SymmetriesMax {
		return
	}
	if m := x.nextMove(); m >= 0 {
		for n := range x.Moves {
			if !x.used[n] && x.kinds[n] == x.kinds[m] {
				x.try(func() bool { return x.setMove(m, n) })
				if x.image[m] == n {
					x.image[m], x.used[n] = -1, false
				}
			}
		}
		return
	}
	place := slices.Index(x.to, -1)
	if place < 0 {
		x.finish()
		return
	}
	orbit := x.orbitOf[place]
	units := []int{1}
	if modulus := x.Orbits[orbit].Modulus; modulus > 2 {
		units = append(units, modulus-1)
	}
	for target := range x.to {
		for _, unit := range units {
			x.unit[orbit] = unit
			x.try(func() bool { return x.setPlace(place, target, 0) })
		}
	}
	x.unit[orbit] = 1
}

// try searches on if a choice has no contradiction, and takes back what followed.
func (x *automorphismSearch) try(choose func() bool) {
	before := len(x.trail)
	if choose() {
		x.search()
	}
	for _, place := range x.trail[before:] {
		x.taken[x.to[place]], x.to[place] = false, -1
	}
	x.trail = x.trail[:before]
}

// nextMove returns a move without an image that moves a place with one, or -1.
func (x *automorphismSearch) nextMove() int {
	for m, t := range x.Moves {
		if x.image[m] >= 0 {
			continue
		}
		for i, from := range t.From {
			if x.to[i] >= 0 && (int(from) != i || t.By[i] != 0) {
				return m
			}
		}
	}
	return -1
}

// setMove sets the image of a move.
func (x *automorphismSearch) setMove(m, n int) bool {
	x.image[m], x.used[n] = n, true
	for i, to := range x.to {
		if to >= 0 && !x.follow(m, i) {
			return false
		}
	}
	return true
}

// setPlace sets the image of a place.
func (x *automorphismSearch) setPlace(place, to, turn int) bool {
	if x.to[place] >= 0 {
		return x.to[place] == to && x.turns[place] == turn
	}
	if x.taken[to] || x.Moduli[to] != x.Moduli[place] {
		return false
	}
	x.to[place], x.turns[place], x.taken[to] = to, turn, true
	x.trail = append(x.trail, place)
	for m, n := range x.image {
		if n >= 0 && !x.follow(m, place) {
			return false
		}
	}
	return true
}

// follow sets the image of the place from which a move brings a piece to another.
func (x *automorphismSearch) follow(m, place int) bool {
	if x.steps++; x.steps > searchStepsMax {
		return false
	}
	t, u := &x.Moves[m], &x.Moves[x.image[m]]
	to, modulus := x.to[place], int(x.Moduli[place])
	turn := x.unit[x.orbitOf[place]]*int(t.By[place]) + x.turns[place] + modulus - int(u.By[to])
	return x.setPlace(int(t.From[place]), int(u.From[to]), turn%modulus)
}

// finish adds an automorphism of the moves if it keeps the ends and what is blocked.
func (x *automorphismSearch) finish() {
	pieces := int(slices.Max(x.Start.Pieces)) + 1
	t := Automorphism{
		To: make([]uint8, len(x.to)), Back: make([]uint8, len(x.to)), Unit: make([]uint8, len(x.to)), Turns: make([]uint8, len(x.to)),
		Pieces: make([]uint8, pieces), PieceTurns: make([]uint8, pieces),
	}
	known := make([]bool, pieces)
	origin := slices.Repeat([]int{-1}, pieces)
	for i, to := range x.to {
		t.Back[to] = uint8(i)
		t.To[i], t.Unit[i], t.Turns[i] = uint8(to), uint8(x.unit[x.orbitOf[i]]), uint8(x.turns[i])
	}
	for _, o := range x.Orbits {
		if !x.placePieces(&t, o.Places, known, origin) {
			return
		}
	}
	for m, n := range x.image {
		if n < 0 { // it moves nothing
			n = m
		}
		t.Moves = append(t.Moves, puzzle.Move(n))
	}
	if x.keeps(&t) {
		x.found = append(x.found, t)
	}
}

// placePieces finds the images of the pieces at the places of an orbit, and how much these
// turn, unless they contradict what is known of the same pieces elsewhere. Something may be
// added to the turns of all these places and taken from those of their pieces: known pieces
// say what.
func (x *automorphismSearch) placePieces(t *Automorphism, places []int, known []bool, origin []int) bool {
	waysOf := func(piece uint8, place int) int {
		if x.Ways == nil {
			return int(x.Moduli[place])
		}
		return int(x.Ways[piece])
	}
	// needed returns how much the piece at a place must turn.
	needed := func(i int) (piece, other uint8, turn, ways int) {
		to := int(t.To[i])
		piece, other = x.Start.Pieces[i], x.Start.Pieces[to]
		return piece, other, int(x.Start.Orients[to]) - int(t.Unit[i])*int(x.Start.Orients[i]) - x.turns[i], waysOf(piece, i)
	}
	shift := -1
	for _, i := range places {
		piece, other, turn, ways := needed(i)
		if ways != waysOf(other, i) {
			return false
		}
		if shift < 0 && known[piece] {
			shift = ((turn-int(t.PieceTurns[piece]))%ways + ways) % ways
		}
	}
	shift = max(shift, 0)
	for _, i := range places {
		piece, other, turn, ways := needed(i)
		t.Turns[i] = uint8((x.turns[i] + shift) % int(x.Moduli[i]))
		turn = ((turn-shift)%ways + ways) % ways
		switch {
		case known[piece]:
			if t.Pieces[piece] != other || int(t.PieceTurns[piece]) != turn {
				return false
			}
		case origin[other] >= 0:
			return false
		default:
			known[piece], origin[other] = true, int(piece)
			t.Pieces[piece], t.PieceTurns[piece] = other, uint8(turn)
		}
	}
	return true
}

// keeps reports whether the goals and what is blocked remain the same.
func (x *automorphismSearch) keeps(t *Automorphism) bool {
	for _, goal := range x.Goals {
		a := Arrangement{slices.Clone(goal.Pieces), slices.Clone(goal.Orients)}
		x.settle(a)
		image := Arrangement{make([]uint8, len(x.to)), make([]uint8, len(x.to))}
		t.Apply(image, a, x.System)
		if !slices.ContainsFunc(x.Goals, func(other Arrangement) bool {
			b := Arrangement{other.Pieces, slices.Clone(other.Orients)}
			x.settle(b)
			return slices.Equal(b.Pieces, image.Pieces) && slices.Equal(b.Orients, image.Orients)
		}) {
			return false
		}
	}
	for _, b := range x.Blocked {
		if int(b.Piece) >= len(t.Pieces) || !slices.Contains(x.Blocked, Block{t.To[b.Place], t.Pieces[b.Piece]}) {
			return false
		}
	}
	return true
}
