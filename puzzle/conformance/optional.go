package conformance

import (
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// checkMerging checks that a puzzle that merges states does not claim that moves can
// be undone.
func (c *checker) checkMerging() {
	c.doing = said("Merges")
	c.merges = puzzle.Merges(c.p)
	if _, backward := c.p.(puzzle.Backward); c.merges && (c.layout.Reversible || backward) {
		c.fault("merging", "the puzzle says both that it merges states and that its moves can be undone: only one can be true")
	}
}

// checkOnward compares Onward with Successors.
func (c *checker) checkOnward() {
	p, ok := c.p.(puzzle.Onward)
	if !ok {
		return
	}
	c.checkPruned(pruned{
		method: "Onward", rule: "onward",
		edges: c.successors, call: p.Onward,
	})
}

// checkHomeward compares Homeward with Predecessors.
func (c *checker) checkHomeward() {
	p, ok := c.p.(puzzle.Homeward)
	if !ok {
		return
	}
	predecessors := func(state key) []edge {
		return c.edges("Predecessors", state, func(words []uint64, out *puzzle.Edges) { p.Predecessors(words, out) })
	}
	c.checkPruned(pruned{method: "Homeward", rule: "homeward", edges: predecessors, call: p.Homeward})
}

// pruned describes a method that leaves out edges of another.
type pruned struct {
	method, rule string
	edges        func(state key) []edge // all of them
	call         func(states []uint64, links []puzzle.Move, out *puzzle.Edges) int
}

// checkPruned checks what a method leaves out, and whether it counts that.
func (c *checker) checkPruned(p pruned) {
	counted := 0
	one := func(e edge) []edge {
		links := []puzzle.Move{e.move}
		edges := c.edges(p.method, e.key, func(words []uint64, out *puzzle.Edges) { counted = p.call(words, links, out) })
		if links[0] != e.move {
			c.fault("arguments", "%s changes the links passed to it", p.method)
		}
		return edges
	}
	for _, state := range c.states {
		next := c.someEdges(p.edges(state))
		known := reached{p: &p, from: state}
		for _, e := range next {
			c.comparePruned(&p, &known, e, one(e), counted)
		}
		count, sum := 0, 0
		c.compareBatches(p.method, len(next), func(i int) []edge {
			edges := one(next[i])
			sum += counted
			return edges
		}, func(from, to int, out *puzzle.Edges) {
			var states []uint64
			var links []puzzle.Move
			for _, e := range next[from:to] {
				states = append(states, e.key[:c.words]...)
				links = append(links, e.move)
			}
			count += p.call(states, links, out)
		})
		if count != sum {
			c.fault(p.rule, "%s of %d states at once leaves out %d edges, but reports %d", p.method, len(next), sum, count)
		}
	}
}

// comparePruned checks what a method returns for the end of a link.
func (c *checker) comparePruned(p *pruned, known *reached, link edge, got []edge, counted int) {
	all := p.edges(link.key)
	where, by := c.name(link.key[:c.words]), c.move(link.move)
	left := 0
	for _, e := range all {
		if left < len(got) && got[left] == e {
			left++
		} else if !known.allows(e) {
			c.fault(p.rule, "%s of %s with the link %s leaves out %s: it may leave out only moves to %s, to a state one move from there, or to one two moves from there by a lesser last move",
				p.method, where, by, c.move(e.move), c.name(known.from[:c.words]))
		}
	}
	if left != len(got) {
		c.fault(p.rule, "%s of %s with the link %s gives an edge that is not one of the state's, or is out of order", p.method, where, by)
	} else if counted != len(all)-len(got) {
		c.fault(p.rule, "%s of %s with the link %s leaves out %d of %d edges, but reports %d",
			p.method, where, by, len(all)-len(got), len(all), counted)
	}
}

// reached holds the states within two moves of a state.
type reached struct {
	p    *pruned
	from key
	near map[key]bool        // one move away; nil: not yet computed
	far  map[key]puzzle.Move // two moves away, with the least move that can be the second
}

// allows reports whether an edge after a link to the state may be left out.
func (r *reached) allows(e edge) bool {
	if e.key == r.from {
		return true
	}
	if r.near == nil {
		r.near, r.far = map[key]bool{}, map[key]puzzle.Move{}
		for _, next := range r.p.edges(r.from) {
			r.near[next.key] = true
			for _, far := range r.p.edges(next.key) {
				if least, ok := r.far[far.key]; !ok || far.move < least {
					r.far[far.key] = far.move
				}
			}
		}
	}
	least, ok := r.far[e.key]
	return r.near[e.key] || ok && least < e.move
}

// checkBackward compares Predecessors with Undo, which was compared with Successors.
func (c *checker) checkBackward() {
	p, ok := c.p.(puzzle.Backward)
	if !ok {
		return
	}
	predecessors := func(state key) []edge {
		return c.edges("Predecessors", state, func(words []uint64, out *puzzle.Edges) { p.Predecessors(words, out) })
	}
	for _, state := range c.states {
		got := predecessors(state)
		c.checkOrder("Predecessors", state, got)
		for _, e := range got {
			c.checkState("Predecessors", state, e)
			if next, ok := c.apply(e.key, e.move); !ok || next != state {
				c.fault("backward", "Predecessors of %s gives %s with %s, but Apply of the move there %s",
					c.name(state[:c.words]), c.name(e.key[:c.words]), c.move(e.move), described(next[:c.words], ok))
			}
		}
		for _, m := range c.ids(got) {
			if before, ok := c.undo(state, m); ok && !slices.Contains(got, edge{before, m}) {
				c.fault("backward", "Predecessors of %s leaves out %s by %s, which Undo gives",
					c.name(state[:c.words]), c.name(before[:c.words]), c.move(m))
			}
		}
		for _, e := range c.someEdges(c.successors(state)) {
			if !slices.Contains(predecessors(e.key), edge{state, e.move}) {
				c.fault("backward", "Predecessors of %s leaves out %s, from which %s leads there",
					c.name(e.key[:c.words]), c.name(state[:c.words]), c.move(e.move))
			}
		}
	}
	c.compareBatches("Predecessors", len(c.states), func(i int) []edge { return predecessors(c.states[i]) },
		func(from, to int, out *puzzle.Edges) { p.Predecessors(c.keysOf(c.states[from:to]), out) })
}

// checkWeights compares the weights of states one by one and together.
func (c *checker) checkWeights() {
	p, ok := c.p.(puzzle.Weighted)
	if !ok || len(c.states) == 0 {
		return
	}
	c.doing = said("Weights of all states")
	keys, all := c.keysOf(c.states), make([]uint64, len(c.states))
	p.Weights(keys, all)
	for i, state := range c.states {
		words := c.wordsOf(state)
		c.at("Weights", words)
		one := [1]uint64{^all[i]} // previous contents must not matter
		p.Weights(words, one[:])
		if one[0] != all[i] {
			c.fault("weights", "Weights of %s is %d for the state alone, but %d among others", c.name(words), one[0], all[i])
		}
		if all[i] == 0 {
			c.fault("weights", "Weights of %s is 0: must be at least 1, as a state stands for itself", c.name(words))
		}
		if keyOf(words) != state || keyOf(keys[i*c.words:(i+1)*c.words]) != state {
			c.fault("arguments", "Weights changes the state passed to it, %s", c.name(state[:c.words]))
		}
	}
}

// checkOrdered compares the texts of states with each other.
func (c *checker) checkOrdered() {
	p, ok := c.p.(puzzle.Ordered)
	if !ok || len(c.states) == 0 {
		return
	}
	c.doing = said("Compare of the texts of states")
	texts := make([]string, 0, len(c.states))
	for _, state := range c.states {
		texts = append(texts, c.p.Format(c.wordsOf(state)))
	}
	slices.SortFunc(texts, p.Compare)
	last := len(texts) - 1
	for i, text := range texts {
		// Compare neighbours and distant pairs: sorting does not reveal an order with
		// cycles.
		for _, j := range []int{i, min(i+1, last), last - i, last} {
			one, two := p.Compare(text, texts[j]), p.Compare(texts[j], text)
			switch {
			case (text == texts[j]) != (one == 0) || (text == texts[j]) != (two == 0):
				c.fault("order", "Compare of %s and %s is %d: it must be zero for equal texts, and for no others", quote(text), quote(texts[j]), one)
			case (one < 0) == (two < 0) && text != texts[j], i < j && one > 0, i > j && one < 0:
				c.fault("order", "Compare of %s and %s is %d, and in reverse %d: it must order the texts", quote(text), quote(texts[j]), one, two)
			}
		}
	}
}

// checkPicture checks the pictures of the states.
func (c *checker) checkPicture() {
	p, ok := c.p.(puzzle.Pictured)
	if !ok {
		return
	}
	var first *puzzle.Picture
	for _, state := range c.states {
		words := c.wordsOf(state)
		c.at("Picture", words)
		pic := p.Picture(words)
		if keyOf(words) != state {
			c.fault("arguments", "Picture changes the state passed to it, %s", c.name(state[:c.words]))
		}
		if pic == nil || pic.Rows < 1 || pic.Cols < 1 || len(pic.Ground) != pic.Rows*pic.Cols {
			c.fault("picture", "the picture of %s has no cells, or does not have one ground for each", c.name(state[:c.words]))
			return
		}
		if n := len(pic.Spots); n > 0 && n != len(pic.Ground) {
			c.fault("picture", "the picture of %s has %d spots for %d cells", c.name(state[:c.words]), n, len(pic.Ground))
			return
		}
		if first == nil {
			first = pic
			c.checkGround(state, pic)
		} else if pic.Rows != first.Rows || pic.Cols != first.Cols || !slices.Equal(pic.Ground, first.Ground) || !slices.Equal(pic.Exit, first.Exit) || !slices.Equal(pic.Spots, first.Spots) {
			c.fault("picture", "the pictures of %s and %s have different ground: it must be equal in all states",
				c.name(c.states[0][:c.words]), c.name(state[:c.words]))
		}
		c.checkPieces(state, pic)
	}
}

// checkGround checks the ground.
func (c *checker) checkGround(state key, pic *puzzle.Picture) {
	for i, g := range pic.Ground {
		if g > puzzle.GroundHole {
			c.fault("picture", "the picture of %s has ground of unknown kind %d at row %d, column %d",
				c.name(state[:c.words]), g, i/pic.Cols, i%pic.Cols)
		}
	}
	for _, exit := range pic.Exit {
		if !within(pic, exit) || exit.Row > 0 && exit.Row < pic.Rows-1 && exit.Col > 0 && exit.Col < pic.Cols-1 {
			c.fault("picture", "the picture of %s has an exit at row %d, column %d: it must be at the edge of the %dx%d board",
				c.name(state[:c.words]), exit.Row, exit.Col, pic.Rows, pic.Cols)
		}
	}
}

func within(pic *puzzle.Picture, cell puzzle.Cell) bool {
	return cell.Row >= 0 && cell.Col >= 0 && cell.Row < pic.Rows && cell.Col < pic.Cols
}

// checkPieces checks the pieces.
func (c *checker) checkPieces(state key, pic *puzzle.Picture) {
	taken := map[puzzle.Cell]bool{}
	for _, piece := range pic.Pieces {
		what := "piece " + quote(piece.Label) + " in the picture of " + c.name(state[:c.words])
		if piece.Kind > puzzle.PieceDigit {
			c.fault("picture", "%s is of unknown kind %d", what, piece.Kind)
		}
		if piece.Colour < 0 {
			c.fault("picture", "%s has colour %d: must be 0 or more", what, piece.Colour)
		}
		if len(piece.Cells) == 0 {
			c.fault("picture", "%s has no cell", what)
			return
		}
		own := map[puzzle.Cell]bool{}
		for _, cell := range piece.Cells {
			if !within(pic, cell) {
				c.fault("picture", "%s is on row %d, column %d of a %dx%d board, counted from 0", what, cell.Row, cell.Col, pic.Rows, pic.Cols)
				return
			}
			if ground := pic.Ground[cell.Row*pic.Cols+cell.Col]; ground == puzzle.GroundWall || ground == puzzle.GroundNone {
				c.fault("picture", "%s is on row %d, column %d, where there is a wall or no board", what, cell.Row, cell.Col)
			}
			if own[cell] || taken[cell] && piece.Kind != puzzle.PieceDigit {
				c.fault("picture", "%s is on row %d, column %d, where another piece is", what, cell.Row, cell.Col)
			}
			own[cell] = true
		}
		if piece.Kind != puzzle.PieceDigit { // a character lies on the ground, under others
			for cell := range own {
				taken[cell] = true
			}
		}
		if !touching(piece.Cells) {
			c.fault("picture", "%s has cells that are not connected", what)
		}
	}
}

// touching reports whether the cells are connected.
func touching(cells []puzzle.Cell) bool {
	left := slices.Clone(cells[1:])
	reached := []puzzle.Cell{cells[0]}
	for len(reached) > 0 {
		at := reached[0]
		reached = reached[1:]
		left = slices.DeleteFunc(left, func(cell puzzle.Cell) bool {
			row, col := cell.Row-at.Row, cell.Col-at.Col
			near := row*row+col*col <= 1
			if near {
				reached = append(reached, cell)
			}
			return near
		})
	}
	return len(left) == 0
}
