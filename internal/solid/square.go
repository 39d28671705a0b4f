package solid

import (
	"math"
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// Square-1 is a body of its own kind: where its pieces are depends on how wide those
// before them are. A layer is a wheel of twelve places, an edge takes one of them and a
// corner two; each place has facelets for either half of a corner and for an edge, of
// which the state says which are there.

const (
	wheelPlaces = 12
	wheelHalf   = wheelPlaces / 2
	halves      = 3 // what a place can show: an edge, the first half of a corner, the second
	absent      = '-'
)

// The colours of the body, in the order of their letters; inside is what is seen between
// the layers.
var squareColours = []string{white, yellow, blue, red, green, orange, "#1b1e23"}

const top, bottom, inside = 'a', 'b', 'g'

// sides are the letters of the faces at compass angles 0, 90, 180 and 270, as seen from
// above with the viewer in the south.
const sides = "cdef"

// Heights of the cuts, and of what lies open beside them.
const cutAt, openAt = 1.0 / 3, 0.02

// square is what was found of a puzzle that is Square-1.
type square struct {
	Puzzle
	wheels [2][]int // places in the order in which pieces go round: clockwise as seen from outside
	middle int      // the place of the half that turns over
	slice  []int    // by place: where the move that turns half of the body over takes it
	corner uint8    // the piece that is the first half of each corner
	east   float64  // compass angle of the axis about which half of the body turns over
	out    *Shape
}

// squareOne returns the shape of a puzzle that is Square-1, or nil.
func squareOne(p Puzzle) *Shape {
	s := &square{Puzzle: p, out: &Shape{Name: "Square-1", Colours: squareColours, Yaw: usualYaw, Pitch: usualPitch, Stacked: true}}
	if !s.orientations() || !s.findWheels() || !s.findSlice() || !s.findCorners() || !s.moves() {
		return nil
	}
	s.layers()
	s.belt()
	return s.out
}

// orientations reports whether one place alone has two orientations.
func (s *square) orientations() bool {
	moduli := s.Orientations()
	s.middle = slices.Index(moduli, 2)
	others := 0
	for _, n := range moduli {
		if n == 1 {
			others++
		}
	}
	return s.middle >= 0 && others == 2*wheelPlaces && len(moduli) == others+1
}

// image returns where a move takes places, and whether it turns the half that turns over.
func (s *square) image(m int) (to []int, turns bool) {
	from, by := s.Effect(puzzle.Move(m))
	to = make([]int, len(from))
	for place, was := range from {
		to[was] = place
	}
	return to, by[s.middle] == 1
}

// findWheels finds two layers that turn by a place.
func (s *square) findWheels() bool {
	for m := range s.Layout().Moves {
		to, turns := s.image(m)
		first := slices.IndexFunc(to, func(at int) bool { return at != to[to[at]] })
		if turns || first < 0 || s.wheels[0] != nil && slices.Contains(s.wheels[0], first) {
			continue
		}
		var wheel []int
		for at := first; len(wheel) == 0 || at != first; at = to[at] {
			wheel = append(wheel, at)
		}
		moved := 0
		for place, at := range to {
			if place != at {
				moved++
			}
		}
		switch {
		case len(wheel) != wheelPlaces || moved != wheelPlaces:
		case s.wheels[0] == nil:
			s.wheels[0] = wheel
		default:
			s.wheels[1] = wheel
			return true
		}
	}
	return false
}

// findSlice finds the move that turns half of the body over, and begins the wheels such
// that this half comes last.
func (s *square) findSlice() bool {
	for m := range s.Layout().Moves {
		to, turns := s.image(m)
		if !turns || to[s.middle] != s.middle {
			continue
		}
		upper := s.wheels[0]
		begin := -1
		for k := range upper {
			if to[upper[k]] == upper[k] && to[upper[(k+1)%wheelPlaces]] != upper[(k+1)%wheelPlaces] {
				begin = (k + 1 + wheelHalf) % wheelPlaces
			}
		}
		if begin < 0 {
			return false
		}
		upper = slices.Concat(upper[begin:], upper[:begin])
		var lower []int
		for _, place := range upper[wheelHalf:] {
			lower = append(lower, slices.Index(s.wheels[1], to[place]))
		}
		if lower[0] < 0 || lower[1] < 0 {
			return false
		}
		if lower[1] == (lower[0]+wheelPlaces-1)%wheelPlaces {
			slices.Reverse(s.wheels[1])
			for i := range lower {
				lower[i] = wheelPlaces - 1 - lower[i]
			}
		}
		begin = (lower[0] + wheelHalf) % wheelPlaces
		s.wheels = [2][]int{upper, slices.Concat(s.wheels[1][begin:], s.wheels[1][:begin])}
		s.slice = to
		for k := range wheelPlaces {
			a, b := s.wheels[0][k], s.wheels[1][k]
			if k < wheelHalf && (to[a] != a || to[b] != b) || k >= wheelHalf && (to[a] != b || to[b] != a) {
				return false
			}
		}
		return true
	}
	return false
}

// findCorners finds which pieces are halves of corners when the body is solved, and
// reports whether it is a cube then.
func (s *square) findCorners() bool {
	solved := s.Solved()
	count := map[uint8]int{}
	for _, piece := range solved {
		count[piece]++
		if count[piece] == 8 {
			s.corner = piece
		}
	}
	if len(count) != 2*wheelPlaces+1-7 || count[s.corner] != 8 {
		return false
	}
	upper, lower := -1, -1
	for k := range wheelPlaces {
		a, b := s.kind(solved, 0, k), s.kind(solved, 1, k)
		if a != s.kind(solved, 0, (k+3)%wheelPlaces) || b != s.kind(solved, 1, (k+3)%wheelPlaces) {
			return false
		}
		if a == 0 && upper < 0 {
			upper = k
		}
		if b == 0 && lower < 0 {
			lower = k
		}
	}
	// Between two corners that may be cut apart, an edge is the first or the last of
	// three places; the edges of both layers lie above one another.
	if upper != 0 && upper != 2 || lower != 2-upper {
		return false
	}
	s.east = 75 + 15*float64(upper)
	return true
}

// kind returns what a place of a wheel shows: 0 for an edge, 1 for the first half of a
// corner, 2 for the second.
func (s *square) kind(pieces []uint8, wheel, k int) int {
	switch s.corner {
	case pieces[s.wheels[wheel][k]]:
		return 1
	case pieces[s.wheels[wheel][(k+wheelPlaces-1)%wheelPlaces]]:
		return 2
	}
	return 0
}

// moves describes all moves, and reports whether each turns a layer or half of the body.
func (s *square) moves() bool {
	up := vector{0, 1, 0}
	s.out.Axes = []Axis{
		{Along: up, Cuts: []float64{-cutAt, cutAt}, Sections: [][]float64{{}, {}}},
		// A corner across the cut is never turned over: its middle must not count as beyond it.
		{Along: rounded(compass(s.east, 1, 0)), Cuts: []float64{openAt}, Sections: [][]float64{flat(s.section())}},
	}
	for m := range s.Layout().Moves {
		to, turns := s.image(m)
		move := Move{Name: s.FormatMove(puzzle.Move(m))}
		if turns {
			if !slices.Equal(to, s.slice) {
				return false
			}
			move.Axis, move.First, move.Last, move.Angle = 1, 1, 1, math.Pi
		} else {
			wheel, by := s.turned(to)
			if by == 0 {
				return false
			}
			if by > wheelHalf {
				by -= wheelPlaces
			}
			move.First, move.Last = 2-2*wheel, 2-2*wheel
			move.Angle = float64(2*wheel-1) * float64(by) * math.Pi / wheelHalf
		}
		s.out.Moves = append(s.out.Moves, move)
	}
	return true
}

// turned returns by how many places a move turns which wheel; 0 if it does anything else.
func (s *square) turned(to []int) (wheel, by int) {
	for i, w := range s.wheels {
		by := slices.Index(w, to[w[0]])
		other := s.wheels[1-i]
		fits := by > 0 && to[s.middle] == s.middle
		for k := range w {
			fits = fits && to[w[k]] == w[(k+by)%wheelPlaces] && to[other[k]] == other[k]
		}
		if fits {
			return i, by
		}
	}
	return 0, 0
}

// compass returns a point in a direction, clockwise from the north as seen from above, and
// at a height.
func compass(degrees, far, height float64) vector {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	return vector{far * sin, height, -far * cos}
}

// direction returns the compass angle of the beginning or the end of a place.
func (s *square) direction(wheel, k, end int) float64 {
	if wheel == 0 {
		return s.east + float64(30*(k+end)-270)
	}
	return s.east + float64(270-30*(k+end))
}

// section is what turning half of the body over lays open.
func (s *square) section() polygon {
	far := 1 / math.Cos(math.Pi/12)
	north, south := s.east-90, s.east+90
	return polygon{compass(south, far, -1), compass(north, far, -1), compass(north, far, 1), compass(south, far, 1)}
}

// wedge returns what a place shows on its outside, at its rim and between the layers. The
// ends of a corner are those of its first half.
func (s *square) wedge(wheel, k, kind int) [3]polygon {
	first, last := 1/math.Cos(math.Pi/12), 1/math.Cos(math.Pi/12)
	switch kind {
	case 1:
		last = math.Sqrt2
	case 2:
		first = math.Sqrt2
	}
	face, open := 1.0, cutAt+openAt
	if wheel == 1 {
		face, open = -face, -open
	}
	a, z := s.direction(wheel, k, 0), s.direction(wheel, k, 1)
	end := func(height float64) polygon {
		if kind != 1 {
			return polygon{{0, height, 0}, compass(z, last, height), compass(a, first, height)}
		}
		return polygon{{0, height, 0}, compass(s.direction(wheel, k, 2), first, height), compass(z, last, height), compass(a, first, height)}
	}
	rim := polygon{compass(a, first, open), compass(a, first, face), compass(z, last, face), compass(z, last, open)}
	outer, inner := end(face), end(open)
	// The upper layer's outside is seen from above, and its places go clockwise there; the
	// lower one's from below.
	slices.Reverse(inner)
	return [3]polygon{outer, rim, inner}
}

// add adds a facelet and returns its number.
func (s *square) add(p polygon) int {
	s.out.Facelets = append(s.out.Facelets, flat(p))
	return len(s.out.Facelets) - 1
}

// sideOf returns the colour that a place has at its rim when the body is solved.
func (s *square) sideOf(wheel, k int) byte {
	at := math.Mod((s.direction(wheel, k, 0)+s.direction(wheel, k, 1))/2+720+45, 360)
	return sides[int(at)/90]
}

// layers describes the places of both wheels.
func (s *square) layers() {
	solved := s.Solved()
	s.out.Places = make([]Place, len(solved))
	for wheel, places := range s.wheels {
		for k, place := range places {
			own := Place{Seen: map[string]string{}, With: places[(k+1)%wheelPlaces] + 1}
			for kind := range halves {
				for _, p := range s.wedge(wheel, k, kind) {
					own.Facelets = append(own.Facelets, s.add(p))
				}
			}
			for home, order := range s.wheels {
				for at, from := range order {
					kind, word := s.kind(solved, home, at), s.Word(place, solved[from], 0)
					if kind == 1 { // the second half tells which corner it is
						word += " " + s.Word(place, solved[order[(at+1)%wheelPlaces]], 0)
					}
					seen := slices.Repeat([]byte{absent}, 3*halves)
					copy(seen[3*kind:], []byte{byte(top + home), s.sideOf(home, at), inside})
					if kind == 2 {
						seen[3*kind], seen[3*kind+2] = absent, absent
					}
					own.Seen[word] = string(seen)
				}
			}
			s.out.Places[place] = own
		}
	}
}

// belt describes the layer between the wheels: a half that stays, and one that turns over.
func (s *square) belt() {
	axis := compass(s.east, 1, 0)
	var stays, turns []polygon
	var colours []byte
	high := cutAt - openAt
	planes := []plane{{vector{0, 1, 0}, high}, {vector{0, -1, 0}, high}}
	letters := []byte{inside, inside}
	for i := range sides {
		planes = append(planes, plane{compass(float64(90*i), 1, 0), 1})
		letters = append(letters, sides[i])
	}
	base := make([]byte, 0, len(s.out.Facelets))
	for range s.out.Facelets {
		base = append(base, unknown)
	}
	for i, face := range planes {
		p := face.square()
		for j, other := range planes {
			if i != j {
				p = p.below(other)
			}
		}
		if q := p.below(plane{axis, 0}); q != nil {
			stays = append(stays, q)
			base = append(base, letters[i])
		}
		if q := p.below(plane{axis.times(-1), 0}); q != nil {
			turns = append(turns, q)
			colours = append(colours, letters[i])
		}
	}
	for _, p := range stays {
		s.add(p)
	}
	none := slices.Repeat([]byte{absent}, len(turns))
	own := Place{Seen: map[string]string{}}
	for over := range 2 {
		for _, p := range turns {
			turned := make(polygon, len(p))
			for i, v := range p {
				turned[i] = v.turned(axis, float64(over)*math.Pi)
			}
			own.Facelets = append(own.Facelets, s.add(turned))
			base = append(base, unknown)
		}
		word := s.Word(s.middle, s.Solved()[s.middle], uint8(over))
		own.Seen[word] = string(slices.Concat(none[:over*len(none)], colours, none[:(1-over)*len(none)]))
	}
	s.out.Places[s.middle] = own
	s.out.Base = string(base)
}
