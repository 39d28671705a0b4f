package rushhour

import (
	"math"
	"math/bits"
	"slices"

	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// rowSet is all placements of the rows of a board, with empty columns. They are
// numbered in lexicographic order of the placements of the primary's row, then those of
// the rows next to it, and so on: boards with near numbers are alike where it matters most.
type rowSet struct {
	lines    []*line
	columns  int    // of the board
	exit     int    // the primary's row
	n        int    // placements
	inExit   int    // vehicles in the primary's row
	vehicles []slot // in the order of steps: those of the primary's row first, it before the others
	// rowBegins holds, for each vehicle in this order, the first of its row.
	rowBegins []int
	// moves holds, for each vehicle left before right, the steps between placements of its
	// row, by placement.
	moves    [][]step
	reach    []uint8              // of each of these, the columns that it enters
	links    [][]step             // the same, by placement of all rows
	covered  []cover              // by placement
	always   [rules.SizeMax]uint8 // of each column, the cells that all placements cover
	goal     []bool               // the primary is at the exit
	strides  []int
	sequence []int // the rows, that which varies fastest last

	// The details, which the rows without one of their pieces do not have: joins holds the steps
	// to the right. cells is the mask of all cells that are covered, row by row. starts[k] holds, for each
	// placement, where pieces 8k to 8k+7 are, as a set in a byte each: of each row its vehicles,
	// then its walls.
	joins  []join
	cells  [views][]uint64
	starts [][]uint64
	// vehiclesAt is, by row, where in starts its vehicles are.
	vehiclesAt []bytesAt
	// means[j] holds, for the lines of column j by their number, what fitting has
	// found; 0 where it was not asked.
	means [rules.SizeMax][]float64
}

// A join is steps of a vehicle to the right: the placements that they are from, as bits, how much
// greater the number is of the placement that each leads to, and whether they enter the last column.
type join struct {
	by   int
	last bool
	from []uint64
}

// bytesAt is some bytes of a sequence of words: from a bit of a word on, maybe into the next, those
// of mask.
type bytesAt struct {
	word, shift uint8
	mask        uint64
}

// A cover is the cells that the rows cover, a byte for each column.
type cover uint64

// of returns the cells of a column.
func (c cover) of(j int) uint8 { return uint8(c >> (uint(j) % 8 * 8)) }

// A step is that of a vehicle in a row: where it leads, and the column of the cell that
// the vehicle enters.
type step int32

// columnBits are the bits of a column in a step: one more than columns need, so that none has a
// column of its own.
const columnBits = 4

func stepTo(to int32, column int) step {
	if to > math.MaxInt32>>columnBits {
		panic(errTooLarge)
	}
	return step(to<<columnBits | int32(column))
}

// to returns where a step leads, none if there is none.
func (s step) to() int32 { return int32(s >> columnBits) }

func (s step) column() int { return int(s & (1<<columnBits - 1)) }

// newRowSet enumerates the placements, without details. exit is the primary's row.
func newRowSet(lines []*line, exit int) *rowSet {
	columns := lines[0].size
	rs := &rowSet{lines: lines, columns: columns, exit: exit, n: 1, strides: make([]int, len(lines))}
	for i := range lines {
		rs.sequence = append(rs.sequence, i)
	}
	apart := func(row int) int { return max(row-exit, exit-row) }
	slices.SortStableFunc(rs.sequence, func(i, j int) int { return apart(i) - apart(j) })
	for _, i := range slices.Backward(rs.sequence) {
		rs.strides[i] = rs.n
		rs.n *= len(lines[i].placements)
	}
	rs.order()
	rs.link()
	rs.covered = sums(rs, func(i int, p *placement) cover {
		var sum cover
		for j := range columns {
			sum |= cover(p.cells>>j&1) << (8*j + i)
		}
		return sum
	})
	rs.goal = make([]bool, rs.n)
	for p, c := range rs.covered {
		rs.goal[p] = c.of(columns-1)>>exit&1 != 0
	}
	return rs
}

// detail finds what boards are judged and drawn by.
func (rs *rowSet) detail() {
	rs.join()
	for v := range rs.cells {
		rs.cells[v] = sums(rs, func(i int, p *placement) uint64 {
			return uint64(p.cells) << (view(v).row(i, len(rs.lines)) * rs.columns)
		})
	}
	rs.start()
	for i, l := range rs.lines {
		for set := l.always; set != 0; set &= set - 1 {
			rs.always[bits.TrailingZeros32(set)] |= 1 << i
		}
	}
}

// sums returns, for each placement, the sum of what each row adds.
func sums[T ~uint64](rs *rowSet, of func(row int, p *placement) T) []T {
	sums, next := make([]T, 1, rs.n), make([]T, 0, rs.n)
	var terms []T
	for _, i := range rs.sequence {
		l := rs.lines[i]
		terms = terms[:0]
		for k := range l.placements {
			terms = append(terms, of(i, &l.placements[k]))
		}
		if len(terms) == 1 {
			for k := range sums {
				sums[k] += terms[0]
			}
			continue
		}
		next = next[:0]
		for _, sum := range sums {
			for _, term := range terms {
				next = append(next, sum+term)
			}
		}
		sums, next = next, sums
	}
	return sums
}

// order lists the vehicles.
func (rs *rowSet) order() {
	add := func(row int) {
		l, first := rs.lines[row], len(rs.vehicles)
		for v := range l.lengths {
			if row == rs.exit {
				v = len(l.lengths) - 1 - v // the primary is the last of its row
			}
			rs.vehicles = append(rs.vehicles, slot{line: row, piece: v})
			rs.rowBegins = append(rs.rowBegins, first)
			for d := range 2 {
				steps, reach := l.steps(v, d)
				rs.moves, rs.reach = append(rs.moves, steps), append(rs.reach, reach)
			}
		}
	}
	add(rs.exit)
	rs.inExit = len(rs.vehicles)
	for i := range rs.lines {
		if i != rs.exit {
			add(i)
		}
	}
}

// steps returns the steps of a vehicle one way by placement, none if there is none, and the
// columns that they enter.
func (l *line) steps(v, d int) (steps []step, reach uint8) {
	steps = make([]step, len(l.placements))
	for p, to := range l.next[v][d] {
		steps[p] = none
		if to >= 0 {
			steps[p] = stepTo(to, l.entered(v, d, p))
			reach |= 1 << steps[p].column()
		}
	}
	return steps, reach
}

// link fills links.
func (rs *rowSet) link() {
	rs.links = make([][]step, len(rs.moves))
	for k, moves := range rs.moves {
		links, stride := make([]step, 0, rs.n), rs.strides[rs.vehicles[k/2].line]
		for len(links) < rs.n {
			for at, to := range moves {
				by := step(0)
				if to >= 0 {
					to, by = stepTo(int32(len(links))+(to.to()-int32(at))*int32(stride), to.column()), 1<<columnBits
				}
				for range stride {
					links = append(links, to)
					to += by
				}
			}
		}
		rs.links[k] = links
	}
}

// join fills joins.
func (rs *rowSet) join() {
	for v := range rs.vehicles {
		first := len(rs.joins)
		for p, to := range rs.links[2*v+1] {
			if to < 0 {
				continue
			}
			by, last := int(to.to())-p, to.column() == rs.columns-1
			k := first
			for k < len(rs.joins) && (rs.joins[k].by != by || rs.joins[k].last != last) {
				k++
			}
			if k == len(rs.joins) {
				rs.joins = append(rs.joins, join{by: by, last: last, from: make([]uint64, (rs.n+63)/64)})
			}
			rs.joins[k].from[p/64] |= 1 << (p % 64)
		}
	}
}

// start fills starts and vehiclesAt.
func (rs *rowSet) start() {
	for k := range (rs.pieces() + 7) / 8 {
		rs.starts = append(rs.starts, rs.startsOf(k))
	}
	piece := 0
	for _, l := range rs.lines {
		at := bytesAt{word: uint8(piece / 8), shift: uint8(piece % 8 * 8), mask: firstBits(8 * len(l.lengths))}
		rs.vehiclesAt = append(rs.vehiclesAt, at)
		piece += l.pieces()
	}
}

// startsOf returns the k-th word of starts.
func (rs *rowSet) startsOf(k int) []uint64 {
	before, pieces := make([]int, len(rs.lines)), 0
	for i, l := range rs.lines {
		before[i] = pieces
		pieces += l.pieces()
	}
	return sums(rs, func(i int, p *placement) uint64 {
		var sum uint64
		add := func(piece, start int) {
			if piece/8 == k {
				sum |= 1 << (piece%8*8 + start)
			}
		}
		at := before[i]
		for _, s := range p.starts {
			add(at, s)
			at++
		}
		for set := rs.lines[i].walls; set != 0; set &= set - 1 {
			add(at, bits.TrailingZeros32(set))
			at++
		}
		return sum
	})
}

// fittingSample is how many placements of the rows tell what fits between them.
const fittingSample = 32

// fitting returns about how many placements of a line fit a column on average, where
// any does.
func (rs *rowSet) fitting(j int, c *line) float64 {
	for len(rs.means[j]) <= c.id {
		rs.means[j] = append(rs.means[j], 0)
	}
	if mean := rs.means[j][c.id]; mean > 0 {
		return mean
	}
	sum, n := uint32(0), 0
	for p := 0; p < rs.n; p += 1 + rs.n/fittingSample {
		if fit := c.fits.Count[rs.covered[p].of(j)]; fit > 0 {
			sum += fit
			n++
		}
	}
	mean := 1.0
	if n > 0 {
		mean = float64(sum) / float64(n)
	}
	rs.means[j][c.id] = mean
	return mean
}

// fits reports whether the columns of a board fit between its rows.
func (rs *rowSet) fits(columns []*line, at *position) bool {
	covered := rs.covered[at.rows]
	for j, c := range columns {
		if c.fits.Set[covered.of(j)]>>at.columns[j]&1 == 0 {
			return false
		}
	}
	return true
}

// digit returns the placement of one row.
func (rs *rowSet) digit(p, row int) int {
	return p / rs.strides[row] % len(rs.lines[row].placements)
}
