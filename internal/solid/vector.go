package solid

import "math"

type vector [3]float64

func (a vector) plus(b vector) vector   { return vector{a[0] + b[0], a[1] + b[1], a[2] + b[2]} }
func (a vector) times(f float64) vector { return vector{a[0] * f, a[1] * f, a[2] * f} }
func (a vector) minus(b vector) vector  { return a.plus(b.times(-1)) }
func (a vector) dot(b vector) float64   { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
func (a vector) length() float64        { return math.Sqrt(a.dot(a)) }
func (a vector) unit() vector           { return a.times(1 / a.length()) }
func (a vector) near(b vector) bool     { return a.minus(b).length() < tolerance }
func (a vector) cross(b vector) vector {
	return vector{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

// turned returns a rotated about an axis of length 1, counterclockwise as seen from its
// end.
func (a vector) turned(axis vector, angle float64) vector {
	sin, cos := math.Sincos(angle)
	return a.times(cos).plus(axis.cross(a).times(sin)).plus(axis.times(axis.dot(a) * (1 - cos)))
}

// tolerance is far below the size of a facelet and far above rounding errors.
const tolerance = 1e-6

// plane holds the points p with normal·p = at.
type plane struct {
	normal vector
	at     float64
}

// polygon is convex, its corners in order.
type polygon []vector

// square returns a large square on a plane, counterclockwise as seen from the end of the
// normal.
func (p plane) square() polygon {
	const size = 100
	side := vector{1, 0, 0}
	if math.Abs(p.normal[0]) > 0.9 {
		side = vector{0, 1, 0}
	}
	u := p.normal.cross(side).unit().times(size)
	v := p.normal.cross(u)
	m := p.normal.times(p.at)
	return polygon{m.minus(u).minus(v), m.plus(u).minus(v), m.plus(u).plus(v), m.minus(u).plus(v)}
}

// below returns the part of a polygon on the side of a plane that its normal points away
// from, or nil if nothing is left.
func (p polygon) below(c plane) polygon {
	var out polygon
	inside := false
	for i, a := range p {
		b := p[(i+1)%len(p)]
		da, db := c.normal.dot(a)-c.at, c.normal.dot(b)-c.at
		if da < tolerance {
			out = append(out, a)
			inside = inside || da < -tolerance
		}
		if da < -tolerance && db > tolerance || da > tolerance && db < -tolerance {
			out = append(out, a.plus(b.minus(a).times(da/(da-db))))
		}
	}
	if !inside {
		return nil
	}
	return out
}

func (p polygon) middle() vector {
	var m vector
	for _, a := range p {
		m = m.plus(a)
	}
	return m.times(1 / float64(len(p)))
}
