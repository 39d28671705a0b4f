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
const GraphStatesMax = 30_000

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

// GraphTooLargeError says that a graph has more states than a poster shows.
type GraphTooLargeError struct{ States int }

func (e *GraphTooLargeError) Error() string {
	return fmt.Sprintf("a graph of %d states: a poster shows at most %d", e.States, GraphStatesMax)
}

const (
	posterSide   = 1600
	posterHead   = 96
	posterMargin = 40
	sweeps       = 12
)

// Draw draws the graph with the start inside and the deeper states farther out.
func (g *Graph) Draw(o Options) (*Scene, error) {
	if len(g.Depths) > GraphStatesMax {
		return nil, &GraphTooLargeError{len(g.Depths)}
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
	g.states(p, places, pitch, t)
	g.route(p, places, pitch)
	g.starts(p, places, t)
	g.legend(p, t)
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

// place lays the states out: on a ring for each depth, then relaxed. It returns also
// how far apart states stand, about.
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
	angles := g.angles(near)
	radii, pitch := ringRadii(layers)
	out := make([]point, n)
	ring := make([]float64, n)
	for l, r := range layers {
		for i := r[0]; i < r[1]; i++ {
			ring[i] = radii[l]
			out[i] = point{math.Sin(angles[i]), -math.Cos(angles[i])}.times(radii[l])
		}
	}
	relax(out, ring, near)
	fit(out)
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
	states := layers[len(layers)-1][1]
	pitch = min(all*math.Sqrt(math.Pi/float64(states))*0.6, 24)
	return radii, max(pitch, 1.4)
}

// angles makes a tree of the graph, a state below one of its neighbours of the depth
// before, and gives each branch a sector as wide as it has leaves. Branches lie in
// the order of the directions to which their other neighbours pull them.
func (g *Graph) angles(near [][]int) []float64 {
	n := len(g.Depths)
	children, roots := g.tree(near)
	leaves := make([]int, n)
	for i := n - 1; i >= 0; i-- { // deeper states come later
		for _, c := range children[i] {
			leaves[i] += leaves[c]
		}
		leaves[i] = max(leaves[i], 1)
	}
	angle := make([]float64, n)
	begin := make([]float64, n)
	spread := func() {
		all := 0
		for _, r := range roots {
			all += leaves[r]
		}
		share := 2 * math.Pi / float64(max(all, 1))
		below := func(list []int, at float64) {
			for _, c := range list {
				begin[c] = at
				angle[c] = at + share*float64(leaves[c])/2
				at += share * float64(leaves[c])
			}
		}
		below(roots, 0)
		for i := range n {
			below(children[i], begin[i])
		}
	}
	spread()
	for range sweeps {
		// Where the neighbours of a branch lie, as a sum of directions.
		x, y := make([]float64, n), make([]float64, n)
		for i := n - 1; i >= 0; i-- {
			for _, j := range near[i] {
				x[i], y[i] = x[i]+math.Cos(angle[j]), y[i]+math.Sin(angle[j])
			}
			for _, c := range children[i] {
				x[i], y[i] = x[i]+x[c], y[i]+y[c]
			}
		}
		order := func(list []int, middle float64) {
			// As turns from the middle of the sector, in steps, so that rounding
			// changes no order.
			pull := func(i int) float64 {
				return math.Round(math.Remainder(math.Atan2(y[i], x[i])-middle, 2*math.Pi) * 1e6)
			}
			slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(pull(a), pull(b)) })
		}
		for i := range n {
			if len(children[i]) > 1 {
				order(children[i], angle[i])
			}
		}
		spread()
	}
	return angle
}

// fit moves and stretches a layout so that it fills the poster.
func fit(places []point) {
	const all = posterSide/2 - posterMargin
	b := emptyBox()
	for _, p := range places {
		b.add(p)
	}
	size := max(b.x1-b.x0, b.y1-b.y0)
	if size == 0 {
		return
	}
	m := point{(b.x0 + b.x1) / 2, (b.y0 + b.y1) / 2}
	for i := range places {
		places[i] = places[i].minus(m).times(min(2*all/size, 2))
	}
}

// tree puts every state below a neighbour of the depth before: along the path
// where it can, else below the one that has the fewest so far.
func (g *Graph) tree(near [][]int) (children [][]int, roots []int) {
	children = make([][]int, len(g.Depths))
	before := make(map[int]int, len(g.Path))
	for i := 1; i < len(g.Path); i++ {
		before[g.Path[i]] = g.Path[i-1]
	}
	for i, depth := range g.Depths {
		parent := -1
		for _, j := range near[i] {
			if g.Depths[j] == depth-1 && (parent < 0 || len(children[j]) < len(children[parent])) {
				parent = j
			}
		}
		if j, ok := before[i]; ok && g.Depths[j] == depth-1 {
			parent = j
		}
		if parent < 0 {
			roots = append(roots, i)
			continue
		}
		children[parent] = append(children[parent], i)
	}
	return children, roots
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
		p.stroke(out, max(min(pitch*0.3, 4), 2.4), colourGoal)
	}
}

// states draws the states, by colour of their goal distance, or of their depth if
// there is none.
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
}

func (g *Graph) starts(p pen, places []point, t theme) {
	for i, q := range places {
		if g.Depths[i] > 0 {
			break
		}
		p.circle(q.x, q.y, 8, t.ink)
		p.circle(q.x, q.y, 5, t.paper)
	}
}

// byDistance reports whether goal distances are known.
func (g *Graph) byDistance() bool {
	return slices.ContainsFunc(g.GoalDistances, func(d int) bool { return d >= 0 })
}

// legend says what the colours mean.
func (g *Graph) legend(p pen, t theme) {
	const right = posterSide - posterMargin
	for i := range 60 {
		p.rect(right-220+float64(i)*3, posterHead-24, 3.2, 10, 0, rampColour(float64(i)/59))
	}
	what, most := "depth", 0
	values := g.Depths
	if g.byDistance() {
		what, values = "goal distance", g.GoalDistances
	}
	for _, v := range values {
		most = max(most, v)
	}
	p.plain(right-228, posterHead-14, 15, anchorEnd, t.faint, what+" 0")
	p.plain(right, posterHead-14, 15, anchorEnd, t.faint, fmt.Sprint(most))
}

func diamond(p pen, m point, r float64) {
	var out path
	out.polygon(m.plus(point{0, -r}), m.plus(point{r, 0}), m.plus(point{0, r}), m.plus(point{-r, 0}))
	p.fill(out, colourGoal)
}
