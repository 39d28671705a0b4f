package sudoku

import (
	"math/bits"
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// cellsMax is the number of cells of the largest grid.
const cellsMax = sideMax * sideMax

// metric determines which cells a move may fill.
type metric uint8

const (
	metricRowMajor metric = iota // the first empty one
	metricAnyCell
)

func (m metric) String() string {
	if m == metricAnyCell {
		return "any-cell"
	}
	return "row-major"
}

// game is one puzzle.
type game struct {
	*grid
	metric metric
	layout puzzle.Layout
	given  used
	opens  []open
	fields []field
	// Digit d in open cell c adds deltas[c][d] to word words[c] of a key.
	words  []int
	deltas [][sideMax + 1]uint64

	successorsMax int // of one state
}

func newGame(g *grid, given *used, m metric) *game {
	p := &game{grid: g, metric: m, given: *given, opens: g.opens(given)}
	var keyBits int
	p.fields, keyBits = newFields(p.opens)
	for i := range p.fields {
		f := &p.fields[i]
		factor := uint64(1) << f.shift
		for c := f.first; c < f.first+f.cells; c++ {
			o := &p.opens[c]
			var deltas [sideMax + 1]uint64
			for d := uint8(1); d <= sideMax; d++ {
				if o.allowed>>d&1 != 0 {
					deltas[d] = factor * uint64(o.rank(d))
				}
			}
			p.deltas = append(p.deltas, deltas)
			p.words = append(p.words, f.word)
			factor *= uint64(o.base())
		}
	}
	p.successorsMax = g.side
	if m == metricAnyCell {
		p.successorsMax = g.side * len(p.opens)
	}
	p.layout = puzzle.Layout{
		KeyBits: keyBits,
		Moves:   max(1, len(p.opens)*g.side),
		Graded:  true, // by the digits
		HasGoal: true,
	}
	return p
}

// contents is a decoded state: the digits of the open cells, and the digits used by
// all cells.
type contents struct {
	digits [cellsMax]uint8
	used   used
	filled int
}

// read decodes a state without checking it.
func (g *game) read(key []uint64, c *contents) {
	c.used, c.filled = g.given, 0
	for i := range g.fields {
		f := &g.fields[i]
		packed := f.digits[f.value(key)]
		for cell := f.first; cell < f.first+f.cells; cell++ {
			digit := uint8(packed & 15)
			packed >>= 4
			c.digits[cell] = digit
			if digit == 0 {
				continue
			}
			c.filled++
			o, d := &g.opens[cell], digits(1)<<digit
			c.used.rows[o.row] |= d
			c.used.cols[o.col] |= d
			c.used.boxes[o.box] |= d
		}
	}
}

// free returns the digits that an empty cell can take.
func (u *used) free(o *open) digits {
	return o.allowed &^ (u.rows[o.row] | u.cols[o.col] | u.boxes[o.box])
}

func (g *game) Layout() puzzle.Layout { return g.layout }

// Starts returns the only start: nothing is filled in.
func (g *game) Starts() []uint64 { return make([]uint64, g.layout.Words()) }

// Valid reports whether key is a grid without clashes, filled in the order of the
// metric.
func (g *game) Valid(key []uint64) bool {
	if len(key) != g.layout.Words() {
		return false
	}
	var known [puzzle.WordsMax]uint64
	for i := range g.fields {
		f := &g.fields[i]
		if f.value(key) >= uint64(f.values) {
			return false
		}
		known[f.word] |= (1<<f.width - 1) << f.shift
	}
	for i, word := range key {
		if word&^known[i] != 0 {
			return false
		}
	}
	var c contents
	g.read(key, &c)
	u := g.given
	for cell, digit := range c.digits[:len(g.opens)] {
		o := &g.opens[cell]
		if digit != 0 && u.add(o.row, o.col, o.box, digit) != "" {
			return false
		}
		if digit != 0 && g.metric == metricRowMajor && cell >= c.filled {
			return false // filled before an earlier one
		}
	}
	return true
}

func (g *game) Successors(states []uint64, out *puzzle.Edges) { g.successors(states, nil, out) }

// Onward appends the successors of each state except those that its link prunes. In
// any-cell these fill cells after the one filled last, as digits that do not clash can
// be filled in in any order.
func (g *game) Onward(states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
	return g.successors(states, links, out)
}

func (g *game) successors(states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
	words := g.layout.Words()
	var c contents
	for n := 0; len(states) > 0; n, states = n+1, states[words:] {
		out.Keys = slices.Grow(out.Keys, g.successorsMax*words)
		out.Moves = slices.Grow(out.Moves, g.successorsMax)
		state := states[:words]
		g.read(state, &c)
		if g.metric == metricRowMajor {
			if c.filled < len(g.opens) {
				g.fill(state, c.filled, &c, out)
			}
			continue
		}
		end := g.end(links, n)
		for cell, digit := range c.digits[:len(g.opens)] {
			switch {
			case digit != 0:
			case cell < end:
				g.fill(state, cell, &c, out)
			default:
				pruned += bits.OnesCount16(uint16(c.used.free(&g.opens[cell])))
			}
		}
	}
	return pruned
}

// end returns the first cell whose moves the link of a state prunes, if there are
// links.
func (g *game) end(links []puzzle.Move, state int) int {
	if links == nil || g.metric == metricRowMajor {
		return len(g.opens)
	}
	return int(links[state]) / g.side
}

// fill appends the states in which an empty cell is filled.
func (g *game) fill(state []uint64, cell int, c *contents, out *puzzle.Edges) {
	word, deltas := g.words[cell], &g.deltas[cell]
	for free := c.used.free(&g.opens[cell]); free != 0; free &= free - 1 {
		d := bits.TrailingZeros16(uint16(free))
		out.Keys = append(out.Keys, state...)
		out.Keys[len(out.Keys)-len(state)+word] += deltas[d]
		out.Moves = append(out.Moves, puzzle.Move(cell*g.side+d-1))
	}
}

// Predecessors appends the predecessors of each state.
func (g *game) Predecessors(states []uint64, out *puzzle.Edges) { g.predecessors(states, nil, out) }

// Homeward appends the predecessors of each state except those that its link prunes:
// in any-cell those that lack the digit of a cell after the one to be filled next.
func (g *game) Homeward(states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
	return g.predecessors(states, links, out)
}

func (g *game) predecessors(states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
	words := g.layout.Words()
	var c contents
	for n := 0; len(states) > 0; n, states = n+1, states[words:] {
		g.read(states[:words], &c)
		end := g.end(links, n)
		for cell, digit := range c.digits[:len(g.opens)] {
			if digit == 0 || g.metric == metricRowMajor && cell != c.filled-1 {
				continue
			}
			if cell >= end {
				pruned++
				continue
			}
			out.Keys = append(out.Keys, states[:words]...)
			out.Keys[len(out.Keys)-words+g.words[cell]] -= g.deltas[cell][digit]
			out.Moves = append(out.Moves, puzzle.Move(cell*g.side+int(digit)-1))
		}
	}
	return pruned
}

// moveOf returns the open cell and the digit of a move, and whether there is one.
func (g *game) moveOf(move puzzle.Move) (cell int, digit uint8, ok bool) {
	cell = int(move) / g.side
	return cell, uint8(int(move)%g.side + 1), cell < len(g.opens)
}

// Apply fills a cell.
func (g *game) Apply(dst, state []uint64, move puzzle.Move) bool {
	cell, digit, ok := g.moveOf(move)
	if !ok {
		return false
	}
	var c contents
	g.read(state, &c)
	if c.digits[cell] != 0 || c.used.free(&g.opens[cell])>>digit&1 == 0 || g.metric == metricRowMajor && cell != c.filled {
		return false
	}
	copy(dst, state)
	dst[g.words[cell]] += g.deltas[cell][digit]
	return true
}

// Undo empties a cell.
func (g *game) Undo(dst, state []uint64, move puzzle.Move) bool {
	cell, digit, ok := g.moveOf(move)
	if !ok {
		return false
	}
	var c contents
	g.read(state, &c)
	if c.digits[cell] != digit || g.metric == metricRowMajor && cell != c.filled-1 {
		return false
	}
	copy(dst, state)
	dst[g.words[cell]] -= g.deltas[cell][digit]
	return true
}

// Goals marks the full grids.
func (g *game) Goals(states []uint64, marks []bool) {
	words := g.layout.Words()
	var c contents
	for i := range marks {
		g.read(states[i*words:i*words+words], &c)
		marks[i] = c.filled == len(g.opens)
	}
}
