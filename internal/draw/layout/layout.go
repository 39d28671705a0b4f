// Package layout places the nodes of a large graph in space or on paper, so that
// nodes a few steps apart are close together and distant nodes are not.
//
// It first computes distances to a few pivots, each as far as possible from those
// before, and the three (or two) directions in which these distances vary most (pivot
// MDS, Brandes and Pich 2006). Then every node moves to where its neighbours and the
// pivots pull it (sparse stress, Ortmann, Klimenta and Brandes 2017). Time grows with
// the number of edges; half a million nodes take seconds.
//
// It is a pure function without randomness: the same graph gives the same places on
// the same kind of machine. Nothing stored or decided may depend on them, as
// floating-point results differ between kinds.
package layout

import "math"

// Graph is an undirected graph: the neighbours of node i are
// Targets[Offsets[i]:Offsets[i+1]]. Each edge is stored in both directions.
type Graph struct {
	Offsets []uint32 // one entry more than there are nodes
	Targets []uint32
}

// NewGraph makes a graph from pairs of nodes.
func NewGraph(nodes int, pairs []uint32) *Graph {
	g := &Graph{Offsets: make([]uint32, nodes+1), Targets: make([]uint32, len(pairs))}
	for _, i := range pairs {
		g.Offsets[i+1]++
	}
	for i := range nodes {
		g.Offsets[i+1] += g.Offsets[i]
	}
	next := append([]uint32(nil), g.Offsets[:nodes]...)
	for i := 0; i < len(pairs); i += 2 {
		a, b := pairs[i], pairs[i+1]
		g.Targets[next[a]] = b
		next[a]++
		g.Targets[next[b]] = a
		next[b]++
	}
	return g
}

// Nodes returns the number of nodes.
func (g *Graph) Nodes() int { return len(g.Offsets) - 1 }

func (g *Graph) neighbours(i int) []uint32 { return g.Targets[g.Offsets[i]:g.Offsets[i+1]] }

const (
	dimensions   = 3
	pivotsMax    = 40
	pivotsLarge  = 20 // for graphs with more nodes than
	nodesLarge   = 150_000
	roundsSmall  = 120
	roundsLarge  = 25
	eigenRounds  = 100
	unreached    = math.MaxUint16
	jitterRadius = 0.35
)

// Options say how nodes are placed.
type Options struct {
	// Flat leaves z at 0.
	Flat bool

	// Progress, if not nil, is called now and then with the fraction done, from 0 to
	// 1. If it returns an error, that ends the work.
	Progress func(part float64) error
}

// Place returns x, y and z of every node, within a ball of radius 1 around 0.
func Place(g *Graph, opts Options) ([]float32, error) {
	n := g.Nodes()
	if n == 0 {
		return nil, nil
	}
	tell := opts.Progress
	if tell == nil {
		tell = func(float64) error { return nil }
	}
	count, rounds := pivotsMax, roundsSmall
	if n > nodesLarge {
		count, rounds = pivotsLarge, roundsLarge
	}
	p := newPivots(g, min(count, n))
	if err := tell(0.15); err != nil {
		return nil, err
	}
	at := p.project()
	p.jitter(at)
	if opts.Flat {
		for i := dimensions - 1; i < len(at); i += dimensions {
			at[i] = 0 // and nothing pulls it away from there
		}
	}
	if err := tell(0.25); err != nil {
		return nil, err
	}
	for round := range rounds {
		// Pivots shape the whole at first; then neighbours count more and more.
		p.relax(at, 1-float64(round)/float64(rounds))
		if err := tell(0.25 + 0.75*float64(round+1)/float64(rounds)); err != nil {
			return nil, err
		}
	}
	return fit(at), nil
}

// pivots are nodes with the distances of all nodes from them.
type pivots struct {
	graph  *Graph
	nodes  []int
	steps  []uint16 // of node i from pivot j at i*len(nodes)+j
	weight []float64
}

// newPivots chooses k pivots.
func newPivots(g *Graph, k int) *pivots {
	n := g.Nodes()
	p := &pivots{graph: g, steps: make([]uint16, n*k), weight: make([]float64, k)}
	nearest := make([]uint16, n)
	owner := make([]uint16, n)
	for i := range nearest {
		nearest[i] = unreached
	}
	from := make([]uint16, n)
	queue := make([]uint32, 0, n)
	node := 0
	for j := range k {
		p.nodes = append(p.nodes, node)
		queue = g.distances(node, from, queue)
		farthest := 0
		for i, d := range from {
			p.steps[i*k+j] = d
			if d < nearest[i] {
				nearest[i], owner[i] = d, uint16(j)
			}
			if nearest[i] > nearest[farthest] {
				farthest = i
			}
		}
		node = farthest
	}
	p.bound(k)
	for _, j := range owner {
		p.weight[j]++
	}
	return p
}

// bound gives nodes in other components a distance slightly greater than any.
func (p *pivots) bound(k int) {
	for j := range k {
		var most uint16
		for i := j; i < len(p.steps); i += k {
			if d := p.steps[i]; d != unreached && d > most {
				most = d
			}
		}
		for i := j; i < len(p.steps); i += k {
			if p.steps[i] == unreached {
				p.steps[i] = most + most/4 + 2
			}
		}
	}
}

// distances computes the distance of every node from one node.
func (g *Graph) distances(node int, from []uint16, queue []uint32) []uint32 {
	for i := range from {
		from[i] = unreached
	}
	from[node] = 0
	queue = append(queue[:0], uint32(node))
	for head := 0; head < len(queue); head++ {
		i := queue[head]
		d := min(from[i]+1, unreached-1)
		for _, j := range g.neighbours(int(i)) {
			if from[j] == unreached {
				from[j] = d
				queue = append(queue, j)
			}
		}
	}
	return queue
}

