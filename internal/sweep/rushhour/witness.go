package rushhour

import (
	"math/bits"

	"github.com/everystate/everystate/internal/sweep/relevance"
	"github.com/everystate/everystate/internal/sweep/rushhour/division"
	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// A witness is a board in which the closure finds no useless piece. A cluster without one is
// no puzzle. witnesses looks for them.
//
// It judges many boards at a time where it can: the boxes of a cluster are divided by their
// placements of the rows, and the boards of a box column by column, those with the most placements
// first.
type witnesses struct {
	boxes  *boxes
	needs  *needs
	coarse bool // the boards that share a placement of the rows are only judged together

	list     []box   // boxes of the cluster, but for goals and those looked at first
	rows     []int32 // their placements of the rows
	division division.Division
	// Of the current box: where the vehicles of the columns can be, the columns with
	// several placements, and what these are.
	starts [rules.SizeMax]*relevance.Start
	order  [rules.SizeMax]int
	sets   [rules.SizeMax]uint64
	n      int
}

// in reports whether there is a witness in a cluster. The boxes of the placement of the rows
// with index hint in the frame are looked at first: it is not useless as a whole.
func (t *witnesses) in(root, hint int32) bool {
	b := t.boxes
	b.enter(root)
	t.list = b.of(hint, t.list[:0])
	for _, x := range t.list {
		if t.coarse || t.inBox(x) {
			return true
		}
	}
	t.list, t.rows = t.list[:0], t.rows[:0]
	for at := b.frame.firstRow(int(b.part[root])); int(at) < len(b.frame.list); at++ {
		if r := b.frame.list[at].rows; at != hint && !b.frame.rows.goal[r] {
			t.list = b.of(at, t.list)
			for len(t.rows) < len(t.list) {
				t.rows = append(t.rows, r)
			}
		}
	}
	if t.coarse {
		for i := range t.rows {
			if !t.useless(i, i+1) {
				return true
			}
		}
		return false
	}
	return t.division.Find(t.rows, t.useless) >= 0
}

// useless reports whether there is no witness in the boxes from one of the list to before
// another: the boards of their placements of the rows have a useless piece together, or there is
// none in the only box.
func (t *witnesses) useless(from, to int) bool {
	if to-from == 1 && !t.coarse {
		return !t.inBox(t.list[from])
	}
	return t.needs.uselessTogether(t.boxes.frame.rows, t.rows[from:to], t.boxes.columns)
}

// inBox reports whether there is a witness in a box.
func (t *witnesses) inBox(x box) bool {
	b := t.boxes
	t.needs.placeRows(b.frame.rows, []int32{b.row(x).rows})
	t.n = 0
	for j, c := range b.columns {
		m, g := b.groupOf(x, j)
		t.starts[j] = c.spots.groups[int(m)*c.fits.N+g]
		t.needs.Place(relevance.SizeMax+j, t.starts[j])
		set := c.fits.Member(m, g)
		if set&(set-1) == 0 {
			continue
		}
		t.sets[j] = set
		k := t.n
		for ; k > 0 && bits.OnesCount64(t.sets[t.order[k-1]]) < bits.OnesCount64(set); k-- {
			t.order[k] = t.order[k-1]
		}
		t.order[k] = j
		t.n++
	}
	return t.inPart(0)
}

// inPart reports whether there is a witness in the part of the box where the columns of order
// before k are placed.
func (t *witnesses) inPart(k int) bool {
	if t.needs.useless() {
		return false
	}
	if k == t.n {
		return true
	}
	j := t.order[k]
	single := t.boxes.columns[j].spots.single
	for set := t.sets[j]; set != 0; set &= set - 1 {
		t.needs.Place(relevance.SizeMax+j, single[bits.TrailingZeros64(set)])
		if t.inPart(k + 1) {
			return true
		}
	}
	t.needs.Place(relevance.SizeMax+j, t.starts[j])
	return false
}
