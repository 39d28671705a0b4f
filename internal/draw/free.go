package draw

import (
	"image/color"

	"github.com/everystate/everystate/puzzle"
)

// ringHalf is half the width of a groove, in cells.
const ringHalf = 0.56

// ringReach returns how far a ring reaches from its middle, in cells.
func ringReach(r puzzle.Ring) float64 {
	if r.Disc {
		return r.Radius
	}
	return r.Radius + ringHalf
}

// grooves draws the rings that pieces lie on, and discs that turn some of them over.
func (l *layout) grooves(p pen) {
	for _, layer := range []struct {
		width  float64
		colour color.NRGBA
	}{{2 * ringHalf * Cell, colourFrame}, {2*ringHalf*Cell - 6, colourFloor}} {
		for _, r := range l.Rings {
			x, y, radius := r.Middle.X*Cell, r.Middle.Y*Cell, r.Radius*Cell
			switch {
			case r.Disc:
			case radius < Cell: // too small for a hole in it
				p.circle(x, y, radius+layer.width/2, layer.colour)
			default:
				var out path
				out.circle(x, y, radius)
				p.stroke(out, layer.width, layer.colour)
			}
		}
	}
	for _, r := range l.Rings {
		if r.Disc {
			x, y := r.Middle.X*Cell, r.Middle.Y*Cell
			p.circle(x, y, r.Radius*Cell, colourFrame)
			p.circle(x, y, r.Radius*Cell-3, mix(colourFloor, colourFrame, 0.35))
		}
	}
}

// named are the colours of pieces that are called by them.
var named = map[string]color.NRGBA{
	"r": rgb(0xc5283d), "g": rgb(0x2f9e5b), "b": rgb(0x2a62b8), "y": rgb(0xf6d743), "o": rgb(0xf08a24), "w": rgb(0xf7f7f2), "k": rgb(0x2a2f37),
}

// token draws a round piece.
func (l *layout) token(p pen, piece *puzzle.Piece) {
	m := l.middle(piece.Cells[0])
	fill := l.tileColour(piece)
	if c, ok := named[piece.Label]; ok {
		fill = c
	}
	p.circle(m.x, m.y+1.2, 17.5, darker(fill, 0.35))
	p.circle(m.x, m.y-0.3, 17, fill)
	p.centred(m.x, m.y-0.3, min(l.textSize, 17), textOn(fill), piece.Label)
}

// facets draws the polygons of a picture without cells. They have a motion of their own
// in a film.
func facets(pic *puzzle.Picture, m *motion) []item {
	if len(pic.Facets) == 0 {
		return nil
	}
	var own []item
	for _, f := range pic.Facets {
		var out path
		var corners []point
		for _, at := range f.Corners {
			corners = append(corners, point{at.X * Cell, at.Y * Cell})
		}
		out.polygon(corners...)
		own = append(own, item{path: out, fill: rgb(f.Colour), stroke: rgb(f.Edge), width: 2.8})
	}
	return []item{{kind: itemGroup, group: own, motion: m}}
}
