package rushhour

import (
	"cmp"
	"slices"
)

// A view is how a board is seen.
type view int

const (
	asItIs view = iota
	mirrored
	views
)

// row returns where a row of a board of the given size is in a view.
func (v view) row(i, size int) int {
	if v == mirrored {
		return size - 1 - i
	}
	return i
}

// cells are the masks that order states: the cells covered horizontally, and those
// covered vertically.
type cells [2]uint64

// judge returns the representative of the current cluster, whether that is minimal, and
// whether the cluster is kept. Of two that are mirror images of each other, one is: the
// only one with a minimal representative, or else the one whose representative comes
// first. representative returns that of the cluster, or of its mirror image, seen from
// here.
func (w *worker) judge(representative func(view) (position, cells), distance int) (at position, minimal, kept bool) {
	at, own := representative(asItIs)
	minimal = w.test.minimal(w.rows, w.columns, &at, distance)
	if !w.e.rules.MirrorsMerged {
		return at, minimal, true
	}
	other, image := representative(mirrored)
	if w.test.minimal(w.rows, w.columns, &other, distance) != minimal {
		return at, minimal, minimal
	}
	return at, minimal, !w.outranked(own, image)
}

// outranked reports whether the representative of the mirror image of the current
// cluster comes first. own and image are the cells of their representatives.
//
// Vehicles of different lengths can cover the same cells. Then the lines decide,
// compared as text as in the names of units, rows first.
func (w *worker) outranked(own, image cells) bool {
	order := slices.Compare(image[:], own[:])
	for i, rows := 0, w.rows.lines; i < len(rows) && order == 0; i++ {
		order = cmp.Compare(rows[mirrored.row(i, len(rows))].String(), rows[i].String())
	}
	for j := 0; j < len(w.columns) && order == 0; j++ {
		c := w.columns[j]
		order = cmp.Compare(c.upsideDown().String(), c.String())
	}
	return order < 0
}

// upsideDown returns a column, which has no walls, flipped top to bottom.
func (l *line) upsideDown() *line {
	lengths := slices.Clone(l.lengths)
	slices.Reverse(lengths)
	return &line{size: l.size, lengths: lengths, gaps: l.gaps}
}
