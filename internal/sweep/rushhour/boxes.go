package rushhour

import "github.com/everystate/everystate/internal/sweep/rushhour/fits"

// boxes finds the clusters of a family without visiting its states one by one.
//
// For fixed rows, the legal placements of a column fall into groups joined by steps
// of its own vehicles, and columns do not interact. So the states of one placement of
// the rows fall into boxes, products of one group per column, each of them connected.
// A step in a row joins boxes. There are far fewer boxes than states.
//
// A box is a slab of a frame and a group of the last column. All boxes of a part of the frame
// with the same group of the last column are joined: they are a chunk.
type boxes struct {
	frame   *frame
	columns []*line
	last    *fits.Table

	first  []int32  // of each part, its first chunk: one for each group of the last column
	part   []int32  // of each chunk
	joined forest   // the chunks
	states []uint64 // of each chunk, then of each cluster by its root
	goals  []uint64 // of each cluster, by its root
	// goal and more are the lists of the goal chunks of a cluster: 1 + a chunk.
	goal, more []int32
}

// A box is a slab, and a group of the last column.
type box struct{ slab, group int32 }

// bind drops the previous family and sets up the next.
func (b *boxes) bind(f *frame, columns []*line) {
	b.frame, b.columns, b.last = f, columns, columns[len(columns)-1].fits
	b.first = resized(b.first, len(f.parts))
	b.joined, b.part, b.states = b.joined[:0], b.part[:0], b.states[:0]
	for i := range f.parts {
		p := &f.parts[i]
		b.first[i] = int32(len(b.joined))
		for g := range b.last.Groups[p.mask] {
			b.joined = append(b.joined, b.first[i]+int32(g))
			b.part = append(b.part, int32(i))
			b.states = append(b.states, p.states*b.last.Size(p.mask, int(g)))
		}
	}
}

// join joins the chunks by all steps that enter the last column.
func (b *boxes) join() {
	for _, e := range b.frame.links {
		x, y := b.frame.parts[e.from].mask, b.frame.parts[e.to].mask
		if b.last.Groups[x] == 1 && b.last.Groups[y] == 1 {
			b.joined.union(b.first[e.from], b.first[e.to])
			continue
		}
		b.last.Join(x, y, func(g, h int32) { b.joined.union(b.first[e.from]+g, b.first[e.to]+h) })
	}
}

// gather sums the clusters: states and goals by root, and the goal chunks of each. It
// returns the roots.
func (b *boxes) gather(roots []int32) []int32 {
	n := len(b.joined)
	b.goals, b.goal, b.more = zeroed(b.goals, n), zeroed(b.goal, n), resized(b.more, n)
	for x := range b.joined {
		root, own := b.joined.root(int32(x)), b.states[x]
		if root == int32(x) {
			roots = append(roots, root)
		} else {
			b.states[root] += own
		}
		if b.frame.parts[b.part[x]].goal {
			b.goals[root] += own
			b.more[x], b.goal[root] = b.goal[root], int32(x+1)
		}
	}
	return roots
}

// eachGoal calls f with each goal box of a cluster.
func (b *boxes) eachGoal(root int32, f func(x box)) {
	for c := b.goal[root]; c != 0; c = b.more[c-1] {
		b.eachOf(c-1, f)
	}
}

// eachOf calls f with each box of a chunk.
func (b *boxes) eachOf(chunk int32, f func(x box)) {
	p := b.part[chunk]
	for x := b.frame.parts[p].slabs; x != 0; x = b.frame.more[x-1] {
		f(box{x - 1, chunk - b.first[p]})
	}
}

// each calls f with the boxes of a cluster among those of a placement of the rows, by its
// index in the frame, until f returns true. It returns what f did.
func (b *boxes) each(root, at int32, f func(x box) bool) bool {
	row := &b.frame.list[at]
	for x := row.base; x < row.base+row.groups; x++ {
		p := b.frame.part[x]
		first := b.first[p]
		for g := range int32(b.last.Groups[b.frame.parts[p].mask]) {
			if b.joined[first+g] == root && f(box{x, g}) {
				return true
			}
		}
	}
	return false
}

// row returns the placement of the rows of a box.
func (b *boxes) row(x box) *frameRow { return &b.frame.list[b.frame.owner[x.slab]] }

// group returns the group of a column in a box.
func (b *boxes) group(x box, column int) (mask uint8, group int) {
	row := b.row(x)
	mask = row.covered.of(column)
	if column == len(b.columns)-1 {
		return mask, int(x.group)
	}
	if row.groups == 1 {
		return mask, 0
	}
	rest := int(x.slab - row.base)
	for _, j := range b.frame.split {
		groups := int(b.columns[j].fits.Groups[row.covered.of(j)])
		if j == column {
			return mask, rest % groups
		}
		rest /= groups
	}
	return mask, 0
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
