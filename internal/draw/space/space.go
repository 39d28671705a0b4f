// Package space draws the film of a space: the layers appear one after another, the
// frontier glowing, and then the goal distances flow back from the goals.
//
// States are points in space, seen from one side; depth runs from left to right. The same
// points always give the same film.
package space

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"strconv"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"github.com/everystate/everystate/internal/draw/animation"
)

// Points are the states of a space, in any order.
type Points struct {
	X, Y, Z []float32 // x and z on a disc of radius 1; y from 1 at the start to -1 at the greatest depth
	Depths  []int32
	// Distances are goal distances, -1 where there is none. Nil means that they are not
	// known.
	Distances []int32
}

// Film is how a space is shown.
type Film struct {
	Points

	Title string
	// Layers are the numbers of states by depth, and Goals by goal distance. Points may be
	// a sample of them.
	Layers, Goals []int64
	Width, Height int
	// Progress, if not nil, is told the part of the frames that are drawn.
	Progress func(part float64)
}

// Colours, on a dark ground whatever the page is like: what glows needs one.
var (
	ground = color.RGBA{0x10, 0x13, 0x18, 0xff}
	ink    = color.RGBA{0xe8, 0xeb, 0xef, 0xff}
	faint  = color.RGBA{0x3a, 0x43, 0x50, 0xff}
	dead   = color.RGBA{0x55, 0x5c, 0x66, 0xff}
	glow   = color.RGBA{0xff, 0xf4, 0xc2, 0xff}
	halo   = color.RGBA{0xf0, 0x8a, 0x24, 0xff}
)

// ramp is the scale of depths and goal distances, without its darkest end.
var ramp = []color.RGBA{
	{0x5a, 0x3a, 0x9a, 0xff}, {0x3f, 0x6b, 0xb0, 0xff}, {0x2c, 0x8f, 0xa3, 0xff}, {0x28, 0xae, 0x80, 0xff}, {0x8f, 0xd7, 0x44, 0xff}, {0xfd, 0xe7, 0x25, 0xff},
}

// rampColour returns one of some 60 colours: a GIF has 256.
func rampColour(at, most int) color.RGBA {
	const shades = 60
	f := math.Floor(float64(at)/float64(max(1, most))*shades) / shades * float64(len(ramp)-1)
	i := min(int(f), len(ramp)-2)
	f -= float64(i)
	mix := func(a, b uint8) uint8 { return uint8(float64(a) + (float64(b)-float64(a))*f + 0.5) }
	a, b := ramp[i], ramp[i+1]
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xff}
}

// framesMax bounds the frames of each half; where there are more layers, several appear
// at once.
const framesMax = 150

// GIF returns the film.
func (f *Film) GIF() ([]byte, error) {
	p := f.newPainter()
	forward, back := steps(len(f.Layers)), steps(len(f.Goals))
	if f.Distances == nil {
		back = nil
	}
	frames := len(forward) + len(back)
	done := func(i int) {
		if f.Progress != nil {
			f.Progress(float64(i) / float64(frames))
		}
	}
	out := animation.New(p.palette())
	const hold = 120 // hundredths of a second, at the end of each half
	base := p.frame()
	for i, depth := range forward {
		done(i)
		delay := pace(len(forward))
		if i == len(forward)-1 {
			delay = hold
		}
		out.Add(p.forward(base, depth, ended(forward, i)), delay)
	}
	if len(back) > 0 {
		p.dim(base)
	}
	for i, distance := range back {
		done(len(forward) + i)
		delay := pace(len(back))
		if i == len(back)-1 {
			delay = 2 * hold
		}
		out.Add(p.back(base, distance, ended(back, i)), delay)
	}
	return out.GIF()
}

// ended returns the layer that the frame before one ends with.
func ended(steps []int, i int) int {
	if i == 0 {
		return -1
	}
	return steps[i-1]
}

