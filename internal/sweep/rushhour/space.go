package rushhour

import (
	"math/bits"
)

// A space holds the states of a family as sets. The placements of the rows and of
// some columns, the outer ones, identify a word; the bits of the word are the joint
// placements of the other columns, the inner ones. So a step of a vehicle in a row or
// an outer column is made for many states at once.
//
// Words are numbered as they are reached. For fixed rows, the legal placements of a
// column do not depend on the other columns, so the words of one placement of the
// rows are a product, numbered in mixed radix.
type space struct {
	step bool // steps, not slides
	size int
	rows *rowSet

	outer  []outerColumn
	inner  []innerColumn
	shifts []innerShift // of all inner vehicles
	ends   []int        // shifts[ends[i-1]:ends[i]] belong to one vehicle and direction
	// digits holds, for each bit, the placements of the inner columns.
	digits [wordBits][wordColumnsMax]uint8

	fields  []field // by placement of the rows
	touched []int32 // fields that are known
	cells   []cell
	top     uint32 // cells in use

	layer, next []entry
	met         bool // a goal was reached
}

type outerColumn struct {
	column int
	fits   *fitTable
	line   *line
	shift  int    // of the first bit
	mask   uint64 // of all bits
}

type innerColumn struct {
	column int
	fits   *fitTable
	line   *line
	stride int
	spread []uint64 // by set of placements: its bits, stride apart; nil if too many
}

// An innerShift moves the bits of mask up or down.
type innerShift struct {
	mask     uint64
	up, down uint8 // one of them is 0
}

// A field is what the columns can be, given a placement of the rows.
type field struct {
	inner  uint64 // the bits that are legal; none if the rows do not fit
	outer  uint64 // for each outer column, the placements that fit
	base   uint32 // the first word
	known  bool
	goal   bool
	stride [outerMax]uint32
}

// outerMax bounds the outer columns. Boards have up to sizeMax columns, and at least
// one is inner if any holds a vehicle.
const outerMax = sizeMax - 1

// A cell holds the states of a word: those visited, and those just found.
type cell struct{ visited, found uint64 }

// An entry is a set of states of one word.
type entry struct {
	bits  uint64
	outer uint64 // one bit for each outer column: its placement
	word  uint32
	rows  int32
}

// bind makes s the empty space of a family. It returns false if the family is too
// large for the representation.
func (s *space) bind(rows *rowSet, columns []*line) bool {
	s.clear()
	s.rows = rows
	if cap(s.fields) < rows.n {
		s.fields = make([]field, rows.n)
	}
	s.fields = s.fields[:rows.n]
	return s.lay(columns)
}

// clear forgets all states.
func (s *space) clear() {
	for _, r := range s.touched {
		s.fields[r] = field{}
	}
	s.touched = s.touched[:0]
	clear(s.cells[:s.top])
	s.top = 0
	s.layer, s.next = s.layer[:0], s.next[:0]
	s.met = false
}

// wordBits is how many joint placements of inner columns fit a word.
const wordBits = 64

// wordColumnsMax bounds the inner columns. Each has two placements or more, except
// filled columns, of which there can be many.
const wordColumnsMax = sizeMax

// lay chooses the inner columns: those of whose joint placements a word holds, and
// the most are legal on average.
func (s *space) lay(columns []*line) bool {
	s.outer, s.inner = s.outer[:0], s.inner[:0]
	s.shifts, s.ends = s.shifts[:0], s.ends[:0]
	var occupied [sizeMax]int
	n := 0
	for j, c := range columns {
		if len(c.lengths) > 0 {
			occupied[n] = j
			n++
		}
	}
	best, most := 0, 0.0
	// products[set] is the number of joint placements of a set of columns, and
	// legal[set] how many of them are legal.
	var products [1 << sizeMax]int
	var legal [1 << sizeMax]float64
	products[0], legal[0] = 1, 1
	for set := 1; set < 1<<n; set++ {
		low := bits.TrailingZeros(uint(set))
		products[set] = products[set&(set-1)]
		if products[set] <= wordBits {
			products[set] *= len(columns[occupied[low]].placements)
		}
		legal[set] = legal[set&(set-1)] * s.rows.fitting(occupied[low], columns[occupied[low]])
		if products[set] <= wordBits && legal[set] > most {
			best, most = set, legal[set]
		}
	}
	stride, shift := 1, 0
	for i := range n {
		j := occupied[i]
		c := columns[j]
		width := len(c.placements)
		if best>>i&1 != 0 {
			s.layInner(j, c, stride)
			stride *= width
			continue
		}
		if shift+width > 64 {
			return false
		}
		s.outer = append(s.outer, outerColumn{
			column: j, fits: c.fits, line: c, shift: shift, mask: (1<<width - 1) << shift,
		})
		shift += width
	}
	s.layShifts(stride)
	for b := range stride {
		for k := range s.inner {
			s.digits[b][k] = uint8(b / s.inner[k].stride % s.inner[k].fits.n)
		}
	}
	return true
}

