package rushhour

import (
	"math/bits"
	"slices"

	"github.com/everystate/everystate/internal/sweep/rushhour/forest"
)

// A frame is what families have in common that differ only in the last column: the
// placements of the rows that leave each of the other columns a placement, the steps
// between them, and what these join whatever the last column holds.
//
// The states of the other columns, for one placement of the rows, fall into slabs: products
// of one group per column, each of them connected.
type frame struct {
	rows  *rowSet
	list  []frameRow
	index []int32 // by placement of the rows: 1 + its index in list
	split []int   // columns that can have several groups, the last one left out

	// Of each slab: the index in list of its placement of the rows, how many states it has,
	// its part, and the next slab of this part, as 1 + a slab.
	owner  []int32
	states []uint64
	part   []int32
	more   []int32
	joined forest.Forest // the slabs of each part
	parts  []part
	// across holds each step that enters the last column, and links which parts these join.
	across, links []edge
	pairs         []edge // between slabs, of one step
	// linked holds links at their hash, the last one of those that share it.
	linked [1 << 10]edge
}

// A frameRow is a placement of the rows. Its slabs are numbered from base on in mixed radix,
// the groups of the first column varying fastest.
type frameRow struct {
	covered cover
	rows    int32
	groups  int32 // how many slabs
	base    int32
}

// A part is a set of slabs joined by steps that neither enter nor leave the last column. So
// the rows cover the same cells of it, and the primary is at the exit in all states or none.
type part struct {
	states uint64
	mask   uint8 // the cells of the last column that the rows cover
	goal   bool
	slabs  int32 // the first one, as 1 + a slab
}

// An edge is a step of a vehicle of a row to the right: between placements of the rows, by
// index in a frame's list, between slabs, or between parts.
type edge struct{ from, to int32 }

// bind drops the previous families and sets up the next. alive is the placements of the
// rows that fit, as bits, and states, by placement of the rows, how many states the columns
// have but for the last.
func (f *frame) bind(rows *rowSet, columns []*line, alive, states []uint64) {
	for i := range f.list {
		f.index[f.list[i].rows] = 0
	}
	f.list, f.owner, f.states = f.list[:0], f.owner[:0], f.states[:0]
	if f.rows != rows {
		f.rows = rows
		if cap(f.index) < rows.n {
			f.index = make([]int32, rows.n)
		}
		f.index = f.index[:rows.n]
	}
	f.split = f.split[:0]
	for j, c := range columns[:len(columns)-1] {
		if c.fits.Splits {
			f.split = append(f.split, j)
		}
	}
	for i, word := range alive {
		for ; word != 0; word &= word - 1 {
			p := i*64 + bits.TrailingZeros64(word)
			f.add(int32(p), states[p], columns)
		}
	}
	f.joined = forest.Apart(f.joined, len(f.owner))
	f.link(columns, alive)
	f.gather(len(columns) - 1)
	f.join(columns)
}

// add adds a placement of the rows and its slabs.
func (f *frame) add(r int32, states uint64, columns []*line) {
	at := int32(len(f.list))
	row := frameRow{covered: f.rows.covered[r], rows: r, groups: 1, base: int32(len(f.owner))}
	for _, j := range f.split {
		row.groups *= int32(columns[j].fits.Groups[row.covered.of(j)])
	}
	if row.groups == 1 {
		f.owner, f.states = append(f.owner, at), append(f.states, states)
	} else {
		f.divide(&row, at, states, columns)
	}
	f.list = append(f.list, row)
	f.index[r] = at + 1
}

// divide adds the slabs of a placement of the rows that has several, and states together.
func (f *frame) divide(row *frameRow, at int32, states uint64, columns []*line) {
	for _, j := range f.split {
		states /= uint64(columns[j].fits.Count[row.covered.of(j)])
	}
	for x := range row.groups {
		own, rest := states, int(x)
		for _, j := range f.split {
			t, m := columns[j].fits, row.covered.of(j)
			groups := int(t.Groups[m])
			own *= t.Size(m, rest%groups)
			rest /= groups
		}
		f.owner, f.states = append(f.owner, at), append(f.states, own)
	}
}

