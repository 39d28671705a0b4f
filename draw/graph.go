package draw

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
)

// GraphStatesMax is how many states a poster shows. With more, the dots would be
// smaller than the dots of a printer.
const GraphStatesMax = 20_000

// Graph is a state graph: states by number, in order of depth.
type Graph struct {
	Heading, Note string
	Depths        []int  // increasing
	Goals         []bool // by state
	GoalDistances []int  // by state, -1 if not known; may be nil
	// Edges lead from a state to another; the same edge there and back counts as
	// one.
	Edges [][2]int
	// Path is marked; its states follow one another.
	Path []int
}

// ErrGraphTooLarge says that a graph has more states than a poster shows.
type ErrGraphTooLarge struct{ States int }

func (e *ErrGraphTooLarge) Error() string {
	return fmt.Sprintf("a graph of %d states: a poster shows at most %d", e.States, GraphStatesMax)
}

const (
	posterSide   = 1600
	posterHead   = 96
	posterMargin = 40
	sweeps       = 24
)

// Draw draws the graph in rings around the start, one ring a depth.
func (g *Graph) Draw(o Options) (*Scene, error) {
	if len(g.Depths) > GraphStatesMax {
		return nil, &ErrGraphTooLarge{len(g.Depths)}
	}
	t := themeOf(o.Dark)
	s := &Scene{Width: posterSide, Height: posterSide + posterHead, Title: o.Title}
	if s.Title == "" {
		s.Title = g.Heading
	}
	if o.Background {
		s.background = t.paper
	}
	p := pen{&s.items}
	p.text(posterMargin, 52, 32, anchorStart, t.ink, clipped(g.Heading, 32, false, posterSide-2*posterMargin))
	p.plain(posterMargin, 82, 18, anchorStart, t.faint, clipped(g.Note, 18, true, posterSide-2*posterMargin))
	places, pitch := g.place()
	for i := range places {
		places[i] = places[i].plus(point{posterSide / 2, posterHead + posterSide/2})
	}
	g.edges(p, places, t)
	g.route(p, places, pitch)
	g.states(p, places, pitch, t)
	return s, nil
}

// layers returns where each depth begins and ends in the list of states.
func (g *Graph) layers() [][2]int {
	var out [][2]int
	for i, d := range g.Depths {
		if len(out) == 0 || d != g.Depths[i-1] {
			out = append(out, [2]int{i, i})
		}
		out[len(out)-1][1] = i + 1
	}
	return out
}

// place lays the states out: on a ring for each depth, in an order that brings
// neighbours together. It returns also how far apart states stand at the least.
func (g *Graph) place() ([]point, float64) {
	n := len(g.Depths)
	layers := g.layers()
	near := make([][]int, n)
	for _, e := range g.Edges {
		if a, b := e[0], e[1]; a != b {
			near[a] = append(near[a], b)
			near[b] = append(near[b], a)
		}
	}
	angles := g.angles(layers, near)
	radii, pitch := ringRadii(layers)
	out := make([]point, n)
	for l, r := range layers {
		for i := r[0]; i < r[1]; i++ {
			out[i] = point{math.Sin(angles[i]), -math.Cos(angles[i])}.times(radii[l])
		}
	}
	return out, pitch
}

// ringRadii shares the radius among the rings: each has its turn, and more if
// there are many states on it.
func ringRadii(layers [][2]int) (radii []float64, pitch float64) {
	const all = posterSide/2 - posterMargin
	most := 1
	for _, r := range layers {
		most = max(most, r[1]-r[0])
	}
	radii = make([]float64, len(layers))
	if len(layers) > 1 {
		begin := 0
		if layers[0][1] > 1 {
			begin = 1 // several starts make a ring
		}
		for l := range layers {
			radii[l] = all * float64(l+begin) / float64(len(layers)-1+begin)
		}
	} else if most > 1 {
		radii[0] = all
	}
	pitch = 26.0
	for l, r := range layers {
		if n := r[1] - r[0]; n > 1 {
			pitch = min(pitch, 2*math.Pi*radii[l]/float64(n))
		}
		if l > 0 {
			pitch = min(pitch, (radii[l]-radii[l-1])*1.2)
		}
	}
	return radii, max(pitch, 1.4)
}

