package rushhour

import (
	"math/bits"

	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// rowSet is all placements of the rows of a board, with empty columns. They are
// numbered in lexicographic order of the rows' placements, the last row varying
// fastest.
type rowSet struct {
	lines   []*line
	columns int // of the board
	n       int // placements
	// links holds, for each placement, where a step of each vehicle leads, the
	// primary's first, left before right; -1 if the row does not allow it.
	links    []int32
	perPlace int // links per placement
	// rowBegins holds, for each vehicle in the order of links, the first of its row.
	rowBegins []int
	masks     []uint16        // masks[p*columns+j]: the cells of column j that are covered
	goal      []bool          // the primary is at the exit
	cells     [views][]uint64 // the mask of all cells that are covered, row by row
	strides   []int
	// joined holds masks in one word for each placement, a byte for each column.
	joined []uint64
	// starts holds, for each placement, where each piece is, as a set in a byte: for each
	// row its vehicles, then its walls. startWords is the words for each placement.
	starts     []uint64
	startWords int
	// means[j] holds, for the lines of column j by their number, what fitting has
	// found; 0 where it was not asked.
	means [rules.SizeMax][]float64
}

// newRowSet enumerates the placements. exit is the primary's row.
func newRowSet(lines []*line, exit int) *rowSet {
	columns := lines[0].size
	rs := &rowSet{lines: lines, columns: columns, n: 1, strides: make([]int, len(lines))}
	for i := len(lines) - 1; i >= 0; i-- {
		rs.strides[i] = rs.n
		rs.n *= len(lines[i].placements)
		rs.perPlace += 2 * len(lines[i].lengths)
	}
	rs.link(exit)
	rs.joined = rs.sums(func(i int, p *placement) uint64 {
		var sum uint64
		for j := range columns {
			sum |= uint64(p.cells>>j&1) << (8*j + i)
		}
		return sum
	})
	rs.masks = make([]uint16, rs.n*columns)
	for p, joined := range rs.joined {
		for j := range columns {
			rs.masks[p*columns+j] = uint16(uint8(joined >> (8 * j)))
		}
	}
	for v := range rs.cells {
		rs.cells[v] = rs.sums(func(i int, p *placement) uint64 {
			return uint64(p.cells) << (view(v).row(i, len(lines)) * columns)
		})
	}
	rs.goal = make([]bool, rs.n)
	for p, joined := range rs.joined {
		rs.goal[p] = joined>>(8*(columns-1)+exit)&1 != 0
	}
	rs.start()
	return rs
}

// sums returns, for each placement, the sum of what each row adds.
func (rs *rowSet) sums(of func(row int, p *placement) uint64) []uint64 {
	sums, next := make([]uint64, 1, rs.n), make([]uint64, 0, rs.n)
	var terms []uint64
	for i, l := range rs.lines {
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

// link finds where the steps lead. exit is the primary's row.
func (rs *rowSet) link(exit int) {
	order := make([]int, 0, len(rs.lines))
	order = append(order, exit)
	for i := range rs.lines {
		if i != exit {
			order = append(order, i)
		}
	}
	for _, i := range order {
		first := len(rs.rowBegins)
		for range rs.lines[i].lengths {
			rs.rowBegins = append(rs.rowBegins, first)
		}
	}
	rs.links = make([]int32, rs.n*rs.perPlace)
	k := 0
	for _, i := range order {
		l := rs.lines[i]
		for v := range l.next {
			if i == exit {
				v = len(l.next) - 1 - v // the primary is the last of its row
			}
			for d := range 2 {
				rs.linkVehicle(k, i, l.next[v][d])
				k++
			}
		}
	}
}

// linkVehicle fills the k-th link of each placement, given the steps in a row.
func (rs *rowSet) linkVehicle(k, row int, next []int32) {
	stride := rs.strides[row]
	for p := 0; p < rs.n; {
		for at, to := range next {
			by := (int(to) - at) * stride
			for end := p + stride; p < end; p++ {
				if to < 0 {
					rs.links[p*rs.perPlace+k] = none
				} else {
					rs.links[p*rs.perPlace+k] = int32(p + by)
				}
			}
		}
	}
}

// start fills starts.
func (rs *rowSet) start() {
	pieces := rs.pieces()
	rs.startWords = (pieces + 7) / 8
	if rs.startWords == 1 {
		rs.starts = rs.startsOf(0)
		return
	}
	rs.starts = make([]uint64, rs.n*rs.startWords)
	for k := range rs.startWords {
		for p, set := range rs.startsOf(k) {
			rs.starts[p*rs.startWords+k] = set
		}
	}
}

// startsOf returns the k-th word of starts for each placement.
func (rs *rowSet) startsOf(k int) []uint64 {
	before, row := 0, 0
	return rs.sums(func(i int, p *placement) uint64 {
		for ; row < i; row++ {
			before += rs.lines[row].pieces()
		}
		var sum uint64
		add := func(piece, start int) {
			if piece/8 == k {
				sum |= 1 << (piece%8*8 + start)
			}
		}
		at := before
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
		if fit := c.fits.count[rs.masks[p*rs.columns+j]]; fit > 0 {
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

// digit returns the placement of one row.
func (rs *rowSet) digit(p, row int) int {
	return p / rs.strides[row] % len(rs.lines[row].placements)
}
