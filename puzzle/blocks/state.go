package blocks

import (
	"slices"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
)

// Format draws a state: distinct pieces have their own letters, the others B, C, D and
// so on in the order of their first cells.
func (g *game) Format(state []uint64) string { return g.draw(g.piecesOf(state)) }

// Draw draws a state as Format does: moves name cells, not pieces.
func (g *game) Draw(state []uint64) string { return g.Format(state) }

// piecesOf returns the pieces at their positions, by class.
func (g *game) piecesOf(state []uint64) []piece {
	var p placed
	g.decode(state, &p)
	var pieces []piece
	for _, c := range g.classes {
		for _, at := range p.of(c) {
			pieces = append(pieces, piece{c.kind.symbol, c.kind.shape, c.places[at].first})
		}
	}
	return pieces
}

// Parse reads a state of this puzzle. The letters of interchangeable pieces are
// ignored, and so is that of a distinct piece that is the only one of its shape.
func (g *game) Parse(text string) ([]uint64, error) {
	key, fault := g.parse(text)
	if fault != nil {
		return nil, fault
	}
	return key, nil
}

func (g *game) parse(text string) ([]uint64, *puzzle.InputError) {
	f, fault := boardfile.Parse([]byte(text))
	if fault != nil {
		return nil, fault
	}
	b, fault := readBoard(f.Body)
	if fault != nil {
		return nil, fault
	}
	if b.rows != g.rows || b.cols != g.cols {
		return nil, f.Body[0].Faultf("a board of %dx%d, but the puzzle has %dx%d", b.rows, b.cols, g.rows, g.cols)
	}
	for i, wall := range b.walls {
		if wall != g.walls[i] {
			has, hasNot := "no wall", "one"
			if wall {
				has, hasNot = "a wall", "none"
			}
			return nil, f.Body[0].Faultf("%s at %s, but the puzzle has %s", has, g.name(i), hasNot)
		}
	}
	p, what := g.place(b.pieces)
	if what != "" {
		return nil, f.Body[0].Faultf("%s", what)
	}
	key := make([]uint64, g.layout.Words())
	g.encode(key, &p)
	return key, nil
}

// place returns the places of pieces, or in what why they are not the puzzle's.
func (g *game) place(pieces []piece) (p placed, what string) {
	left := slices.Clone(pieces)
	take := func(c *class, n int, fits func(piece) bool) int {
		i := slices.IndexFunc(left, func(q piece) bool { return q.shape.equal(c.kind.shape) && fits(q) })
		if i >= 0 {
			p[c.piece+n] = uint8(c.at[left[i].first])
			left = slices.Delete(left, i, i+1)
		}
		return i
	}
	var lone []*class // distinct pieces whose letters are missing
	for _, c := range g.classes {
		if c.kind.symbol != 0 && take(c, 0, func(q piece) bool { return q.symbol == c.kind.symbol }) < 0 {
			lone = append(lone, c)
		}
	}
	for _, c := range lone {
		n := 0
		for _, q := range left {
			if q.shape.equal(c.kind.shape) {
				n++
			}
		}
		if n != 1 {
			return p, "piece " + string(c.kind.symbol) + " is missing: it is the piece of " + plural(len(c.kind.shape.cells), "cell") + " that must keep its letter"
		}
		take(c, 0, func(piece) bool { return true })
	}
	for _, c := range g.classes {
		for n := range c.count {
			if c.kind.symbol == 0 && take(c, n, func(piece) bool { return true }) < 0 {
				return p, "a piece is missing: the puzzle has " + plural(c.count, "piece") + " like the one at " + g.name(g.firstOf(c))
			}
		}
		slices.Sort(p.of(c))
	}
	if len(left) > 0 {
		return p, "piece " + string(left[0].symbol) + " is surplus, or has a shape that no piece of the puzzle has"
	}
	return p, ""
}

// firstOf returns the first cell of the first piece of a class in the start.
func (g *game) firstOf(c *class) int {
	i := slices.IndexFunc(g.pieces, func(p piece) bool { return g.kind(p) == c.kind })
	return g.pieces[i].first
}
