package solid

import (
	"math"
	"slices"
	"strings"
)

// Colours of faces, as people know them from the puzzles.
const (
	white  = "#f4f5f7"
	red    = "#d3263f"
	green  = "#1f9d55"
	yellow = "#f7cf2e"
	orange = "#f5871f"
	blue   = "#2867d6"
	purple = "#7d3fb8"
	pink   = "#f2a0c4"
	cream  = "#e9dfb0"
	sky    = "#6cc5ea"
	lime   = "#9bd13c"
	silver = "#9aa3ad"
)

// From the upper right.
const usualYaw, usualPitch = -0.55, 0.5

// x points right, y up, and z at the one who looks.
var cubeFaces = []struct {
	name   string
	normal vector
}{
	{"U", vector{0, 1, 0}}, {"R", vector{1, 0, 0}}, {"F", vector{0, 0, 1}},
	{"D", vector{0, -1, 0}}, {"L", vector{-1, 0, 0}}, {"B", vector{0, 0, -1}},
}

// bodies returns all bodies, those with fewer pieces first.
func bodies() []*body {
	list := []*body{cube(2), pyraminx(), cornerCube("Skewb", 0), cornerCube("Dino Cube", 1/math.Sqrt(3)), octahedron(), cube(3), megaminx(), cube(4), cube(5)}
	for _, b := range list {
		b.cut()
	}
	small := kilominx()
	small.quarter()
	return append([]*body{small}, list...)
}

func newCube(name string) *body {
	b := &body{name: name, yaw: usualYaw, pitch: usualPitch, colours: []string{white, red, green, yellow, orange, blue}}
	for _, f := range cubeFaces {
		b.planes = append(b.planes, plane{f.normal, 1})
	}
	return b
}

// cube is cut into n layers about each of its three axes.
func cube(n int) *body {
	size := string(rune('0' + n))
	b := newCube("the " + size + "x" + size + "x" + size + " cube")
	for i, f := range cubeFaces[:3] {
		a := axis{along: f.normal, order: 4, ends: [2]string{cubeFaces[i+3].name, f.name}}
		for k := 1; k < n; k++ {
			a.cuts = append(a.cuts, -1+2*float64(k)/float64(n))
		}
		b.axes = append(b.axes, a)
	}
	return b
}

// cornerCube is a cube that turns about its corners, cut at a distance from its middle
// on both sides.
func cornerCube(name string, at float64) *body {
	b := newCube("the " + name)
	for _, corner := range []vector{{1, 1, 1}, {-1, 1, -1}, {-1, -1, 1}, {1, -1, -1}} {
		a := axis{along: corner.unit(), order: 3, cuts: []float64{at}}
		if at > 0 {
			a.cuts = []float64{-at, at}
		}
		for _, f := range cubeFaces {
			if f.normal.dot(corner) > 0 {
				a.ends[1] += f.name
			} else {
				a.ends[0] += f.name
			}
		}
		b.axes = append(b.axes, a)
	}
	return b
}

// pyraminx is a tetrahedron that turns about its corners, cut twice. Its corners are at
// distance 1 from its middle, its faces at 1/3.
func pyraminx() *body {
	b := &body{name: "the Pyraminx", yaw: -0.8, pitch: 0.4, colours: []string{yellow, blue, red, green}}
	up := vector{0, 1, 0}
	ring := vector{0, -1.0 / 3, math.Sqrt(8) / 3} // a corner of the base
	third := 2 * math.Pi / 3
	for _, c := range []struct {
		name string
		at   vector
	}{{"U", up}, {"R", ring.turned(up, third/2)}, {"L", ring.turned(up, -third/2)}, {"B", ring.turned(up, 3*third/2)}} {
		b.planes = append(b.planes, plane{c.at.times(-1), 1.0 / 3})
		b.axes = append(b.axes, axis{along: c.at, order: 3, cuts: []float64{1.0 / 9, 5.0 / 9}, ends: [2]string{"", c.name}})
	}
	return b
}

