package draw

import "math"

// point is a place in a scene, x to the right and y down.
type point struct{ x, y float64 }

func (p point) plus(q point) point               { return point{p.x + q.x, p.y + q.y} }
func (p point) minus(q point) point              { return point{p.x - q.x, p.y - q.y} }
func (p point) times(f float64) point            { return point{p.x * f, p.y * f} }
func (p point) length() float64                  { return math.Hypot(p.x, p.y) }
func (p point) cross(q point) float64            { return p.x*q.y - p.y*q.x }
func (p point) towards(q point, f float64) point { return p.plus(q.minus(p).times(f)) }

// pathOp is a command of a path.
type pathOp uint8

const (
	opMove  pathOp = iota
	opLine         // to to
	opTurn         // a quarter circle to to; ctrl[0] is the corner that it rounds off
	opCurve        // a cubic Bezier curve to to
	opClose
)

type segment struct {
	op   pathOp
	ctrl [2]point
	to   point
}

// path is closed areas, or lines to stroke. Areas are filled by the non-zero rule.
type path []segment

func (p *path) move(x, y float64) { *p = append(*p, segment{op: opMove, to: point{x, y}}) }
func (p *path) line(x, y float64) { *p = append(*p, segment{op: opLine, to: point{x, y}}) }
func (p *path) close()            { *p = append(*p, segment{op: opClose}) }
func (p *path) curve(a, b, to point) {
	*p = append(*p, segment{op: opCurve, ctrl: [2]point{a, b}, to: to})
}

// turn rounds off the corner between the current point and to.
func (p *path) turn(corner, to point) {
	*p = append(*p, segment{op: opTurn, ctrl: [2]point{corner}, to: to})
}

func (p *path) rect(x, y, w, h float64) {
	p.move(x, y)
	p.line(x+w, y)
	p.line(x+w, y+h)
	p.line(x, y+h)
	p.close()
}

func (p *path) roundRect(x, y, w, h, r float64) {
	r = min(r, w/2, h/2)
	if r <= 0 {
		p.rect(x, y, w, h)
		return
	}
	p.move(x+r, y)
	p.line(x+w-r, y)
	p.turn(point{x + w, y}, point{x + w, y + r})
	p.line(x+w, y+h-r)
	p.turn(point{x + w, y + h}, point{x + w - r, y + h})
	p.line(x+r, y+h)
	p.turn(point{x, y + h}, point{x, y + h - r})
	p.line(x, y+r)
	p.turn(point{x, y}, point{x + r, y})
	p.close()
}

func (p *path) circle(cx, cy, r float64) { p.roundRect(cx-r, cy-r, 2*r, 2*r, r) }

func (p *path) polygon(points ...point) {
	for i, q := range points {
		if i == 0 {
			p.move(q.x, q.y)
		} else {
			p.line(q.x, q.y)
		}
	}
	p.close()
}

// kappa places the control points of a cubic curve that approximates a quarter
// circle.
const kappa = 0.5522847498

// curves returns the path with turns as curves, moved by (dx, dy).
func (p path) curves(dx, dy float64) path {
	out := make(path, 0, len(p))
	d := point{dx, dy}
	at := point{}
	for _, s := range p {
		n := segment{op: s.op, to: s.to.plus(d)}
		switch s.op {
		case opTurn:
			n.op = opCurve
			n.ctrl[0] = at.towards(s.ctrl[0].plus(d), kappa)
			n.ctrl[1] = n.to.towards(s.ctrl[0].plus(d), kappa)
		case opCurve:
			n.ctrl[0], n.ctrl[1] = s.ctrl[0].plus(d), s.ctrl[1].plus(d)
		case opMove, opLine, opClose:
		}
		at = n.to
		out = append(out, n)
	}
	return out
}

// box is the smallest rectangle around some points.
type box struct{ x0, y0, x1, y1 float64 }

func emptyBox() box { return box{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)} }

func (b *box) add(p point) {
	b.x0, b.y0 = min(b.x0, p.x), min(b.y0, p.y)
	b.x1, b.y1 = max(b.x1, p.x), max(b.y1, p.y)
}

// bounds returns a box around the path.
func (p path) bounds() box {
	b := emptyBox()
	for _, s := range p {
		switch s.op {
		case opClose:
			continue
		case opCurve:
			b.add(s.ctrl[0])
			b.add(s.ctrl[1])
		case opTurn:
			b.add(s.ctrl[0])
		case opMove, opLine:
		}
		b.add(s.to)
	}
	return b
}
