package rushhour

import "math/bits"

// relevance finds, without a search, pieces that cannot matter: a board with such a
// piece is not minimal. docs/SWEEP.md has the proof.
//
// It traces what the primary's path to the exit can demand of the other pieces. A
// vehicle that is asked to leave a cell may go either way, if the board is long
// enough, and only as far as just past that cell; the cells that it enters ask their
// vehicles in turn. A piece that is never asked is useless.
//
// A board is given by intervals, the first and last position of each vehicle, so that
// one call can cover many boards, such as all those of a box.
type relevance struct {
	size    int
	pieces  []relevantPiece
	inRows  int // how many of the pieces are in rows
	primary int
	spans   [2][sizeMax][sizeMax]uint64
	// along is the place of a cell in its row, and in its column; from are the cells from
	// a place on.
	along [2][sizeMax * sizeMax]int8
	from  [2][sizeMax + 1]uint64

	state [piecesMax]relevantState
}

// piecesMax bounds the pieces of a board: each covers a cell.
const piecesMax = sizeMax * sizeMax

// A relevantPiece is a piece of a family.
type relevantPiece struct {
	down, wall   bool
	line, length int8
	least, most  int8 // its first and last position in the line
	from, to     int  // the vehicles of its line
}

// A relevantState is what has been asked of a piece so far.
type relevantState struct {
	low, high int8      // where it may be
	want      [2]int8   // how far it is asked to go, each way
	active    [2]bool   // whether it is asked to go that way
	covered   uint64    // the cells that it may cover
	front     [2]uint64 // the cells that it may enter, each way
}

func (v *relevance) init(size int) {
	v.size = size
	for from := range size {
		for to := from; to < size; to++ {
			for k := from; k <= to; k++ {
				v.spans[0][from][to] |= 1 << k
				v.spans[1][from][to] |= 1 << (k * size)
			}
		}
	}
	for c := range size * size {
		for down, at := range [2]int{c % size, c / size} {
			v.along[down][c] = int8(at)
			for k := range at + 1 {
				v.from[down][k] |= 1 << c
			}
		}
	}
}

// bind sets up a family.
func (v *relevance) bind(rows *rowSet, columns []*line) {
	v.pieces = v.pieces[:0]
	for i, l := range rows.lines {
		v.addLine(l, i, false)
	}
	v.inRows = len(v.pieces)
	for j, c := range columns {
		v.addLine(c, j, true)
	}
}

func (v *relevance) addLine(l *line, at int, down bool) {
	from := len(v.pieces)
	for k, n := range l.lengths {
		if l.isPrimary(k) {
			v.primary = len(v.pieces)
		}
		v.pieces = append(v.pieces, relevantPiece{
			down: down, line: int8(at), length: int8(n), least: int8(l.first[k]), most: int8(l.last[k]),
			from: from, to: from + len(l.lengths),
		})
	}
	for set := l.walls; set != 0; set &= set - 1 {
		s := int8(bits.TrailingZeros32(set))
		v.pieces = append(v.pieces, relevantPiece{wall: true, line: int8(at), length: 1, least: s, most: s})
	}
}

// cells returns the cells of a piece's line from one to another.
func (v *relevance) cells(p *relevantPiece, from, to int8) uint64 {
	if from > to {
		return 0
	}
	if p.down {
		return v.spans[1][from][to] << p.line
	}
	return v.spans[0][from][to] << (int(p.line) * v.size)
}

// place sets where a piece may be at first.
func (v *relevance) place(i int, low, high int8) {
	p, s := &v.pieces[i], &v.state[i]
	s.low, s.high = low, high
	s.want = [2]int8{low, high}
	s.active = [2]bool{}
	s.front = [2]uint64{}
	s.covered = v.cells(p, low, high+p.length-1)
}

// uselessFamily reports whether no board of the family needs all its pieces.
func (v *relevance) uselessFamily() bool {
	for i := range v.pieces {
		v.place(i, v.pieces[i].least, v.pieces[i].most)
	}
	return v.useless()
}

// uselessRows reports whether no board of the family with the given placement of the
// rows needs all its pieces.
func (v *relevance) uselessRows(rows *rowSet, r int32, columns []*line) bool {
	for i, s := range rows.starts[int(r)*v.inRows:][:v.inRows] {
		v.place(i, s, s)
	}
	masks := rows.masks[int(r)*v.size:][:v.size]
	i := v.inRows
	for j, c := range columns {
		if n := len(c.lengths); n > 0 {
			for _, at := range c.fits.within[int(masks[j])*n:][:n] {
				v.place(i, at[0], at[1])
				i++
			}
		}
	}
	return v.useless()
}

