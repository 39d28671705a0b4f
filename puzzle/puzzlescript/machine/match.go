package machine

import (
	"math/bits"
	"slices"

	"github.com/everystate/everystate/puzzle/puzzlescript/game"
)

// A pattern is a row of a rule on boards of one size.
type pattern struct {
	cells      []patternCell
	ellipses   int
	step       int      // offset from one cell to the next
	starts     []uint64 // where the first cell may be, so that the rest is on the board
	horizontal bool
	parts      [][]patternCell // the cells between ellipses

	// Nothing matches if one of these planes is empty.
	needs []int
}

// patternCell is a cell of a pattern.
type patternCell struct {
	*game.Cell
	offset int // from the first cell, without ellipses

	// Numbers of planes; those of movements come after those of objects.
	all  []int
	none []int
	any  [][]int
}

func newPattern(r *game.Rule, row *game.Row, b *board) pattern {
	p := pattern{ellipses: row.Ellipses, horizontal: r.Direction == game.Left || r.Direction == game.Right}
	switch r.Direction {
	case game.Up:
		p.step = -1
	case game.Down:
		p.step = 1
	case game.Left:
		p.step = -b.height
	case game.Right:
		p.step = b.height
	default: // rules have no other direction
	}
	objectPlanes := 64 * b.objectWords
	part := []patternCell{}
	for k := range row.Cells {
		c := &row.Cells[k]
		if c.Ellipsis {
			p.parts = append(p.parts, part)
			part = nil
			continue
		}
		pc := patternCell{Cell: c, offset: len(p.cells) * p.step}
		for _, bit := range c.Moving.List() {
			pc.all = append(pc.all, objectPlanes+bit)
		}
		pc.all = append(pc.all, c.Present.List()...)
		for _, some := range c.Any {
			pc.any = append(pc.any, some.List())
		}
		pc.none = c.Missing.List()
		for _, bit := range c.Still.List() {
			pc.none = append(pc.none, objectPlanes+bit)
		}
		p.needs = append(p.needs, pc.all...)
		p.cells = append(p.cells, pc)
		part = append(part, pc)
	}
	p.parts = append(p.parts, part)
	p.setStarts(r.Direction, b)
	return p
}

// setStarts marks where the first cell may be.
func (p *pattern) setStarts(d game.Direction, b *board) {
	p.starts = make([]uint64, b.planeWords)
	reach := len(p.cells) - 1
	for i := range b.size() {
		x, y := i/b.height, i%b.height
		room := map[game.Direction]int{game.Up: y, game.Down: b.height - 1 - y, game.Left: x, game.Right: b.width - 1 - x}[d]
		if room >= reach {
			p.starts[i>>6] |= 1 << (i & 63)
		}
	}
}

// plane returns a plane by its number.
func (b *board) plane(n int) []uint64 { return b.planes[n*b.planeWords : (n+1)*b.planeWords] }

// found is a match of a row: its first cell, and the lengths of its ellipses.
type found struct{ at, first, second int }

// find appends the matches of a row in the order of the language: across rows for
// horizontal rules, down columns for others.
func (m *Machine) find(p *pattern, list []found) []found {
	if len(p.cells) == 0 || !p.begins(m.board, m.accumulator) {
		return list
	}
	acc, from := m.accumulator, len(list)
	for n, w := range acc {
		for ; w != 0; w &= w - 1 {
			list = append(list, found{at: n<<6 + bits.TrailingZeros64(w)})
		}
	}
	if p.horizontal && len(list)-from > 1 {
		h := m.board.height
		slices.SortFunc(list[from:], func(a, b found) int {
			return a.at%h*m.board.width + a.at/h - b.at%h*m.board.width - b.at/h
		})
	}
	if p.ellipses > 0 {
		list = m.stretch(p, list, from)
	}
	return list
}

// begins sets acc to the places where the part of a row before its first ellipsis matches,
// and reports whether there are any.
func (p *pattern) begins(b *board, acc []uint64) bool {
	if len(acc) == 1 {
		planes := b.planes
		for _, n := range p.needs {
			if planes[n] == 0 {
				return false
			}
		}
		w := p.starts[0]
		for k := range p.parts[0] {
			if w = p.parts[0][k].narrowWord(planes, w); w == 0 {
				return false
			}
		}
		acc[0] = w
		return true
	}
	for _, n := range p.needs {
		if empty(b.plane(n)) {
			return false
		}
	}
	copy(acc, p.starts)
	for k := range p.parts[0] {
		if !p.parts[0][k].narrow(b, acc) {
			return false
		}
	}
	return true
}

