package rushhour

import "math/bits"

// rowSet is all placements of the rows of a board, with empty columns. They are
// numbered in lexicographic order of the rows' placements, the last row varying
// fastest.
type rowSet struct {
	lines []*line
	n     int // placements
	// links holds, for each placement, where a step of each vehicle leads, the
	// primary's first, left before right; -1 if the row does not allow it.
	links    []int32
	perPlace int             // links per placement
	masks    []uint16        // masks[p*size+j]: the cells of column j that are covered
	goal     []bool          // the primary is at the exit
	cells    [views][]uint64 // the mask of all cells that are covered, row by row
	strides  []int
	// starts holds, for each placement, where each piece is: for each row its
	// vehicles, then its walls.
	starts []int8
	// means[j] holds, for the lines of column j by their number, what fitting has
	// found; 0 where it was not asked.
	means [sizeMax][]float64
}

// newRowSet enumerates the placements. exit is the primary's row.
func newRowSet(lines []*line, exit int) *rowSet {
	size := len(lines)
	rs := &rowSet{lines: lines, n: 1, strides: make([]int, size)}
	for i := size - 1; i >= 0; i-- {
		rs.strides[i] = rs.n
		rs.n *= len(lines[i].placements)
		rs.perPlace += 2 * len(lines[i].lengths)
	}
	rs.links = make([]int32, rs.n*rs.perPlace)
	rs.masks = make([]uint16, rs.n*size)
	rs.goal = make([]bool, rs.n)
	for v := range rs.cells {
		rs.cells[v] = make([]uint64, rs.n)
	}
	order := make([]int, 0, size)
	order = append(order, exit)
	for i := range size {
		if i != exit {
			order = append(order, i)
		}
	}
	digits := make([]int, size)
	for p := range rs.n {
		k := p * rs.perPlace
		for _, i := range order {
			l, at := lines[i], digits[i]
			for v := range l.next {
				if i == exit {
					v = len(l.next) - 1 - v // the primary is the last of its row
				}
				for d := range 2 {
					to := l.next[v][d][at]
					if to >= 0 {
						to = int32(p + (int(to)-at)*rs.strides[i])
					}
					rs.links[k] = to
					k++
				}
			}
		}
		for i := range size {
			rs.starts = lines[i].appendStarts(rs.starts, digits[i])
			cells := lines[i].placements[digits[i]].cells
			for v := range views {
				rs.cells[v][p] |= uint64(cells) << (v.row(i, size) * size)
			}
			for j := range size {
				rs.masks[p*size+j] |= uint16(cells>>j&1) << i
			}
		}
		rs.goal[p] = lines[exit].placements[digits[exit]].cells>>(size-1)&1 != 0
		for i := size - 1; i >= 0; i-- {
			if digits[i]++; digits[i] < len(lines[i].placements) {
				break
			}
			digits[i] = 0
		}
	}
	return rs
}

// appendStarts appends where the pieces of a line are in a placement.
func (l *line) appendStarts(starts []int8, p int) []int8 {
	for _, s := range l.placements[p].starts {
		starts = append(starts, int8(s))
	}
	for set := l.walls; set != 0; set &= set - 1 {
		starts = append(starts, int8(bits.TrailingZeros32(set)))
	}
	return starts
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
		if fit := c.fits.count[rs.masks[p*len(rs.lines)+j]]; fit > 0 {
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
