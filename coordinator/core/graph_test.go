package core

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/digest"

	"github.com/everystate/everystate/coordinator/history"
)

// A graph is a tiny puzzle: nodes are its states.
type graph struct {
	reversible bool
	partitions int
	keys       []uint64 // by node
	edges      [][]edge // by node, in increasing order of the moves
	goal       []bool   // by node
	starts     []int
}

type edge struct {
	move puzzle.Move
	to   int
}

// states are nodes, each with the move that led to it.
type states map[int]puzzle.Move

// add adds a state. Of several moves that lead to it the least counts.
func (s states) add(node int, move puzzle.Move) {
	if old, found := s[node]; !found || move < old {
		s[node] = move
	}
}

func randomGraph(rng *rand.Rand) *graph {
	g := &graph{
		reversible: rng.IntN(4) > 0,
		partitions: 1 << rng.IntN(4),
		edges:      make([][]edge, 1+rng.IntN(40)),
	}
	nodes := len(g.edges)
	for range nodes {
		g.keys = append(g.keys, rng.Uint64())
		g.goal = append(g.goal, rng.IntN(6) == 0)
	}
	for range rng.IntN(2*nodes + 1) {
		a, b := rng.IntN(nodes), rng.IntN(nodes)
		if rng.IntN(3) > 0 { // a space of many layers, not a ball
			b = min(a+1+rng.IntN(3), nodes-1)
		}
		g.connect(a, b)
		if g.reversible {
			g.connect(b, a)
		}
	}
	g.starts = rng.Perm(nodes)[:1+rng.IntN(min(nodes, 2))]
	return g
}

// connect adds a move from a to b. Several may lead from one to the other.
func (g *graph) connect(a, b int) {
	g.edges[a] = append(g.edges[a], edge{move: puzzle.Move(len(g.edges[a])), to: b})
}

func (g *graph) part(node int) uint32 { return uint32(g.keys[node] % uint64(g.partitions)) }

func (g *graph) digest(phase history.Phase, depth uint32, s states) digest.Digest {
	var d digest.Digest
	for node, move := range s {
		d.AddNarrow(digest.LayerSalt(uint8(phase), depth), g.keys[node], move)
	}
	return d
}

// space is what a run has to find out: the plain breadth-first searches of the
// graph. Epoch, Bytes and Nanos are 0.
type space struct {
	layers [history.Goal + 1][]history.Layer
	ends   [history.Goal + 1]history.PhaseEnd
}

func (g *graph) explore() space {
	var sp space
	starts := states{}
	for _, n := range g.starts {
		starts[n] = 0
	}
	reached := g.search(&sp, history.Forward, starts)
	if g.reversible {
		goals := states{}
		for n := range reached {
			if g.goal[n] {
				goals[n] = 0
			}
		}
		g.search(&sp, history.Goal, goals)
	}
	return sp
}

// search fills in one phase, and returns all that it has reached.
func (g *graph) search(sp *space, phase history.Phase, frontier states) states {
	visited := states{}
	var generated int64
	for len(frontier) > 0 {
		depth := uint32(len(sp.layers[phase]))
		l := g.layer(phase, depth, frontier)
		l.Generated = generated
		sp.layers[phase] = append(sp.layers[phase], l)
		maps.Copy(visited, frontier)

		next := states{}
		generated = 0
		for n := range frontier {
			generated += int64(len(g.edges[n]))
			for _, e := range g.edges[n] {
				if _, found := visited[e.to]; !found {
					next.add(e.to, e.move)
				}
			}
		}
		frontier = next
	}
	sp.ends[phase] = history.PhaseEnd{Phase: phase, Layers: uint32(len(sp.layers[phase])), Generated: generated}
	return visited
}

// expand hands on the candidates that an attempt makes from a partition, and
// returns how many of them are successors. It stops, and reports false, when one
// is refused.
func (g *graph) expand(a Attempt, past *history.History, part uint32, read func(history.Layer, uint32) states, deliver func(node int, move puzzle.Move) bool) (generated int64, ok bool) {
	if a.Source == FromStarts {
		for _, n := range g.starts {
			if g.part(n) == part && !deliver(n, 0) {
				return 0, false
			}
		}
		return 0, true
	}
	for _, l := range layersOf(past, a.Expand) {
		for n := range read(l, part) {
			if a.Source == FromGoals {
				if g.goal[n] && !deliver(n, 0) {
					return 0, false
				}
				continue
			}
			for _, e := range g.edges[n] {
				generated++
				if !deliver(e.to, e.move) {
					return 0, false
				}
			}
		}
	}
	return generated, true
}

// deduplicate removes what an attempt excludes from the candidates of a
// partition, and says what is left.
func (g *graph) deduplicate(a Attempt, past *history.History, part uint32, candidates states, read func(history.Layer, uint32) states) Part {
	for _, l := range layersOf(past, a.Exclude) {
		for n := range read(l, part) {
			delete(candidates, n)
		}
	}
	l := g.layer(a.Phase, a.Depth, candidates)
	return Part{Part: part, States: l.States, Goals: l.Goals, Digest: l.Digest}
}

// layersOf returns the layers that spans name.
func layersOf(past *history.History, spans []history.Span) []history.Layer {
	var layers []history.Layer
	for _, s := range spans {
		layers = append(layers, past.Span(s)...)
	}
	return layers
}

func (g *graph) layer(phase history.Phase, depth uint32, s states) history.Layer {
	l := history.Layer{
		Phase:      phase,
		Depth:      depth,
		States:     int64(len(s)),
		Digest:     g.digest(phase, depth, s),
		PartStates: make([]int64, g.partitions),
	}
	for n := range s {
		l.PartStates[g.part(n)]++
		if phase == history.Forward && g.goal[n] {
			l.Goals++
		}
	}
	return l
}

// disagrees returns what a history has found out that is not so, or "".
func (sp *space) disagrees(h *history.History, phases ...history.Phase) string {
	for _, p := range phases {
		if !slices.EqualFunc(h.Layers(p), sp.layers[p], sameLayer) {
			return fmt.Sprintf("%v: layers %v, should be %v", p, h.Layers(p), sp.layers[p])
		}
		if end := h.End(p); end == nil || *end != sp.ends[p] {
			return fmt.Sprintf("%v: the end is %v, should be %v", p, end, sp.ends[p])
		}
	}
	return ""
}

// disagreesSoFar is disagrees of a history that may not have found out everything.
func (sp *space) disagreesSoFar(h *history.History, phases ...history.Phase) string {
	for _, p := range phases {
		n := len(h.Layers(p))
		if n > len(sp.layers[p]) || !slices.EqualFunc(h.Layers(p), sp.layers[p][:n], sameLayer) {
			return fmt.Sprintf("%v: layers %v, should begin %v", p, h.Layers(p), sp.layers[p])
		}
	}
	return ""
}

// phases returns the phases that a run of the graph can have.
func (g *graph) phases() []history.Phase {
	if g.reversible {
		return []history.Phase{history.Forward, history.Goal}
	}
	return []history.Phase{history.Forward}
}

// sameLayer reports whether two layers agree on all that a puzzle decides.
func sameLayer(a, b history.Layer) bool {
	return a.Phase == b.Phase && a.Depth == b.Depth && a.States == b.States && a.Generated == b.Generated &&
		a.Goals == b.Goals && a.Digest == b.Digest && slices.Equal(a.PartStates, b.PartStates)
}
