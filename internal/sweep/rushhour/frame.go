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
	// steps holds, by index in list and link, the step in a row, to 1 + an index in list,
	// or none. laid says, by index in list, whether they are known.
	steps []step
	laid  []bool
	split []int // columns that can have several groups, the last one left out

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
	n := len(f.list)
	f.steps, f.laid = resized(f.steps, n*rows.perPlace), zeroed(f.laid, n)
	f.joined = forest.Apart(f.joined, len(f.owner))
	f.link(columns)
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

// link joins slabs, and finds the steps that enter the last column.
func (f *frame) link(columns []*line) {
	f.across = f.across[:0]
	links, per := f.rows.links, f.rows.perPlace
	for i := range f.list {
		x := &f.list[i]
		right := int(x.rows)*per + 1 // of the first vehicle; to the left is the same step
		enters := f.rows.enters[x.rows]
		for set := f.rows.rights[x.rows] &^ enters; set != 0; set &= set - 1 {
			at := f.index[links[right+2*bits.TrailingZeros64(set)].to()] - 1
			if at < 0 {
				continue
			}
			y := &f.list[at]
			if x.groups == 1 && y.groups == 1 {
				f.joined.Union(x.base, y.base)
				continue
			}
			for _, p := range f.pair(x, y, columns) {
				f.joined.Union(p.from, p.to)
			}
		}
		for set := enters; set != 0; set &= set - 1 {
			if at := f.index[links[right+2*bits.TrailingZeros64(set)].to()] - 1; at >= 0 {
				f.across = append(f.across, edge{int32(i), at})
			}
		}
	}
}

// lay finds the steps of a placement of the rows, by its index in list.
func (f *frame) lay(at int32) {
	if f.laid[at] {
		return
	}
	f.laid[at] = true
	per := f.rows.perPlace
	steps := f.steps[int(at)*per:][:per]
	for k, link := range f.rows.links[int(f.list[at].rows)*per:][:per] {
		steps[k] = f.stepOf(link)
	}
}

// stepOf returns the step of a link. It has no branches, as they are hard to foresee here: what
// is none is shifted in as its sign.
func (f *frame) stepOf(link step) step {
	no := link >> 31
	to := f.index[(link &^ no).to()]
	return step(to<<columnBits|int32(link.column())|(to-1)>>31) | no
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