// link joins slabs, and finds the steps that enter the last column. alive is as in bind.
func (f *frame) link(columns []*line, alive []uint64) {
	f.across = f.across[:0]
	for i, word := range alive {
		if word == 0 {
			continue
		}
		for k := range f.rows.joins {
			j := &f.rows.joins[k]
			set := word & j.from[i]
			if at := i + j.by/64; at+1 < len(alive) {
				set &= alive[at]>>(j.by%64) | alive[at+1]<<(64-j.by%64)
			} else if at < len(alive) {
				set &= alive[at] >> (j.by % 64)
			}
			for ; set != 0; set &= set - 1 {
				p := i*64 + bits.TrailingZeros64(set)
				e := edge{f.index[p] - 1, f.index[p+j.by] - 1}
				if j.last {
					f.across = append(f.across, e)
					continue
				}
				x, y := &f.list[e.from], &f.list[e.to]
				if x.groups == 1 && y.groups == 1 {
					f.joined.Union(x.base, y.base)
					continue
				}
				for _, p := range f.pair(x, y, columns) {
					f.joined.Union(p.from, p.to)
				}
			}
		}
	}
}

// pair returns which slabs a step joins, until it is called again.
func (f *frame) pair(x, y *frameRow, columns []*line) []edge {
	f.pairs = append(f.pairs[:0], edge{x.base, y.base})
	sx, sy := int32(1), int32(1)
	for _, j := range f.split {
		t, mx, my := columns[j].fits, x.covered.of(j), y.covered.of(j)
		gx, gy := int32(t.Groups[mx]), int32(t.Groups[my])
		if gx == 1 && gy == 1 {
			continue
		}
		have := len(f.pairs)
		t.Join(mx, my, func(g, h int32) {
			for _, p := range f.pairs[:have] {
				f.pairs = append(f.pairs, edge{p.from + g*sx, p.to + h*sy})
			}
		})
		f.pairs = append(f.pairs[:0], f.pairs[have:]...)
		sx, sy = sx*gx, sy*gy
	}
	return f.pairs
}

// firstRow returns the placement of the rows of the first slab of a part, by index in list.
func (f *frame) firstRow(part int) int32 { return f.owner[f.parts[part].slabs-1] }

// gather finds the parts.
func (f *frame) gather(last int) {
	n := len(f.owner)
	f.part, f.more, f.parts = resized(f.part, n), resized(f.more, n), f.parts[:0]
	for x := range f.joined {
		root := f.joined.Root(int32(x))
		if root == int32(x) {
			row := &f.list[f.owner[x]]
			f.part[x] = int32(len(f.parts))
			f.parts = append(f.parts, part{mask: row.covered.of(last), goal: f.rows.goal[row.rows]})
		}
		f.part[x] = f.part[root]
		f.parts[f.part[x]].states += f.states[x]
	}
	for x, at := range slices.Backward(f.part) {
		f.more[x], f.parts[at].slabs = f.parts[at].slabs, int32(x+1)
	}
}

// join finds which parts are joined by steps that enter the last column, if it has room.
func (f *frame) join(columns []*line) {
	f.links = f.links[:0]
	clear(f.linked[:])
	for _, e := range f.across {
		x, y := &f.list[e.from], &f.list[e.to]
		if x.groups == 1 && y.groups == 1 {
			f.joinParts(f.part[x.base], f.part[y.base])
			continue
		}
		for _, p := range f.pair(x, y, columns) {
			f.joinParts(f.part[p.from], f.part[p.to])
		}
	}
}

// joinParts adds a link between parts, which are different, unless it is known to be there.
func (f *frame) joinParts(from, to int32) {
	link := edge{from, to}
	if known := &f.linked[(from<<5^to)&int32(len(f.linked)-1)]; *known != link {
		*known = link
		f.links = append(f.links, link)
	}
}
