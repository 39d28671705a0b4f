// Package relevance finds, without a search, pieces of Rush Hour boards that cannot
// matter: a board with such a piece is not minimal. docs/SWEEP.md has the proof.
//
// It traces what the primary's path to the exit can demand of the other pieces. A
// vehicle that is asked to leave a cell may go either way, if the board is long
// enough, and only as far as just past that cell; the cells that it enters ask their
// vehicles in turn. A piece that is never asked is useless.
//
// A board is given by intervals, the first and last position of each vehicle, so that
// one call can cover many boards. The package must know nothing of how they are
// enumerated.
package relevance

import "math/bits"

// SizeMax bounds the size of a board, and PiecesMax its pieces: each covers a cell.
const (
	SizeMax   = 8
	PiecesMax = SizeMax * SizeMax
)

// A Closure is what is asked of the pieces of a family. It is for one goroutine.
//
// Cells are bits of their line. Only lines with cells that were entered since they were
// last looked at are looked at again.
type Closure struct {
	rows    int // of the board
	columns int
	pieces  []piece
	primary int
	exit    int               // the primary's line
	lines   [2 * SizeMax]line // the rows, then the columns
	movable uint64            // the pieces that are not walls
	walls   uint32            // the lines with walls
	used    uint32            // the lines with vehicles, as far as is known

	state [PiecesMax]state
	asks  uint64 // the pieces asked so far
	dirty uint32 // the lines to look at
	// The cells of each line that vehicles may enter: those of the line, and those that
	// cross it.
	entered, crossing [2 * SizeMax]uint16
}

// A line is a row or column of a family.
type line struct {
	from, to int8 // its vehicles; its walls follow
	unknown  bool // there may be any vehicles in it
	walls    uint16
}

// A piece is a piece of a family. Walls have no length.
type piece struct {
	length      int8
	least, most int8 // its first and last position in the line
}

// A state is what has been asked of a piece so far.
type state struct {
	low, high int8      // where it may be
	want      [2]int8   // how far it is asked to go, each way
	active    [2]bool   // whether it is asked to go that way
	covered   uint16    // the cells that it may cover
	front     [2]uint16 // the cells that it may enter, each way
}

// New returns a closure for boards of a size.
func New(rows, columns int) *Closure { return &Closure{rows: rows, columns: columns} }

// cells returns the number of cells of a line.
func (v *Closure) cells(at int) int8 {
	if at < v.rows {
		return int8(v.columns)
	}
	return int8(v.rows)
}

// Reset begins a family.
func (v *Closure) Reset() {
	clear(v.lines[:])
	v.pieces, v.movable, v.walls, v.used = v.pieces[:0], 0, 0, 0
}

// Vehicle adds a vehicle to a line, its first and last position being least and most.
// The vehicles of a line are added in order, before its walls; lines are numbered from
// 0, first the rows, then the columns. Pieces are numbered as they are added.
func (v *Closure) Vehicle(at, length, least, most int) {
	v.line(at).to++
	v.used |= 1 << at
	v.movable |= 1 << len(v.pieces)
	v.pieces = append(v.pieces, piece{int8(length), int8(least), int8(most)})
}

// Unknown says that there may be any vehicles in a line, besides the pieces added to it.
// A piece that is not asked then is useless whatever they are.
func (v *Closure) Unknown(at int) {
	v.lines[at].unknown = true
	v.used |= 1 << at
}

// Primary makes the vehicle that was added last the primary, which is 2 cells long. Its
// line is the row of the exit.
func (v *Closure) Primary(at int) { v.primary, v.exit = len(v.pieces)-1, at }

// Wall adds a wall to a line.
func (v *Closure) Wall(at, cell int) {
	v.line(at).walls |= 1 << cell
	v.walls |= 1 << at
	v.pieces = append(v.pieces, piece{})
}

// line returns a line that a piece is added to.
func (v *Closure) line(at int) *line {
	l := &v.lines[at]
	if l.from == l.to && l.walls == 0 {
		l.from, l.to = int8(len(v.pieces)), int8(len(v.pieces))
	}
	return l
}

// Len returns the number of pieces.
func (v *Closure) Len() int { return len(v.pieces) }

// cellsOf returns the cells of a line from one to another.
func cellsOf(from, to int8) uint16 {
	if from > to {
		return 0
	}
	return 2<<to - 1<<from
}

// Place sets where a vehicle may be at first. For a wall it does nothing.
func (v *Closure) Place(i int, low, high int8) {
	v.state[i] = state{
		low: low, high: high, want: [2]int8{low, high}, covered: cellsOf(low, high+v.pieces[i].length-1),
	}
}

// Useless reports whether none of the placed boards needs all its pieces.
func (v *Closure) Useless() bool { return bits.OnesCount64(v.Asked()) < len(v.pieces) }

