package draw

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"

	graphlayout "github.com/everystate/everystate/internal/draw/layout"
)

// GraphStatesMax is how many states a poster shows. With more, the dots would be
// smaller than those of a printer.
const GraphStatesMax = 30_000

// Graph is a state graph: states by number, in order of depth.
type Graph struct {
	Heading, Note string
	Depths        []int  // increasing
	Goals         []bool // by state
	GoalDistances []int  // by state, -1 if not known; may be nil
	// Edges lead from a state to another; an edge and its reverse count as one.
	Edges [][2]int
	// Path is highlighted; its states are consecutive.
	Path []int
}

// GraphTooLargeError reports a graph with more states than a poster shows.
type GraphTooLargeError struct{ States int }

func (e *GraphTooLargeError) Error() string {
	return fmt.Sprintf("a graph of %d states: at most %d can be drawn", e.States, GraphStatesMax)
}

const (
	posterWidth  = 1600
	posterLeast  = 300 // the height for states
	posterHead   = 148
	posterMargin = 40
)

// Draw draws the graph so that states are near those that are a few moves away.
func (g *Graph) Draw(o Options) (*Scene, error) {
	if len(g.Depths) > GraphStatesMax {
		return nil, &GraphTooLargeError{len(g.Depths)}
	}
	t := themeOf(o.Dark)
	lines := g.lines()
	places, tall, pitch, err := g.place(lines, o.Progress)
	if err != nil {
		return nil, err
	}
	s := &Scene{Width: posterWidth, Height: posterHead + tall + posterMargin, Title: o.Title}
	if s.Title == "" {
		s.Title = g.Heading
	}
	if o.Background {
		s.background = t.paper
	}
	p := pen{&s.items}
	p.text(posterMargin, 52, 32, anchorStart, t.ink, clipped(g.Heading, 32, false, posterWidth-2*posterMargin))
	p.plain(posterMargin, 84, 22, anchorStart, t.faint, clipped(g.Note, 22, true, posterWidth-2*posterMargin))
	drawLines(p, lines, places, t)
	g.states(p, places, pitch, t)
	g.route(p, places, pitch)
	g.starts(p, places, t)
	g.legend(p, t)
	return s, nil
}

