package rushhour

import (
	"math/bits"

	"github.com/everystate/everystate/internal/sweep/relevance"
	"github.com/everystate/everystate/internal/sweep/rushhour/division"
)

// needs finds boards with pieces that cannot matter.
type needs struct {
	relevance.Closure
	aside    bool              // vehicles may step aside
	confined bool              // vehicles do not enter cells that pieces across their line always cover
	division division.Division // of the placements of the rows of families
	// placed is, by row, where its vehicles were placed last in this family.
	placed [relevance.SizeMax]uint64
}

// bind sets up a family, or all families with the same first columns.
func (v *needs) bind(rows *rowSet, columns []*line) {
	v.Reset()
	for i, l := range rows.lines {
		v.Add(i, l.asks)
		v.placed[i] = nowhere
	}
	for j, c := range columns {
		v.Add(relevance.SizeMax+j, c.asks)
	}
	for j := len(columns); j < rows.columns; j++ {
		v.Unknown(relevance.SizeMax + j)
	}
	if !v.confined {
		return
	}
	var across [relevance.SizeMax]uint8
	for j, c := range columns {
		v.Confine(relevance.SizeMax+j, rows.always[j])
		for set := c.always; set != 0; set &= set - 1 {
			across[bits.TrailingZeros32(set)] |= 1 << j
		}
	}
	for i := range rows.lines {
		v.Confine(i, across[i])
	}
}

// asksOf returns a line for the closure.
func asksOf(l *line) *relevance.Line {
	asks := relevance.NewLine(l.size, uint8(l.walls))
	for k, n := range l.lengths {
		asks.Vehicle(n, l.first[k], l.last[k])
		if l.isPrimary(k) {
			asks.Primary()
		}
	}
	return asks
}

// useful returns one of some placements of the rows, which ascend, that is not useless by itself,
// none if each is in a useless part.
func (v *needs) useful(rows *rowSet, list []int32, columns []*line) int32 {
	i := v.division.Find(list, func(from, to int) bool { return v.uselessTogether(rows, list[from:to], columns) })
	if i < 0 {
		return none
	}
	return list[i]
}

// uselessTogether reports whether no board of the family with the given placements of
// the rows needs all its pieces.
func (v *needs) uselessTogether(rows *rowSet, list []int32, columns []*line) bool {
	always := v.placeRows(rows, list)
	for j, c := range columns {
		v.Place(relevance.SizeMax+j, c.spots.fitting[always.of(j)])
	}
	return v.useless()
}

// useless reports whether none of the placed boards needs all its pieces.
func (v *needs) useless() bool { return v.Useless(v.aside) }

// nowhere is no place of the vehicles of a row: a vehicle that can be anywhere is alone.
const nowhere = ^uint64(0)

// placeRows sets where the pieces in rows may be: as in some placements of them. It returns
// the cells that all of these cover.
func (v *needs) placeRows(rows *rowSet, list []int32) cover {
	var sets [relevance.PiecesMax/8 + 1]uint64
	always := ^cover(0)
	for k, starts := range rows.starts {
		all := uint64(0)
		for _, r := range list {
			all |= starts[r]
			always &= rows.covered[r]
		}
		sets[k] = all
	}
	for i := range rows.vehiclesAt {
		p := &rows.vehiclesAt[i]
		at := (sets[p.word]>>p.shift | sets[p.word+1]<<(64-p.shift)) & p.mask
		if at != v.placed[i] {
			v.placed[i] = at
			v.Place(i, rows.lines[i].asks.Start(at))
		}
	}
	return always
}

// uselessBoard reports whether a single board has a piece that it does not need.
func (v *needs) uselessBoard(rows *rowSet, columns []*line, at *position) bool {
	v.placeRows(rows, []int32{at.rows})
	for j, c := range columns {
		v.Place(relevance.SizeMax+j, c.spots.single[at.columns[j]])
	}
	return v.useless()
}
