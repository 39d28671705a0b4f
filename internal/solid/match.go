package solid

import (
	"slices"
	"sync"

	"github.com/everystate/everystate/puzzle"
)

// Puzzle is a puzzle whose moves permute pieces and turn them.
type Puzzle interface {
	puzzle.Puzzle

	// Orientations returns, by place, how many orientations a piece has there.
	Orientations() []uint8
	// Effect returns, by place, where the piece that a move brings there was, and how
	// far it is turned on its way.
	Effect(move puzzle.Move) (from, by []uint8)
	// Solved returns, by place, the piece that belongs there.
	Solved() []uint8
	// Word returns how the text of a state writes a turned piece at a place.
	Word(place int, piece, turned uint8) string
}

// known is a body and its turns. Only a copy of a turn is ever changed.
type known struct {
	*body
	all []turn
}

var list = sync.OnceValue(func() []known {
	var list []known
	for _, b := range bodies() {
		list = append(list, known{b, b.turns()})
	}
	return list
})

// points are the orientations of pieces at places, and how moves map them: what a place
// shows is one of its points.
type points struct {
	place []int // by point
	first []int // by place: its first point
	move  [][]int
	moves []puzzle.Move // those that are not powers of earlier ones
}

// pointsMax bounds the puzzles that are looked at: no body has more facelets.
const pointsMax = 200

func pointsOf(p Puzzle) (*points, bool) {
	s := &points{}
	moduli := p.Orientations()
	for place, n := range moduli {
		s.first = append(s.first, len(s.place))
		s.place = append(s.place, slices.Repeat([]int{place}, int(n))...)
	}
	if len(s.place) > pointsMax {
		return nil, false
	}
	for m := range p.Layout().Moves {
		from, by := p.Effect(puzzle.Move(m))
		to := make([]int, len(s.place))
		for place, was := range from {
			n := int(moduli[place])
			for k := range n {
				to[s.first[was]+k] = s.first[place] + (k+int(by[place]))%n
			}
		}
		s.move = append(s.move, to)
	}
	for m, to := range s.move {
		power := slices.ContainsFunc(s.moves, func(base puzzle.Move) bool {
			return slices.ContainsFunc(powers(s.move[base]), func(q []int) bool { return slices.Equal(q, to) })
		})
		if !power {
			s.moves = append(s.moves, puzzle.Move(m))
		}
	}
	return s, true
}

// orderMax is the largest order of a turn.
const orderMax = 5

// powers returns the powers of a permutation up to the identity, beginning with its
// first. If there are more than orderMax, it returns only those.
func powers(to []int) [][]int {
	list := [][]int{to}
	for len(list) < orderMax {
		last := list[len(list)-1]
		next := make([]int, len(to))
		for i, at := range last {
			next[i] = to[at]
		}
		list = append(list, next)
		if still(next) {
			break
		}
	}
	return list
}

// still reports whether a permutation moves nothing.
func still(to []int) bool {
	for i, at := range to {
		if i != at {
			return false
		}
	}
	return true
}

// search looks for turns of a body that act on facelets as moves act on points.
type search struct {
	known
	*points
	names  []string
	chosen []*turn // by index of points.moves
	at     []int   // by point: the facelet of its place that shows its orientation
	named  bool    // consider only turns whose names are those of the moves
	left   int     // how many more checks may be made
}

// checksMax bounds a search. Those of the shipped definitions take up to 300.
const checksMax = 600

// find chooses turns for the moves from the i-th one.
func (s *search) find(i int) bool {
	if i == len(s.moves) {
		return true
	}
	move := s.move[s.moves[i]]
	order := len(powers(move))
	name := s.names[i]
	var fits []*turn
	for k := range s.all {
		t := &s.all[k]
		// A body looks the same from all its axes: where names do not matter, the first
		// move turns about the first.
		fit := i > 0 || t.axis == 0
		if s.named {
			fit = s.likeness(name, t) < elsewhere
		}
		if fit && len(powers(t.to)) == order {
			fits = append(fits, t)
		}
	}
	slices.SortStableFunc(fits, func(a, b *turn) int { return s.likeness(name, a) - s.likeness(name, b) })
	for _, t := range fits {
		if s.left--; s.left < 0 {
			return false
		}
		s.chosen = append(s.chosen[:i], t)
		if s.check() && s.find(i+1) {
			return true
		}
	}
	s.chosen = s.chosen[:i]
	return false
}

// check finds a facelet of its own for every point, such that the turns chosen so far act
// on these facelets as their moves act on the points.
func (s *search) check() bool {
	s.at = slices.Repeat([]int{-1}, len(s.place))
	for point := range s.at {
		for f := 0; s.at[point] < 0; f++ {
			if f == len(s.facelets) {
				return false
			}
			s.carry(point, f)
		}
	}
	return true
}

// carry gives a point a facelet, and with it all points that moves map it to, unless they
// do not fit.
func (s *search) carry(point, f int) {
	queue := []int{point}
	s.at[point] = f
	for i := 0; i < len(queue); i++ {
		p := queue[i]
		fits := s.free(p)
		for k, t := range s.chosen {
			q, g := s.move[s.moves[k]][p], t.to[s.at[p]]
			if s.at[q] < 0 {
				s.at[q] = g
				queue = append(queue, q)
			}
			fits = fits && s.at[q] == g
		}
		if !fits {
			for _, p := range queue {
				s.at[p] = -1
			}
			return
		}
	}
}

// free reports whether no other point has the facelet of a point.
func (s *search) free(p int) bool {
	for q, f := range s.at {
		if f == s.at[p] && q != p {
			return false
		}
	}
	return true
}

// classes numbers the sets of facelets that the chosen turns never part: the pieces, as
// far as these turns can tell.
func (s *search) classes() []int {
	class := make([]int, len(s.facelets))
	for count := 0; ; {
		ids := map[string]int{}
		next := make([]int, len(class))
		for f := range class {
			id := []byte{byte(class[f])}
			for _, t := range s.chosen {
				moved := byte(0)
				if s.body.moves(t, f) {
					moved = 1
				}
				id = append(id, moved, byte(class[t.to[f]]))
			}
			n, ok := ids[string(id)]
			if !ok {
				n = len(ids)
				ids[string(id)] = n
			}
			next[f] = n
		}
		class = next
		if len(ids) == count {
			return class
		}
		count = len(ids)
	}
}
