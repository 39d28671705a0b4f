// Package relevance finds, without a search, pieces of Rush Hour boards that cannot
// matter: a board with such a piece is not minimal. docs/SWEEP.md has the proof.
//
// It traces what the primary's path to the exit can demand of the other pieces. A
// vehicle that is asked to leave a cell may go either way, if the board is long
// enough, and only as far as just past that cell; the cells that it enters ask their
// vehicles in turn. A piece that is never asked is useless. In slides, a vehicle that
// can step aside one way, over cells that no other piece ever covers, asks nothing.
//
// A board is given by intervals, the first and last position of each vehicle, so that
// one call can cover many boards. The package must know nothing of how they are
// enumerated.
package relevance

import (
	"math/bits"
	"slices"
)

// SizeMax bounds the size of a board, and PiecesMax its pieces: each covers a cell.
const (
	SizeMax   = 8
	PiecesMax = SizeMax * SizeMax
)

// A Line is the content of a row or column. It is for one goroutine.
type Line struct {
	cells   int8
	pieces  []piece // the vehicles
	choices int     // ways to choose for each vehicle where it goes when it is asked
	walls   uint8
	primary bool // the last vehicle is the primary
	// starts is by the intervals of the vehicles, numbered in mixed radix; nil where
	// there was none yet.
	starts []*Start
}

// A piece is a vehicle of a line.
type piece struct {
	length      int8
	least, most int8 // its first and last position in the line
	radix       int  // of its intervals in the numbers of starts
}

// A Start is a line whose vehicles are in given intervals at first. What follows in the
// line depends only on which of its cells vehicles that cross it may enter, and on where its
// vehicles go when they are asked, so each answer is found once: there are far fewer than
// boards.
type Start struct {
	line    *Line
	places  [][2]int8
	covered uint8    // the cells that its pieces may cover
	cells   uint8    // of the line
	answers []answer // by choice and the set of cells that are entered
}

// An answer is what follows in a line. They are small, as many are kept and few asked for
// twice in a row.
type answer struct {
	choice  uint8 // 1 + the first one from the given one on that the line allows, 0 if unknown
	asked   uint8 // its pieces that are asked
	entered uint8 // the cells that its vehicles may enter, other than to step aside
	covered uint8 // the cells that its pieces may cover
	// ways holds, for each vehicle that steps aside, the cells that it enters, and way all
	// of these.
	way  uint8
	ways [asideMax]uint8
}

// Where a vehicle goes when vehicles across its line ask it, a digit of a choice: it steps
// aside towards the first cell, or towards the last, or may go either way.
const (
	asideBack = iota
	asideOn
	eitherWay
	ways
)

// asideMax bounds the vehicles of a line of which any steps aside.
const asideMax = 2

// powers are those of ways.
var powers = [asideMax + 1]int{1, ways, ways * ways}

// NewLine returns a line without vehicles.
func NewLine(cells int, walls uint8) *Line { return &Line{cells: int8(cells), walls: walls} }

// Vehicle adds a vehicle behind the others, its first and last position being least and
// most.
func (l *Line) Vehicle(length, least, most int) {
	l.pieces = append(l.pieces, piece{int8(length), int8(least), int8(most), 0})
}

// Primary makes the vehicle that was added last the primary, which is 2 cells long. Its
// line is the row of the exit.
func (l *Line) Primary() { l.primary = true }

// Start returns the line with its vehicles in intervals, each from the first to the
// second position.
func (l *Line) Start(places [][2]int8) *Start {
	if l.starts == nil {
		l.number()
	}
	at := 0
	for i := range l.pieces {
		p := &l.pieces[i]
		low, high := int(places[i][0]-p.least), int(places[i][1]-p.least)
		at += (high*(high+1)/2 + low) * p.radix
	}
	if l.starts[at] == nil {
		s := &Start{line: l, places: slices.Clone(places), covered: l.walls, cells: uint8(l.cells), answers: make([]answer, l.choices<<l.cells)}
		for i, place := range places {
			s.covered |= uint8(cellsOf(place[0], place[1]+l.pieces[i].length-1))
		}
		l.starts[at] = s
	}
	return l.starts[at]
}