// steps returns the layers that frames end with.
func steps(layers int) []int {
	n := min(layers, framesMax)
	var out []int
	for i := 1; i <= n; i++ {
		out = append(out, i*layers/n-1)
	}
	return out
}

// pace returns how long a frame is shown, in hundredths of a second.
func pace(frames int) int { return min(max(700/max(1, frames), 5), 30) }

// painter draws frames.
type painter struct {
	*Film

	at    []image.Point // of the points
	order [2][][]int32  // the points by depth, and by goal distance
	dead  []int32
	size  int // of a point, in pixels
	face  font.Face
	sums  [2][]int64 // of the states up to a layer
}

func (f *Film) newPainter() *painter {
	p := &painter{Film: f}
	p.order[0] = make([][]int32, len(f.Layers))
	p.order[1] = make([][]int32, len(f.Goals))
	for i, d := range f.Depths {
		p.order[0][d] = append(p.order[0][d], int32(i))
		if f.Distances == nil {
			continue
		}
		if n := f.Distances[i]; n >= 0 {
			p.order[1][n] = append(p.order[1][n], int32(i))
		} else {
			p.dead = append(p.dead, int32(i))
		}
	}
	for i, counts := range [][]int64{f.Layers, f.Goals} {
		sum := int64(0)
		for _, n := range counts {
			sum += n
			p.sums[i] = append(p.sums[i], sum)
		}
	}
	switch n := len(f.Depths); {
	case n < 2_000:
		p.size = 4
	case n < 60_000:
		p.size = 3
	case n < 200_000:
		p.size = 2
	default:
		p.size = 1
	}
	p.face = face(float64(f.Height) / 30)
	p.project()
	return p
}

// face returns a built-in font.
func face(size float64) font.Face {
	parsed, err := opentype.Parse(gobold.TTF)
	if err != nil {
		panic("space: cannot read a built-in font: " + err.Error())
	}
	face, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: size, DPI: 72})
	if err != nil {
		panic("space: cannot use a built-in font: " + err.Error())
	}
	return face
}

// project finds where the points are seen: depth runs to the right and away from the
// viewer, who looks down on it.
func (p *painter) project() {
	const yaw, pitch, camera = 0.55, 0.38, 4.2
	sinYaw, cosYaw := math.Sincos(yaw)
	sinPitch, cosPitch := math.Sincos(pitch)
	see := func(along, across, up float64) (x, y float64) {
		along *= 1.5 // longer than wide
		x, z := along*cosYaw+across*sinYaw, -along*sinYaw+across*cosYaw
		y, z = up*cosPitch-z*sinPitch, up*sinPitch+z*cosPitch
		far := camera / (camera - z)
		return x * far, y * far
	}
	// What is seen of the space fills the frame below the title.
	type seen struct{ x, y float64 }
	all := make([]seen, len(p.X))
	low, high := seen{math.Inf(1), math.Inf(1)}, seen{math.Inf(-1), math.Inf(-1)}
	for i := range all {
		x, y := see(-float64(p.Y[i]), float64(p.Z[i]), float64(p.X[i]))
		all[i] = seen{x, y}
		low, high = seen{min(low.x, x), min(low.y, y)}, seen{max(high.x, x), max(high.y, y)}
	}
	const margin = 0.06
	head, foot := 0.1*float64(p.Height), 0.1*float64(p.Height)
	w, h := (1-2*margin)*float64(p.Width), float64(p.Height)-head-foot
	scale := min(w/max(high.x-low.x, 1e-6), h/max(high.y-low.y, 1e-6))
	for _, s := range all {
		p.at = append(p.at, image.Point{
			X: int(float64(p.Width)/2 + scale*(s.x-(low.x+high.x)/2)),
			Y: int(head + h/2 - scale*(s.y-(low.y+high.y)/2)),
		})
	}
}

// frame returns an empty frame with the title.
func (p *painter) frame() *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, p.Width, p.Height))
	fill(img, img.Bounds(), ground)
	p.write(img, p.Height/30+p.Height/40, p.Title)
	return img
}

