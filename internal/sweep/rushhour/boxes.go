package rushhour

import (
	"github.com/everystate/everystate/internal/sweep/rushhour/fits"
	"github.com/everystate/everystate/internal/sweep/rushhour/forest"
)

// boxes finds the clusters of a family without visiting its states one by one.
//
// For fixed rows, the legal placements of a column fall into groups joined by steps
// of its own vehicles, and columns do not interact. So the states of one placement of
// the rows fall into boxes, products of one group per column, each of them connected.
// A step in a row joins boxes. There are far fewer boxes than states.
//
// A box is a slab of a frame and a group of the last column. All boxes of a part of the frame
// with the same group of the last column are joined: they are a chunk. Chunks are numbered by
// the placement of the rows of their first slab, then by group, then by this slab.
type boxes struct {
	frame   *frame
	columns []*line
	last    *fits.Table

	// Of each part, its first chunk, and how far apart its chunks are.
	first, apart []int32
	part, group  []int32       // of each chunk
	joined       forest.Forest // the chunks of each cluster
	states       []uint64      // of each chunk, then of each cluster by its root
	goals        []uint64      // of each cluster, by its root
	// The lists of the goal chunks of each cluster: goal by root, and more by chunk, as 1 + a
	// chunk.
	goal, more []int32
	// own holds, by part, the set of the groups whose chunks are in the current cluster.
	own []uint64
}

// A box is a slab, and a group of the last column.
type box struct{ slab, group int32 }

// bind drops the previous family and sets up the next.
func (b *boxes) bind(f *frame, columns []*line) {
	b.frame, b.columns, b.last = f, columns, columns[len(columns)-1].fits
	b.first, b.apart = resized(b.first, len(f.parts)), resized(b.apart, len(f.parts))
	b.part, b.group, b.states = b.part[:0], b.group[:0], b.states[:0]
	for from := 0; from < len(f.parts); {
		mask, row, end := f.parts[from].mask, f.firstRow(from), from
		for ; end < len(f.parts) && f.firstRow(end) == row; end++ {
			b.first[end] = int32(len(b.part) + end - from)
		}
		for i := from; i < end; i++ {
			b.apart[i] = int32(end - from)
		}
		for g := range int32(b.last.Groups[mask]) {
			for i := from; i < end; i++ {
				b.part, b.group = append(b.part, int32(i)), append(b.group, g)
				b.states = append(b.states, f.parts[i].states*b.last.Size(mask, int(g)))
			}
		}
		from = end
	}
	b.joined = forest.Apart(b.joined, len(b.part))
}

// join joins the chunks by all steps that enter the last column.
func (b *boxes) join() {
	for _, e := range b.frame.links {
		x, y := b.frame.parts[e.from].mask, b.frame.parts[e.to].mask
		if b.last.Groups[x] == 1 && b.last.Groups[y] == 1 {
			b.joined.Union(b.first[e.from], b.first[e.to])
			continue
		}
		b.last.Join(x, y, func(g, h int32) {
			b.joined.Union(b.first[e.from]+g*b.apart[e.from], b.first[e.to]+h*b.apart[e.to])
		})
	}
}

// gather sums the clusters: states and goals by root, and the goal chunks of each. It
// returns the roots.
func (b *boxes) gather(roots []int32) []int32 {
	n := len(b.joined)
	b.goals, b.goal, b.more = zeroed(b.goals, n), zeroed(b.goal, n), resized(b.more, n)
	for x := range b.joined {
		root, own := b.joined.Root(int32(x)), b.states[x]
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
	for x := b.frame.parts[b.part[chunk]].slabs; x != 0; x = b.frame.more[x-1] {
		f(box{x - 1, b.group[chunk]})
	}
}

// enter makes a cluster the current one.
func (b *boxes) enter(root int32) {
	b.own = zeroed(b.own, len(b.frame.parts))
	for c := root; int(c) < len(b.joined); c++ { // a root comes before its other chunks
		if b.joined[c] == root {
			b.own[b.part[c]] |= 1 << b.group[c]
		}
	}
}

// of appends the boxes of the current cluster that share a placement of the rows, by its index
// in the frame.
func (b *boxes) of(at int32, list []box) []box {
	row := &b.frame.list[at]
	for g := range int32(b.last.Groups[row.covered.of(len(b.columns)-1)]) {
		for x := row.base; x < row.base+row.groups; x++ {
			if b.own[b.frame.part[x]]>>g&1 != 0 {
				list = append(list, box{x, g})
			}
		}
	}
	return list
}

// row returns the placement of the rows of a box.
func (b *boxes) row(x box) *frameRow { return &b.frame.list[b.frame.owner[x.slab]] }

// groupOf returns the group of a column in a box.
func (b *boxes) groupOf(x box, column int) (mask uint8, group int) {
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
