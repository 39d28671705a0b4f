package world

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// randomGraph returns a directed graph as a puzzle, one rule per edge: parallel edges,
// loops, several starts, and states and goals that are never reached. Its layers come
// from a search of the edges.
func randomGraph(d dice) (*truth, error) {
	r := d.of("graph")
	nodes := 1 + r.n(40)
	edges := make([][]int, nodes)
	var rules strings.Builder
	for i := range r.n(3 * nodes) {
		from, to := r.n(nodes), r.n(nodes)
		if !r.one(3) { // many layers, not a ball
			to = min(from+1+r.n(3), nodes-1)
		}
		edges[from] = append(edges[from], to)
		fmt.Fprintf(&rules, "rule \"edge %d\" at = %d ==> begin at := %d; end;\n", i, from, to)
	}
	starts := []int{0}
	if r.one(2) {
		starts = append(starts, r.n(nodes))
	}
	var text strings.Builder
	fmt.Fprintf(&text, "puzzle: murphi\n\nvar at: 0 .. %d;\n", max(1, nodes-1))
	for i, s := range starts {
		fmt.Fprintf(&text, "startstate \"%d\" begin at := %d; end;\n", i, s)
	}
	text.WriteString(rules.String())
	if len(edges) > 0 && r.one(2) {
		fmt.Fprintf(&text, "goal \"one of them\" at = %d;\n", r.n(nodes))
	}
	read, err := families.Read([]byte(text.String()), puzzle.ReadOptions{})
	if err != nil || len(read) != 1 {
		return nil, fmt.Errorf("%d boards of\n%s: %w", len(read), text.String(), err)
	}
	b := &truth{ID: fmt.Sprintf("graph of %d nodes", nodes), Layers: layersFrom(starts, edges), board: read[0]}
	b.explore = sync.OnceValues(b.plain)
	return b, nil
}

// layersFrom counts the nodes at each depth.
func layersFrom(starts []int, edges [][]int) []int64 {
	seen := make([]bool, len(edges))
	fresh := func(nodes []int) []int {
		return slices.DeleteFunc(nodes, func(n int) bool {
			was := seen[n]
			seen[n] = true
			return was
		})
	}
	var layers []int64
	for frontier := fresh(slices.Clone(starts)); len(frontier) > 0; {
		layers = append(layers, int64(len(frontier)))
		var next []int
		for _, n := range frontier {
			next = append(next, edges[n]...)
		}
		frontier = fresh(next)
	}
	return layers
}
