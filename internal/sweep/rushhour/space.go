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

	outer []outerColumn
	// always is a bit that every entry and every field that is known has in outer, so that no
	// entry fits a field that is not known. It is 0 if the columns need all bits.
	always  uint64
	inner   []innerColumn
	within  uint32       // the set of the inner columns
	shifts  []innerShift // of all inner vehicles
	ways    []innerWay
	width   int // of the joint placements of the inner columns
	spreads spreads
	// blocks holds, for each outer and then each inner column, the placements or bits that
	// cover its cell of the primary's row; empty if that is not known yet.
	blocks []uint64

	// fields is by placement of the rows, and empty where none was reached; touched lists the
	// others. lazy says that fields are filled as steps lead to them.
	fields  []field
	touched []int32
	lazy    bool
	noted   []uint32 // by placement of the rows, 1 + where a ledger has its states; 0 if it has none
	cells   []cell
	top     uint32 // cells in use

	layer, next   []entry
	found         uint64 // states of next
	marks, ending []int  // where the classes of layer and next begin
	first         int    // where the class of the states that are being found begins in next
}

// none is where a step leads that there is not.
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
	rows  int32 // the placement of the rows
}

// bind makes s the empty space of a family. If it is lazy, its fields are filled as they are
// reached, otherwise cluster by cluster ([space.fill]). It returns false if the family is too
// large for the representation.
func (s *space) bind(rows *rowSet, columns []*line, lazy bool) bool {
	s.clear()
	s.rows, s.lazy = rows, lazy
	if len(s.fields) < rows.n {
		s.fields, s.noted = make([]field, rows.n), make([]uint32, rows.n)
	}
	return s.lay(columns)
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
			r := b.row(x).rows
			if f := &s.fields[r]; f.outer == 0 {
				s.know(f, r)
				s.noted[r] = uint32(n) + 1
				n += int(f.left)
			}
		})
	}
	l.extend(n)
}

// clear forgets all states.
func (s *space) clear() {
	for _, r := range s.touched {
		s.fields[r], s.noted[r] = field{}, 0
	}
	s.touched = s.touched[:0]
	clear(s.cells[:s.top])
	s.top = 0
	s.layer, s.next, s.found = s.layer[:0], s.next[:0], 0
}

// wordBits is how many joint placements of inner columns fit a word, and how many placements of
// all outer columns.
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
		if shift+width > wordBits {
			return false
		}
		s.outer = append(s.outer, outerColumn{
			column: j, fits: c.fits, line: c, shift: shift, mask: (1<<width - 1) << shift,
		})
		shift += width
	}
	s.width, s.always = stride, 0
	if shift < wordBits {
		s.always = 1 << (wordBits - 1)
	}
	s.layShifts()
	classes := s.vehicles() + len(s.inner) + len(s.outer) + 1
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

// opens reports whether the outer columns fit a placement of the rows, and fills its field first
// if it is not known. It is not inlined, as that would slow down what calls it.
//
//go:noinline
func (s *space) opens(r int32, outer uint64) bool {
	f := &s.fields[r]
	if f.outer == 0 {
		s.know(f, r)
	}
	return outer&^f.outer == 0
}

// know fills the field of a placement of the rows, and numbers its words.
func (s *space) know(f *field, r int32) {
	s.touched = append(s.touched, r)
	covered := s.rows.covered[r]
	words, outer, inner := uint32(1), s.always, uint64(1)
	for i := range s.outer {
		o := &s.outer[i]
		m := covered.of(o.column)
		outer |= o.fits.Set[m] << o.shift
		words *= o.fits.Count[m]
	}
	for i := range s.inner {
		in := &s.inner[i]
		inner *= in.spreadOf(in.fits.Set[covered.of(in.column)])
	}
	f.outer, f.inner = outer, inner
	if s.rows.goal[r] {
		return // nothing is visited there
	}
	f.left = uint64(words) * uint64(bits.OnesCount64(inner))
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

// put is add for the word with the given placements of the outer columns.
func (s *space) put(f *field, r int32, outer, states uint64) {
	word := uint32(0)
	if i := len(s.outer) - 1; i >= 0 {
		m := s.outer[i].mask
		for word = uint32(bits.OnesCount64((outer&m - 1) & m & f.outer)); i > 0; {
			i--
			m = s.outer[i].mask
			fit := m & f.outer
			word = word*uint32(bits.OnesCount64(fit)) + uint32(bits.OnesCount64((outer&m-1)&fit))
		}
	}
	s.add(f, f.base+word, outer, r, states)
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

// add marks states as visited, in a word of the field f of a placement of the rows, with the
// given placements of the outer columns. They are of the current class.
func (s *space) add(f *field, word uint32, outer uint64, r int32, states uint64) {
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
	s.next = append(s.next, entry{bits: states, outer: outer, word: word, rows: r})
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
	states, r := e.bits, e.rows
	for {
		by := s.rows.links[1][r]
		if by < 0 {
			return false
		}
		r = by.to()
		if !s.opens(r, e.outer) {
			return false
		}
		if states &= s.fields[r].inner; states == 0 {
			return false
		}
		if s.rows.goal[r] {
			return true
		}
		if s.inSteps {
			return false
		}
	}
}