func (s *space) layInner(j int, c *line, stride int) {
	s.inner = append(s.inner, innerColumn{column: j, fits: c.fits, line: c, stride: stride, spread: c.fits.spread(stride)})
}

// layShifts finds how the steps of the inner vehicles move bits.
func (s *space) layShifts(width int) {
	for _, in := range s.inner {
		n := len(in.line.placements)
		for v := range in.line.next {
			for d := range 2 {
				first := len(s.shifts)
				for p, to := range in.line.next[v][d] {
					if to < 0 {
						continue
					}
					s.addShift(first, in.places(p, n, width), (int(to)-p)*in.stride)
				}
				if len(s.shifts) > first {
					s.ends = append(s.ends, len(s.shifts))
				}
			}
		}
	}
}

// places returns the bits of all joint placements in which the column is in
// placement p.
func (in *innerColumn) places(p, n, width int) uint64 {
	var m uint64
	for b := range width {
		if b/in.stride%n == p {
			m |= 1 << b
		}
	}
	return m
}

// addShift adds a shift of the bits of mask, to an equal one of the shifts from first
// on if there is one.
func (s *space) addShift(first int, mask uint64, by int) {
	var up, down uint8
	if by > 0 {
		up = uint8(by)
	} else {
		down = uint8(-by)
	}
	for i := first; i < len(s.shifts); i++ {
		if s.shifts[i].up == up && s.shifts[i].down == down {
			s.shifts[i].mask |= mask
			return
		}
	}
	s.shifts = append(s.shifts, innerShift{mask, up, down})
}

// spreadOf returns the bits of a set of placements. The bits of the joint placements
// of sets of several columns are the product of these as numbers: the terms do not
// overlap, so there are no carries.
func (in *innerColumn) spreadOf(set uint64) uint64 {
	if in.spread != nil {
		return in.spread[set]
	}
	return spreadBits(set, in.stride)
}

func spreadBits(set uint64, stride int) uint64 {
	var word uint64
	for ; set != 0; set &= set - 1 {
		word |= 1 << (bits.TrailingZeros64(set) * stride)
	}
	return word
}

// know fills the field of a placement of the rows, and numbers its words.
func (s *space) know(r int32) *field {
	f := &s.fields[r]
	f.known = true
	s.touched = append(s.touched, r)
	f.goal = s.rows.goal[r]
	masks := s.rows.masks[int(r)*s.size : (int(r)+1)*s.size]
	words := uint32(1)
	for i := range s.outer {
		o := &s.outer[i]
		m := masks[o.column]
		f.outer |= o.fits.set[m] << o.shift
		f.stride[i] = words
		words *= o.fits.count[m]
	}
	if words == 0 {
		return f
	}
	word := uint64(1)
	for i := range s.inner {
		in := &s.inner[i]
		word *= in.spreadOf(in.fits.set[masks[in.column]])
	}
	if word == 0 {
		return f
	}
	f.inner = word
	if f.goal {
		return f // nothing is visited there
	}
	f.base = s.top
	s.top += words
	if int(s.top) > len(s.cells) {
		s.grow()
	}
	return f
}

// cellsMax bounds the words of a space: 2^28 of 16 bytes.
const cellsMax = 1 << 28

