// Package fits tabulates the placements of a column of a Rush Hour board that fit between the
// rows, for every set of its cells that the rows cover, and what moves in the column join. It
// must know nothing of the rows beyond these cells.
package fits

import (
	"math/bits"

	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// A Column is the placements of a column and the steps between them.
type Column struct {
	Size  int      // cells
	Cells []uint32 // by placement: the cells that it covers, as bits
	// Next[v][d][p] is the placement that placement p becomes when vehicle v steps towards the
	// first cell (d = 0) or the last (d = 1), -1 if there is none; Entered is the cell that it
	// enters.
	Next    [][2][]int32
	Entered func(v, d, p int) int
	Exit    int  // the cell in the primary's row
	InSteps bool // a move is one step, not a slide
}

// PlacementsMax bounds the placements of a column: they are bits of a word.
const PlacementsMax = 64

// A ByMask is indexed by a set of cells of a column. A mask is a byte, so there are no bounds to check.
type ByMask[T any] [1 << rules.SizeMax]T

// A Table lists what fits, by mask of the cells that the rows cover. Groups are placements
// joined by moves in the column, numbered from 0 for each mask. It is read-only, so goroutines
// may share it.
type Table struct {
	N      int            // placements
	Set    ByMask[uint64] // the placements that fit
	Count  ByMask[uint32] // how many
	Groups ByMask[uint32] // the number of groups
	Splits bool           // whether there are several groups for any mask
	// Reach[mask*N+p] is the set of placements one move from placement p, and Into that of
	// those for which a vehicle enters the cell of the primary's row.
	Reach, Into []uint64
	// Stuck is the placements that cover the cell of the primary's row and cannot be left for
	// one that does not.
	Stuck ByMask[uint64]

	// label[mask*N+p] is the group of placement p, member[mask*N+g] the set of group g.
	label  []uint8
	member []uint64
}

// New returns the table of a column, nil if it has too many placements.
func New(c *Column) *Table {
	n, masks := len(c.Cells), 1<<c.Size
	if n > PlacementsMax {
		return nil
	}
	t := &Table{
		N: n, label: make([]uint8, masks*n), member: make([]uint64, masks*n),
		Reach: make([]uint64, masks*n), Into: make([]uint64, masks*n),
	}
	var covering uint64 // the placements that cover the cell of the primary's row
	for p, cells := range c.Cells {
		covering |= uint64(cells>>c.Exit&1) << p
	}
	for m := range masks {
		for p, cells := range c.Cells {
			if cells&uint32(m) == 0 {
				t.Set[m] |= 1 << p
			}
		}
		t.Count[m] = uint32(bits.OnesCount64(t.Set[m]))
		for rest := t.Set[m]; rest != 0; {
			group := c.group(rest&-rest, t.Set[m])
			g := t.Groups[m]
			t.member[m*n+int(g)] = group
			if group&^covering == 0 {
				t.Stuck[m] |= group
			}
			for set := group; set != 0; set &= set - 1 {
				t.label[m*n+bits.TrailingZeros64(set)] = uint8(g)
			}
			t.Groups[m]++
			rest &^= group
		}
		t.Splits = t.Splits || t.Groups[m] > 1
		for set := t.Set[m]; set != 0; set &= set - 1 {
			t.move(c, m, bits.TrailingZeros64(set))
		}
	}
	return t
}

// group returns what steps reach from some placements without leaving a set.
func (c *Column) group(from, set uint64) uint64 {
	for {
		grown := from
		for v := range c.Next {
			for _, next := range c.Next[v] {
				for g := from; g != 0; g &= g - 1 {
					if to := next[bits.TrailingZeros64(g)]; to >= 0 {
						grown |= 1 << to & set
					}
				}
			}
		}
		if grown == from {
			return from
		}
		from = grown
	}
}

// move fills Reach and Into for a placement.
func (t *Table) move(c *Column, mask, from int) {
	at := mask*t.N + from
	for v := range c.Next {
		for d, next := range c.Next[v] {
			entered := false
			for p := from; next[p] >= 0 && t.Set[mask]>>next[p]&1 != 0; p = int(next[p]) {
				entered = entered || c.Entered(v, d, p) == c.Exit
				t.Reach[at] |= 1 << next[p]
				if entered {
					t.Into[at] |= 1 << next[p]
				}
				if c.InSteps {
					break
				}
			}
		}
	}
}

// Member returns the placements of a group.
func (t *Table) Member(mask uint8, group int) uint64 { return t.member[int(mask)*t.N+group] }

// Size returns how many placements a group has.
func (t *Table) Size(mask uint8, group int) uint64 {
	return uint64(bits.OnesCount64(t.Member(mask, group)))
}

// groupOf returns the group, for the mask to, of a placement of a group for the mask from.
func (t *Table) groupOf(from uint8, group int32, to uint8) int32 {
	return int32(t.label[int(to)*t.N+bits.TrailingZeros64(t.Member(from, int(group)))])
}

// Join calls f with each pair of groups that have a placement in common, for two sets of
// cells that the rows cover, of which one contains the other.
func (t *Table) Join(x, y uint8, f func(g, h int32)) {
	switch {
	case x == y:
		for g := range int32(t.Groups[x]) {
			f(g, g)
		}
	case x&y == y: // a cell becomes free: each group of x grows
		for g := range int32(t.Groups[x]) {
			f(g, t.groupOf(x, g, y))
		}
	default:
		for h := range int32(t.Groups[y]) {
			f(t.groupOf(y, h, x), h)
		}
	}
}
