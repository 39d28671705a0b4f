package rushhour

import (
	"math/bits"

	"github.com/everystate/everystate/internal/sweep/relevance"
)

// needs finds boards with pieces that cannot matter.
type needs struct {
	*relevance.Closure
	inRows int // how many of the pieces are in rows
}

// bind sets up a family, or all families with the same first columns.
func (v *needs) bind(rows *rowSet, columns []*line) {
	v.Reset()
	for i, l := range rows.lines {
		v.addLine(l, i)
	}
	v.inRows = v.Len()
	for j, c := range columns {
		v.addLine(c, len(rows.lines)+j)
	}
	for j := len(columns); j < rows.columns; j++ {
		v.Unknown(len(rows.lines) + j)
	}
}

func (v *needs) addLine(l *line, at int) {
	for k, n := range l.lengths {
		v.Vehicle(at, n, l.first[k], l.last[k])
		if l.isPrimary(k) {
			v.Primary(at)
		}
	}
	for set := l.walls; set != 0; set &= set - 1 {
		v.Wall(at, bits.TrailingZeros32(set))
	}
}

// useful returns one of some placements of the rows that are not useless together, none
// if each part of them is.
func (v *needs) useful(rows *rowSet, list []int32, columns []*line) int32 {
	if len(list) == 1 {
		return list[0]
	}
	half := len(list) / 2
	for _, part := range [2][]int32{list[:half], list[half:]} {
		if !v.uselessTogether(rows, part, columns) {
			if r := v.useful(rows, part, columns); r >= 0 {
				return r
			}
		}
	}
	return none
}

// uselessTogether reports whether no board of the family with the given placements of
// the rows needs all its pieces.
func (v *needs) uselessTogether(rows *rowSet, list []int32, columns []*line) bool {
	free := ^uint64(0)
	var starts [relevance.PiecesMax / 8]uint64
	per := rows.startWords
	for _, r := range list {
		free &= rows.joined[r]
		for i, set := range rows.starts[int(r)*per:][:per] {
			starts[i] |= set
		}
	}
	for i := range v.inRows {
		set := uint8(starts[i/8] >> (i % 8 * 8))
		v.Place(i, int8(bits.TrailingZeros8(set)), int8(bits.Len8(set)-1))
	}
	i := v.inRows
	for j, c := range columns {
		if n := len(c.lengths); n > 0 {
			m := int(uint8(free >> (8 * j)))
			for _, at := range c.fits.within[m*n:][:n] {
				v.Place(i, at[0], at[1])
				i++
			}
		}
	}
	return v.Useless()
}

// uselessBoard reports whether a single board has a piece that it does not need.
func (v *needs) uselessBoard(rows *rowSet, columns []*line, at *position) bool {
	starts := rows.starts[int(at.rows)*rows.startWords:]
	for i := range v.inRows {
		s := int8(bits.TrailingZeros8(uint8(starts[i/8] >> (i % 8 * 8))))
		v.Place(i, s, s)
	}
	i := v.inRows
	for j, c := range columns {
		for _, s := range c.placements[at.columns[j]].starts {
			v.Place(i, int8(s), int8(s))
			i++
		}
	}
	return v.Useless()
}
