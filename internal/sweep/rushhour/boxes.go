package rushhour

// boxes finds the clusters of a family without visiting its states one by one.
//
// For fixed rows, the legal placements of a column fall into groups joined by steps
// of its own vehicles, and columns do not interact. So the states of one placement of
// the rows fall into boxes, products of one group per column, each of them connected.
// A step in a row joins boxes. There are far fewer boxes than states.
type boxes struct {
	rows    *rowSet
	frame   *frame
	columns []*line
	split   []int // columns that can have several groups

	list []boxRow // in the order of the frame

	parent []int32
	owner  []int32  // of each box, its index in list
	states []uint64 // of each box, then of each cluster by its root
	goals  []uint64 // of each cluster, by its root
	// first and more are the lists of the goal boxes of a cluster: 1 + a box.
	first, more []int32

	pairs, spare [][2]int32
}

// A boxRow is a placement of the rows. Its boxes are numbered in mixed radix, the groups of
// the first column varying fastest. It has none if the last column has no placement.
type boxRow struct {
	covered cover
	rows    int32
	base    int32 // its first box
	count   int32 // of its boxes
	goal    bool
}

// bind drops the previous family and sets up the next.
func (b *boxes) bind(f *frame, columns []*line) {
	b.rows, b.frame, b.columns = f.rows, f, columns
	b.split = b.split[:0]
	for j, c := range columns {
		if c.fits.splits {
			b.split = append(b.split, j)
		}
	}
	b.list = resized(b.list, len(f.list))
	b.parent, b.owner, b.states = b.parent[:0], b.owner[:0], b.states[:0]
	last := columns[len(columns)-1].fits
	for i := range f.list {
		row := &f.list[i]
		at := boxRow{covered: row.covered, rows: row.rows, base: int32(len(b.parent)), goal: row.goal}
		m := row.covered.of(len(columns) - 1)
		if fit := last.count[m]; fit > 0 {
			at.count = row.groups * int32(last.groups[m])
			for x := range at.count {
				b.parent = append(b.parent, at.base+x)
				b.owner = append(b.owner, int32(i))
			}
			if states := row.states * uint64(fit); at.count == 1 {
				b.states = append(b.states, states)
			} else {
				b.weigh(row.covered, states)
			}
		}
		b.list[i] = at
	}
}

// weigh appends the number of states of each box. All of them together have states.
func (b *boxes) weigh(covered cover, states uint64) {
	for _, j := range b.split {
		if t, m := b.columns[j].fits, covered.of(j); t.groups[m] > 1 {
			states /= uint64(t.count[m])
		}
	}
	from := len(b.states)
	b.states = append(b.states, states)
	for _, j := range b.split {
		t, m := b.columns[j].fits, covered.of(j)
		groups := int(t.groups[m])
		if groups == 1 {
			continue
		}
		have := b.states[from:]
		for g := 1; g < groups; g++ {
			n := t.sizeOf(m, g)
			for _, states := range have {
				b.states = append(b.states, states*n)
			}
		}
		n := t.sizeOf(m, 0)
		for i := range have {
			b.states[from+i] *= n // last, as the other groups need it
		}
	}
}

func (b *boxes) find(x int32) int32 {
	for b.parent[x] != x {
		b.parent[x] = b.parent[b.parent[x]]
		x = b.parent[x]
	}
	return x
}

// union joins the clusters of two boxes.
func (b *boxes) union(x, y int32) {
	if b.parent[x] != b.parent[y] {
		b.unite(x, y)
	}
}

// unite is union for boxes with different parents. The root is the box with the smaller
// number.
func (b *boxes) unite(x, y int32) {
	x, y = b.find(x), b.find(y)
	switch {
	case x < y:
		b.parent[y] = x
	case y < x:
		b.parent[x] = y
	}
}

// join joins the boxes by all steps in rows.
func (b *boxes) join() {
	for _, e := range b.frame.edges {
		x, y := &b.list[e.from], &b.list[e.to]
		switch {
		case x.count == 1 && y.count == 1:
			b.union(x.base, y.base)
		case x.count == 0 || y.count == 0:
		case b.splits(x, e.entered) || b.splits(x, e.left) || b.splits(y, e.entered) || b.splits(y, e.left):
			b.joinRows(x, y)
		default: // the other columns do not change
			for g := range x.count {
				b.union(x.base+g, y.base+g)
			}
		}
	}
}

// splits reports whether a column has several groups between some rows.
func (b *boxes) splits(row *boxRow, column uint8) bool {
	return b.columns[column].fits.groups[row.covered.of(int(column))] != 1
}

// joinRows joins the boxes of two placements of the rows that are one step apart.
func (b *boxes) joinRows(x, y *boxRow) {
	pairs, spare := b.pairs[:0], b.spare
	pairs = append(pairs, [2]int32{x.base, y.base})
	sx, sy := int32(1), int32(1)
	for _, j := range b.split {
		t, mx, my := b.columns[j].fits, x.covered.of(j), y.covered.of(j)
		gx, gy := int32(t.groups[mx]), int32(t.groups[my])
		if gx == 1 && gy == 1 {
			continue
		}
		out := spare[:0]
		switch {
		case mx == my:
			for _, p := range pairs {
				for g := range gx {
					out = append(out, [2]int32{p[0] + g*sx, p[1] + g*sy})
				}
			}
		case mx&my == my: // a cell becomes free: each group of x grows
			for g := range gx {
				to := t.groupOf(my, t.someOf(mx, int(g)))
				for _, p := range pairs {
					out = append(out, [2]int32{p[0] + g*sx, p[1] + int32(to)*sy})
				}
			}
		default:
			for g := range gy {
				to := t.groupOf(mx, t.someOf(my, int(g)))
				for _, p := range pairs {
					out = append(out, [2]int32{p[0] + int32(to)*sx, p[1] + g*sy})
				}
			}
		}
		spare, pairs = pairs, out
		sx, sy = sx*gx, sy*gy
	}
	for _, p := range pairs {
		b.union(p[0], p[1])
	}
	b.pairs, b.spare = pairs, spare
}

// gather sums the clusters: states and goals by root, and the goal boxes of each. It
// returns the roots.
func (b *boxes) gather(roots []int32) []int32 {
	n := len(b.parent)
	b.goals = zeroed(b.goals, n)
	b.first = zeroed(b.first, n)
	b.more = zeroed(b.more, n)
	for i := range b.list {
		row := &b.list[i]
		for x := row.base; x < row.base+row.count; x++ {
			root := b.parent[b.parent[x]] // a root comes before its other boxes
			b.parent[x] = root
			own := b.states[x]
			if root == x {
				roots = append(roots, x)
			} else {
				b.states[root] += own
			}
			if row.goal {
				b.goals[root] += own
				b.more[x] = b.first[root]
				b.first[root] = x + 1
			}
		}
	}
	return roots
}

// zeroed returns n zeros, in s if it has room.
func zeroed[T any](s []T, n int) []T {
	s = resized(s, n)
	clear(s)
	return s
}

// resized returns n elements of any values, those of s if it has room.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/2)
	}
	return s[:n]
}

// group returns the group of a column in a box.
func (b *boxes) group(box int32, column int) (mask uint8, group int) {
	row := &b.list[b.owner[box]]
	if row.count == 1 {
		return row.covered.of(column), 0
	}
	rest := int(box - row.base)
	for _, j := range b.split {
		groups := int(b.columns[j].fits.groups[row.covered.of(j)])
		if j == column {
			return row.covered.of(j), rest % groups
		}
		rest /= groups
	}
	return row.covered.of(column), 0
}
