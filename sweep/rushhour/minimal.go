package rushhour

// minimality tells whether every piece of a board makes it harder.
type minimality struct {
	book  *book
	exit  int
	space space
	less  []lessRows // of the unit at hand
}

// lessRows is the rows without a piece.
type lessRows struct {
	row, piece int
	rows       *rowSet
}

// forget drops what is kept for the rows of a unit.
func (m *minimality) forget() { m.less = m.less[:0] }

// minimal reports whether the board at a position, which takes so many moves,
// takes fewer whatever piece is taken away, the primary excepted.
func (m *minimality) minimal(rows *rowSet, columns []*line, at *position, distance int) bool {
	pieces := rows.pieces() - 1
	for _, c := range columns {
		pieces += c.pieces()
	}
	// A board that is not solved takes a move, whatever is taken away. And where
	// it takes two, the piece in the way must be the only one.
	if distance <= 2 && pieces >= max(distance, 1) {
		return false
	}
	for j, c := range columns {
		for i := range c.pieces() {
			less := m.book.reduce(c, i, true)
			columns[j] = less.line
			there := *at
			there.columns[j] = less.placement[at.columns[j]]
			easier := m.solves(rows, columns, &there, distance-1)
			columns[j] = c
			if !easier {
				return false
			}
		}
	}
	for r, l := range rows.lines {
		for i := range l.pieces() {
			if l.primary && i == 0 {
				continue
			}
			less := m.without(rows, r, i)
			there := *at
			there.rows = less.number(rows, int(at.rows), r, l.without[i])
			if !m.solves(less, columns, &there, distance-1) {
				return false
			}
		}
	}
	return true
}

func (rs *rowSet) pieces() int {
	n := 0
	for _, l := range rs.lines {
		n += l.pieces()
	}
	return n
}

// number returns the number of a placement of other rows, from which these have
// a piece of a row less.
func (rs *rowSet) number(other *rowSet, p, row int, r *reduction) int32 {
	n := 0
	for i := range rs.lines {
		d := other.digit(p, i)
		if i == row {
			d = int(r.placement[d])
		}
		n += d * rs.strides[i]
	}
	return int32(n)
}

// without returns the rows without a piece of one of them.
func (m *minimality) without(rows *rowSet, row, piece int) *rowSet {
	for i := range m.less {
		if l := &m.less[i]; l.row == row && l.piece == piece {
			return l.rows
		}
	}
	lines := append([]*line(nil), rows.lines...)
	lines[row] = m.book.reduce(rows.lines[row], piece, false).line
	less := newRowSet(lines, m.exit)
	m.less = append(m.less, lessRows{row, piece, less})
	return less
}

// solves reports whether at most so many moves solve a board.
func (m *minimality) solves(rows *rowSet, columns []*line, at *position, moves int) bool {
	if rows.goal[at.rows] {
		return moves >= 0
	}
	if moves < 1 {
		return false
	}
	s := &m.space
	if !s.bind(rows, columns) {
		panic(errTooLarge)
	}
	if !s.start(at) {
		panic("rushhour: a board with a piece less is not legal")
	}
	for depth := 0; ; depth++ {
		if s.turn() == 0 {
			return false
		}
		if s.goals() {
			return true
		}
		if depth == moves-1 {
			return false
		}
		s.expand()
	}
}
