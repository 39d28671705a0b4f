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
}

// A boxRow is the boxes of a placement of the rows: the first and how many. They are
// numbered in mixed radix, the groups of the first column varying fastest. There are none
// if the last column has no placement.
type boxRow struct{ base, count int32 }

// bind drops the previous family and sets up the next.
func (b *boxes) bind(f *frame, columns []*line) {
	b.rows, b.frame, b.columns = f.rows, f, columns
	b.split = splitting(b.split, columns)
	b.list = resized(b.list, len(f.list))
	b.parent, b.owner, b.states = b.parent[:0], b.owner[:0], b.states[:0]
	last := columns[len(columns)-1].fits
	for i := range f.list {
		row := &f.list[i]
		base, count := int32(len(b.parent)), int32(0)
		m := row.covered.of(len(columns) - 1)
		if fit := last.Count[m]; fit > 0 {
			count = row.groups * int32(last.Groups[m])
			for x := range count {
				b.parent = append(b.parent, base+x)
				b.owner = append(b.owner, int32(i))
			}
			if states := row.states * uint64(fit); count == 1 {
				b.states = append(b.states, states)
			} else {
				b.weigh(row.covered, states, count)
			}
		}
		b.list[i] = boxRow{base, count}
	}
}

// splitting returns the columns that can have several groups, in have.
func splitting(have []int, columns []*line) []int {
	have = have[:0]
	for j, c := range columns {
		if c.fits.Splits {
			have = append(have, j)
		}
	}
	return have
}

// weigh appends the number of states of each of several boxes, which have states together.
func (b *boxes) weigh(covered cover, states uint64, count int32) {
	for _, j := range b.split {
		states /= uint64(b.columns[j].fits.Count[covered.of(j)])
	}
	for x := range count {
		own, rest := states, int(x)
		for _, j := range b.split {
			t, m := b.columns[j].fits, covered.of(j)
			groups := int(t.Groups[m])
			own *= t.Size(m, rest%groups)
			rest /= groups
		}
		b.states = append(b.states, own)
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

// alone is the pairs of groups where there is only one.
var alone = []pair{{}}

// join joins the boxes by all steps in rows.
func (b *boxes) join() {
	for _, e := range b.frame.edges {
		x, y := b.list[e.from], b.list[e.to]
		if x.count == 1 && y.count == 1 {
			b.union(x.base, y.base)
		} else if x.count > 0 && y.count > 0 {
			b.joinRows(e, alone)
		}
	}
	for _, e := range b.frame.splits {
		if b.list[e.from].count > 0 && b.list[e.to].count > 0 {
			b.joinRows(e.edge, b.frame.pairs[e.first:e.end])
		}
	}
}

// joinRows joins the boxes of two placements of the rows that are one step apart. pairs is
// which groups of the other columns than the last the step joins.
func (b *boxes) joinRows(e edge, pairs []pair) {
	last := len(b.columns) - 1
	t, x, y := b.columns[last].fits, &b.frame.list[e.from], &b.frame.list[e.to]
	atX, atY := b.list[e.from].base, b.list[e.to].base
	t.Join(x.covered.of(last), y.covered.of(last), func(g, h int32) {
		for _, p := range pairs {
			b.union(atX+p.x+g*x.groups, atY+p.y+h*y.groups)
		}
	})
}

// gather sums the clusters: states and goals by root, and the goal boxes of each. It
// returns the roots.
func (b *boxes) gather(roots []int32) []int32 {
	n := len(b.parent)
	b.goals = zeroed(b.goals, n)
	b.first = zeroed(b.first, n)
	b.more = resized(b.more, n)
	for i := range b.list {
		row, goal := b.list[i], b.frame.list[i].goal
		for x := row.base; x < row.base+row.count; x++ {
			root := b.parent[b.parent[x]] // a root comes before its other boxes
			b.parent[x] = root
			own := b.states[x]
			if root == x {
				roots = append(roots, x)
			} else {
				b.states[root] += own
			}
			if goal {
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
	owner := b.owner[box]
	row, covered := b.list[owner], b.frame.list[owner].covered
	mask = covered.of(column)
	if row.count == 1 {
		return mask, 0
	}
	rest := int(box - row.base)
	for _, j := range b.split {
		groups := int(b.columns[j].fits.Groups[covered.of(j)])
		if j == column {
			return mask, rest % groups
		}
		rest /= groups
	}
	return mask, 0
}