func empty(plane []uint64) bool {
	for _, w := range plane {
		if w != 0 {
			return false
		}
	}
	return true
}

// narrow keeps the places where a cell of a row matches, and reports whether any are
// left.
func (c *patternCell) narrow(b *board, acc []uint64) bool {
	left := uint64(0)
	for i := range acc {
		w := acc[i]
		if w == 0 {
			continue
		}
		for _, n := range c.all {
			w &= shifted(b.plane(n), i, c.offset)
		}
		for _, list := range c.any {
			some := uint64(0)
			for _, n := range list {
				some |= shifted(b.plane(n), i, c.offset)
			}
			w &= some
		}
		if w != 0 {
			for _, n := range c.none {
				w &^= shifted(b.plane(n), i, c.offset)
			}
		}
		acc[i] = w
		left |= w
	}
	return left != 0
}

// narrowWord is narrow where planes have one word.
func (c *patternCell) narrowWord(planes []uint64, w uint64) uint64 {
	for _, n := range c.all {
		w &= shift1(planes[n], c.offset)
	}
	for _, list := range c.any {
		some := uint64(0)
		for _, n := range list {
			some |= planes[n]
		}
		w &= shift1(some, c.offset)
	}
	if w != 0 {
		for _, n := range c.none {
			w &^= shift1(planes[n], c.offset)
		}
	}
	return w
}

func shift1(w uint64, offset int) uint64 {
	if offset >= 0 {
		return w >> (offset & 63)
	}
	return w << (-offset & 63)
}

// shifted returns word i of a plane whose bits are moved down by an offset.
func shifted(plane []uint64, i, offset int) uint64 {
	at := i<<6 + offset
	word, bit := at>>6, at&63
	w := uint64(0)
	if word >= 0 && word < len(plane) {
		w = plane[word] >> bit
	}
	if bit != 0 && word+1 >= 0 && word+1 < len(plane) {
		w |= plane[word+1] << (64 - bit)
	}
	return w
}

// stretch replaces matches of the part before an ellipsis with matches of the whole
// row.
func (m *Machine) stretch(p *pattern, list []found, from int) []found {
	starts := len(list)
	for i := from; i < starts; i++ {
		at := list[i].at
		room := m.room(p, at) // one more than the cells that the ellipses may take
		for first := 0; first < room; first++ {
			if !m.partMatches(p.parts[1], at+first*p.step) {
				continue
			}
			if p.ellipses == 1 {
				list = append(list, found{at, first, 0})
				continue
			}
			for second := 0; first+second < room; second++ {
				if m.partMatches(p.parts[2], at+(first+second)*p.step) {
					list = append(list, found{at, first, second})
				}
			}
		}
	}
	return append(list[:from], list[starts:]...)
}

// room returns the number of cells that the ellipses of a row may take, plus 1.
func (m *Machine) room(p *pattern, at int) int {
	b := m.board
	var left int
	switch {
	case p.step == -1 && !p.horizontal:
		left = at % b.height
	case p.step == 1 && !p.horizontal:
		left = b.height - 1 - at%b.height
	case p.step < 0:
		left = at / b.height
	default:
		left = b.width - 1 - at/b.height
	}
	return left - (len(p.cells) - 1) + 1
}

// partMatches reports whether cells of a row match, with the first at a given cell.
func (m *Machine) partMatches(cells []patternCell, at int) bool {
	for k := range cells {
		c := &cells[k]
		objects, moves := m.board.cell(at+c.offset), m.board.pending(at+c.offset)
		if !c.Present.Within(objects) || c.Missing.Meets(objects) || !c.Moving.Within(moves) || c.Still.Meets(moves) {
			return false
		}
		for _, some := range c.Any {
			if !some.Meets(objects) {
				return false
			}
		}
	}
	return true
}

// matches reports whether a row still matches.
func (m *Machine) matches(p *pattern, f found) bool {
	return m.partMatches(p.parts[0], f.at) &&
		(p.ellipses < 1 || m.partMatches(p.parts[1], f.at+f.first*p.step)) &&
		(p.ellipses < 2 || m.partMatches(p.parts[2], f.at+(f.first+f.second)*p.step))
}