// project returns the initial places: the directions in which the doubly centred
// squared distances vary most.
func (p *pivots) project() []float64 {
	n, k := p.graph.Nodes(), len(p.nodes)
	column := make([]float64, k)
	row := make([]float64, n)
	var all float64
	for i := range n {
		for j := range k {
			d := float64(p.steps[i*k+j])
			row[i] += d * d / float64(k)
			column[j] += d * d / float64(n)
		}
		all += row[i] / float64(n)
	}
	centred := func(i, j int) float64 {
		d := float64(p.steps[i*k+j])
		return -0.5 * (d*d - row[i] - column[j] + all)
	}
	square := make([]float64, k*k)
	line := make([]float64, k)
	for i := range n {
		for j := range k {
			line[j] = centred(i, j)
		}
		for a := range k {
			for b := a; b < k; b++ {
				square[a*k+b] += line[a] * line[b]
			}
		}
	}
	for a := range k {
		for b := range a {
			square[a*k+b] = square[b*k+a]
		}
	}
	at := make([]float64, n*dimensions)
	for d, v := range eigenvectors(square, k) {
		for i := range n {
			for j := range k {
				at[i*dimensions+d] += centred(i, j) * v[j]
			}
		}
	}
	p.scale(at)
	return at
}

// eigenvectors returns the vectors of the greatest eigenvalues of a symmetric
// matrix, by power iteration.
func eigenvectors(m []float64, k int) [][]float64 {
	var found [][]float64
	for d := range dimensions {
		v := make([]float64, k)
		for i := range v {
			v[i] = math.Sin(float64(i+1) * float64(d+1)) // any fixed start will do
		}
		next := make([]float64, k)
		for range eigenRounds {
			for a := range k {
				next[a] = 0
				for b := range k {
					next[a] += m[a*k+b] * v[b]
				}
			}
			for _, f := range found {
				var dot float64
				for a := range k {
					dot += f[a] * next[a]
				}
				for a := range k {
					next[a] -= dot * f[a]
				}
			}
			var length float64
			for _, x := range next {
				length += x * x
			}
			if length = math.Sqrt(length); length < 1e-9 {
				clear(v) // there are no more directions
				break
			}
			for a := range k {
				v[a] = next[a] / length
			}
		}
		found = append(found, v)
	}
	return found
}

// scale makes edges about 1 long.
func (p *pivots) scale(at []float64) {
	var sum float64
	var edges int
	for i := range p.graph.Nodes() {
		for _, j := range p.graph.neighbours(i) {
			sum += distance(at, i, int(j))
			edges++
		}
	}
	if sum < 1e-9 {
		return
	}
	factor := float64(edges) / sum
	for i := range at {
		at[i] *= factor
	}
}

func distance(at []float64, i, j int) float64 {
	a, b := at[i*dimensions:i*dimensions+dimensions], at[j*dimensions:j*dimensions+dimensions]
	x, y, z := a[0]-b[0], a[1]-b[1], a[2]-b[2]
	return math.Sqrt(x*x + y*y + z*z)
}

// jitter separates nodes with equal distances from all pivots.
func (p *pivots) jitter(at []float64) {
	h := uint64(0x9e3779b97f4a7c15)
	for i := range at {
		h ^= h << 13
		h ^= h >> 7
		h ^= h << 17
		at[i] += jitterRadius * (float64(h>>11)/(1<<53)*2 - 1)
	}
}

// relax moves every node once towards where its neighbours and the pivots pull it.
// far is the weight of the pivots.
func (p *pivots) relax(at []float64, far float64) {
	k := len(p.nodes)
	for i := range p.graph.Nodes() {
		here := at[i*dimensions : i*dimensions+dimensions]
		var x, y, z, total float64
		pull := func(j int, want, weight float64) {
			other := at[j*dimensions : j*dimensions+dimensions]
			dx, dy, dz := here[0]-other[0], here[1]-other[1], here[2]-other[2]
			length := math.Sqrt(dx*dx + dy*dy + dz*dz)
			s := 0.0
			if length > 1e-9 {
				s = want / length
			}
			x += weight * (other[0] + s*dx)
			y += weight * (other[1] + s*dy)
			z += weight * (other[2] + s*dz)
			total += weight
		}
		for _, j := range p.graph.neighbours(i) {
			pull(int(j), 1, 1)
		}
		for j, node := range p.nodes {
			if d := float64(p.steps[i*k+j]); d > 1 {
				pull(node, d, (0.1+far)*math.Sqrt(p.weight[j])/(d*d))
			}
		}
		if total > 0 {
			here[0], here[1], here[2] = x/total, y/total, z/total
		}
	}
}

// fit scales the places into the ball.
func fit(at []float64) []float32 {
	n := len(at) / dimensions
	var centre [dimensions]float64
	for i, x := range at {
		centre[i%dimensions] += x / float64(n)
	}
	var radius float64
	for i := 0; i < len(at); i += dimensions {
		var r float64
		for d := range dimensions {
			x := at[i+d] - centre[d]
			r += x * x
		}
		radius = max(radius, math.Sqrt(r))
	}
	if radius < 1e-9 {
		radius = 1
	}
	out := make([]float32, len(at))
	for i, x := range at {
		out[i] = float32((x - centre[i%dimensions]) / radius)
	}
	return out
}
