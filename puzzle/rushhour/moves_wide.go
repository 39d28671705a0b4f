package rushhour

import (
	"math/bits"
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// occupancy holds the cells that vehicles stand on twice: by row and by column. Walls
// are not included, since no line contains one.
type occupancy struct {
	rows, cols [sideMax]uint16
}

// add adds the cells of a line.
func (o *occupancy) add(l *line, mask uint16) {
	mask <<= l.first
	along, across := &o.rows, &o.cols
	if l.vertical {
		along, across = across, along
	}
	along[l.index&(sideMax-1)] |= mask
	bit := uint16(1) << l.index
	for ; mask != 0; mask &= mask - 1 {
		across[bits.TrailingZeros16(mask)&(sideMax-1)] |= bit
	}
}

// line returns the occupied cells of a line, from its first; bits beyond its last cell
// are set.
func (o *occupancy) line(l *line) uint16 {
	cells := o.rows[l.index]
	if l.vertical {
		cells = o.cols[l.index]
	}
	return cells>>l.first | ^(1<<l.cells - 1)
}

// occupy sets o to the occupied cells of a state.
func (g *game) occupy(t *tables, state []uint64, o *occupancy) {
	*o = occupancy{}
	for n := range g.lines {
		l := &g.lines[n]
		o.add(l, t.shapes[n].masks[l.get(state)])
	}
}

// sweep returns the cells that a vehicle of a placement newly enters when it moves,
// and false if it would leave a line with the given number of cells.
func (s *shape) sweep(rank, vehicle, steps, cells int) (uint16, bool) {
	start, length := int(s.starts[rank*len(s.lengths)+vehicle]), int(s.lengths[vehicle])
	if steps < 0 {
		return (1<<-steps - 1) << max(0, start+steps), start+steps >= 0
	}
	return (1<<steps - 1) << (start + length), start+length+steps <= cells
}

// delta returns the change that a vehicle's move makes to the rank of its line.
func (t *tables) delta(s *shape, rank, vehicle, steps int) uint64 {
	before := int(s.starts[rank*len(s.lengths)+vehicle])
	for _, length := range s.lengths[:vehicle] {
		before -= int(length)
	}
	return t.weights[vehicle][before+steps] - t.weights[vehicle][before]
}

// wideSuccessors appends the successors of each state, for any board.
func (g *game) wideSuccessors(t *tables, states []uint64, out *puzzle.Edges) {
	words := g.layout.Words()
	var taken occupancy
	for len(states) >= words {
		state := states[:words]
		states = states[words:]
		g.occupy(t, state, &taken)
		out.Keys = slices.Grow(out.Keys, t.successorsMax*words)
		out.Moves = slices.Grow(out.Moves, t.successorsMax)
		for n := range g.lines {
			if l := &g.lines[n]; l.movesEach > 0 {
				g.wideLine(t, n, state, taken.line(l), out)
			}
		}
	}
}

// prunedAfter returns the first and the last of the moves that are pruned after a link
// in any state. For steps that is the inverse. For slides it is all moves of the
// vehicle, which could have slid there in one move.
func (g *game) prunedAfter(t *tables, link puzzle.Move) (from, to puzzle.Move) {
	if g.metric == metricStep {
		return t.backs[link], t.backs[link]
	}
	m := t.moves[link]
	l := &g.lines[m.line]
	first := l.move + int(m.vehicle)*l.movesEach
	return puzzle.Move(first), puzzle.Move(first + l.movesEach - 1)
}

// wideOnward appends the successors of each state, for any board, except those that
// its link prunes, and returns how many those are. It prunes the moves that prunedAfter
// returns, and moves with greater ids than the link that enter none of the cells it
// has left or passed: these are legal before the link too, and do not block it.
func (g *game) wideOnward(t *tables, states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
	words := g.layout.Words()
	for i, link := range links {
		state := states[i*words : (i+1)*words]
		at := len(out.Moves)
		g.wideSuccessors(t, state, out)
		from, to := g.prunedAfter(t, link)
		left := g.swept(t, state, t.backs[link])
		n := at
		for ; at < len(out.Moves); at++ {
			m := out.Moves[at]
			if m >= from && m <= to || m > link && !left.meets(g.swept(t, state, m)) {
				pruned++
				continue
			}
			out.Moves[n] = m
			copy(out.Keys[n*words:(n+1)*words], out.Keys[at*words:])
			n++
		}
		out.Moves, out.Keys = out.Moves[:n], out.Keys[:n*words]
	}
	return pruned
}

// lineCells is a set of cells in one row or column of the board.
type lineCells struct {
	line *line
	mask uint16
}

// swept returns the cells that a legal move newly enters.
func (g *game) swept(t *tables, state []uint64, move puzzle.Move) lineCells {
	m := t.moves[move]
	l := &g.lines[m.line]
	mask, _ := t.shapes[m.line].sweep(int(l.get(state)), int(m.vehicle), int(m.steps), l.cells)
	return lineCells{l, mask << l.first}
}

// meets reports whether two sets have a cell in common.
func (c lineCells) meets(o lineCells) bool {
	if c.line.vertical == o.line.vertical {
		return c.line.index == o.line.index && c.mask&o.mask != 0
	}
	return c.mask>>o.line.index&1 != 0 && o.mask>>c.line.index&1 != 0
}

// wideLine appends the successors of one line's moves; out must have room for them.
func (g *game) wideLine(t *tables, n int, state []uint64, taken uint16, out *puzzle.Edges) {
	l, s := &g.lines[n], t.shapes[n]
	k, distance := len(s.lengths), l.movesEach/2
	starts := s.starts[int(l.get(state))*k:][:k]
	before := 0 // lengths of the vehicles before this one
	for i, start := range starts {
		weights := &t.weights[i]
		free, id := int(start)-before, l.move+i*l.movesEach
		for d := 1; d <= distance && d <= int(start) && taken>>(int(start)-d)&1 == 0; d++ {
			l.emit(state, weights[free-d]-weights[free], puzzle.Move(id+d-1), out)
		}
		end := int(start) + int(s.lengths[i])
		for d := 1; d <= distance && end+d <= l.cells && taken>>(end+d-1)&1 == 0; d++ {
			l.emit(state, weights[free+d]-weights[free], puzzle.Move(id+distance+d-1), out)
		}
		before += int(s.lengths[i])
	}
}

// emit appends one successor; out must have room for it.
func (l *line) emit(state []uint64, delta uint64, move puzzle.Move, out *puzzle.Edges) {
	at := len(out.Keys)
	out.Keys = append(out.Keys, state...)
	out.Keys[at+l.word] += delta << l.shift
	out.Moves = append(out.Moves, move)
}

func (g *game) Apply(dst, state []uint64, move puzzle.Move) bool {
	t := g.tables()
	if int(move) >= len(t.moves) {
		return false
	}
	m := t.moves[move]
	return g.shift(t, dst, state, m, int(m.steps))
}

// Undo undoes a move: the vehicle passes the same cells back.
func (g *game) Undo(dst, state []uint64, move puzzle.Move) bool {
	t := g.tables()
	if int(move) >= len(t.moves) {
		return false
	}
	m := t.moves[move]
	return g.shift(t, dst, state, m, -int(m.steps))
}

// shift moves a vehicle by the given number of cells if they are free.
func (g *game) shift(t *tables, dst, state []uint64, m moveInfo, steps int) bool {
	l, s := &g.lines[m.line], t.shapes[m.line]
	rank := int(l.get(state))
	swept, ok := s.sweep(rank, int(m.vehicle), steps, l.cells)
	if !ok {
		return false
	}
	var taken occupancy
	g.occupy(t, state, &taken)
	if taken.line(l)&swept != 0 {
		return false
	}
	copy(dst, state)
	dst[l.word] += t.delta(s, rank, int(m.vehicle), steps) << l.shift
	return true
}
