package rushhour

// A line is a maximal segment without walls of a row with its horizontal vehicles
// only, or of a column with its vertical ones. Its vehicles never change order, so a
// line's state is the distribution of its free cells between them.
//
// A placement of k vehicles with F free cells is k numbers
//
//	0 <= p[0] <= p[1] <= ... <= p[k-1] <= F,
//
// where p[i] is the number of free cells before vehicle i. Its rank is
//
//	C(p[0], 1) + C(p[1]+1, 2) + ... + C(p[k-1]+k-1, k),
//
// a number from 0 to C(F+k, k)-1 that is different for every placement (the
// combinatorial number system). A vehicle's move changes its own term only, so the
// change depends on nothing but the vehicle and its old and new position.
type line struct {
	vertical bool
	index    int // row, or column
	first    int // first cell along the row or column
	cells    int
	free     int   // cells minus the vehicles' lengths
	vehicles []int // indices into setup.vehicles, in order along the line

	placements uint32

	// The line's field in a key: the rank of its placement. width is 0 if there is
	// only one placement.
	word  int
	shift uint
	width uint

	// The ids of vehicle i's moves start at move + i*movesEach: first the moves to the
	// left or up by distance, then those to the right or down.
	move      int
	movesEach int
}

// linesOf returns the lines of a board that contain a vehicle: rows from top to
// bottom, then columns from left to right, segments in order.
func linesOf(b *board) []line {
	// at holds, for each cell, the vehicle that starts there, plus 1.
	at := make([]int, b.rows*b.cols)
	for i, v := range b.vehicles {
		at[v.row*b.cols+v.col] = i + 1
	}
	var lines []line
	for row := range b.rows {
		lines = appendLines(lines, b, at, line{index: row})
	}
	for col := range b.cols {
		lines = appendLines(lines, b, at, line{index: col, vertical: true})
	}
	return lines
}

// appendLines appends the segments of one row or column.
func appendLines(lines []line, b *board, at []int, l line) []line {
	cells, offset, stride := b.cols, l.index*b.cols, 1
	if l.vertical {
		cells, offset, stride = b.rows, l.index, b.cols
	}
	for cell := 0; cell <= cells; cell++ {
		if cell < cells && !b.walls[offset+cell*stride] {
			if i := at[offset+cell*stride]; i > 0 && b.vehicles[i-1].vertical == l.vertical {
				l.vehicles = append(l.vehicles, i-1)
			}
			continue
		}
		if len(l.vehicles) > 0 {
			l.cells = cell - l.first
			l.free = l.cells
			for _, i := range l.vehicles {
				l.free -= b.vehicles[i].length
			}
			l.placements = choose(l.free+len(l.vehicles), len(l.vehicles))
			lines = append(lines, l)
		}
		l.first, l.vehicles = cell+1, nil
	}
	return lines
}

// rank returns the rank of the vehicles' current placement.
func (l *line) rank(vehicles []vehicle) uint64 {
	rank, taken := uint32(0), l.first
	for i, v := range l.vehicles {
		before := vehicles[v].start() - taken
		rank += choose(before+i, i+1)
		taken += vehicles[v].length
	}
	return uint64(rank)
}

// choose returns the number of ways to choose k of n; n is at most 16.
func choose(n, k int) uint32 {
	if k > n {
		return 0
	}
	c := 1
	for i := 1; i <= k; i++ {
		c = c * (n - k + i) / i
	}
	return uint32(c)
}

// shape is the table of a line's placements, by rank. Lines with the same number of
// cells and the same lengths share one.
type shape struct {
	lengths []uint8
	starts  []uint8  // starts[rank*len(lengths)+i]: first cell of vehicle i, from the line's first
	masks   []uint16 // masks[rank]: the cells taken, from the line's first
}

func newShape(l *line, vehicles []vehicle) *shape {
	k := len(l.vehicles)
	s := &shape{
		lengths: make([]uint8, k),
		starts:  make([]uint8, 0, int(l.placements)*k),
		masks:   make([]uint16, 0, l.placements),
	}
	for i, v := range l.vehicles {
		s.lengths[i] = uint8(vehicles[v].length)
	}
	before := make([]int, k+1)
	before[k] = l.free
	for {
		mask, taken := uint16(0), 0
		for i, length := range s.lengths {
			start := before[i] + taken
			s.starts = append(s.starts, uint8(start))
			mask |= (1<<length - 1) << start
			taken += int(length)
		}
		s.masks = append(s.masks, mask)
		// The next rank: advance the first vehicle that can move, and reset all before
		// it to the start.
		i := 0
		for i < k && before[i] == before[i+1] {
			i++
		}
		if i == k {
			return s
		}
		before[i]++
		clear(before[:i])
	}
}