// number numbers the starts.
func (l *Line) number() {
	n := 1
	for i := range l.pieces {
		p := &l.pieces[i]
		p.radix = n
		positions := int(p.most-p.least) + 1
		n *= positions * (positions + 1) / 2
	}
	l.starts = make([]*Start, n)
	l.choices = 1
	if len(l.pieces) <= asideMax {
		l.choices = powers[len(l.pieces)]
	}
}

// A state is what has been asked of a vehicle so far.
type state struct {
	low, high int8      // where it may be
	want      [2]int8   // how far it is asked to go, each way
	active    [2]bool   // whether it is asked to go that way
	covered   uint16    // the cells that it may cover
	front     [2]uint16 // the cells that it may enter, each way, other than to step aside
}

// answer finds what follows if vehicles that cross the line may enter some cells.
func (s *Start) answer(choice int, crossing uint8) (a answer) {
	for cannot := uint8(1); cannot != 0; choice = after(choice, cannot) {
		a, cannot = s.try(choice, crossing)
	}
	return a
}

// after returns the choice after one, for some vehicles that cannot step aside that way.
func after(choice int, vehicles uint8) int {
	for ; vehicles != 0; vehicles &= vehicles - 1 {
		choice += powers[bits.TrailingZeros8(vehicles)]
	}
	return choice
}

// try is answer for one choice. It also returns the vehicles that cannot step aside like
// that because of the line itself.
func (s *Start) try(choice int, crossing uint8) (a answer, cannot uint8) {
	l := s.line
	var states [SizeMax]state
	for i, at := range s.places {
		p := &l.pieces[i]
		states[i] = state{low: at[0], high: at[1], want: at, covered: cellsOf(at[0], at[1]+p.length-1)}
	}
	a = answer{choice: uint8(choice + 1)}
	aside := uint8(0) // the vehicles that step aside
	if l.choices > 1 {
		for y := range l.pieces {
			way := choice / powers[y] % ways
			if across := uint16(crossing) & states[y].covered; across != 0 && way != eitherWay && !l.isPrimary(y) {
				aside |= 1 << y
				a.asked |= 1 << y
				if a.ways[y] = l.pieces[y].stepAside(&states[y], across, way == asideOn); a.ways[y] == 0 {
					cannot |= 1 << y
				}
				a.way |= a.ways[y]
			}
		}
	}
	if l.primary {
		i := len(l.pieces) - 1
		a.asked = 1 << i
		states[i].active[1], states[i].want[1] = true, l.cells-2
		l.pieces[i].extend(&states[i])
	}
	for grown := cannot == 0; grown; {
		grown = false
		for y := range l.pieces {
			q, t := &l.pieces[y], &states[y]
			want, active := t.want, t.active
			if across := uint16(crossing) & t.covered; across != 0 && aside>>y&1 == 0 {
				a.asked |= 1 << y
				leave(q, t, across, l.cells)
			}
			for r := range l.pieces {
				if s := &states[r]; r != y && (s.front[0]|s.front[1])&t.covered != 0 {
					a.asked |= 1 << y
					push(&l.pieces[r], s, q, t, l.cells)
				}
			}
			if t.want != want || t.active != active {
				q.extend(t)
				grown = true
			}
		}
	}
	a.covered = l.walls
	for i := range l.pieces {
		a.entered |= uint8(states[i].front[0] | states[i].front[1])
		a.covered |= uint8(states[i].covered)
	}
	for set := aside; set != 0; set &= set - 1 {
		y := bits.TrailingZeros8(set)
		for r := range l.pieces {
			s := &states[r]
			if r != y && (uint8(s.covered)&a.ways[y] != 0 || (s.front[0]|s.front[1])&states[y].covered != 0) {
				cannot |= 1 << y
			}
		}
	}
	i := len(l.pieces)
	for set := l.walls; set != 0; set &= set - 1 {
		if set&-set&(a.entered|crossing) != 0 {
			a.asked |= 1 << i
		}
		i++
	}
	return a, cannot
}