// octahedron is the face-turning octahedron: each face is cut into nine triangles.
func octahedron() *body {
	b := &body{name: "the face-turning octahedron", yaw: usualYaw, pitch: usualPitch, colours: []string{white, red, purple, pink, green, orange, blue, yellow}}
	// A corner up, a face ahead.
	for _, f := range []struct {
		front, back string
		normal      vector
	}{{"F", "DB", vector{0, 1, math.Sqrt2}}, {"R", "DL", vector{math.Sqrt2, 1, 0}}, {"B", "DF", vector{0, 1, -math.Sqrt2}}, {"L", "DR", vector{-math.Sqrt2, 1, 0}}} {
		n := f.normal.unit()
		b.axes = append(b.axes, axis{along: n, order: 3, cuts: []float64{-1.0 / 3, 1.0 / 3}, ends: [2]string{f.back, f.front}})
		b.planes = append(b.planes, plane{n, 1})
	}
	for _, a := range b.axes {
		b.planes = append(b.planes, plane{a.along.times(-1), 1})
	}
	return b
}

// megaminx is a dodecahedron that turns about its faces.
func megaminx() *body { return dodecahedron("the Megaminx", 0.7) }

// kilominx has the corners of the Megaminx alone. A turn moves what is nearer to the face
// than the middles of the faces around it.
func kilominx() *body { return dodecahedron("the Kilominx", 1/math.Sqrt(5)) }

// dodecahedron is cut at a distance from its middle on both sides of each axis.
func dodecahedron(name string, at float64) *body {
	b := &body{name: name, yaw: usualYaw, pitch: usualPitch, colours: []string{white, green, red, blue, yellow, purple, silver, pink, orange, lime, sky, cream}}
	up := vector{0, 1, 0}
	tilt := math.Atan(2) // between the normals of neighbouring faces
	names := [][2]string{{"D", "U"}, {"B", "F"}, {"DBL", "R"}, {"DL", "BR"}, {"DR", "BL"}, {"DBR", "L"}}
	for i, ends := range names {
		n := up
		if i > 0 {
			n = vector{0, math.Cos(tilt), math.Sin(tilt)}.turned(up, 2*math.Pi/5*float64(i-1))
		}
		b.axes = append(b.axes, axis{along: n, order: 5, cuts: []float64{-at, at}, ends: ends})
		b.planes = append(b.planes, plane{n, 1})
	}
	for _, a := range b.axes {
		b.planes = append(b.planes, plane{a.along.times(-1), 1})
	}
	return b
}

// elsewhere is the likeness of a turn to the name of another end of the body.
const elsewhere = 4

// likeness rates how well the name of a move suits a turn: 0 is best. It decides between
// answers that are equally right. Where a piece that stays is in a layer, turning the rest
// back has the name of the outermost layer.
func (b *body) likeness(name string, t *turn) int {
	a := b.axes[t.axis]
	stem := letters(strings.TrimRight(name, "0123456789'"))
	best := elsewhere
	rate := func(end, amount, value int) {
		if a.ends[end] == "" || letters(a.ends[end]) != stem {
			return
		}
		if end == 0 { // seen from the other side
			amount = a.order - amount
		}
		if amount != 1 {
			value = elsewhere - 1
		}
		best = min(best, value)
	}
	wide := min(t.last-t.first, 1)
	if t.first == 0 {
		rate(0, t.amount, wide)
		if t.last == len(a.cuts)-1 {
			rate(1, a.order-t.amount, 2)
		}
	}
	if t.last == len(a.cuts) {
		rate(1, t.amount, wide)
		if t.first == 1 {
			rate(0, a.order-t.amount, 2)
		}
	}
	return best
}

// letters returns the letters of a name in order: URF and UFR are one corner.
func letters(name string) string {
	list := strings.Split(strings.ToUpper(name), "")
	slices.Sort(list)
	return strings.Join(list, "")
}
