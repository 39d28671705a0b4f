package solid

import (
	"math"
	"strconv"
	"strings"

	"github.com/everystate/everystate/puzzle"
)

// How a body is drawn, in cells.
const (
	bodyHalf = 2.5 // half the side of the square that it is in
	bodyGap  = 0.3 // between its two sides
)

// camera is the distance of the viewer from the middle.
const camera = 7

const (
	bodyColour    = 0x1b1e23
	unknownColour = 0x858d97
)

// Picture draws the state with a text from two sides: from where it is looked at first,
// and from behind; in the midst of a turn if one is given.
func (s *Shape) Picture(text string, t *Turning) *puzzle.Picture {
	painted := s.paint(text)
	p := &puzzle.Picture{Rows: 1, Cols: 1, Ground: []puzzle.Ground{puzzle.GroundNone}}
	far := 0.0
	for _, f := range s.Facelets {
		for _, corner := range corners(f) {
			far = max(far, corner.length())
		}
	}
	scale := bodyHalf * (camera - 1) / camera / far
	for side := range 2 {
		middle := puzzle.Spot{X: bodyHalf + float64(side)*(2*bodyHalf+bodyGap), Y: bodyHalf}
		look := func(v vector) vector {
			v = v.turned(vector{0, 1, 0}, s.Yaw+float64(side)*math.Pi)
			return v.turned(vector{1, 0, 0}, s.Pitch*(1-2*float64(side)))
		}
		for _, q := range s.view(painted, t, look) {
			whole := make([]puzzle.Spot, 0, len(q.points))
			for _, v := range q.points {
				by := scale * camera / (camera - v[2])
				whole = append(whole, puzzle.Spot{X: middle.X + by*v[0], Y: middle.Y - by*v[1]})
			}
			p.Facets = append(p.Facets, puzzle.Facet{Corners: whole, Colour: s.lit(q.letter, q.normal), Edge: bodyColour})
		}
	}
	return p
}

// paint colours the facelets as the page does: it returns the letters of the facelets in the state with a text.
func (s *Shape) paint(text string) string {
	out := []byte(s.Base)
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '/' || r == '\n' })
	for i, place := range s.Places {
		seen := ""
		if i < len(words) {
			seen = place.Seen[words[i]]
			if seen == "" && place.With > 0 && place.With <= len(words) {
				seen = place.Seen[words[i]+" "+words[place.With-1]]
			}
		}
		for k, f := range place.Facelets {
			out[f] = unknown
			if k < len(seen) {
				out[f] = seen[k]
			}
		}
	}
	return string(out)
}

// lit returns the colour of a letter as the light falls on it.
func (s *Shape) lit(letter byte, normal vector) uint32 {
	if letter == 0 {
		return bodyColour
	}
	colour := uint64(unknownColour)
	if n := int(letter) - 'a'; n >= 0 && n < len(s.Colours) {
		if c, err := strconv.ParseUint(strings.TrimPrefix(s.Colours[n], "#"), 16, 32); err == nil {
			colour = c
		}
	}
	part := 0.84 + 0.16*max(0, normal.dot(vector{-0.27, 0.8, 0.53}))
	out := uint32(0)
	for shift := 16; shift >= 0; shift -= 8 {
		out |= uint32(math.Round(part*float64(colour>>shift&0xff))) << shift
	}
	return out
}

func corners(flat []float64) []vector {
	var out []vector
	for i := 0; i+2 < len(flat); i += 3 {
		out = append(out, vector(flat[i:i+3]))
	}
	return out
}
