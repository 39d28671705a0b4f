package rushhour

import (
	"math/bits"
	"slices"
)

// minimality decides whether every piece of a board makes it harder.
type minimality struct {
	book      *book
	known     *ledger
	needs     *needs
	exit      int
	space     space
	less      []lessRows // of the current unit
	steps     int        // in less
	unsure    []slot     // pieces of columns that must be tried
	solution  solution   // of the current board
	lastTried slot       // removing it did not make the last board easier
}

// lessMax bounds the steps that are kept of rows without a piece, those of the last one aside: 256 MB.
const lessMax = 1 << 26

// lessRows is the rows with a piece removed.
type lessRows struct {
	row, piece int
	rows       *rowSet
}

// forget drops what is cached for the rows of a unit.
func (m *minimality) forget() {
	m.forgetLess()
	m.lastTried = slot{}
}

func (m *minimality) forgetLess() {
	clear(m.less)
	m.less, m.steps = m.less[:0], 0
}

// minimal reports whether removing any piece but the primary from the board at a
// position, which takes distance moves, makes it take fewer.
func (m *minimality) minimal(rows *rowSet, columns []*line, at *position, distance int) bool {
	pieces := rows.pieces() - 1
	for _, c := range columns {
		pieces += c.pieces()
	}
	// An unsolved board takes at least one move, whatever is removed. And where it
	// takes two, the piece in the way must be the only other one.
	if distance <= 2 && pieces >= max(distance, 1) {
		return false
	}
	// Most boards are not minimal. First comes what needs no search, then what can be
	// looked up, then the piece that the previous board could do without, as it is
	// often the same one, then all pieces.
	m.needs.bind(rows, columns)
	if m.needs.uselessBoard(rows, columns, at) {
		return false
	}
	m.unsure = m.unsure[:0]
	for j, c := range columns {
		for i := range c.pieces() {
			switch m.lookUp(columns, at, distance, j, i) {
			case unknown:
				m.unsure = append(m.unsure, slot{column: true, line: j, piece: i})
			case easier:
			case asHard:
				return false
			}
		}
	}
	m.follow(rows, columns, at, distance)
	if (!m.lastTried.column || slices.Contains(m.unsure, m.lastTried)) && !m.solution.moves(rows, m.lastTried) {
		if easier, ok := m.easierWithout(rows, columns, at, distance, m.lastTried); ok && !easier {
			return false
		}
	}
	for _, s := range m.unsure {
		if !m.try(rows, columns, at, distance, s) {
			return false
		}
	}
	for r, l := range rows.lines {
		for i := range l.pieces() {
			if !m.try(rows, columns, at, distance, slot{line: r, piece: i}) {
				return false
			}
		}
	}
	return true
}

// verdict is what is known of a board without a piece.
type verdict int

const (
	unknown verdict = iota
	easier
	asHard
)

// lookUp looks up whether a board is easier without a vehicle of a column.
func (m *minimality) lookUp(columns []*line, at *position, distance, j, i int) verdict {
	c := columns[j]
	less := m.book.reduce(c, i, true)
	there := *at
	there.columns[j] = less.placement[at.columns[j]]
	columns[j] = less.line
	moves := m.known.distance(columns, &there)
	columns[j] = c
	switch {
	case moves == 0:
		return unknown
	case moves < distance:
		return easier
	}
	return asHard
}

// A slot is the place of a piece.
type slot struct {
	column      bool
	line, piece int
}

// try reports whether a board is easier without a piece, or the piece cannot be
// removed. m.lastTried has been tried already. If the board is no easier, the piece
// becomes m.lastTried.
func (m *minimality) try(rows *rowSet, columns []*line, at *position, distance int, s slot) bool {
	if s == m.lastTried || m.solution.moves(rows, s) {
		return true
	}
	easier, ok := m.easierWithout(rows, columns, at, distance, s)
	if ok && !easier {
		m.lastTried = s
	}
	return easier || !ok
}

// easierWithout reports whether a board that takes distance moves takes fewer without
// a piece. ok is false for the primary and for a piece that does not exist.
func (m *minimality) easierWithout(rows *rowSet, columns []*line, at *position, distance int, s slot) (easier, ok bool) {
	there := *at
	if s.column {
		c := columns[s.line]
		if s.piece >= c.pieces() {
			return false, false
		}
		less := m.book.reduce(c, s.piece, true)
		columns[s.line] = less.line
		there.columns[s.line] = less.placement[at.columns[s.line]]
		easier = m.solves(rows, columns, &there, distance-1)
		columns[s.line] = c
		return easier, true
	}
	l := rows.lines[s.line]
	if s.piece >= l.pieces() || l.isPrimary(s.piece) {
		return false, false
	}
	less := m.without(rows, s.line, s.piece)
	there.rows = less.number(rows, int(at.rows), s.line, l.without[s.piece])
	return m.solves(less, columns, &there, distance-1), true
}

func (rs *rowSet) pieces() int {
	n := 0
	for _, l := range rs.lines {
		n += l.pieces()
	}
	return n
}

func (rs *rowSet) walls() int {
	n := 0
	for _, l := range rs.lines {
		n += bits.OnesCount32(l.walls)
	}
	return n
}

// number returns the number, in these rows, of a placement of other rows that have
// one more piece in one row.
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

// without returns the rows with a piece of one of them removed.
func (m *minimality) without(rows *rowSet, row, piece int) *rowSet {
	for i := range m.less {
		if l := &m.less[i]; l.row == row && l.piece == piece {
			return l.rows
		}
	}
	lines := append([]*line(nil), rows.lines...)
	lines[row] = m.book.reduce(rows.lines[row], piece, false).line
	less := newRowSet(lines, m.exit)
	steps := less.n * len(less.links)
	if m.steps+steps > lessMax {
		m.forgetLess()
	}
	m.steps += steps
	m.less = append(m.less, lessRows{row, piece, less})
	return less
}

// solves reports whether at most moves moves solve a board.
func (m *minimality) solves(rows *rowSet, columns []*line, at *position, moves int) bool {
	if rows.goal[at.rows] {
		return moves >= 0
	}
	if moves < 1 {
		return false
	}
	s := &m.space
	if !s.bind(rows, columns, true) {
		panic(errTooLarge)
	}
	if !s.start(at) {
		panic("rushhour: a board without one of its pieces is not legal")
	}
	for depth := 0; ; depth++ {
		if s.advance() == 0 {
			return false
		}
		if s.goals() {
			return true
		}
		if depth == moves-1 {
			return false
		}
		s.prune(moves - depth)
		s.expand()
	}
}
