package rushhour

import (
	"math/bits"

	"github.com/everystate/everystate/internal/sweep/rushhour/fits"
	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// A space holds the states of a family as sets. The placements of the rows and of
// some columns, the outer ones, identify a word; the bits of the word are the joint
// placements of the other columns, the inner ones. So a step of a vehicle in a row or
// an outer column is made for many states at once.
//
// Words are numbered as they are reached. For fixed rows, the legal placements of a
// column do not depend on the other columns, so the words of one placement of the
// rows are a product, numbered in mixed radix.
//
// A layer is in classes, by what found its states first: each inner column, each outer
// column, each vehicle of the rows, those of the primary's row last, and then what has
// no predecessor. [space.expand] omits moves that commute with that.
type space struct {
	inSteps bool // not slides
	rows    *rowSet

	outer   []outerColumn
	inner   []innerColumn
	within  uint32       // the set of the inner columns
	shifts  []innerShift // of all inner vehicles
	ways    []innerWay
	width   int // of the joint placements of the inner columns
	spreads spreads
	// blocks holds, for each outer and then each inner column, the placements or bits that
	// cover its cell of the primary's row; empty if that is not known yet.
	blocks []uint64

	fields []field // placements of the rows, at least those that fit and were reached
	// digits holds, for each field that was found as it was reached, the placement of each row,
	// a byte each.
	digits []uint64
	// steps holds, for each field, per steps of the vehicles of the rows: to 1 + a field,
	// none, or 0 if this is not known yet. index is 1 + the field of a placement of the
	// rows, none, or 0.
	steps   []step
	per     int
	index   []int32
	touched []int32  // of index
	noted   []uint32 // by field, 1 + where a ledger has its states; 0 if it has none
	cells   []cell
	top     uint32 // cells in use

	layer, next   []entry
	found         uint64 // states of next
	marks, ending []int  // where the classes of layer and next begin
	first         int    // where the class of the states that are being found begins in next
}

// none is the field of placements of the rows that do not fit.
const none = -1

type outerColumn struct {
	column int
	fits   *fits.Table
	line   *line
	shift  int    // of the first bit
	mask   uint64 // of all bits
}

type innerColumn struct {
	column int
	fits   *fits.Table
	line   *line
	stride int
	ways   [2]int   // of its vehicles: from one to before the other
	spread []uint64 // by set of placements: its bits, stride apart; nil if too many
}

// An innerWay is one vehicle going one way: by one shift, and in some columns with several
// vehicles by more, else nil. all is what can move, and entering what enters the primary's row.
type innerWay struct {
	innerShift
	more          []innerShift
	all, entering uint64
}

// An innerShift moves the bits of mask up, or down by a negative number; those of into
// enter the primary's row. It rotates words, which takes fewer instructions than a shift:
// no bit of mask passes the end.
type innerShift struct {
	mask, into uint64
	by         int
}

// A field is what the columns can be, given a placement of the rows. It is zero if it is not
// known yet; where boxes are known, those of goals and of other clusters never are.
type field struct {
	inner uint64 // the bits that are legal
	outer uint64 // for each outer column, the placements that fit
	left  uint64 // states not visited
	base  uint32 // the first word
	rows  int32
}

// outerMax bounds the outer columns. Boards have up to SizeMax columns, and at least
// one is inner if any holds a vehicle.
const outerMax = rules.SizeMax - 1

// A cell holds the states of a word that were visited, and the entry that was the
// last to add to it.
type cell struct {
	visited uint64
	last    int32
}

// An entry is a set of states of one word.
type entry struct {
	bits  uint64
	outer uint64 // one bit for each outer column: its placement
	word  uint32
	field int32
}

// bind makes s the empty space of a family. Its fields are found as they are reached.
// It returns false if the family is too large for the representation.
func (s *space) bind(rows *rowSet, columns []*line) bool {
	s.clear()
	s.rows, s.per = rows, rows.perPlace
	if cap(s.index) < rows.n {
		s.index = make([]int32, rows.n)
	}
	s.index = s.index[:rows.n]
	s.fields, s.digits, s.steps = s.fields[:0], s.digits[:0], s.steps[:0]
	return s.lay(columns)
}

// bindBoxes is bind for a family whose boxes are known: its fields are those of the frame,
// whose steps it shares, and are filled cluster by cluster ([space.fill]).
func (s *space) bindBoxes(b *boxes) bool {
	s.clear()
	s.rows, s.per = b.frame.rows, b.frame.rows.perPlace
	n := len(b.frame.list)
	s.fields, s.noted = zeroed(s.fields, n), zeroed(s.noted, n)
	s.steps = b.frame.steps
	return s.lay(b.columns)
}

// fill fills the fields of the placements of the rows in a cluster, except goals, and makes
// room for their distances.
func (s *space) fill(b *boxes, root int32, l *ledger) {
	n := len(l.moves)
	for c := root; int(c) < len(b.joined); c++ { // a root comes before its other chunks
		if b.joined[c] != root || b.frame.parts[b.part[c]].goal {
			continue
		}
		b.eachOf(c, func(x box) {
			at := b.frame.owner[x.slab]
			if f := &s.fields[at]; f.inner == 0 {
				f.rows = b.frame.list[at].rows
				s.know(f)
				b.frame.lay(at)
				s.noted[at] = uint32(n) + 1
				n += int(f.left)
			}
		})
	}
	l.extend(n)
}

// clear forgets all states.
func (s *space) clear() {
	for _, r := range s.touched {
		s.index[r] = 0
	}
	s.touched = s.touched[:0]
	clear(s.cells[:s.top])
	s.top = 0
	s.layer, s.next, s.found = s.layer[:0], s.next[:0], 0
}

// wordBits is how many joint placements of inner columns fit a word.
const wordBits = 64

// lay chooses the inner columns: those of whose joint placements a word holds, and
// the most are legal on average.
func (s *space) lay(columns []*line) bool {
	s.outer, s.inner, s.within = s.outer[:0], s.inner[:0], 0
	s.shifts, s.ways, s.blocks = s.shifts[:0], s.ways[:0], s.blocks[:0]
	var occupied [rules.SizeMax]int
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
	var products [1 << rules.SizeMax]int
	var legal [1 << rules.SizeMax]float64
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
			s.within |= 1 << j
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
	s.width = stride
	s.layShifts()
	classes := s.rows.perPlace/2 + len(s.inner) + len(s.outer) + 1
	s.marks, s.ending = zeroed(s.marks, classes), zeroed(s.ending, classes)
	return true
}

func (s *space) layInner(j int, c *line, stride int) {
	s.inner = append(s.inner, innerColumn{column: j, fits: c.fits, line: c, stride: stride, spread: s.spreads.of(c.fits.N, stride)})
}

// layShifts finds how the steps of the inner vehicles move bits.
func (s *space) layShifts() {
	for i := range s.inner {
		in := &s.inner[i]
		in.ways[0] = len(s.ways)
		n := len(in.line.placements)
		for v := range in.line.next {
			for d := range 2 {
				first := len(s.shifts)
				for p, to := range in.line.next[v][d] {
					if to < 0 {
						continue
					}
					places, into := in.places(p, n, s.width), uint64(0)
					if in.line.entered(v, d, p) == s.rows.exit {
						into = places
					}
					s.addShift(first, innerShift{mask: places, into: into}, (int(to)-p)*in.stride)
				}
				if len(s.shifts) > first {
					w := innerWay{innerShift: s.shifts[first]}
					if len(s.shifts) > first+1 {
						w.more = s.shifts[first+1 : len(s.shifts) : len(s.shifts)]
					}
					for _, sh := range s.shifts[first:] {
						w.all |= sh.mask
						w.entering |= sh.into
					}
					s.ways = append(s.ways, w)
				}
			}
		}
		in.ways[1] = len(s.ways)
	}
}

// places returns the bits of all joint placements in which the column is in
// placement p.
func (in *innerColumn) places(p, n, width int) uint64 {
	m := firstBits(in.stride) << (p * in.stride)
	for period := n * in.stride; period < width; period *= 2 {
		m |= m << period
	}
	return m & firstBits(width)
}

// firstBits returns the first n bits.
func firstBits(n int) uint64 { return 1<<n - 1 }

// addShift adds a shift by some bits, to an equal one of the shifts from first on if
// there is one.
func (s *space) addShift(first int, sh innerShift, by int) {
	sh.by = by
	for i := first; i < len(s.shifts); i++ {
		if s.shifts[i].by == by {
			s.shifts[i].mask |= sh.mask
			s.shifts[i].into |= sh.into
			return
		}
	}
	s.shifts = append(s.shifts, sh)
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

// spreadMax bounds the placements of a column whose bits are tabulated.
const spreadMax = 8

// spreads holds, by stride, what [innerColumn] has as spread.
type spreads [wordBits + 1][]uint64

// of returns the table of a column with n placements, nil if they are too many.
func (s *spreads) of(n, stride int) []uint64 {
	if n > spreadMax || stride > wordBits {
		return nil
	}
	if s[stride] == nil {
		for set := range uint64(1 << spreadMax) {
			s[stride] = append(s[stride], spreadBits(set, stride))
		}
	}
	return s[stride]
}

func spreadBits(set uint64, stride int) uint64 {
	var word uint64
	for ; set != 0; set &= set - 1 {
		word |= 1 << (bits.TrailingZeros64(set) * stride)
	}
	return word
}

// enter returns 1 + the field of a placement of the rows, which it fills, or none if it does
// not fit. digits is the placements of the rows, a byte each.
func (s *space) enter(r int32, digits uint64) int32 {
	if at := s.index[r]; at != 0 {
		return at
	}
	s.touched = append(s.touched, r)
	at := int32(none)
	if s.fit(r) {
		s.fields, s.digits = append(s.fields, field{rows: r}), append(s.digits, digits)
		s.steps = append(s.steps, make([]step, s.per)...)
		at = int32(len(s.fields))
		s.know(&s.fields[at-1])
	}
	s.index[r] = at
	return at
}

// fit reports whether each column has a placement between the rows.
func (s *space) fit(r int32) bool {
	covered := s.rows.covered[r]
	for i := range s.outer {
		if o := &s.outer[i]; o.fits.Set[covered.of(o.column)] == 0 {
			return false
		}
	}
	for i := range s.inner {
		if in := &s.inner[i]; in.fits.Set[covered.of(in.column)] == 0 {
			return false
		}
	}
	return true
}

// explore returns the step of an index in steps, to 1 + a field or none.
func (s *space) explore(i int) step {
	if by := s.steps[i]; by != 0 {
		return by
	}
	return s.find(i)
}

// find is explore for a step that is not known yet.
func (s *space) find(i int) step {
	from, k := i/s.per, i%s.per
	row, digits := s.rows.vehicles[k/2].line, s.digits[from]
	at := digits >> (8 * row) & 0xff
	by := s.rows.moves[k][at]
	if by >= 0 {
		on := by.to() - int32(at)
		to := s.enter(s.fields[from].rows+on*int32(s.rows.strides[row]), digits+uint64(on)<<(8*row))
		by = stepTo(to, by.column())
	}
	s.steps[i] = by
	return by
}

// know fills a field, and numbers its words.
func (s *space) know(f *field) {
	covered := s.rows.covered[f.rows]
	words := uint32(1)
	for i := range s.outer {
		o := &s.outer[i]
		m := covered.of(o.column)
		f.outer |= o.fits.Set[m] << o.shift
		words *= o.fits.Count[m]
	}
	f.inner = 1
	for i := range s.inner {
		in := &s.inner[i]
		f.inner *= in.spreadOf(in.fits.Set[covered.of(in.column)])
	}
	if s.rows.goal[f.rows] {
		return // nothing is visited there
	}
	f.left = uint64(words) * uint64(bits.OnesCount64(f.inner))
	f.base = s.top
	s.top += words
	if int(s.top) > len(s.cells) {
		s.grow()
	}
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

// put is add for the word of the field f at an index with the given placements of the outer
// columns.
func (s *space) put(f *field, at int, outer, states uint64) {
	word, stride := f.base, uint32(1)
	for i := range s.outer {
		m := s.outer[i].mask
		fit := m & f.outer
		word += uint32(bits.OnesCount64(((outer&m)-1)&fit)) * stride
		stride *= uint32(bits.OnesCount64(fit))
	}
	s.add(f, word, outer, int32(at), states)
}

// stride returns how far apart the words of a field are of placements of an outer column that
// follow each other.
func (s *space) stride(f *field, column int) uint32 {
	stride := uint32(1)
	for i := range column {
		stride *= uint32(bits.OnesCount64(s.outer[i].mask & f.outer))
	}
	return stride
}

// add marks states as visited, in a word of the field f at an index, with the given placements
// of the outer columns. They are of the current class.
func (s *space) add(f *field, word uint32, outer uint64, at int32, states uint64) {
	c := &s.cells[word]
	states &^= c.visited
	if states == 0 {
		return
	}
	c.visited |= states
	n := uint64(bits.OnesCount64(states))
	f.left, s.found = f.left-n, s.found+n
	if last := int(c.last); last >= s.first && last < len(s.next) && s.next[last].word == word {
		s.next[last].bits |= states
		return
	}
	c.last = int32(len(s.next))
	s.next = append(s.next, entry{bits: states, outer: outer, word: word, field: at})
}

// advance makes the found states the layer, and returns how many there are.
func (s *space) advance() (n uint64) {
	s.layer, s.next = s.next, s.layer[:0]
	s.marks, s.ending = s.ending, s.marks
	clear(s.ending)
	n, s.found = s.found, 0
	return n
}

// goals reports whether a state of the layer is one move from a goal: one of the
// primary to the right.
func (s *space) goals() bool {
	for i := range s.layer {
		if s.goal(&s.layer[i]) {
			return true
		}
	}
	return false
}

func (s *space) goal(e *entry) bool {
	states := e.bits
	for at := int(e.field); ; {
		by := s.explore(at*s.per + 1)
		if by < 0 {
			return false
		}
		at = int(by.to()) - 1
		f := &s.fields[at]
		states &= f.inner
		if states == 0 || e.outer&^f.outer != 0 {
			return false
		}
		if s.rows.goal[f.rows] {
			return true
		}
		if s.inSteps {
			return false
		}
	}
}
