package rushhour

import (
	"fmt"
	"slices"

	"github.com/everystate/everystate/internal/sweep/rushhour/limits"
	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// A planner counts the states of units without enumerating them: for fixed rows, the
// number of placements of a column depends only on the cells of that column, and
// columns multiply.
type planner struct {
	e      *Enumeration
	family uint64
	// covers[i][k] holds the placements of line k of row i: byte j has bit i set if
	// they cover the cell of column j.
	covers [][][]uint64
	// fits[j][k][mask] is the number of placements of line k of column j that avoid
	// the cells of mask; all[j][mask] is the sum over all lines.
	fits [][][]uint64
	all  [][]uint64
	work uint64 // placements of rows so far

	// last[k] is the number of states of a row family whose first rows are the ones of
	// lastOf and whose last row has line k.
	last   []uint64
	lastOf []uint16

	// Of boundLast: 1 + the place of what is covered of the first columns, what that is,
	// and what the other columns add up to; and the entries of at that are not 0.
	at         []int32
	keys, sums []uint64
	used       []int

	within *limits.Counter // nil if vehicles in columns have no limits
}

func newPlanner(e *Enumeration) *planner {
	p := &planner{e: e}
	size := e.rules.Size
	for i, lines := range e.rowSets {
		var covers [][]uint64
		for _, l := range lines {
			l.size = size.Columns
			l.place()
			words := make([]uint64, 0, len(l.placements))
			for _, pl := range l.placements {
				var w uint64
				for j := range size.Columns {
					w |= uint64(pl.cells>>j&1) << (8*j + i)
				}
				words = append(words, w)
			}
			covers = append(covers, words)
		}
		p.covers = append(p.covers, covers)
	}
	for _, lines := range e.columns {
		fits := make([][]uint64, len(lines))
		all := make([]uint64, 1<<size.Rows)
		for k, l := range lines {
			l.size = size.Rows
			l.place()
			fits[k] = make([]uint64, 1<<size.Rows)
			for m := range fits[k] {
				for _, pl := range l.placements {
					if pl.cells&uint32(m) == 0 {
						fits[k][m]++
					}
				}
				all[m] += fits[k][m]
			}
		}
		p.fits = append(p.fits, fits)
		p.all = append(p.all, all)
	}
	p.limit()
	return p
}

// limit prepares counting with the limits of vehicles in columns that can be met.
func (p *planner) limit() {
	size := p.e.rules.Size
	var can []rules.Limit
	for _, l := range p.e.rules.Limits {
		if l.Vertical && l.Most < size.Columns*(size.Rows/l.Length) {
			can = append(can, l)
		}
	}
	if len(can) == 0 {
		return
	}
	have := make([][][]int, len(p.e.columns))
	for j, lines := range p.e.columns {
		for k := range lines {
			n := make([]int, len(can))
			for i, limit := range can {
				n[i] = lines[k].others(limit.Length)
			}
			have[j] = append(have[j], n)
		}
	}
	p.within = limits.New(can, have, p.fits)
}

// weigh adds the number of placements of the rows to the work.
func (p *planner) weigh(rows []uint16) error {
	n := uint64(1)
	for i, k := range rows {
		n *= uint64(len(p.covers[i][k]))
	}
	if p.work += n; p.work > placementsSum {
		return fmt.Errorf("size %v: too many row placements to sweep: set limits, or name a family", p.e.rules.Size)
	}
	return nil
}

// take adds the units of a row family.
func (p *planner) take(rows []uint16) error {
	err := p.split(rows, nil)
	p.family++
	return err
}

// split adds the unit of a row family and the first columns, or its parts if it is
// too large.
func (p *planner) split(rows, prefix []uint16) error {
	bound := p.bound(rows, prefix)
	states := bound
	if p.within != nil && bound > 0 {
		states = p.eachRows(rows, func(covered uint64) uint64 { return p.within.Count(covered, prefix) })
	}
	if states == 0 {
		return nil
	}
	if states <= p.e.unitStates && bound <= ledgerMax || len(prefix) == p.e.rules.Size.Columns || p.e.rules.Family != "" {
		if len(p.e.units) == unitsMax {
			return fmt.Errorf("more than %d units of work: set limits", unitsMax)
		}
		p.e.units = append(p.e.units, unit{
			rows: slices.Clone(rows), prefix: slices.Clone(prefix), family: p.family, states: states, bound: bound,
		})
		return nil
	}
	for k := range p.e.columns[len(prefix)] {
		if err := p.split(rows, append(prefix[:len(prefix):len(prefix)], uint16(k))); err != nil {
			return err
		}
	}
	return nil
}

// bound returns the number of states if vehicles in columns had no limits.
func (p *planner) bound(rows, prefix []uint16) uint64 {
	size := p.e.rules.Size.Columns
	if len(prefix) == 0 {
		last := len(rows) - 1
		if first := rows[:last]; !slices.Equal(first, p.lastOf) {
			p.lastOf = append(p.lastOf[:0], first...)
			p.boundLast(first)
		}
		return p.last[rows[last]]
	}
	var tables [rules.SizeMax][]uint64
	for j := range size {
		if j < len(prefix) {
			tables[j] = p.fits[j][prefix[j]]
		} else {
			tables[j] = p.all[j]
		}
	}
	return p.eachRows(rows, func(covered uint64) uint64 {
		product := uint64(1)
		for j := range size {
			product *= tables[j][covered>>(8*j)&0xff]
		}
		return product
	})
}

// halfBits bounds the cells of the columns that boundLast takes apart from the others.
const halfBits = 16

// boundLast finds bound for all lines of the last row at once, as they cover the same few
// sets of cells.
func (p *planner) boundLast(first []uint16) {
	size, last := p.e.rules.Size.Columns, p.e.rules.Size.Rows-1
	of := make([]uint64, 1<<size) // by the cells that the last row covers
	// Placements that cover the same cells of the first columns share what these are
	// worth; what the others are worth is added up.
	half := min(size/2, halfBits/last)
	n := 1 << (size - half)
	if p.at == nil {
		p.at = make([]int32, 1<<(half*last))
	}
	keys, sums, used := p.keys[:0], p.sums[:0], p.used[:0]
	products := make([]uint64, n)
	p.eachRows(first, func(covered uint64) uint64 {
		key := 0
		for j := range half {
			key |= int(covered>>(8*j)&(1<<last-1)) << (j * last)
		}
		at := int(p.at[key]) - 1
		if at < 0 {
			at = len(keys)
			keys = append(keys, covered)
			sums = slices.Grow(sums, n)[:len(sums)+n]
			clear(sums[at*n:])
			used = append(used, key)
			p.at[key] = int32(at + 1)
		}
		p.worth(products, covered, half, size)
		sum := sums[at*n:][:n]
		for cells, worth := range products {
			sum[cells] += worth
		}
		return 0
	})
	for _, key := range used {
		p.at[key] = 0
	}
	p.keys, p.sums, p.used = keys, sums, used
	low := make([]uint64, 1<<half)
	for at, covered := range keys {
		p.worth(low, covered, 0, half)
		for others, sum := range sums[at*n:][:n] {
			for cells, worth := range low {
				of[cells|others<<half] += worth * sum
			}
		}
	}
	lines := p.e.rowSets[last]
	p.last = zeroed(p.last, len(lines))
	for k := range lines {
		for _, covered := range p.covers[last][k] {
			cells := 0
			for j := range size {
				cells |= int(covered>>(8*j+last)&1) << j
			}
			p.last[k] += of[cells]
		}
	}
}

// worth sets products, by the cells that the last row covers of the columns from one to
// another, to the number of placements of these columns beside the cells covered.
func (p *planner) worth(products []uint64, covered uint64, from, to int) {
	products[0] = 1
	for j := from; j < to; j++ {
		mask := covered >> (8 * j) & 0xff
		left, taken := p.all[j][mask], p.all[j][mask|1<<(p.e.rules.Size.Rows-1)]
		for cells := range 1 << (j - from) {
			products[cells|1<<(j-from)] = products[cells] * taken
			products[cells] *= left
		}
	}
}

// eachRows sums f over all placements of the rows; byte j of covered holds the cells
// of column j that they cover.
func (p *planner) eachRows(rows []uint16, f func(covered uint64) uint64) uint64 {
	var sum uint64
	var walk func(i int, covered uint64)
	walk = func(i int, covered uint64) {
		if i == len(rows) {
			sum += f(covered)
			return
		}
		for _, w := range p.covers[i][rows[i]] {
			walk(i+1, covered|w)
		}
	}
	walk(0, 0)
	return sum
}
