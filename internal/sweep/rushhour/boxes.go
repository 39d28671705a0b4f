package rushhour

import (
	"slices"

	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

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

// A boxRow is a placement of the rows.
type boxRow struct {
	rows   int32
	base   int32 // its first box
	count  int32 // of its boxes
	stride [rules.SizeMax]int32
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
	b.used = b.used[:0]
	for j, c := range columns {
		if len(c.lengths) > 0 {
			b.used = append(b.used, j)
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
	count := int32(1)
	all := uint64(1)
	for _, j := range b.used {
		t := b.columns[j].fits
		m := masks[j]
		row.stride[j] = count
		count *= int32(t.groups[m])
		all *= uint64(t.count[m])
	}
	at := int32(len(b.list))
	for i := range count {
		b.parent = append(b.parent, row.base+i)
		b.owner = append(b.owner, at)
	}
	row.count = count
	b.weigh(masks, int(count), all)
	b.list = append(b.list, row)
	b.index[r] = at + 1
	return all
}

// weigh appends the number of states of each box.
func (b *boxes) weigh(masks []uint16, count int, all uint64) {
	if count == 1 {
		b.states = append(b.states, all)
		return
	}
	from := len(b.states)
	b.states = append(b.states, 1)
	for _, j := range b.used {
		t := b.columns[j].fits
		m := masks[j]
		have := len(b.states) - from
		groups := int(t.groups[m])
		for g := groups - 1; g >= 0; g-- {
			n := t.sizeOf(m, g)
			for i := range have {
				b.set(from+g*have+i, b.states[from+i]*n) // the first group last
			}
		}
	}
}

func (b *boxes) set(at int, n uint64) {
	for len(b.states) <= at {
		b.states = append(b.states, 0)
	}
	b.states[at] = n
}

func (b *boxes) find(x int32) int32 {
	for b.parent[x] != x {
		b.parent[x] = b.parent[b.parent[x]]
		x = b.parent[x]
	}
	return x
}

// union joins two clusters. The root is the box with the smaller number.
func (b *boxes) union(x, y int32) {
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
	links, per := b.rows.links, b.rows.perPlace
	steps := slices.Grow(b.steps[:0], len(b.list)*per)[:len(b.list)*per]
	for i := range steps {
		steps[i] = none
	}
	b.steps = steps
	for i := range b.list {
		row := &b.list[i]
		right := links[int(row.rows)*per:][:per]
		for k := 1; k < len(right); k += 2 { // to the left is the same step
			if right[k] < 0 {
				continue
			}
			to := right[k].to()
			at := int(b.index[to])
			if at == 0 {
				continue
			}
			steps[i*per+k] = stepTo(int32(at), right[k].column())
			steps[(at-1)*per+k-1] = stepTo(int32(i+1), links[int(to)*per+k-1].column())
			other := &b.list[at-1]
			if row.count != 1 || other.count != 1 {
				b.joinRows(row, other)
			} else if b.parent[row.base] != b.parent[other.base] {
				b.union(row.base, other.base)
			}
		}
	}
}

// joinRows joins the boxes of two placements of the rows that are one step apart.
func (b *boxes) joinRows(x, y *boxRow) {
	mx, my := b.masks(x.rows), b.masks(y.rows)
	pairs, spare := b.pairs[:0], b.spare
	pairs = append(pairs, [2]int32{x.base, y.base})
	for _, j := range b.used {
		t := b.columns[j].fits
		sx, sy := x.stride[j], y.stride[j]
		gx, gy := t.groups[mx[j]], t.groups[my[j]]
		if gx == 1 && gy == 1 {
			continue
		}
		out := spare[:0]
		switch {
		case mx[j] == my[j]:
			for _, p := range pairs {
				for g := range int32(gx) {
					out = append(out, [2]int32{p[0] + g*sx, p[1] + g*sy})
				}
			}
		case mx[j]&my[j] == my[j]: // a cell becomes free: each group of x grows
			for g := range gx {
				to := t.groupOf(my[j], t.someOf(mx[j], int(g)))
				for _, p := range pairs {
					out = append(out, [2]int32{p[0] + int32(g)*sx, p[1] + int32(to)*sy})
				}
			}
		default:
			for g := range gy {
				to := t.groupOf(mx[j], t.someOf(my[j], int(g)))
				for _, p := range pairs {
					out = append(out, [2]int32{p[0] + int32(to)*sx, p[1] + int32(g)*sy})
				}
			}
		}
		spare, pairs = pairs, out
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
	for x := range int32(n) {
		root := b.find(x)
		own := b.states[x]
		if root == x {
			roots = append(roots, x)
		} else {
			b.states[root] += own // a root comes before its other boxes
		}
		if b.rows.goal[b.list[b.owner[x]].rows] {
			b.goals[root] += own
			b.more[x] = b.first[root]
			b.first[root] = x + 1
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
func (b *boxes) group(box int32, column int) (masks uint16, group int) {
	row := &b.list[b.owner[box]]
	m := b.rows.masks[int(row.rows)*b.rows.columns+column]
	if s := row.stride[column]; s > 0 {
		return m, int((box - row.base) / s % int32(b.columns[column].fits.groups[m]))
	}
	return m, 0
}