// lines returns the edges, each edge and its reverse once.
func (g *Graph) lines() [][2]int {
	var out [][2]int
	for _, e := range g.Edges {
		if e[0] != e[1] {
			out = append(out, [2]int{min(e[0], e[1]), max(e[0], e[1])})
		}
	}
	slices.SortFunc(out, func(a, b [2]int) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	return slices.Compact(out)
}

// place lays out the states below the head, as wide as the poster. It also returns
// the height of the layout and roughly how far apart states are. The error is what told
// returns.
func (g *Graph) place(lines [][2]int, told func(part float64) error) (places []point, tall, pitch float64, err error) {
	const wide = posterWidth - 2*posterMargin
	pairs := make([]uint32, 0, 2*len(lines))
	for _, e := range lines {
		pairs = append(pairs, uint32(e[0]), uint32(e[1])) // at most GraphStatesMax
	}
	at, err := graphlayout.Place(graphlayout.NewGraph(len(g.Depths), pairs), graphlayout.Options{Flat: true, Progress: told})
	if err != nil {
		return nil, 0, 0, err
	}
	out := make([]point, len(g.Depths))
	b := emptyBox()
	for i := range out {
		out[i] = point{float64(at[3*i]), float64(at[3*i+1])}
		b.add(out[i])
	}
	scale := 1.0
	if size := max(b.x1-b.x0, b.y1-b.y0); size > 0 {
		scale = wide / size
	}
	tall = max(scale*(b.y1-b.y0), posterLeast)
	middle := point{(b.x0 + b.x1) / 2, (b.y0 + b.y1) / 2}
	for i := range out {
		out[i] = out[i].minus(middle).times(scale).plus(point{posterWidth / 2, posterHead + tall/2})
	}
	return out, tall, min(max(math.Sqrt(wide*tall/float64(len(out)))*0.5, 1.4), 24), nil
}

// drawLines draws the edges, fainter the more there are.
func drawLines(p pen, edges [][2]int, places []point, t theme) {
	var lines path
	for _, e := range edges {
		a, b := places[e[0]], places[e[1]]
		lines.move(tenth(a.x), tenth(a.y))
		lines.line(tenth(b.x), tenth(b.y))
	}
	c := mix(t.paper, t.ink, 0.55)
	width := 1.2
	switch n := len(edges); {
	case n > 20_000:
		c.A, width = 0x2c, 0.35
	case n > 4_000:
		c.A, width = 0x48, 0.5
	case n > 800:
		c.A, width = 0x70, 0.8
	default:
		c.A = 0x90
	}
	// In parts: within one shape, crossing lines would be painted only once.
	const atOnce = 600
	for part := range slices.Chunk(lines, 2*atOnce) {
		p.stroke(part, width, c)
	}
}

func tenth(f float64) float64 { return math.Round(f*10) / 10 }

func (g *Graph) route(p pen, places []point, pitch float64) {
	var out path
	for i, at := range g.Path {
		q := places[at]
		if i == 0 {
			out.move(tenth(q.x), tenth(q.y))
		} else {
			out.line(tenth(q.x), tenth(q.y))
		}
	}
	if len(g.Path) > 1 {
		p.stroke(out, max(min(pitch*0.3, 4), 2.4), colourGoal)
	}
}

// states draws the states, coloured by goal distance, or by depth if there is none.
func (g *Graph) states(p pen, places []point, pitch float64, t theme) {
	value := func(i int) int { return g.Depths[i] }
	if g.byDistance() {
		value = func(i int) int { return g.GoalDistances[i] }
	}
	most := 1
	for i := range places {
		most = max(most, value(i))
	}
	r := max(min(pitch*0.4, 8), 0.6)
	const shades = 32
	dots := make([]path, shades+1)
	for i, q := range places {
		shade := shades // unknown
		if v := value(i); v >= 0 {
			shade = v * (shades - 1) / most
		}
		if g.Goals[i] {
			continue
		}
		if r < 2 { // a square takes a third of a circle's bytes, and looks the same
			dots[shade].rect(tenth(q.x-r), tenth(q.y-r), tenth(2*r), tenth(2*r))
		} else {
			dots[shade].circle(tenth(q.x), tenth(q.y), tenth(r))
		}
	}
	for shade, dot := range dots {
		var c color.NRGBA
		if c = t.faint; shade < shades {
			c = distanceColour(float64(shade)/(shades-1), t.dark)
		}
		p.fill(dot, c)
	}
	for i, q := range places {
		if g.Goals[i] {
			diamond(p, q, max(r*1.5, 2.2))
		}
	}
}

func (g *Graph) starts(p pen, places []point, t theme) {
	for i, q := range places {
		if g.Depths[i] > 0 {
			break
		}
		g.startMark(p, q, t)
	}
}

func (g *Graph) startMark(p pen, at point, t theme) {
	p.circle(at.x, at.y, 8, t.ink)
	p.circle(at.x, at.y, 5, t.paper)
}

// byDistance reports whether goal distances are known.
func (g *Graph) byDistance() bool {
	return slices.ContainsFunc(g.GoalDistances, func(d int) bool { return d >= 0 })
}

// legend explains the colours and the marks.
func (g *Graph) legend(p pen, t theme) {
	const y, size, gap = posterHead - 26, 22, 34
	what, most, lost := "depth", 0, false
	values := g.Depths
	if g.byDistance() {
		what, values = "goal distance", g.GoalDistances
	}
	for _, v := range values {
		most, lost = max(most, v), lost || v < 0
	}
	x := float64(posterMargin)
	write := func(text string) {
		p.plain(x, y, size, anchorStart, t.ink, text)
		x += textWidth(text, size, true)
	}
	write(what + " 0 ")
	for i := range 60 {
		p.rect(x+float64(i)*4, y-15, 4.2, 15, 0, distanceColour(float64(i)/59, t.dark))
	}
	x += 60*4 + 8
	write(fmt.Sprint(most))
	x += gap
	g.startMark(p, point{x, y - 7}, t)
	x += 16
	write("start")
	if slices.Contains(g.Goals, true) {
		x += gap
		diamond(p, point{x, y - 7}, 10)
		x += 16
		write("goal")
	}
	if lost && g.byDistance() {
		x += gap
		p.circle(x, y-7, 8, t.faint)
		x += 16
		write("no goal can be reached")
	}
}

func diamond(p pen, m point, r float64) {
	var out path
	out.polygon(m.plus(point{0, -r}), m.plus(point{r, 0}), m.plus(point{0, r}), m.plus(point{-r, 0}))
	p.fill(out, colourGoal)
}
