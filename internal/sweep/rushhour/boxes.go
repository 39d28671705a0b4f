package rushhour

import "slices"

// boxes finds the clusters of a family without visiting its states one by one.
//
// For fixed rows, the legal placements of a column fall into groups joined by steps
// of its own vehicles, and columns do not interact. So the states of one placement of
// the rows fall into boxes, products of one group per column, each of them connected.
// A step in a row joins boxes. There are far fewer boxes than states.
type boxes struct {
	rows    *rowSet
	columns []*line
	used    []int // columns that hold vehicles
	split   []int // columns that can have several groups

	list  []boxRow // the placements of the rows that fit
	index []int32  // by placement of the rows: 1 + its index in list
	// steps holds, by index in list and link, the step in a row, to 1 + an index in list,
	// or none.
	steps []step

	parent []int32
	owner  []int32  // of each box, its index in list
	states []uint64 // of each box, then of each cluster by its root
	goals  []uint64 // of each cluster, by its root
	// first and more are the lists of the goal boxes of a cluster: 1 + a box.
	first, more []int32

	pairs, spare [][2]int32
}

// A boxRow is a placement of the rows. Its boxes are numbered in mixed radix, the groups of
// the first column varying fastest.
type boxRow struct {
	rows  int32
	base  int32 // its first box
	count int32 // of its boxes
}

// bind drops the previous family and sets up the next.
func (b *boxes) bind(rows *rowSet, columns []*line) {
	if b.rows != rows {
		b.rows = rows
		if cap(b.index) < rows.n {
			b.index = make([]int32, rows.n)
		}
		b.index = b.index[:rows.n]
	}
	b.columns = columns
	b.used, b.split = b.used[:0], b.split[:0]
	for j, c := range columns {
		if len(c.lengths) > 0 {
			b.used = append(b.used, j)
		}
		if c.fits.splits {
			b.split = append(b.split, j)
		}
	}
	b.list = b.list[:0]
	b.parent, b.owner, b.states = b.parent[:0], b.owner[:0], b.states[:0]
}

// release resets the index for the next family.
func (b *boxes) release() {
	for i := range b.list {
		b.index[b.list[i].rows] = 0
	}
}

func (b *boxes) masks(r int32) []uint16 {
	return b.rows.masks[int(r)*b.rows.columns:][:b.rows.columns]
}

// add adds a placement of the rows that leaves every column a placement. It returns
// the number of its states.
func (b *boxes) add(r int32) uint64 {
	row := boxRow{rows: r, base: int32(len(b.parent))}
	masks := b.masks(r)
	all := uint64(1)
	for _, j := range b.used {
		all *= uint64(b.columns[j].fits.count[masks[j]])
	}
	count, apart := int32(1), uint64(1)
	for _, j := range b.split {
		t, m := b.columns[j].fits, masks[j]
		if n := t.groups[m]; n > 1 {
			count *= int32(n)
			apart *= uint64(t.count[m])
		}
	}
	at := int32(len(b.list))
	for i := range count {
		b.parent = append(b.parent, row.base+i)
		b.owner = append(b.owner, at)
	}
	row.count = count
	if count == 1 {
		b.states = append(b.states, all)
	} else {
		b.weigh(masks, all/apart)
	}
	b.list = append(b.list, row)
	b.index[r] = at + 1
	return all
}

// weigh appends the number of states of each box. The columns with one group have some
// placements together.
func (b *boxes) weigh(masks []uint16, together uint64) {
	from := len(b.states)
	b.states = append(b.states, together)
	for _, j := range b.split {
		t, m := b.columns[j].fits, masks[j]
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
	per := b.rows.perPlace
	steps := slices.Grow(b.steps[:0], len(b.list)*per)[:len(b.list)*per]
	b.steps = steps
	steps[0] = none
	for n := 1; n < len(steps); n *= 2 {
		copy(steps[n:], steps[:n])
	}
	for i := range b.list {
		x := &b.list[i]
		links := b.rows.links[int(x.rows)*per:][:per]
		for v, length := range b.rows.lengths {
			right := links[2*v+1] // to the left is the same step
			if right < 0 {
				continue
			}
			at := int(b.index[right.to()]) - 1
			if at < 0 {
				continue
			}
			entered := right.column()
			left := entered - length
			steps[i*per+2*v+1] = stepTo(int32(at+1), entered)
			steps[at*per+2*v] = stepTo(int32(i+1), left)
			y := &b.list[at]
			switch {
			case x.count == 1 && y.count == 1:
				b.union(x.base, y.base)
			case b.splits(x, entered) || b.splits(x, left) || b.splits(y, entered) || b.splits(y, left):
				b.joinRows(x, y)
			default: // the other columns do not change
				for g := range x.count {
					b.union(x.base+g, y.base+g)
				}
			}
		}
	}
}

// splits reports whether a column has several groups between some rows.
func (b *boxes) splits(row *boxRow, column int) bool {
	return b.columns[column].fits.groups[b.rows.masks[int(row.rows)*b.rows.columns+column]] != 1
}

// joinRows joins the boxes of two placements of the rows that are one step apart.
func (b *boxes) joinRows(x, y *boxRow) {
	mx, my := b.masks(x.rows), b.masks(y.rows)
	pairs, spare := b.pairs[:0], b.spare
	pairs = append(pairs, [2]int32{x.base, y.base})
	sx, sy := int32(1), int32(1)
	for _, j := range b.split {
		t := b.columns[j].fits
		gx, gy := int32(t.groups[mx[j]]), int32(t.groups[my[j]])
		if gx == 1 && gy == 1 {
			continue
		}
		out := spare[:0]
		switch {
		case mx[j] == my[j]:
			for _, p := range pairs {
				for g := range gx {
					out = append(out, [2]int32{p[0] + g*sx, p[1] + g*sy})
				}
			}
		case mx[j]&my[j] == my[j]: // a cell becomes free: each group of x grows
			for g := range gx {
				to := t.groupOf(my[j], t.someOf(mx[j], int(g)))
				for _, p := range pairs {
					out = append(out, [2]int32{p[0] + g*sx, p[1] + int32(to)*sy})
				}
			}
		default:
			for g := range gy {
				to := t.groupOf(mx[j], t.someOf(my[j], int(g)))
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
		goal := b.rows.goal[row.rows]
		for x := row.base; x < row.base+row.count; x++ {
			root := b.find(x)
			own := b.states[x]
			if root == x {
				roots = append(roots, x)
			} else {
				b.states[root] += own // a root comes before its other boxes
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

func zeroed[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/2)
	}
	s = s[:n]
	clear(s)
	return s
}

// group returns the group of a column in a box.
func (b *boxes) group(box int32, column int) (mask uint16, group int) {
	row := &b.list[b.owner[box]]
	masks := b.masks(row.rows)
	if row.count == 1 {
		return masks[column], 0
	}
	rest := int(box - row.base)
	for _, j := range b.split {
		groups := int(b.columns[j].fits.groups[masks[j]])
		if j == column {
			return masks[j], rest % groups
		}
		rest /= groups
	}
	return masks[column], 0
}