// Asked returns the pieces that are asked to move, and the primary. What is asked only
// grows, so the order in which pieces ask does not matter.
func (v *Closure) Asked() uint64 {
	clear(v.entered[:])
	clear(v.crossing[:])
	v.asks, v.dirty = 1<<v.primary, 0
	p := &v.state[v.primary]
	p.active[1], p.want[1] = true, v.cells(v.exit)-2
	v.extend(&v.pieces[v.primary], p)
	v.enter(v.exit)
	for v.dirty != 0 {
		if v.asks == v.movable {
			if asked, all := v.askedWalls(); all {
				return v.asks | asked
			}
		}
		at := bits.TrailingZeros32(v.dirty)
		v.dirty &= v.dirty - 1
		v.look(at)
	}
	asked, _ := v.askedWalls()
	return v.asks | asked
}

// askedWalls returns the walls that vehicles may enter so far, and whether these are all.
func (v *Closure) askedWalls() (asked uint64, all bool) {
	all = true
	for lines := v.walls; lines != 0; lines &= lines - 1 {
		i := bits.TrailingZeros32(lines)
		at := v.lines[i].to
		for set := v.lines[i].walls; set != 0; set &= set - 1 {
			if set&-set&(v.entered[i]|v.crossing[i]) != 0 {
				asked |= 1 << at
			} else {
				all = false
			}
			at++
		}
	}
	return asked, all
}

// look asks the vehicles of a line.
func (v *Closure) look(at int) {
	l := &v.lines[at]
	switch {
	case l.unknown:
		v.enterCells(at, 1<<v.cells(at)-1)
		return
	case l.to == l.from+1:
		v.lookAtOne(at, l.from)
		return
	}
	size := v.cells(at)
	for moved := false; ; moved = true {
		grown := false
		for y := l.from; y < l.to; y++ {
			q, t := &v.pieces[y], &v.state[y]
			want, active := t.want, t.active
			if across := v.crossing[at] & t.covered; across != 0 {
				v.asks |= 1 << y
				leave(q, t, across, size)
			}
			for r := l.from; r < l.to; r++ {
				if s := &v.state[r]; r != y && (s.front[0]|s.front[1])&t.covered != 0 {
					v.asks |= 1 << y
					push(&v.pieces[r], s, q, t, size)
				}
			}
			if t.want != want || t.active != active {
				v.extend(q, t)
				grown = true
			}
		}
		if !grown {
			if moved {
				v.enter(at)
			}
			return
		}
	}
}

// lookAtOne is look for a line with one vehicle.
func (v *Closure) lookAtOne(at int, y int8) {
	q, t := &v.pieces[y], &v.state[y]
	front := t.front
	for across := v.crossing[at] & t.covered; across != 0; {
		v.asks |= 1 << y
		leave(q, t, across, v.cells(at))
		v.extend(q, t)
		more := v.crossing[at] & t.covered
		if more == across {
			break
		}
		across = more
	}
	if t.front != front {
		v.enterCells(at, t.front[0]|t.front[1])
	}
}

// enter has the lines looked at that the vehicles of a line enter.
func (v *Closure) enter(at int) {
	l := &v.lines[at]
	var front uint16
	for y := l.from; y < l.to; y++ {
		front |= v.state[y].front[0] | v.state[y].front[1]
	}
	v.enterCells(at, front)
}

// enterCells has the lines looked at that cross a line in some of its cells.
func (v *Closure) enterCells(at int, front uint16) {
	others, here := 0, at-v.rows
	if at < v.rows {
		others, here = v.rows, at
	}
	more := front &^ v.entered[at]
	v.entered[at] |= front
	v.dirty |= uint32(more) << others & v.used
	for ; more != 0; more &= more - 1 {
		v.crossing[others+bits.TrailingZeros16(more)] |= 1 << here
	}
}

// leave asks a vehicle to leave cells of its line, of size cells, for vehicles that cross
// it, either way if there is room.
func leave(q *piece, t *state, cells uint16, size int8) {
	if c := cells >> q.length; c != 0 {
		t.active[0] = true
		t.want[0] = min(t.want[0], int8(bits.TrailingZeros16(c)))
	}
	if c := cells & (1<<(size-q.length) - 1); c != 0 {
		t.active[1] = true
		t.want[1] = max(t.want[1], int8(bits.Len16(c)))
	}
}

// push asks a vehicle to make room for one of its line. It is pushed as far as the other
// is asked to go, even beyond what is possible: a piece behind both may be what blocks
// them.
func push(p *piece, s *state, q *piece, t *state, size int8) {
	if s.front[0]&t.covered != 0 {
		t.active[0] = true
		t.want[0] = min(t.want[0], max(s.want[0]-q.length, 0))
	}
	if s.front[1]&t.covered != 0 {
		t.active[1] = true
		t.want[1] = max(t.want[1], min(s.want[1]+p.length, size-q.length))
	}
}

// extend lets a piece go as far as it has been asked to.
func (v *Closure) extend(p *piece, s *state) {
	// It cannot pass other pieces of its line, but runs into them.
	s.low, s.high = max(s.want[0], p.least), min(s.want[1], p.most)
	s.covered = cellsOf(s.low, s.high+p.length-1)
	if s.active[0] {
		s.front[0] = cellsOf(max(s.want[0], p.least-1), s.high-1)
	}
	if s.active[1] {
		s.front[1] = cellsOf(s.low+p.length, min(s.want[1], p.most+1)+p.length-1)
	}
}