// angles finds the order on each ring: every state goes to the mean direction of
// its neighbours, again and again, and the ring is spread evenly in that order.
func (g *Graph) angles(layers [][2]int, near [][]int) []float64 {
	n := len(g.Depths)
	angle := make([]float64, n)
	spread := func(order []int) {
		for k, i := range order {
			angle[i] = 2 * math.Pi * (float64(k) + 0.5) / float64(len(order))
		}
	}
	for _, r := range layers {
		order := make([]int, 0, r[1]-r[0])
		for i := r[0]; i < r[1]; i++ {
			order = append(order, i)
		}
		spread(order)
	}
	wish := make([]float64, n)
	arrange := func(r [2]int, use func(int) bool) {
		order := make([]int, 0, r[1]-r[0])
		for i := r[0]; i < r[1]; i++ {
			var x, y float64
			for _, j := range near[i] {
				if use(g.Depths[j]-g.Depths[i]) && g.Depths[j] > 0 {
					x, y = x+math.Cos(angle[j]), y+math.Sin(angle[j])
				}
			}
			wish[i] = angle[i]
			if math.Hypot(x, y) > 1e-9 {
				// In steps, so that rounding on some machine changes no order.
				wish[i] = math.Round(math.Mod(math.Atan2(y, x)+2*math.Pi, 2*math.Pi)*1e9) / 1e9
			}
			order = append(order, i)
		}
		slices.SortStableFunc(order, func(a, b int) int {
			return cmp.Or(cmp.Compare(wish[a], wish[b]), a-b)
		})
		spread(order)
		// Turned as a whole to where its states want to be.
		var x, y float64
		for _, i := range order {
			x, y = x+math.Cos(wish[i]-angle[i]), y+math.Sin(wish[i]-angle[i])
		}
		if turn := math.Round(math.Atan2(y, x)*1e9) / 1e9; math.Hypot(x, y) > 1e-9 {
			for _, i := range order {
				angle[i] += turn
			}
		}
	}
	for range sweeps {
		for l := 1; l < len(layers); l++ {
			arrange(layers[l], func(d int) bool { return d <= 0 })
		}
		for l := len(layers) - 2; l >= 1; l-- {
			arrange(layers[l], func(d int) bool { return d >= 0 })
		}
	}
	for l := 1; l < len(layers); l++ {
		arrange(layers[l], func(d int) bool { return d <= 0 })
	}
	return angle
}

// edges draws the edges, the more faintly the more there are.
func (g *Graph) edges(p pen, places []point, t theme) {
	seen := map[[2]int]bool{}
	var lines path
	for _, e := range g.Edges {
		a, b := min(e[0], e[1]), max(e[0], e[1])
		if a == b || seen[[2]int{a, b}] {
			continue
		}
		seen[[2]int{a, b}] = true
		lines.move(tenth(places[a].x), tenth(places[a].y))
		lines.line(tenth(places[b].x), tenth(places[b].y))
	}
	c := mix(t.paper, t.ink, 0.55)
	width := 1.2
	switch n := len(seen); {
	case n > 20_000:
		c.A, width = 0x2c, 0.35
	case n > 4_000:
		c.A, width = 0x48, 0.5
	case n > 800:
		c.A, width = 0x70, 0.8
	default:
		c.A = 0x90
	}
	// In pieces: what is one shape is seen once where its lines cross.
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
		p.stroke(out, max(min(pitch*0.3, 4), 1.6), colourGoal)
	}
}

// states draws the states, by colour of their goal distance, or of their depth if
// there is none.
func (g *Graph) states(p pen, places []point, pitch float64, t theme) {
	value := func(i int) int { return g.Depths[i] }
	if slices.ContainsFunc(g.GoalDistances, func(d int) bool { return d >= 0 }) {
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
		if r < 2 { // a square is a third of a circle's bytes, and looks the same
			dots[shade].rect(tenth(q.x-r), tenth(q.y-r), tenth(2*r), tenth(2*r))
		} else {
			dots[shade].circle(tenth(q.x), tenth(q.y), tenth(r))
		}
	}
	for shade, dot := range dots {
		var c color.NRGBA
		if c = t.faint; shade < shades {
			c = rampColour(float64(shade) / (shades - 1))
		}
		p.fill(dot, c)
	}
	for i, q := range places {
		if g.Goals[i] {
			diamond(p, q, max(r*1.5, 2.2))
		}
	}
	for i, q := range places {
		if g.Depths[i] > 0 {
			break
		}
		p.circle(q.x, q.y, max(r*1.8, 4), t.ink)
		p.circle(q.x, q.y, max(r*1.1, 2.4), t.paper)
	}
	// What colours mean.
	const right = posterSide - posterMargin
	for i := range 60 {
		p.rect(right-180+float64(i)*3, posterHead-22, 3.2, 10, 0, rampColour(float64(i)/59))
	}
	what := "depth"
	if len(g.GoalDistances) > 0 && value(0) == g.GoalDistances[0] {
		what = "goal distance"
	}
	p.plain(right-188, posterHead-12.5, 15, anchorEnd, t.faint, what+" 0")
	p.plain(right, posterHead+6, 15, anchorEnd, t.faint, fmt.Sprint(most))
}

func diamond(p pen, m point, r float64) {
	var out path
	out.polygon(m.plus(point{0, -r}), m.plus(point{r, 0}), m.plus(point{0, r}), m.plus(point{-r, 0}))
	p.fill(out, colourGoal)
}
