package rushhour

import "math/bits"

// A frame is what families have in common that differ only in the last column: the
// placements of the rows that leave each of the other columns a placement, and the steps
// between them.
type frame struct {
	rows  *rowSet
	list  []frameRow
	index []int32 // by placement of the rows: 1 + its index in list
	// steps holds, by index in list and link, the step in a row, to 1 + an index in list,
	// or none. edges holds each step once, to the right.
	steps []step
	edges []edge
	// splits is the steps where a column has several groups, which edges are without.
	splits []splitEdge
	pairs  []pair
	split  []int // columns that can have several groups, the last one left out
}

// A frameRow is a placement of the rows. states and groups are products over all columns
// but the last: of the placements that fit, and of the groups that these fall into.
type frameRow struct {
	covered cover
	states  uint64
	rows    int32
	groups  int32
	goal    bool
}

// An edge is a step of a vehicle of a row to the right.
type edge struct{ from, to int32 }

// A splitEdge is a step that joins pairs of groups of all columns but the last: those from
// first to end of the frame's. Groups are numbered in mixed radix, those of the first column
// varying fastest.
type splitEdge struct {
	edge
	first, end int32
}

// A pair is a group of the placement of the rows that a step leaves, and one of that which
// it reaches.
type pair struct{ x, y int32 }

// bind drops the previous families and sets up the next. alive is the placements of the
// rows that fit, as bits, and states has [frameRow.states] by placement of the rows.
func (f *frame) bind(rows *rowSet, columns []*line, alive, states []uint64) {
	for i := range f.list {
		f.index[f.list[i].rows] = 0
	}
	f.list = f.list[:0]
	if f.rows != rows {
		f.rows = rows
		if cap(f.index) < rows.n {
			f.index = make([]int32, rows.n)
		}
		f.index = f.index[:rows.n]
	}
	f.split = splitting(f.split, columns[:len(columns)-1])
	for i, word := range alive {
		for ; word != 0; word &= word - 1 {
			p := i*64 + bits.TrailingZeros64(word)
			f.add(int32(p), states[p], columns)
		}
	}
	f.link(columns)
}

// add adds a placement of the rows.
func (f *frame) add(r int32, states uint64, columns []*line) {
	row := frameRow{covered: f.rows.covered[r], states: states, rows: r, groups: 1, goal: f.rows.goal[r]}
	for _, j := range f.split {
		row.groups *= int32(columns[j].fits.Groups[row.covered.of(j)])
	}
	f.list = append(f.list, row)
	f.index[r] = int32(len(f.list))
}

// link finds the steps.
func (f *frame) link(columns []*line) {
	per := f.rows.perPlace
	f.steps = resized(f.steps, len(f.list)*per)
	f.steps[0] = none
	for n := 1; n < len(f.steps); n *= 2 {
		copy(f.steps[n:], f.steps[:n])
	}
	f.edges, f.splits, f.pairs = f.edges[:0], f.splits[:0], f.pairs[:0]
	for i := range f.list {
		links := f.rows.links[int(f.list[i].rows)*per:][:per]
		for set := f.rows.rights[f.list[i].rows]; set != 0; set &= set - 1 {
			v := bits.TrailingZeros32(set)
			right := links[2*v+1] // to the left is the same step
			at := f.index[right.to()] - 1
			if at < 0 {
				continue
			}
			entered := right.column()
			left := entered - f.rows.lengths[v]
			f.steps[i*per+2*v+1] = stepTo(at+1, entered)
			f.steps[int(at)*per+2*v] = stepTo(int32(i+1), left)
			e := edge{int32(i), at}
			if f.list[i].groups == 1 && f.list[at].groups == 1 {
				f.edges = append(f.edges, e)
				continue
			}
			first := int32(len(f.pairs))
			f.pair(e, columns)
			f.splits = append(f.splits, splitEdge{e, first, int32(len(f.pairs))})
		}
	}
}

// pair appends the pairs of groups that a step joins.
func (f *frame) pair(e edge, columns []*line) {
	x, y := &f.list[e.from], &f.list[e.to]
	first := len(f.pairs)
	f.pairs = append(f.pairs, pair{})
	sx, sy := int32(1), int32(1)
	for _, j := range f.split {
		t, mx, my := columns[j].fits, x.covered.of(j), y.covered.of(j)
		gx, gy := int32(t.Groups[mx]), int32(t.Groups[my])
		if gx == 1 && gy == 1 {
			continue
		}
		have := len(f.pairs)
		t.Join(mx, my, func(g, h int32) {
			for _, p := range f.pairs[first:have] {
				f.pairs = append(f.pairs, pair{p.x + g*sx, p.y + h*sy})
			}
		})
		f.pairs = append(f.pairs[:first], f.pairs[have:]...)
		sx, sy = sx*gx, sy*gy
	}
}