func (s *space) grow() {
	if s.top > cellsMax {
		panic(errTooLarge)
	}
	more := make([]cell, max(int(s.top), 2*len(s.cells), 1024))
	copy(more, s.cells)
	s.cells = more
}

// word returns the number of a word.
func (s *space) word(f *field, outer uint64) uint32 {
	w := f.base
	for i := range s.outer {
		m := s.outer[i].mask
		below := ((outer & m) - 1) & m & f.outer
		w += uint32(bits.OnesCount64(below)) * f.stride[i]
	}
	return w
}

// add marks states as found, in the word of the given placements of the rows and the
// outer columns.
func (s *space) add(word uint32, outer uint64, r int32, states uint64) {
	c := &s.cells[word]
	states &^= c.visited
	if states == 0 {
		return
	}
	if c.found == 0 {
		s.next = append(s.next, entry{outer: outer, word: word, rows: r})
	}
	c.found |= states
}

// advance makes the found states the layer, and returns how many there are.
func (s *space) advance() uint64 {
	s.layer, s.next = s.next, s.layer[:0]
	n := 0
	for i := range s.layer {
		e := &s.layer[i]
		c := &s.cells[e.word]
		e.bits = c.found
		c.visited |= c.found
		c.found = 0
		n += bits.OnesCount64(e.bits)
	}
	return uint64(n)
}

// goals reports whether a state of the layer is one move from a goal.
func (s *space) goals() bool {
	links, per := s.rows.links, s.rows.perPlace
	for i := range s.layer {
		e := &s.layer[i]
		s.alongRow(links, per, 1, e)
		if s.met {
			return true
		}
	}
	return false
}

// expand finds all successors of the layer's states except goals; met reports whether
// there were any goals.
func (s *space) expand() {
	links, per := s.rows.links, s.rows.perPlace
	for i := range s.layer {
		e := &s.layer[i]
		for k := range per {
			s.alongRow(links, per, k, e)
		}
		if len(s.outer) > 0 {
			s.alongOuter(e)
		}
		if len(s.ends) > 0 {
			s.alongInner(e)
		}
	}
}

// alongRow moves a vehicle of a row one way.
func (s *space) alongRow(links []int32, per, k int, e *entry) {
	states := e.bits
	for r := links[int(e.rows)*per+k]; r >= 0; r = links[int(r)*per+k] {
		f := &s.fields[r]
		if !f.known {
			f = s.know(r)
		}
		states &= f.inner
		if states == 0 || e.outer&^f.outer != 0 {
			return
		}
		if f.goal {
			s.met = true
			return
		}
		s.add(s.word(f, e.outer), e.outer, r, states)
		if s.step {
			return
		}
	}
}

// alongOuter moves the vehicles of the outer columns.
func (s *space) alongOuter(e *entry) {
	f := &s.fields[e.rows]
	for i := range s.outer {
		o := &s.outer[i]
		here := e.outer & o.mask
		p := bits.TrailingZeros64(here) - o.shift
		rest := e.outer &^ o.mask
		legal := f.outer >> o.shift
		rank := bits.OnesCount64((here - 1) & o.mask & f.outer)
		for v := range o.line.next {
			for d := range 2 {
				next := o.line.next[v][d]
				for to := next[p]; to >= 0 && legal>>to&1 != 0; to = next[to] {
					there := uint64(1) << (int(to) + o.shift)
					by := bits.OnesCount64((there-1)&o.mask&f.outer) - rank
					s.add(e.word+uint32(by)*f.stride[i], rest|there, e.rows, e.bits)
					if s.step {
						break
					}
				}
			}
		}
	}
}

// alongInner moves the vehicles of the inner columns.
func (s *space) alongInner(e *entry) {
	legal := s.fields[e.rows].inner
	var found uint64
	from := 0
	for _, end := range s.ends {
		states := e.bits
		for {
			var moved uint64
			for _, sh := range s.shifts[from:end] {
				moved |= states & sh.mask << sh.up >> sh.down
			}
			states = moved & legal
			if states == 0 {
				break
			}
			found |= states
			if s.step {
				break
			}
		}
		from = end
	}
	if found != 0 {
		s.add(e.word, e.outer, e.rows, found)
	}
}
