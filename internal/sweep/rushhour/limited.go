package rushhour

import "github.com/everystate/everystate/internal/sweep/rushhour/rules"

// limited counts the ways to fill the columns between the rows when vehicles of some
// lengths have limits: column by column, tracking how many there are so far.
type limited struct {
	columns int
	// A use is how many vehicles of each limited length there are, encoded as a
	// number. sum holds, by use and by the use of a line, the sum of both; -1 if it
	// exceeds a limit.
	sum [][]int32
	// lines[j][k] is the use of line k of column j; fits is the planner's.
	lines [][]int
	fits  [][][]uint64
	// open[j][mask] are the uses of column j, with the number of placements of each.
	open [][][]term

	now, next   []uint64 // by use
	used, after []int32  // the uses with a nonzero count
}

// A term is a number of placements with the same use.
type term struct {
	use   int
	count uint64
}

// newLimited returns nil if no limit can be met.
func newLimited(e *Enumeration, fits [][][]uint64) *limited {
	size := e.rules.Size
	var limits []rules.Limit
	uses := 1
	for _, l := range e.rules.Limits {
		if l.Vertical && l.Most < size.Columns*(size.Rows/l.Length) {
			limits = append(limits, l)
			uses *= l.Most + 1
		}
	}
	if len(limits) == 0 {
		return nil
	}
	m := &limited{columns: size.Columns, fits: fits, now: make([]uint64, uses), next: make([]uint64, uses)}
	digits := func(l *line) []int {
		d := make([]int, len(limits))
		for i, limit := range limits {
			for _, length := range l.lengths {
				if length == limit.Length {
					d[i]++
				}
			}
		}
		return d
	}
	known := map[string]int{}
	for j, lines := range e.columns {
		var own []int
		open := make([][]term, 1<<size.Rows)
		for k := range lines {
			d := digits(&lines[k])
			key := make([]byte, len(d))
			for i, n := range d {
				key[i] = byte(n)
			}
			use, ok := known[string(key)]
			if !ok {
				use = len(m.sum)
				known[string(key)] = use
				m.sum = append(m.sum, sums(limits, uses, d))
			}
			own = append(own, use)
			for mask := range open {
				open[mask] = addTerm(open[mask], term{use, fits[j][k][mask]})
			}
		}
		m.lines = append(m.lines, own)
		m.open = append(m.open, open)
	}
	return m
}

// sums returns, by use, its sum with the vehicles of a line; -1 if that exceeds a
// limit.
func sums(limits []rules.Limit, uses int, digits []int) []int32 {
	all := make([]int32, uses)
	for use := range all {
		rest, step, to := use, 1, 0
		for i, l := range limits {
			n := rest%(l.Most+1) + digits[i]
			rest /= l.Most + 1
			if n > l.Most {
				to = -1
				break
			}
			to += n * step
			step *= l.Most + 1
		}
		all[use] = int32(to)
	}
	return all
}

func addTerm(terms []term, t term) []term {
	if t.count == 0 {
		return terms
	}
	for i := range terms {
		if terms[i].use == t.use {
			terms[i].count += t.count
			return terms
		}
	}
	return append(terms, t)
}

// count returns the number of ways to fill the columns, given the rows: byte j of
// covered holds the cells of column j that they cover. The first columns have the
// lines of prefix.
func (m *limited) count(covered uint64, prefix []uint16) uint64 {
	m.used = append(m.used[:0], 0)
	m.now[0] = 1
	for j := range m.columns {
		mask := covered >> (8 * j) & 0xff
		m.after = m.after[:0]
		if j < len(prefix) {
			if n := m.fits[j][prefix[j]][mask]; n > 0 {
				m.add(term{m.lines[j][prefix[j]], n})
			}
		} else {
			for _, t := range m.open[j][mask] {
				m.add(t)
			}
		}
		for _, use := range m.used {
			m.now[use] = 0
		}
		m.now, m.next = m.next, m.now
		m.used, m.after = m.after, m.used
	}
	var sum uint64
	for _, use := range m.used {
		sum += m.now[use]
		m.now[use] = 0
	}
	return sum
}

// add adds to the counts those with a term of the next column.
func (m *limited) add(t term) {
	sum := m.sum[t.use]
	for _, use := range m.used {
		to := sum[use]
		if to < 0 {
			continue
		}
		if m.next[to] == 0 {
			m.after = append(m.after, to)
		}
		m.next[to] += m.now[use] * t.count
	}
}