// isPrimary reports whether a vehicle is the primary.
func (l *Line) isPrimary(y int) bool { return l.primary && y == len(l.pieces)-1 }

// stepAside lets a vehicle go beyond some cells one way, from where it covers any of them,
// and returns the cells that it enters, none if the line has no room for it there.
func (p *piece) stepAside(s *state, across uint16, on bool) uint8 {
	first, last := int8(bits.TrailingZeros16(across)), int8(bits.Len16(across)-1)
	low, high := s.low, s.high
	if on {
		if s.high = max(s.high, last+1); last+1 > p.most {
			return 0
		}
		s.covered = cellsOf(s.low, s.high+p.length-1)
		return uint8(cellsOf(max(low+p.length, first+1), last+p.length))
	}
	to := first - p.length
	if s.low = min(s.low, to); to < p.least {
		return 0
	}
	s.covered = cellsOf(s.low, s.high+p.length-1)
	return uint8(cellsOf(to, min(high, last)-1))
}

// cellsOf returns the cells of a line from one to another.
func cellsOf(from, to int8) uint16 {
	if from > to {
		return 0
	}
	return 2<<to - 1<<from
}

// leave asks a vehicle to leave cells of its line, of size cells, for vehicles that cross
// it, either way if there is room.
func leave(q *piece, t *state, cells uint16, size int8) {
	if c := cells >> q.length; c != 0 {
		t.active[0] = true
		t.want[0] = min(t.want[0], int8(bits.TrailingZeros16(c)))
	}
	if c := cells & (1<<(size-q.length) - 1); c != 0 {
		t.active[1] = true
		t.want[1] = max(t.want[1], int8(bits.Len16(c)))
	}
}

// push asks a vehicle to make room for one of its line. It is pushed as far as the other
// is asked to go, even beyond what is possible: a piece behind both may be what blocks
// them.
func push(p *piece, s *state, q *piece, t *state, size int8) {
	if s.front[0]&t.covered != 0 {
		t.active[0] = true
		t.want[0] = min(t.want[0], max(s.want[0]-q.length, 0))
	}
	if s.front[1]&t.covered != 0 {
		t.active[1] = true
		t.want[1] = max(t.want[1], min(s.want[1]+p.length, size-q.length))
	}
}

// extend lets a vehicle go as far as it has been asked to.
func (p *piece) extend(s *state) {
	// It cannot pass other pieces of its line, but runs into them.
	s.low, s.high = max(s.want[0], p.least), min(s.want[1], p.most)
	s.covered = cellsOf(s.low, s.high+p.length-1)
	if s.active[0] {
		s.front[0] = cellsOf(max(s.want[0], p.least-1), s.high-1)
	}
	if s.active[1] {
		s.front[1] = cellsOf(s.low+p.length, min(s.want[1], p.most+1)+p.length-1)
	}
}

// A Closure is what is asked of the pieces of a family. It is for one goroutine.
//
// Lines are numbered, the rows from 0 and the columns from SizeMax.
type Closure struct {
	n     int    // pieces
	exit  int    // the primary's line
	used  uint32 // the lines with pieces, as far as is known
	lines [2 * SizeMax]placed
}

// placed is a line of a family.
type placed struct {
	start   *Start
	first   int // its first piece
	choice  int // where its vehicles go
	covered uint8
}

// Reset begins a family.
func (v *Closure) Reset() { v.n, v.used = 0, 0 }

// Add adds a line. Pieces are numbered as their lines are added: the vehicles of each,
// then its walls.
func (v *Closure) Add(at int, l *Line) {
	pieces := len(l.pieces) + bits.OnesCount8(l.walls)
	if pieces == 0 {
		return
	}
	v.lines[at].first = v.n
	v.n += pieces
	v.used |= 1 << at
	if l.primary {
		v.exit = at
	}
}

