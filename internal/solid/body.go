package solid

import (
	"math"
	"slices"
)

// axis is a direction about which layers turn. Its cuts are planes across it, by
// increasing distance in its direction; layer i lies below cut i, and the last one above
// all.
type axis struct {
	along vector
	order int // turns by 1/order of a full turn
	cuts  []float64
	ends  [2]string // names of the layers at both ends: the first, and the last
}

// layer returns the layer of a point.
func (a axis) layer(p vector) int {
	n, _ := slices.BinarySearch(a.cuts, a.along.dot(p))
	return n
}

// facelet is a part of the surface that no turn divides.
type facelet struct {
	polygon
	middle vector
	face   int
}

// body is a solid that is cut.
type body struct {
	name     string
	planes   []plane // one for each face, pointing outwards
	colours  []string
	axes     []axis
	facelets []facelet

	// From where it is looked at: turned about the vertical axis, then tilted towards
	// the viewer.
	yaw, pitch float64
}

// turn is a turn of neighbouring layers of an axis: amount times 1/order of a full turn,
// clockwise as seen from its end.
type turn struct {
	axis, first, last, amount int
	to                        []int // by facelet: where it goes
}

// angle returns the counterclockwise angle of a turn.
func (b *body) angle(t *turn) float64 {
	order := b.axes[t.axis].order
	amount := t.amount
	if 2*amount > order {
		amount -= order
	}
	return -2 * math.Pi * float64(amount) / float64(order)
}

// cut divides the faces into facelets.
func (b *body) cut() {
	for i, face := range b.planes {
		parts := []polygon{face.square()}
		for j, other := range b.planes {
			if i != j {
				parts[0] = parts[0].below(other)
			}
		}
		for _, a := range b.axes {
			for _, at := range a.cuts {
				var divided []polygon
				for _, p := range parts {
					for _, half := range []plane{{a.along, at}, {a.along.times(-1), -at}} {
						if q := p.below(half); q != nil {
							divided = append(divided, q)
						}
					}
				}
				parts = divided
			}
		}
		for _, p := range parts {
			b.facelets = append(b.facelets, facelet{p, p.middle(), i})
		}
	}
}

// quarter divides the faces from their middles to those of their edges: each facelet has
// one corner of the face.
func (b *body) quarter() {
	for i, face := range b.planes {
		p := face.square()
		for j, other := range b.planes {
			if i != j {
				p = p.below(other)
			}
		}
		for k, corner := range p {
			before, after := p[(k+len(p)-1)%len(p)], p[(k+1)%len(p)]
			q := polygon{p.middle(), corner.plus(before).times(0.5), corner, corner.plus(after).times(0.5)}
			b.facelets = append(b.facelets, facelet{q, q.middle(), i})
		}
	}
}

// section returns what a cut of an axis lays open.
func (b *body) section(a axis, at float64) polygon {
	p := plane{a.along, at}.square()
	for _, face := range b.planes {
		p = p.below(face)
	}
	return p
}

// turns lists the turns of all neighbouring layers, but for those of the whole body. It
// leaves out turns that do not map facelets to facelets.
func (b *body) turns() []turn {
	var list []turn
	for i, a := range b.axes {
		for first := 0; first <= len(a.cuts); first++ {
			for last := first; last <= len(a.cuts); last++ {
				for amount := 1; amount < a.order && (first > 0 || last < len(a.cuts)); amount++ {
					t := turn{axis: i, first: first, last: last, amount: amount}
					if t.to = b.permutation(&t); t.to != nil {
						list = append(list, t)
					}
				}
			}
		}
	}
	return list
}

// permutation returns where a turn takes the facelets, or nil if it does not fit.
func (b *body) permutation(t *turn) []int {
	a, angle := b.axes[t.axis], b.angle(t)
	to := make([]int, len(b.facelets))
	for i, f := range b.facelets {
		to[i] = i
		if layer := a.layer(f.middle); layer < t.first || layer > t.last {
			continue
		}
		at := f.middle.turned(a.along, angle)
		to[i] = slices.IndexFunc(b.facelets, func(g facelet) bool { return g.middle.near(at) })
		if to[i] < 0 {
			return nil
		}
	}
	return to
}

// moves reports whether a turn moves the layer of a facelet.
func (b *body) moves(t *turn, f int) bool {
	layer := b.axes[t.axis].layer(b.facelets[f].middle)
	return layer >= t.first && layer <= t.last
}
