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
type edge struct {
	from, to      int32
	entered, left uint8 // the columns of the cells that the vehicle enters and leaves
}

// bind drops the previous families and sets up the next. alive is the placements of the
// rows that fit, as bits.
func (f *frame) bind(rows *rowSet, columns []*line, alive []uint64) {
	f.release()
	if f.rows != rows {
		f.rows = rows
		if cap(f.index) < rows.n {
			f.index = make([]int32, rows.n)
		}
		f.index = f.index[:rows.n]
	}
	for i, word := range alive {
		for ; word != 0; word &= word - 1 {
			f.add(int32(i*64+bits.TrailingZeros64(word)), columns)
		}
	}
	f.link()
}

// release resets the index.
func (f *frame) release() {
	for i := range f.list {
		f.index[f.list[i].rows] = 0
	}
	f.list = f.list[:0]
}

// add adds a placement of the rows.
func (f *frame) add(r int32, columns []*line) {
	row := frameRow{covered: f.rows.covered[r], states: 1, rows: r, groups: 1, goal: f.rows.goal[r]}
	for j, c := range columns[:len(columns)-1] {
		m := row.covered.of(j)
		row.states *= uint64(c.fits.count[m])
		row.groups *= int32(c.fits.groups[m])
	}
	f.list = append(f.list, row)
	f.index[r] = int32(len(f.list))
}

// link finds the steps.
func (f *frame) link() {
	per := f.rows.perPlace
	f.steps = resized(f.steps, len(f.list)*per)
	for i := range f.steps {
		f.steps[i] = none
	}
	f.edges = f.edges[:0]
	for i := range f.list {
		links := f.rows.links[int(f.list[i].rows)*per:][:per]
		for v, length := range f.rows.lengths {
			right := links[2*v+1] // to the left is the same step
			if right < 0 {
				continue
			}
			at := f.index[right.to()] - 1
			if at < 0 {
				continue
			}
			entered := right.column()
			left := entered - length
			f.steps[i*per+2*v+1] = stepTo(at+1, entered)
			f.steps[int(at)*per+2*v] = stepTo(int32(i+1), left)
			f.edges = append(f.edges, edge{int32(i), at, uint8(entered), uint8(left)})
		}
	}
}
