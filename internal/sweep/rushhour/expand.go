package rushhour

import (
	"math/bits"

	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// expand finds all successors of the layer's states except goals.
//
// Moves in different rows commute, and so do moves in different columns, and a move in a
// row with one in a column of which it enters no cell, or that enters no cell of the row.
// Say that a state s of the layer was found by a move l, from a state p, and that m is a
// move of a later class than l that commutes with it. Then m is legal at p, and s·m is
// (p·m)·l. If s·m is in the next layer, p·m is in this one, and l comes before m: of all
// ways to s·m, the one with the least class is never omitted. And in slides, where the
// vehicle that l moved can go from s, it can go from p.
//
// Columns come first, as their moves cost least, and the primary's row last: its moves
// seldom lead farther. But if all states were found by moves in the primary's row, it
// comes first, as that leaves only what enters this row.
func (s *space) expand() {
	end, last := len(s.layer), len(s.ending)-1
	if s.marks[s.rowClass(0)] == 0 && s.marks[last] == end {
		s.expandFromExit()
		return
	}
	for i := range s.inner {
		in := &s.inner[i]
		s.openClass(i)
		if s.inSteps || len(in.line.lengths) > 1 {
			s.alongInners(in, s.marks[i], s.marks[i+1])
		}
		s.alongInners(in, s.marks[i+1], end)
	}
	for i := range s.outer {
		o := &s.outer[i]
		class := len(s.inner) + i
		s.openClass(class)
		if s.inSteps || len(o.line.lengths) > 1 {
			s.alongOuters(i, s.marks[class], s.marks[class+1])
		}
		s.alongOuters(i, s.marks[class+1], end)
	}
	for v := s.rows.inExit; v < s.vehicles(); v++ {
		s.expandRow(v)
	}
	for v := range s.rows.inExit {
		s.expandRow(v)
	}
	s.openClass(last)
}

// expandRow makes the moves of a vehicle of a row.
func (s *space) expandRow(v int) {
	class := s.rowClass(v)
	s.openClass(class)
	for i := range s.inner {
		s.rowsInto(v, s.marks[i], s.marks[i+1], s.inner[i].column)
	}
	for i := range s.outer {
		at := len(s.inner) + i
		s.rowsInto(v, s.marks[at], s.marks[at+1], s.outer[i].column)
	}
	s.expandSameRow(v, class)
	s.alongRows(v, s.marks[class+1], len(s.layer))
}

// expandSameRow makes the moves of a vehicle of a row in states found by the vehicles
// before it in this row, and in steps by itself.
func (s *space) expandSameRow(v, class int) {
	s.alongRows(v, s.marks[s.rowClass(s.rows.rowBegins[v])], s.marks[class])
	if s.inSteps {
		s.alongRows(v, s.marks[class], s.marks[class+1])
	}
}

// expandFromExit is expand for a layer found by moves in the primary's row.
func (s *space) expandFromExit() {
	for i := range s.inner {
		s.openClass(i)
		for k := range s.layer {
			if e := &s.layer[k]; s.fields[e.rows].left != 0 {
				s.innerInto(&s.inner[i], e)
			}
		}
	}
	for i := range s.outer {
		s.openClass(len(s.inner) + i)
		for k := range s.layer {
			e := &s.layer[k]
			if f := &s.fields[e.rows]; f.left != 0 {
				s.alongOuter(i, e, f, true)
			}
		}
	}
	for v := s.rows.inExit; v < s.vehicles(); v++ {
		s.openClass(s.rowClass(v))
	}
	for v := range s.rows.inExit {
		class := s.rowClass(v)
		s.openClass(class)
		s.expandSameRow(v, class)
		s.alongRows(v, s.marks[class+1], len(s.layer))
	}
	s.openClass(len(s.ending) - 1)
}

// vehicles returns the number of vehicles in rows.
func (s *space) vehicles() int { return len(s.rows.vehicles) }

// openClass begins the states of the next layer that moves of a class find.
func (s *space) openClass(class int) {
	s.first = len(s.next)
	s.ending[class] = s.first
}

// rowClass returns the class of a vehicle of a row.
func (s *space) rowClass(v int) int {
	class := len(s.inner) + len(s.outer) + v - s.rows.inExit
	if v < s.rows.inExit {
		class += s.vehicles()
	}
	return class
}

// alongRows moves a vehicle of a row.
func (s *space) alongRows(v, from, to int) {
	for _, links := range s.rows.links[2*v : 2*v+2] {
		s.alongRow(s.layer[from:to], links, &everywhere)
	}
}

// rowsInto moves a vehicle of a row, as far as it enters a column.
func (s *space) rowsInto(v, from, to, column int) {
	for d := range 2 {
		if k := 2*v + d; s.rows.reach[k]>>column&1 != 0 {
			s.alongRow(s.layer[from:to], s.rows.links[k], &into[d][column])
		}
	}
}

// remaining is, by the column that a vehicle of a row enters with its next step, how many more
// steps it takes to enter a certain column; negative if it never does, or if there is no step.
type remaining [1 << columnBits]int8

// everywhere is for any column, and into for one of them, to the left and to the right.
var (
	everywhere = remaining{none & (1<<columnBits - 1): -1}
	into       = remainingInto()
)

func remainingInto() (into [2][rules.SizeMax]remaining) {
	for column := range rules.SizeMax {
		for from := range everywhere {
			left, right := int8(from-column), int8(column-from)
			if everywhere[from] < 0 {
				left, right = -1, -1
			}
			into[0][column][from], into[1][column][from] = left, right
		}
	}
	return into
}

// alongRow moves a vehicle of a row one way, by the steps of links. States before it enters the
// column of until are left out.
func (s *space) alongRow(layer []entry, links []step, until *remaining) {
	fields := s.fields[:len(links)]
next:
	for i := range layer {
		e := &layer[i]
		by := links[e.rows]
		left := until[by.column()]
		if left < 0 {
			continue
		}
		states, outer := e.bits, e.outer
		for ; ; left-- {
			r := by.to()
			f := &fields[r]
			if outer&^f.outer != 0 && (!s.lazy || !s.opens(r, outer)) {
				continue next
			}
			if states &= f.inner; states == 0 {
				continue next
			}
			if left <= 0 && f.left != 0 {
				s.put(f, r, outer, states)
			}
			if by = links[r]; by < 0 || s.inSteps {
				continue next
			}
		}
	}
}

// alongInners moves the vehicles of an inner column.
func (s *space) alongInners(in *innerColumn, from, to int) {
	layer, ways := s.layer[from:to], s.ways[in.ways[0]:in.ways[1]]
	for k := range layer {
		e := &layer[k]
		f := &s.fields[e.rows]
		if f.left == 0 {
			continue
		}
		legal, found := f.inner, uint64(0)
		for i := range ways {
			way := &ways[i]
			states := e.bits & way.all
			for {
				moved := bits.RotateLeft64(states&way.mask, way.by)
				if way.more != nil {
					others, _ := way.others(states, 0)
					moved |= others
				}
				states = moved & legal
				found |= states
				states &= way.all
				if states == 0 || s.inSteps {
					break
				}
			}
		}
		if found != 0 {
			s.add(f, e.word, e.outer, e.rows, found)
		}
	}
}

func (s *space) alongOuters(o, from, to int) {
	layer := s.layer[from:to]
	for i := range layer {
		e := &layer[i]
		if f := &s.fields[e.rows]; f.left != 0 {
			s.alongOuter(o, e, f, false)
		}
	}
}

// alongOuter moves the vehicles of an outer column. into says that the states before one
// enters the primary's row are left out.
func (s *space) alongOuter(i int, e *entry, f *field, into bool) {
	o := &s.outer[i]
	here := e.outer & o.mask
	at := int(s.rows.covered[e.rows].of(o.column))*o.fits.N + bits.TrailingZeros64(here) - o.shift
	found := o.fits.Reach[at]
	if into {
		found = o.fits.Into[at]
	}
	if found == 0 {
		return
	}
	rest := e.outer &^ o.mask
	stride, rank := s.stride(f, i), bits.OnesCount64((here-1)&o.mask&f.outer)
	for found <<= o.shift; found != 0; found &= found - 1 {
		there := found & -found
		by := bits.OnesCount64((there-1)&o.mask&f.outer) - rank
		s.add(f, e.word+uint32(by)*stride, rest|there, e.rows, e.bits)
	}
}

// others returns what the other shifts of a way make of some states, and what they make of those
// in which the vehicle enters the primary's row or, as in inside, did before. It is called, not
// inlined: few ways have others, and a loop for them would take registers from the rest.
//
//go:noinline
func (w *innerWay) others(states, inside uint64) (moved, entered uint64) {
	for _, sh := range w.more {
		moved |= bits.RotateLeft64(states&sh.mask, sh.by)
		entered |= bits.RotateLeft64(inside&sh.mask|states&sh.into, sh.by)
	}
	return moved, entered
}

// innerInto is alongInners for one entry, without the states before a vehicle enters the
// primary's row.
func (s *space) innerInto(in *innerColumn, e *entry) {
	f := &s.fields[e.rows]
	legal := f.inner
	var found uint64
	ways := s.ways[in.ways[0]:in.ways[1]]
	for i := range ways {
		way := &ways[i]
		inside := uint64(0)
		states := e.bits & way.all
		if way.entering == 0 {
			states = 0
		}
		for ; states != 0; states &= way.all {
			moved := bits.RotateLeft64(states&way.mask, way.by)
			entered := bits.RotateLeft64(inside&way.mask|states&way.into, way.by)
			if way.more != nil {
				others, into := way.others(states, inside)
				moved, entered = moved|others, entered|into
			}
			states, inside = moved&legal, entered&legal
			found |= inside
			if s.inSteps {
				break
			}
		}
	}
	if found != 0 {
		s.add(f, e.word, e.outer, e.rows, found)
	}
}