// uselessBoard reports whether a single board has a piece that it does not need.
func (v *relevance) uselessBoard(rows *rowSet, columns []*line, at *position) bool {
	for i, s := range rows.starts[int(at.rows)*v.inRows:][:v.inRows] {
		v.place(i, s, s)
	}
	i := v.inRows
	for j, c := range columns {
		for _, s := range c.placements[at.columns[j]].starts {
			v.place(i, int8(s), int8(s))
			i++
		}
	}
	return v.useless()
}

// useless reports whether none of the placed boards needs all its pieces.
func (v *relevance) useless() bool { return bits.OnesCount64(v.asked()) < len(v.pieces) }

// asked returns the pieces that are asked to move, and the primary. What is asked only
// grows, so the order in which pieces ask does not matter.
func (v *relevance) asked() uint64 {
	p := &v.state[v.primary]
	p.active[1], p.want[1] = true, int8(v.size)-primaryLength
	v.extend(v.primary)
	// entered are the cells that vehicles may enter, those of rows and those of columns.
	entered := [2]uint64{p.front[1]}
	all := uint64(1)<<len(v.pieces) - 1
	asked := uint64(1) << v.primary
	for grown := true; grown && asked != all; {
		grown = false
		for y := range v.pieces {
			q, t := &v.pieces[y], &v.state[y]
			across := entered[1] & t.covered
			if q.down {
				across = entered[0] & t.covered
			}
			if q.wall {
				if (entered[0]|entered[1])&t.covered != 0 {
					asked |= 1 << y
				}
				continue
			}
			before := *t
			if across != 0 {
				asked |= 1 << y
				v.leave(q, t, across)
			}
			for r := q.from; r < q.to; r++ {
				if s := &v.state[r]; r != y && (s.front[0]|s.front[1])&t.covered != 0 {
					asked |= 1 << y
					v.push(&v.pieces[r], s, q, t)
				}
			}
			if t.want != before.want || t.active != before.active {
				v.extend(y)
				grown = true
				if q.down {
					entered[1] |= t.front[0] | t.front[1]
				} else {
					entered[0] |= t.front[0] | t.front[1]
				}
			}
		}
	}
	return asked
}

// leave asks a vehicle to leave cells of its line for vehicles that cross it, either way
// if the board is long enough.
func (v *relevance) leave(q *relevantPiece, t *relevantState, cells uint64) {
	down := 0
	if q.down {
		down = 1
	}
	if c := cells & v.from[down][q.length]; c != 0 {
		t.active[0] = true
		t.want[0] = min(t.want[0], v.along[down][bits.TrailingZeros64(c)]-q.length)
	}
	if c := cells &^ v.from[down][int8(v.size)-q.length]; c != 0 {
		t.active[1] = true
		t.want[1] = max(t.want[1], v.along[down][63-bits.LeadingZeros64(c)]+1)
	}
}

// push asks a vehicle to make room for one of its line. It is pushed as far as the other
// is asked to go, even beyond what is possible: a piece behind both may be what blocks
// them.
func (v *relevance) push(p *relevantPiece, s *relevantState, q *relevantPiece, t *relevantState) {
	if s.front[0]&t.covered != 0 {
		t.active[0] = true
		t.want[0] = min(t.want[0], max(s.want[0]-q.length, 0))
	}
	if s.front[1]&t.covered != 0 {
		t.active[1] = true
		t.want[1] = max(t.want[1], min(s.want[1]+p.length, int8(v.size)-q.length))
	}
}

// extend lets a piece go as far as it has been asked to.
func (v *relevance) extend(i int) {
	p, s := &v.pieces[i], &v.state[i]
	// It cannot pass other pieces of its line, but runs into them.
	s.low, s.high = max(s.want[0], p.least), min(s.want[1], p.most)
	s.covered = v.cells(p, s.low, s.high+p.length-1)
	if s.active[0] {
		s.front[0] = v.cells(p, max(s.want[0], p.least-1), s.high-1)
	}
	if s.active[1] {
		s.front[1] = v.cells(p, s.low+p.length, min(s.want[1], p.most+1)+p.length-1)
	}
}
