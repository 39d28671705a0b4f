package tiles

// Bounds of a board.
const (
	cellsMin = 2
	cellsMax = 16
)

// A shape is a size of boards.
type shape struct{ rows, cols int }

func (s shape) cells() int { return s.rows * s.cols }

// sideways reports whether lanes are columns.
func (s shape) sideways() bool { return s.cols > s.rows }

// width returns the number of cells of a lane.
func (s shape) width() int { return min(s.rows, s.cols) }

// lanes returns the number of lanes.
func (s shape) lanes() int { return max(s.rows, s.cols) }

// keys returns the number of keys: cells!, the number of arrangements.
func (s shape) keys() uint64 { return factorial(s.cells()) }

// cell returns the row-by-row index of the i-th cell in the order of lanes.
func (s shape) cell(i int) int {
	if s.sideways() {
		return i%s.rows*s.cols + i/s.rows
	}
	return i
}

// key returns the key of an arrangement, row by row with 0 for the hole.
func (s shape) key(arrangement []uint8) uint64 {
	cells := s.cells()
	rank, hole, used := uint64(0), 0, uint32(1)
	left := uint64(cells - 1)
	for i := range cells {
		tile := arrangement[s.cell(i)]
		if tile == 0 {
			hole = i
			continue
		}
		used |= 1 << tile
		smaller := uint64(0) // unused tiles less than this one, which come after it
		for t := range tile {
			smaller += uint64(^used >> t & 1)
		}
		rank = rank*left + smaller
		left--
	}
	return rank*uint64(cells) + uint64(hole)
}

// arrangement writes the arrangement of a key, row by row.
func (s shape) arrangement(key uint64, dst []uint8) {
	cells := s.cells()
	hole := int(key % uint64(cells))
	rank := key / uint64(cells)
	var digits [cellsMax]uint8
	for i := cells - 2; i >= 0; i-- {
		radix := uint64(cells - 1 - i)
		digits[i] = uint8(rank % radix) // less than 16
		rank /= radix
	}
	used := uint32(1)
	for i, tile := 0, 0; i < cells; i++ {
		if i == hole {
			dst[s.cell(i)] = 0
			continue
		}
		dst[s.cell(i)] = unused(used, digits[tile])
		used |= 1 << dst[s.cell(i)]
		tile++
	}
}

// unused returns the unused tile with the given number of unused tiles before it.
func unused(used uint32, before uint8) uint8 {
	for tile := uint8(1); ; tile++ {
		if used>>tile&1 != 0 {
			continue
		}
		if before == 0 {
			return tile
		}
		before--
	}
}

func factorial(n int) uint64 {
	product := uint64(1)
	for i := 2; i <= n; i++ {
		product *= uint64(i)
	}
	return product
}
