// Package counting counts the boards of families without enumerating them: for fixed rows,
// the number of placements of a column depends only on the cells of that column, and columns
// multiply. It must know nothing of what lines hold beyond the cells that they cover.
package counting

import (
	"slices"

	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// A Counter counts the boards of one size. It is for one goroutine.
type Counter struct {
	size rules.Size
	// covers[i][k] holds the placements of line k of row i: byte j has bit i set if they
	// cover the cell of column j.
	covers [][][]uint64
	fits   [][][]uint64 // as Fits returns them
	all    [][]uint64   // all[j][mask] is the sum of fits over all lines

	// last[k] is the number of states of a row family whose first rows are the ones of
	// lastOf and whose last row has line k.
	last   []uint64
	lastOf []uint16

	// Of countLast: 1 + the place of what is covered of the first columns, what that is,
	// and what the other columns add up to; and the entries of at that are not 0.
	at         []int32
	keys, sums []uint64
	used       []int
}

// New returns a counter. rows[i][k] and columns[j][k] hold, for each placement of line k, the
// cells that it covers, as bits.
func New(size rules.Size, rows, columns [][][]uint32) *Counter {
	c := &Counter{size: size}
	for i, lines := range rows {
		row := make([][]uint64, len(lines))
		for k, placements := range lines {
			for _, cells := range placements {
				var covered uint64
				for j := range size.Columns {
					covered |= uint64(cells>>j&1) << (8*j + i)
				}
				row[k] = append(row[k], covered)
			}
		}
		c.covers = append(c.covers, row)
	}
	for _, lines := range columns {
		column, all := make([][]uint64, len(lines)), make([]uint64, 1<<size.Rows)
		for k, placements := range lines {
			column[k] = make([]uint64, 1<<size.Rows)
			for _, cells := range placements {
				for m := range column[k] {
					if cells&uint32(m) == 0 {
						column[k][m]++
						all[m]++
					}
				}
			}
		}
		c.fits, c.all = append(c.fits, column), append(c.all, all)
	}
	return c
}

// Fits returns, for each line of each column, by the cells of the column that the rows cover,
// the number of its placements.
func (c *Counter) Fits() [][][]uint64 { return c.fits }

// Placements returns the number of placements of rows with some lines.
func (c *Counter) Placements(rows []uint16) uint64 {
	n := uint64(1)
	for i, k := range rows {
		n *= uint64(len(c.covers[i][k]))
	}
	return n
}

// Boards returns the number of boards whose rows and first columns have some lines.
func (c *Counter) Boards(rows, prefix []uint16) uint64 {
	if len(prefix) == 0 {
		last := len(rows) - 1
		if first := rows[:last]; !slices.Equal(first, c.lastOf) {
			c.lastOf = append(c.lastOf[:0], first...)
			c.countLast(first)
		}
		return c.last[rows[last]]
	}
	var tables [rules.SizeMax][]uint64
	for j := range c.size.Columns {
		if j < len(prefix) {
			tables[j] = c.fits[j][prefix[j]]
		} else {
			tables[j] = c.all[j]
		}
	}
	return c.EachPlacement(rows, func(covered uint64) uint64 {
		product := uint64(1)
		for j := range c.size.Columns {
			product *= tables[j][covered>>(8*j)&0xff]
		}
		return product
	})
}

// halfBits bounds the cells of the columns that countLast takes apart from the others.
const halfBits = 16

// countLast counts for all lines of the last row at once, as they cover the same few sets of
// cells.
func (c *Counter) countLast(first []uint16) {
	size, last := c.size.Columns, c.size.Rows-1
	of := make([]uint64, 1<<size) // by the cells that the last row covers
	// Placements that cover the same cells of the first columns share what these are
	// worth; what the others are worth is added up.
	half := min(size/2, halfBits/last)
	n := 1 << (size - half)
	if c.at == nil {
		c.at = make([]int32, 1<<(half*last))
	}
	keys, sums, used := c.keys[:0], c.sums[:0], c.used[:0]
	products := make([]uint64, n)
	c.EachPlacement(first, func(covered uint64) uint64 {
		key := 0
		for j := range half {
			key |= int(covered>>(8*j)&(1<<last-1)) << (j * last)
		}
		at := int(c.at[key]) - 1
		if at < 0 {
			at = len(keys)
			keys = append(keys, covered)
			sums = slices.Grow(sums, n)[:len(sums)+n]
			clear(sums[at*n:])
			used = append(used, key)
			c.at[key] = int32(at + 1)
		}
		c.worth(products, covered, half, size)
		sum := sums[at*n:][:n]
		for cells, worth := range products {
			sum[cells] += worth
		}
		return 0
	})
	for _, key := range used {
		c.at[key] = 0
	}
	c.keys, c.sums, c.used = keys, sums, used
	low := make([]uint64, 1<<half)
	for at, covered := range keys {
		c.worth(low, covered, 0, half)
		for others, sum := range sums[at*n:][:n] {
			for cells, worth := range low {
				of[cells|others<<half] += worth * sum
			}
		}
	}
	c.last = c.last[:0]
	for _, covers := range c.covers[last] {
		boards := uint64(0)
		for _, covered := range covers {
			cells := 0
			for j := range size {
				cells |= int(covered>>(8*j+last)&1) << j
			}
			boards += of[cells]
		}
		c.last = append(c.last, boards)
	}
}

// worth sets products, by the cells that the last row covers of the columns from one to
// another, to the number of placements of these columns beside the cells covered.
func (c *Counter) worth(products []uint64, covered uint64, from, to int) {
	products[0] = 1
	for j := from; j < to; j++ {
		mask := covered >> (8 * j) & 0xff
		left, taken := c.all[j][mask], c.all[j][mask|1<<(c.size.Rows-1)]
		for cells := range 1 << (j - from) {
			products[cells|1<<(j-from)] = products[cells] * taken
			products[cells] *= left
		}
	}
}

// EachPlacement sums f over all placements of the rows; byte j of covered holds the cells
// of column j that they cover.
func (c *Counter) EachPlacement(rows []uint16, f func(covered uint64) uint64) uint64 {
	var sum uint64
	var walk func(i int, covered uint64)
	walk = func(i int, covered uint64) {
		if i == len(rows) {
			sum += f(covered)
			return
		}
		for _, w := range c.covers[i][rows[i]] {
			walk(i+1, covered|w)
		}
	}
	walk(0, 0)
	return sum
}
