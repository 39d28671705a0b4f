// Package limits counts the ways to fill the columns of a board when vehicles of some
// lengths have limits. It must know nothing of what lines hold beyond how many vehicles of
// each of these lengths.
package limits

import "github.com/everystate/everystate/internal/sweep/rushhour/rules"

// A Counter counts column by column, tracking how many vehicles there are so far. It is for
// one goroutine.
type Counter struct {
	// A use is how many vehicles of each limited length there are, encoded as a
	// number. sum holds, by use and by the use of a line, the sum of both; -1 if it
	// exceeds a limit.
	sum [][]int32
	// lines[j][k] is the use of line k of column j; fits is as in [New].
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

// New returns a counter. have[j][k] holds, for each limit, how many vehicles line k of column
// j has; fits[j][k] holds, by the cells of the column that the rows cover, the number of
// placements of that line. Every column has a line.
func New(limits []rules.Limit, have [][][]int, fits [][][]uint64) *Counter {
	uses := 1
	for _, l := range limits {
		uses *= l.Most + 1
	}
	c := &Counter{fits: fits, now: make([]uint64, uses), next: make([]uint64, uses)}
	known := map[string]int{}
	for j, lines := range have {
		var own []int
		open := make([][]term, len(fits[j][0]))
		for k, digits := range lines {
			key := make([]byte, len(digits))
			for i, n := range digits {
				key[i] = byte(n)
			}
			use, ok := known[string(key)]
			if !ok {
				use = len(c.sum)
				known[string(key)] = use
				c.sum = append(c.sum, sums(limits, uses, digits))
			}
			own = append(own, use)
			for mask := range open {
				open[mask] = addTerm(open[mask], term{use, fits[j][k][mask]})
			}
		}
		c.lines = append(c.lines, own)
		c.open = append(c.open, open)
	}
	return c
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

// Count returns the number of ways to fill the columns, given the rows: byte j of
// covered holds the cells of column j that they cover. The first columns have the
// lines of prefix.
func (c *Counter) Count(covered uint64, prefix []uint16) uint64 {
	c.used = append(c.used[:0], 0)
	c.now[0] = 1
	for j := range c.lines {
		mask := covered >> (8 * j) & 0xff
		c.after = c.after[:0]
		if j < len(prefix) {
			if n := c.fits[j][prefix[j]][mask]; n > 0 {
				c.add(term{c.lines[j][prefix[j]], n})
			}
		} else {
			for _, t := range c.open[j][mask] {
				c.add(t)
			}
		}
		for _, use := range c.used {
			c.now[use] = 0
		}
		c.now, c.next = c.next, c.now
		c.used, c.after = c.after, c.used
	}
	var sum uint64
	for _, use := range c.used {
		sum += c.now[use]
		c.now[use] = 0
	}
	return sum
}

// add adds to the counts those with a term of the next column.
func (c *Counter) add(t term) {
	sum := c.sum[t.use]
	for _, use := range c.used {
		to := sum[use]
		if to < 0 {
			continue
		}
		if c.next[to] == 0 {
			c.after = append(c.after, to)
		}
		c.next[to] += c.now[use] * t.count
	}
}
