package rushhour

import "math/bits"

// A ledger holds the distance of every solvable state of a unit, one byte each.
// Families with fewer vehicles in a column come before those with more, so the
// distance of a board without one of them can be looked up instead of searched for.
//
// For fixed rows, the placements of a column that fit are numbered across all lines,
// and the states are a product of these numbers.
type ledger struct {
	rows   *rowSet
	size   int
	base   []uint32 // by placement of the rows
	stride []uint32 // by placement of the rows and column
	// rank[j][line.id][mask*n+p] is the number of placement p of a line among all
	// placements that fit column j.
	rank [][][]uint16
	// moves holds, by state, its distance; distanceMax stands for that and anything
	// greater, 0 for states not noted.
	moves []uint8
	// whole means that all states are visited. Those at distance 1, the most
	// numerous, are then not noted.
	whole bool
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
	l.rows = nil
	if states > ledgerMax {
		return
	}
	l.rows = rows
	l.size = len(columns)
	l.rankColumns(columns)
	l.base = zeroed(l.base, rows.n)
	l.stride = zeroed(l.stride, rows.n*l.size)
	next := uint32(0)
	for r := range rows.n {
		product := uint32(1)
		for j, lines := range columns {
			l.stride[r*l.size+j] = product
			fitting := uint32(0)
			for _, c := range lines {
				fitting += c.fits.count[rows.masks[r*l.size+j]]
			}
			product *= fitting
		}
		l.base[r] = next
		next += product
	}
	l.moves = zeroed(l.moves, int(next))
}

func (l *ledger) rankColumns(columns [][]*line) {
	l.rank = make([][][]uint16, len(columns))
	for j, lines := range columns {
		seen := make([]uint16, 1<<l.size)
		for _, c := range lines {
			n := len(c.placements)
			table := make([]uint16, n<<l.size)
			for m := range seen {
				for set := c.fits.set[m]; set != 0; set &= set - 1 {
					table[m*n+bits.TrailingZeros64(set)] = seen[m]
					seen[m]++
				}
			}
			for len(l.rank[j]) <= c.id {
				l.rank[j] = append(l.rank[j], nil)
			}
			l.rank[j][c.id] = table
		}
	}
}

// note records the distance of all states of a space's layer.
func (l *ledger) note(s *space, distance int) {
	if l.rows == nil || distance == 1 && l.whole {
		return
	}
	distance = min(distance, distanceMax)
	for i := range s.layer {
		e := &s.layer[i]
		masks := s.rows.masks[int(e.rows)*l.size:][:l.size]
		stride := l.stride[int(e.rows)*l.size:][:l.size]
		at := l.base[e.rows]
		for k := range s.outer {
			o := &s.outer[k]
			p := bits.TrailingZeros64(e.outer&o.mask) - o.shift
			j := o.column
			at += uint32(l.rank[j][o.line.id][int(masks[j])*o.fits.n+p]) * stride[j]
		}
		l.noteInner(s, e, masks, stride, at, uint8(distance))
	}
}

// noteInner records the distance of the states of an entry.
func (l *ledger) noteInner(s *space, e *entry, masks []uint16, stride []uint32, at uint32, distance uint8) {
	var ranks [wordColumnsMax][]uint16
	var steps [wordColumnsMax]uint32
	n := len(s.inner)
	for k := range s.inner {
		in := &s.inner[k]
		j := in.column
		ranks[k] = l.rank[j][in.line.id][int(masks[j])*in.fits.n:][:in.fits.n]
		steps[k] = stride[j]
	}
	for rest := e.bits; rest != 0; rest &= rest - 1 {
		digits := &s.digits[bits.TrailingZeros64(rest)]
		to := at
		for k := range n {
			to += uint32(ranks[k][digits[k]]) * steps[k]
		}
		l.moves[to] = distance
	}
}

// distance returns the distance of a solvable state that is not a goal, 0 if it is
// unknown.
func (l *ledger) distance(columns []*line, at *position) int {
	if l.rows == nil {
		return 0
	}
	masks := l.rows.masks[int(at.rows)*l.size:][:l.size]
	stride := l.stride[int(at.rows)*l.size:][:l.size]
	to := l.base[at.rows]
	for j, c := range columns {
		if c.id >= len(l.rank[j]) || l.rank[j][c.id] == nil {
			return 0
		}
		to += uint32(l.rank[j][c.id][int(masks[j])*c.fits.n+int(at.columns[j])]) * stride[j]
	}
	switch moves := int(l.moves[to]); moves {
	case 0:
		if l.whole {
			return 1
		}
		return 0
	case distanceMax:
		return 0
	default:
		return moves
	}
}
