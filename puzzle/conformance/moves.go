package conformance

import (
	"fmt"
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// marker fills memory that a call must not change. No key equals it by chance.
const marker = 0xfeed_f00d_dead_beef

// checkMoves compares Successors, Apply and Undo in each state.
func (c *checker) checkMoves() {
	for _, state := range c.states {
		edges := c.successors(state)
		c.checkOrder("Successors", state, edges)
		legal := make(map[puzzle.Move]key, len(edges))
		for _, e := range edges {
			legal[e.move] = e.key
			c.checkState("Successors", state, e)
			before, ok := c.undo(e.key, e.move)
			if !c.merges && (!ok || before != state) {
				c.fault("undo", "%s leads from %s to %s, but Undo of it there %s: Undo must return the state before the move",
					c.move(e.move), c.name(state[:c.words]), c.name(e.key[:c.words]), described(before[:c.words], ok))
			}
		}
		for _, m := range c.ids(edges) {
			c.checkApply(state, m, legal)
			c.checkUndo(state, m)
		}
	}
}

// described describes what a call returned.
func described(words []uint64, ok bool) string {
	if !ok {
		return "fails"
	}
	return "gives " + hex(words)
}

// checkOrder checks the moves of the edges of one state.
func (c *checker) checkOrder(method string, state key, edges []edge) {
	for i, e := range edges {
		if int(e.move) >= c.layout.Moves {
			c.fault("move ids", "%s of %s gives move %d: ids must be less than %d", method, c.name(state[:c.words]), e.move, c.layout.Moves)
		}
		if i > 0 && e.move <= edges[i-1].move {
			c.fault("order", "%s of %s gives move %d after move %d: the ids of a state's moves must increase",
				method, c.name(state[:c.words]), e.move, edges[i-1].move)
		}
	}
}

// checkState checks a state that a method returned.
func (c *checker) checkState(method string, from key, e edge) {
	words := c.wordsOf(e.key)
	if !c.fits(words) {
		c.fault("key bits", "%s of %s gives the key %s by %s: keys must be less than 1<<%d",
			method, c.name(from[:c.words]), hex(words), c.move(e.move), c.layout.KeyBits)
		return
	}
	c.at("Valid", words)
	if !c.p.Valid(words) {
		c.fault("valid", "%s of %s gives by %s %s, which Valid refuses", method, c.name(from[:c.words]), c.move(e.move), c.name(words))
	}
}

// ids returns the move ids to try in a state: those of its edges, all or some of the
// others, and some that are invalid.
func (c *checker) ids(edges []edge) []puzzle.Move {
	var ids []puzzle.Move
	if c.layout.Moves <= c.options.MovesMax {
		for id := range c.layout.Moves {
			ids = append(ids, puzzle.Move(id))
		}
	} else {
		for _, e := range edges {
			ids = append(ids, e.move)
		}
		for len(ids) < c.options.MovesMax {
			ids = append(ids, puzzle.Move(c.random.below(c.layout.Moves)))
		}
	}
	if c.layout.Moves < puzzle.MovesMax {
		ids = append(ids, puzzle.Move(c.layout.Moves), puzzle.MovesMax-1)
	}
	return ids
}

// checkChange calls Apply or Undo both into other memory and in place, and checks what
// must hold for either.
func (c *checker) checkChange(method string, state key, m puzzle.Move, call func(dst, state []uint64, m puzzle.Move) bool) (key, bool) {
	c.doing = func() string { return method + " of " + c.move(m) + " and the state " + hex(state[:c.words]) }
	from, dst := c.wordsOf(state), make([]uint64, c.words)
	for i := range dst {
		dst[i] = marker
	}
	ok := call(dst, from, m)
	if keyOf(from) != state {
		c.fault("arguments", "%s of %s changes the state passed to it, %s", method, c.move(m), c.name(state[:c.words]))
	}
	if untouched := !slices.ContainsFunc(dst, func(word uint64) bool { return word != marker }); !ok && !untouched {
		c.fault("dst", "%s refuses %s in %s but changes dst: it must leave dst unchanged", method, c.move(m), c.name(state[:c.words]))
	}
	same := c.wordsOf(state)
	again := call(same, same, m)
	want := dst
	if !ok {
		want = state[:c.words]
	}
	if again != ok || !slices.Equal(same, want) {
		c.fault("dst", "%s of %s in %s gives a different result if dst and state are the same slice", method, c.move(m), c.name(state[:c.words]))
	}
	return keyOf(dst), ok
}

func (c *checker) apply(state key, m puzzle.Move) (key, bool) {
	return c.checkChange("Apply", state, m, func(dst, state []uint64, m puzzle.Move) bool { return c.p.Apply(dst, state, m) })
}

func (c *checker) undo(state key, m puzzle.Move) (key, bool) {
	return c.checkChange("Undo", state, m, func(dst, state []uint64, m puzzle.Move) bool { return c.p.Undo(dst, state, m) })
}

// checkApply compares a move with the result of Successors.
func (c *checker) checkApply(state key, m puzzle.Move, legal map[puzzle.Move]key) {
	next, ok := c.apply(state, m)
	want, listed := legal[m]
	switch {
	case ok && int(m) >= c.layout.Moves:
		c.fault("move ids", "Apply accepts move %d in %s: ids must be less than %d", m, c.name(state[:c.words]), c.layout.Moves)
	case ok && !listed:
		c.fault("apply", "Apply accepts %s in %s, but Successors does not list it", c.move(m), c.name(state[:c.words]))
	case !ok && listed:
		c.fault("apply", "Apply refuses %s in %s, but Successors lists it", c.move(m), c.name(state[:c.words]))
	case ok && next != want:
		c.fault("apply", "Apply of %s in %s gives the key %s, but Successors gives %s", c.move(m), c.name(state[:c.words]), hex(next[:c.words]), hex(want[:c.words]))
	}
}

// checkUndo checks whether the result of Undo leads back.
func (c *checker) checkUndo(state key, m puzzle.Move) {
	before, ok := c.undo(state, m)
	if !ok {
		return
	}
	if c.merges {
		c.fault("merging", "Undo accepts %s in %s, but the puzzle merges states: Undo must then refuse every move", c.move(m), c.name(state[:c.words]))
		return
	}
	if int(m) >= c.layout.Moves {
		c.fault("move ids", "Undo accepts move %d in %s: ids must be less than %d", m, c.name(state[:c.words]), c.layout.Moves)
		return
	}
	c.checkState("Undo", state, edge{before, m})
	if next, ok := c.apply(before, m); !ok || next != state {
		c.fault("undo", "Undo of %s in %s gives %s, but Apply of the move there %s",
			c.move(m), c.name(state[:c.words]), c.name(before[:c.words]), described(next[:c.words], ok))
	}
}

// batch is the number of states passed to a puzzle at once.
const batch = 37

// checkBatches compares the results of Successors for many states with those for each.
func (c *checker) checkBatches() {
	c.compareBatches("Successors", len(c.states), func(i int) []edge { return c.successors(c.states[i]) },
		func(from, to int, out *puzzle.Edges) { c.p.Successors(c.keysOf(c.states[from:to]), out) })
}

// compareBatches compares a call for many items with calls for each: the edges must be
// those of the items in order, after what out held before.
func (c *checker) compareBatches(method string, n int, single func(i int) []edge, many func(from, to int, out *puzzle.Edges)) {
	for from := 0; from < n; from += batch {
		to := min(n, from+batch)
		want := puzzle.Edges{Moves: []puzzle.Move{7}}
		for i := range c.words {
			want.Keys = append(want.Keys, marker+uint64(i))
		}
		got := puzzle.Edges{Keys: slices.Clone(want.Keys), Moves: slices.Clone(want.Moves)}
		for i := from; i < to; i++ {
			for _, e := range single(i) {
				want.Keys = append(want.Keys, e.key[:c.words]...)
				want.Moves = append(want.Moves, e.move)
			}
		}
		c.doing = func() string { return fmt.Sprintf("%s of %d states at once", method, to-from) }
		many(from, to, &got)
		switch {
		case len(got.Moves) == 0 || len(got.Keys) < c.words || got.Moves[0] != 7 || got.Keys[0] != marker:
			c.fault("edges", "%s overwrites what out holds: it must append", method)
		case !slices.Equal(got.Keys, want.Keys) || !slices.Equal(got.Moves, want.Moves):
			c.fault("batches", "%s of %d states at once, from %s on, differs from its results for one state at a time",
				method, to-from, c.name(c.states[min(from, len(c.states)-1)][:c.words]))
		}
	}
}

// edgesMax bounds the edges of one state whose other ends are examined.
const edgesMax = 16

// someEdges returns at most edgesMax edges of a list.
func (c *checker) someEdges(edges []edge) []edge {
	if len(edges) <= edgesMax {
		return edges
	}
	some := slices.Clone(edges)
	for i := range edgesMax {
		j := i + c.random.below(len(some)-i)
		some[i], some[j] = some[j], some[i]
	}
	return some[:edgesMax]
}

// checkBack looks for the inverse of each move, if Layout promises one.
func (c *checker) checkBack() {
	if !c.layout.Reversible {
		return
	}
	for _, state := range c.states {
		for _, e := range c.someEdges(c.successors(state)) {
			back := c.successors(e.key)
			if !slices.ContainsFunc(back, func(b edge) bool { return b.key == state }) {
				c.fault("reversible", "Layout says Reversible, but no move leads back from %s to %s, from which %s leads there",
					c.name(e.key[:c.words]), c.name(state[:c.words]), c.move(e.move))
			}
		}
	}
}

// checkKinds looks for two paths between states whose lengths differ: by an odd number
// if Layout says Alternating, by any number if it says Graded. A path may follow moves
// backwards.
func (c *checker) checkKinds() {
	if !c.layout.Alternating && !c.layout.Graded {
		return
	}
	// Each state belongs to a tree, and lies some number of moves behind its root.
	type place struct {
		parent key
		behind int
	}
	places := map[key]place{}
	root := func(state key) place {
		at := place{parent: state}
		for {
			up, ok := places[at.parent]
			if !ok {
				return at
			}
			at = place{up.parent, at.behind + up.behind}
		}
	}
	for i := 1; i < c.starts && c.layout.Graded; i++ { // they have the same grade
		places[c.states[i]] = place{parent: c.states[0]}
	}
	for _, state := range c.states {
		for _, e := range c.someEdges(c.successors(state)) {
			a, b := root(state), root(e.key)
			off := a.behind + 1 - b.behind
			switch {
			case a.parent != b.parent:
				places[b.parent] = place{a.parent, off}
				continue
			case off%2 != 0 && c.layout.Alternating:
				c.fault("alternating", "Layout says Alternating, but an odd number of moves leads from %s back to it, through %s",
					c.name(state[:c.words]), c.name(e.key[:c.words]))
			case off != 0 && c.layout.Graded:
				c.fault("graded", "Layout says Graded, but %s is one move after %s and also ends a path %d moves longer or shorter",
					c.name(e.key[:c.words]), c.name(state[:c.words]), max(off, -off))
			default:
				continue
			}
			return
		}
	}
}

// checkGoals checks the goal test.
func (c *checker) checkGoals() {
	single := make([]bool, len(c.states))
	for i, state := range c.states {
		words := c.wordsOf(state)
		c.at("Goals", words)
		mark, again := []bool{false}, []bool{true}
		c.p.Goals(words, mark)
		c.p.Goals(words, again)
		if keyOf(words) != state {
			c.fault("arguments", "Goals changes the state passed to it, %s", c.name(state[:c.words]))
		}
		if mark[0] != again[0] {
			c.fault("goals", "Goals leaves the mark of %s unset: it must set each mark to true or false", c.name(state[:c.words]))
		}
		if mark[0] && !c.layout.HasGoal {
			c.fault("goals", "Goals marks %s, but Layout says that there is no goal", c.name(state[:c.words]))
		}
		single[i] = mark[0]
	}
	for from := 0; from < len(c.states); from += batch {
		to := min(len(c.states), from+batch)
		marks := make([]bool, to-from)
		c.doing = func() string { return fmt.Sprintf("Goals of %d states at once", to-from) }
		c.p.Goals(c.keysOf(c.states[from:to]), marks)
		if !slices.Equal(marks, single[from:to]) {
			c.fault("batches", "Goals of %d states at once, from %s on, differs from its results for one state at a time",
				to-from, c.name(c.states[from][:c.words]))
		}
	}
}
