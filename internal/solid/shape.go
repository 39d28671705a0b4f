package solid

import (
	"math"
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// Shape is a body as a page draws it. Coordinates are right, up, and towards the viewer;
// the body's faces are at distance 1 or less from its middle.
type Shape struct {
	Name string `json:"name"`
	// Colours are those of the faces. A text with a letter for each facelet colours
	// the body: a is the first colour, a dot none, and what has a hyphen is not there.
	Colours []string `json:"colours"`
	// Facelets are the polygons of the surface: x, y, z of each corner.
	Facelets [][]float64 `json:"facelets"`
	// Stacked says that the layers of the first axis are no convex solids: they are drawn
	// one after another, and of each what is farther away first.
	Stacked bool `json:"stacked,omitempty"`
	// Base is the text that colours the facelets without a place.
	Base string `json:"base"`
	// Places are those of the puzzle, in the order of the words of a state's text.
	Places []Place `json:"places"`
	Axes   []Axis  `json:"axes"`
	Moves  []Move  `json:"moves"`
	// Yaw and Pitch are how the body is turned at first: about the vertical axis, then
	// towards the viewer, in radians.
	Yaw   float64 `json:"yaw"`
	Pitch float64 `json:"pitch"`
}

// Place is where a piece lies.
type Place struct {
	Facelets []int `json:"facelets"`
	// Seen has the colours of the facelets for each word that a text may have here.
	Seen map[string]string `json:"seen"`
	// With is the number, from 1, of the place whose word says the rest where the word here
	// is not enough; 0 if there is none.
	With int `json:"with,omitempty"`
}

// Axis is what layers turn about.
type Axis struct {
	Along vector `json:"along"`
	// Cuts are the distances of the planes between the layers, and Sections what each
	// of them lays open.
	Cuts     []float64   `json:"cuts"`
	Sections [][]float64 `json:"sections"`
}

// Move turns the layers from First to Last of an axis by an angle, counterclockwise as
// seen from its end.
type Move struct {
	Name  string  `json:"name"`
	Axis  int     `json:"axis"`
	First int     `json:"first"`
	Last  int     `json:"last"`
	Angle float64 `json:"angle"`
}

// Of returns the shape of a puzzle, or nil if it is not known to have one.
func Of(p puzzle.Puzzle) *Shape {
	own, ok := p.(Puzzle)
	if !ok {
		return nil
	}
	if shape := squareOne(own); shape != nil {
		return shape
	}
	s, ok := pointsOf(own)
	if !ok {
		return nil
	}
	var names []string
	for _, m := range s.moves {
		names = append(names, p.FormatMove(m))
		if len(powers(s.move[m])) == orderMax && !still(powers(s.move[m])[orderMax-1]) {
			return nil
		}
	}
	for _, k := range list() {
		if len(s.place) > len(k.facelets) {
			continue
		}
		for _, named := range []bool{true, false} {
			one := &search{known: k, points: s, names: names, named: named, left: checksMax}
			if !one.find(0) {
				continue
			}
			if shape := one.shape(own); shape != nil {
				return shape
			}
		}
	}
	return nil
}

// shape describes what was found, or returns nil if it cannot be coloured.
func (s *search) shape(p Puzzle) *Shape {
	out := &Shape{Name: s.name, Colours: s.colours, Yaw: s.yaw, Pitch: s.pitch}
	turns := s.turns()
	if turns == nil || !s.places(p, turns, out) {
		return nil
	}
	out.Base = s.base(out.Places)
	if s.bare(out) {
		return nil
	}
	for _, f := range s.facelets {
		out.Facelets = append(out.Facelets, flat(f.polygon))
	}
	for _, a := range s.axes {
		axis := Axis{Along: rounded(a.along), Cuts: a.cuts}
		for _, at := range a.cuts {
			axis.Sections = append(axis.Sections, flat(s.section(a, at)))
		}
		out.Axes = append(out.Axes, axis)
	}
	for m, t := range turns {
		out.Moves = append(out.Moves, Move{p.FormatMove(puzzle.Move(m)), t.axis, t.first, t.last, s.angle(t)})
	}
	return out
}

// turns returns the turn of every move. Some are powers of those that were chosen.
func (s *search) turns() []*turn {
	var turns []*turn
	for _, to := range s.move {
		var own *turn
		for i, t := range s.chosen {
			n := slices.IndexFunc(powers(s.move[s.moves[i]]), func(q []int) bool { return slices.Equal(q, to) })
			if n < 0 {
				continue
			}
			k := slices.IndexFunc(s.all, func(u turn) bool {
				return u.axis == t.axis && u.first == t.first && u.last == t.last && u.amount == (n+1)*t.amount%s.axes[t.axis].order
			})
			if k >= 0 {
				own = &s.all[k]
				break
			}
		}
		if own == nil {
			return nil
		}
		turns = append(turns, own)
	}
	return turns
}

// places finds out what is seen of every piece wherever it can be. It reports false if
// that depends on the way there.
func (s *search) places(p Puzzle, turns []*turn, out *Shape) bool {
	class := s.classes()
	for place := range s.first {
		own := Place{Seen: map[string]string{}}
		for f := range s.facelets {
			if s.belongs(f, place, class) {
				own.Facelets = append(own.Facelets, f)
			}
		}
		out.Places = append(out.Places, own)
	}
	for home, piece := range p.Solved() {
		if !s.spread(p, turns, out, home, piece) {
			return false
		}
	}
	return true
}

// belongs reports whether a facelet is one of a place: of the piece that lies there, or,
// if the puzzle has several places for one piece, of these points alone.
func (s *search) belongs(f, place int, class []int) bool {
	own := class[s.at[s.first[place]]]
	for p, g := range s.at {
		if s.place[p] != place && class[g] == own {
			at := slices.Index(s.at, f)
			return at >= 0 && s.place[at] == place
		}
	}
	return class[f] == own
}

// spread follows a piece from its home.
func (s *search) spread(p Puzzle, turns []*turn, out *Shape, home int, piece uint8) bool {
	// Of each facelet of the piece at home, where it is.
	type step struct {
		point int
		at    []int
	}
	own := out.Places[home].Facelets
	queue := []step{{s.first[home], own}}
	known := map[int]string{}
	for i := 0; i < len(queue); i++ {
		now := queue[i]
		place := s.place[now.point]
		colours := make([]byte, len(out.Places[place].Facelets))
		if len(colours) != len(own) {
			return false
		}
		for k, f := range now.at {
			n := slices.Index(out.Places[place].Facelets, f)
			if n < 0 {
				return false
			}
			colours[n] = letter(s.facelets[own[k]].face)
		}
		if was, ok := known[now.point]; ok {
			if was != string(colours) {
				return false
			}
			continue
		}
		known[now.point] = string(colours)
		word := p.Word(place, piece, uint8(now.point-s.first[place]))
		if was, ok := out.Places[place].Seen[word]; ok && was != string(colours) {
			return false
		}
		out.Places[place].Seen[word] = string(colours)
		for m, t := range turns {
			next := step{s.move[m][now.point], make([]int, len(now.at))}
			for k, f := range now.at {
				next.at[k] = t.to[f]
			}
			queue = append(queue, next)
		}
	}
	return true
}

func letter(face int) byte { return byte('a' + face) }

const unknown = '.'

// base colours the facelets without a place. Where turns mix facelets of different faces,
// their colours are not known.
func (s *search) base(places []Place) string {
	text := make([]byte, len(s.facelets))
	for f := range text {
		text[f] = letter(s.facelets[f].face)
	}
	for changed := true; changed; {
		changed = false
		for f := range text {
			for _, t := range s.chosen {
				if g := t.to[f]; text[f] != text[g] {
					changed = changed || text[f] != unknown || text[g] != unknown
					text[f], text[g] = unknown, unknown
				}
			}
		}
	}
	for _, place := range places {
		for _, f := range place.Facelets {
			text[f] = unknown
		}
	}
	return string(text)
}

// bare reports whether too little of the body has colours for a picture to be of use.
func (s *search) bare(out *Shape) bool {
	painted := 0
	for f := range s.facelets {
		if out.Base[f] != unknown || slices.ContainsFunc(out.Places, func(p Place) bool { return slices.Contains(p.Facelets, f) }) {
			painted++
		}
	}
	return 5*painted < 2*len(s.facelets)
}

func flat(p polygon) []float64 {
	var out []float64
	for _, a := range p {
		r := rounded(a)
		out = append(out, r[:]...)
	}
	return out
}

// rounded spares the page digits that nobody can see.
func rounded(a vector) vector {
	const digits = 1e4
	for i := range a {
		a[i] = math.Round(a[i]*digits) / digits
	}
	return a
}
