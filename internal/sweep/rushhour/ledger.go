package rushhour

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

// A ledger holds the distances of the states of a unit, one byte each. Families with
// fewer vehicles in a column come before those with more, so the distance of a board
// without one of them can be looked up instead of searched for.
//
// The states of a family that share their rows are together, in the order of a space:
// a product of the placements of the columns that fit, those of the inner columns
// varying fastest.
type ledger struct {
	rows *rowSet
	// number[j][line.id] is 1 + the number of a line of column j.
	number   [][]uint32
	lines    []uint64 // of each column
	families map[uint64]ledgerFamily
	blocks   []ledgerBlock
	// moves holds, by state, its distance; distanceMax stands for that and anything
	// greater, 0 for states not noted.
	moves []uint8

	// The family that is being searched is not noted yet, but what is known of its states
	// is in their space: current is its number, and list its placements of the rows.
	current uint64
	space   *space
	list    []frameRow
}

// A ledgerFamily is a family that was noted: its blocks, ordered by their rows, and
// the columns that were inner.
type ledgerFamily struct {
	from, to int
	inner    uint32
}

// A ledgerBlock is the states that share a placement of the rows.
type ledgerBlock struct {
	rows  int32
	first uint32 // in moves
}

// ledgerMax bounds the states of a unit with a ledger, and distanceMax is the least
// distance that a ledger cannot tell from greater ones.
const (
	ledgerMax   = 1 << 28
	distanceMax = 255
)

// open prepares the ledger for a unit, with the lines of each column. If there are
// too many states, the ledger stays empty and keeps nothing.
func (l *ledger) open(rows *rowSet, states uint64, columns [][]*line) {
	l.rows, l.space = nil, nil
	l.blocks, l.moves = l.blocks[:0], l.moves[:0]
	if states > ledgerMax {
		return
	}
	l.rows = rows
	if l.families == nil {
		l.families = make(map[uint64]ledgerFamily)
	}
	clear(l.families)
	l.number = make([][]uint32, len(columns))
	l.lines = l.lines[:0]
	product := uint64(1)
	for j, lines := range columns {
		for k, c := range lines {
			for len(l.number[j]) <= c.id {
				l.number[j] = append(l.number[j], 0)
			}
			l.number[j][c.id] = uint32(k + 1)
		}
		n := uint64(len(lines))
		l.lines = append(l.lines, n)
		if product > math.MaxUint64/n {
			l.rows = nil
			return
		}
		product *= n
	}
}

// family returns the number of a family. ok is false if it is not of the unit.
func (l *ledger) family(columns []*line) (number uint64, ok bool) {
	for j, c := range columns {
		if c.id >= len(l.number[j]) || l.number[j][c.id] == 0 {
			return 0, false
		}
		number = number*l.lines[j] + uint64(l.number[j][c.id]-1)
	}
	return number, true
}

// begin begins a family: what is noted of its states from now on is known at once.
func (l *ledger) begin(s *space, columns []*line, list []frameRow) {
	if l.rows == nil {
		return
	}
	number, ok := l.family(columns)
	if !ok {
		panic("rushhour: a family is not one of its unit")
	}
	l.current, l.space, l.list = number, s, list
}

// extend appends states that are not noted, up to n in all.
func (l *ledger) extend(n int) {
	if l.rows == nil {
		return
	}
	from := len(l.moves)
	l.moves = slices.Grow(l.moves, n-from)[:n]
	clear(l.moves[from:])
}

// note records the distance of all states of a space's layer.
func (l *ledger) note(s *space, distance int) {
	if l.rows == nil {
		return
	}
	d, moves := uint8(min(distance, distanceMax)), l.moves
	for i := range s.layer {
		e := &s.layer[i]
		f := &s.fields[e.rows]
		inner := f.inner
		at := uint(s.noted[e.rows] - 1 + (e.word-f.base)*uint32(bits.OnesCount64(inner)))
		for rest := e.bits; rest != 0; rest &= rest - 1 {
			moves[at+uint(bits.OnesCount64(inner&(rest&-rest-1)))] = d
		}
	}
}

// close ends the family that was begun, and records where its states are.
func (l *ledger) close() {
	if l.rows == nil {
		return
	}
	from, s := len(l.blocks), l.space
	for i := range l.list {
		r := l.list[i].rows
		if at := s.noted[r]; at > 0 {
			l.blocks = append(l.blocks, ledgerBlock{r, at - 1})
		}
	}
	l.families[l.current] = ledgerFamily{from, len(l.blocks), s.within}
	l.space = nil
}

// block returns where the states of a family are that share a placement of the rows, and
// which columns are inner. ok is false if none is noted.
func (l *ledger) block(number uint64, rows int32) (first int, within uint32, ok bool) {
	if l.space != nil && number == l.current {
		at := l.space.noted[rows]
		return int(at) - 1, l.space.within, at > 0
	}
	family, ok := l.families[number]
	if !ok {
		return 0, 0, false
	}
	blocks := l.blocks[family.from:family.to]
	i, ok := slices.BinarySearchFunc(blocks, rows, func(b ledgerBlock, r int32) int { return cmp.Compare(b.rows, r) })
	if !ok {
		return 0, 0, false
	}
	return int(blocks[i].first), family.inner, true
}

// distance returns the distance of a solvable state that is not a goal, 0 if it is
// unknown.
func (l *ledger) distance(columns []*line, at *position) int {
	if l.rows == nil {
		return 0
	}
	number, ok := l.family(columns)
	if !ok {
		return 0
	}
	to, within, ok := l.block(number, at.rows)
	if !ok {
		return 0
	}
	covered := l.rows.covered[at.rows]
	stride := 1
	for _, inner := range [2]uint32{1, 0} {
		for j, c := range columns {
			if within>>j&1 != inner {
				continue
			}
			set := c.fits.Set[covered.of(j)]
			to += bits.OnesCount64(set&(1<<at.columns[j]-1)) * stride
			stride *= bits.OnesCount64(set)
		}
	}
	if moves := int(l.moves[to]); moves != distanceMax {
		return moves
	}
	return 0
}