// Unknown says that there may be any vehicles in a line. A piece that is not asked then is
// useless whatever they are.
func (v *Closure) Unknown(at int) {
	v.lines[at].start = anything
	v.used |= 1 << at
}

// anything is a line in which there may be any vehicles.
var anything = &Start{
	covered: 1<<SizeMax - 1,
	cells:   SizeMax,
	answers: slices.Repeat([]answer{{choice: 1, entered: 1<<SizeMax - 1, covered: 1<<SizeMax - 1}}, 1<<SizeMax),
}

// Len returns the number of pieces.
func (v *Closure) Len() int { return v.n }

// Place sets where the vehicles of a line may be at first.
func (v *Closure) Place(at int, s *Start) { v.lines[at].start = s }

// Useless reports whether none of the placed boards needs all its pieces. aside says that
// vehicles may step aside, which is right if a slide is one move.
func (v *Closure) Useless(aside bool) bool { return v.Asked(aside) != 1<<v.n-1 }

// Asked returns the pieces that are asked to move, and the primary. What is asked, entered
// and covered only grows, and so do choices, so the order in which lines are looked at
// matters only for what steps aside.
func (v *Closure) Asked(aside bool) uint64 {
	// The cells of the rows and of the columns that vehicles across them may enter, and that
	// pieces across them may cover, a byte for each line; those of each line that its own
	// may enter; and the lines in which a vehicle steps aside.
	var crossing, covered [2]uint64
	var entered [2 * SizeMax]uint8
	var asides uint32
	for set := v.used; set != 0; set &= set - 1 {
		at := bits.TrailingZeros32(set) % len(v.lines)
		l := &v.lines[at]
		if l.covered, l.choice = l.start.covered, 0; aside {
			covered[1-at/SizeMax] |= spread[l.covered] << (at % SizeMax)
		} else {
			l.choice = len(l.start.answers)>>l.start.cells - 1
		}
	}
	asked, all := uint64(0), uint64(1)<<v.n-1
	for dirty := uint32(1) << v.exit; dirty != 0 && asked != all; {
		at := bits.TrailingZeros32(dirty) % len(v.lines)
		dirty &= dirty - 1
		side, i := at/SizeMax, at%SizeMax
		l := &v.lines[at]
		cells := uint8(crossing[side] >> (8 * i))
		a := l.answer(cells, uint8(covered[side]>>(8*i)))
		asked |= uint64(a.asked) << l.first
		if more := a.entered &^ entered[at]; more != 0 {
			entered[at] = a.entered
			crossing[1-side] |= spread[more] << i
			dirty |= uint32(more) << (SizeMax * (1 - side)) & v.used
		}
		if a.way != 0 {
			asides |= 1 << at
		}
		if more := a.covered &^ l.covered; more != 0 && aside {
			l.covered |= more
			covered[1-side] |= spread[more] << i
			dirty |= uint32(more) << (SizeMax * (1 - side)) & asides
		}
	}
	return asked
}

// answer returns what follows in a line if vehicles that cross it may enter some cells, and
// cover some.
func (l *placed) answer(crossing, covered uint8) *answer {
	s := l.start
	for {
		a := &s.answers[l.choice<<s.cells|int(crossing)]
		if a.choice == 0 {
			*a = s.answer(l.choice, crossing)
		}
		l.choice = int(a.choice) - 1
		if a.way&(crossing|covered) == 0 {
			return a
		}
		cannot := uint8(0)
		for y, way := range a.ways {
			if way&(crossing|covered) != 0 {
				cannot |= 1 << y
			}
		}
		l.choice = after(l.choice, cannot)
	}
}

// spread has the first bit of byte i where bit i of its index is set.
var spread = func() (all [1 << SizeMax]uint64) {
	for set := range all {
		for i := range SizeMax {
			all[set] |= uint64(set>>i&1) << (8 * i)
		}
	}
	return all
}()