// palette is a picture of all colours, for a palette that has them.
func (p *painter) palette() *image.RGBA {
	img := p.frame()
	x := 0
	add := func(c color.RGBA) {
		// Many pixels of each: the most frequent colours are taken.
		fill(img, image.Rect(x%p.Width, p.Height/3+x/p.Width*8, x%p.Width+8, p.Height/3+x/p.Width*8+8), c)
		x += 8
	}
	for i := range 61 {
		add(rampColour(i, 60))
	}
	for _, c := range []color.RGBA{ground, ink, faint, dead, glow, halo} {
		add(c)
	}
	return img
}

// forward adds the layers behind one, up to a depth, to what there is, and returns the
// frame, in which they glow.
func (p *painter) forward(base *image.RGBA, depth, before int) *image.RGBA {
	for d := before + 1; d <= depth; d++ {
		p.dots(base, p.order[0][d], rampColour(d, len(p.Layers)-1), p.size)
	}
	return p.shown(base, 0, depth, before, fmt.Sprintf("depth %s: %s, %s in all", grouped(int64(depth)), states(p.Layers[depth]), grouped(p.sums[0][depth])))
}

// dim takes the colours off all states, for the goal distances.
func (p *painter) dim(base *image.RGBA) {
	for _, layer := range p.order[0] {
		p.dots(base, layer, faint, p.size)
	}
	p.dots(base, p.dead, dead, p.size)
}

// back adds the goal distances behind one, up to another.
func (p *painter) back(base *image.RGBA, distance, before int) *image.RGBA {
	for n := before + 1; n <= distance; n++ {
		p.dots(base, p.order[1][n], rampColour(n, len(p.Goals)-1), p.size)
	}
	return p.shown(base, 1, distance, before, fmt.Sprintf("goal distance %s: %s, %s in all", grouped(int64(distance)), states(p.Goals[distance]), grouped(p.sums[1][distance])))
}

// shown returns a frame.
func (p *painter) shown(base *image.RGBA, order, last, before int, text string) *image.RGBA {
	img := &image.RGBA{Pix: slices.Clone(base.Pix), Stride: base.Stride, Rect: base.Rect}
	p.glowing(img, order, last, before)
	p.write(img, p.Height-p.Height/30, text)
	return img
}

// glowing draws the layers behind one, up to another, so that they glow.
func (p *painter) glowing(img *image.RGBA, order, last, before int) {
	if last == len(p.order[order])-1 {
		return // all is there: nothing is ahead
	}
	layers := slices.Concat(p.order[order][before+1 : last+1]...)
	if len(layers)*20 < len(p.at) { // a halo of many points would hide them
		p.dots(img, layers, halo, p.size+3)
	}
	p.dots(img, layers, glow, p.size+1)
}

func (p *painter) dots(img *image.RGBA, points []int32, c color.RGBA, size int) {
	for _, i := range points {
		at := p.at[i].Sub(image.Pt(size/2, size/2))
		fill(img, image.Rectangle{at, at.Add(image.Pt(size, size))}, c)
	}
}

// write writes a line in the middle.
func (p *painter) write(img *image.RGBA, y int, text string) {
	d := font.Drawer{Dst: img, Src: image.NewUniform(ink), Face: p.face}
	d.Dot = fixed.Point26_6{X: (fixed.I(p.Width) - d.MeasureString(text)) / 2, Y: fixed.I(y)}
	d.DrawString(text)
}

func fill(img *image.RGBA, r image.Rectangle, c color.RGBA) {
	r = r.Intersect(img.Bounds())
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := img.Pix[img.PixOffset(r.Min.X, y):]
		for x := range r.Dx() {
			row[4*x], row[4*x+1], row[4*x+2], row[4*x+3] = c.R, c.G, c.B, c.A
		}
	}
}

func states(n int64) string {
	if n == 1 {
		return "1 state"
	}
	return grouped(n) + " states"
}

// grouped writes a number with commas.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
