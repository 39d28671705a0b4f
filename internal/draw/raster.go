package draw

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	imagedraw "image/draw"
	"image/png"
	"math"

	"golang.org/x/image/vector"
)

// pixelsMax bounds the pixels of a picture: 64 million, 256 MB while drawing.
const pixelsMax = 64 << 20

// TooLargeError reports a picture that would have too many pixels.
type TooLargeError struct{ Width, Height int }

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("a picture of %d x %d pixels: at most %d million can be drawn; choose SVG or PDF", e.Width, e.Height, pixelsMax>>20)
}

// PNG returns a scene as PNG, with scale pixels per unit.
func (s *Scene) PNG(scale float64) ([]byte, error) {
	img, err := s.Image(scale)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestCompression}
	if err := enc.Encode(&out, img); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// Image draws a scene, with scale pixels per unit.
func (s *Scene) Image(scale float64) (*image.RGBA, error) {
	w, h := int(math.Ceil(s.Width*scale)), int(math.Ceil(s.Height*scale))
	if w < 1 || h < 1 || w > pixelsMax/h {
		return nil, &TooLargeError{w, h}
	}
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	if s.background.A > 0 {
		imagedraw.Draw(img, img.Bounds(), image.NewUniform(s.background), image.Point{}, imagedraw.Src)
	}
	r := rasterizer{img: img}
	r.items(s.items, transform{scale: scale})
	return img, nil
}

// transform maps a scene to pixels.
type transform struct{ scale, dx, dy float64 }

func (t transform) of(p point) point { return point{p.x*t.scale + t.dx, p.y*t.scale + t.dy} }

func (t transform) inside(it *item) transform {
	scale := it.scale
	if scale == 0 {
		scale = 1
	}
	return transform{t.scale * scale, t.dx + it.dx*t.scale, t.dy + it.dy*t.scale}
}

func (t transform) path(p path) path {
	out := p.curves(0, 0)
	for i := range out {
		s := &out[i]
		s.to, s.ctrl[0], s.ctrl[1] = t.of(s.to), t.of(s.ctrl[0]), t.of(s.ctrl[1])
	}
	return out
}

// rasterizer draws on pixels.
type rasterizer struct {
	img *image.RGBA
	vec vector.Rasterizer
}

func (r *rasterizer) items(items []item, t transform) {
	for i := range items {
		it := &items[i]
		switch it.kind {
		case itemGroup:
			r.items(it.group, t.inside(it))
		case itemText:
			r.area(t.path(outlineOf(it)), it.fill)
		default:
			p := t.path(it.path)
			if it.fill.A > 0 {
				r.area(p, it.fill)
			}
			if it.stroke.A > 0 {
				r.area(stroked(p, it.width*t.scale, it.dash*t.scale), it.stroke)
			}
		}
	}
}

// area fills a path without turns.
func (r *rasterizer) area(p path, c color.NRGBA) {
	b := p.bounds()
	if b.x0 >= b.x1 || b.y0 >= b.y1 {
		return
	}
	rect := image.Rect(int(math.Floor(b.x0)), int(math.Floor(b.y0)), int(math.Ceil(b.x1)), int(math.Ceil(b.y1))).Intersect(r.img.Bounds())
	if rect.Empty() {
		return
	}
	// Only the rectangle around the path is scanned.
	r.vec.Reset(rect.Dx(), rect.Dy())
	at := func(p point) (float32, float32) {
		return float32(p.x - float64(rect.Min.X)), float32(p.y - float64(rect.Min.Y))
	}
	for _, s := range p {
		x, y := at(s.to)
		switch s.op {
		case opMove:
			r.vec.MoveTo(x, y)
		case opLine:
			r.vec.LineTo(x, y)
		case opCurve:
			ax, ay := at(s.ctrl[0])
			bx, by := at(s.ctrl[1])
			r.vec.CubeTo(ax, ay, bx, by, x, y)
		default:
			r.vec.ClosePath()
		}
	}
	r.vec.Draw(r.img, rect, image.NewUniform(c), image.Point{})
}

// polyline is a path of straight lines.
type polyline struct {
	points []point
	closed bool
}

// flattened returns a path as straight lines.
func flattened(p path) []polyline {
	var out []polyline
	var at point
	for _, s := range p {
		switch s.op {
		case opMove:
			out = append(out, polyline{points: []point{s.to}})
		case opClose:
			out[len(out)-1].closed = true
			continue
		case opCurve:
			last := &out[len(out)-1]
			steps := int(min(max(math.Sqrt(s.to.minus(at).length()+s.ctrl[0].minus(at).length())*2, 4), 64))
			for i := 1; i <= steps; i++ {
				f := float64(i) / float64(steps)
				ab, bc, cd := at.towards(s.ctrl[0], f), s.ctrl[0].towards(s.ctrl[1], f), s.ctrl[1].towards(s.to, f)
				last.points = append(last.points, ab.towards(bc, f).towards(bc.towards(cd, f), f))
			}
		default:
			last := &out[len(out)-1]
			last.points = append(last.points, s.to)
		}
		at = s.to
	}
	return out
}

// stroked returns the area of lines with round ends and joins.
func stroked(p path, width, dash float64) path {
	var out path
	for _, line := range flattened(p) {
		points := line.points
		if line.closed {
			points = append(points, points[0])
		}
		if dash > 0 {
			for _, d := range dashes(points, dash) {
				strokeLine(&out, d, width/2)
			}
			continue
		}
		strokeLine(&out, points, width/2)
	}
	return out
}

func strokeLine(out *path, points []point, r float64) {
	for i, p := range points {
		if i == 0 || i == len(points)-1 || bends(points[i-1], p, points[i+1]) {
			round := path{}
			round.circle(p.x, p.y, r)
			*out = append(*out, round.curves(0, 0)...)
		}
		if i == 0 {
			continue
		}
		q := points[i-1]
		d := p.minus(q)
		if d.length() == 0 {
			continue
		}
		n := point{d.y, -d.x}.times(r / d.length())
		// Clockwise like the circles, so that the areas unite.
		out.polygon(q.plus(n), p.plus(n), p.minus(n), q.minus(n))
	}
}

func bends(a, b, c point) bool {
	d, e := b.minus(a), c.minus(b)
	return math.Abs(d.cross(e)) > 1e-3*d.length()*e.length()
}

// dashes cuts a line into dashes as long as the gaps between them.
func dashes(points []point, dash float64) [][]point {
	var out [][]point
	var piece []point
	on, left := true, dash
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		length := b.minus(a).length()
		if on && len(piece) == 0 {
			piece = []point{a}
		}
		for done := 0.0; done < length; {
			step := min(left, length-done)
			done += step
			left -= step
			at := a.towards(b, done/length)
			if on {
				piece = append(piece, at)
			}
			if left <= 0 {
				if on {
					out = append(out, piece)
					piece = nil
				} else {
					piece = []point{at}
				}
				on, left = !on, dash
			}
		}
	}
	if on && len(piece) > 1 {
		out = append(out, piece)
	}
	return out
}
