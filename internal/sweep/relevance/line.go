package relevance

import (
	"math/bits"
	"slices"
)

// A Line is the content of a row or column. It is for one goroutine.
type Line struct {
	cells   int8
	pieces  []piece // the vehicles
	choices uint    // ways to choose for each vehicle where it goes when it is asked
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
	from, to    int8 // the cells that it can ever cover: from one to before another
	radix       int  // of its intervals in the numbers of starts
}

// A Start is a line whose vehicles are in given intervals at first. What follows in the
// line depends only on which of its cells vehicles that cross it may enter, and on where its
// vehicles go when they are asked, so each answer is found once: there are far fewer than
// boards.
type Start struct {
	line    *Line
	places  [][2]int8
	pieces  []piece  // as of the line, but confined
	covered uint8    // the cells that its pieces may cover
	cells   uint8    // of the line
	answers []answer // by choice and the set of cells that are entered
	// confined is, by the cells that lines across it always cover, the same where its vehicles
	// cannot pass these; nil where there was none yet.
	confined []*Start
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
var powers = [asideMax + 1]uint{1, ways, ways * ways}

// NewLine returns a line without vehicles.
func NewLine(cells int, walls uint8) *Line { return &Line{cells: int8(cells), walls: walls} }

// Vehicle adds a vehicle behind the others, its first and last position being least and
// most.
func (l *Line) Vehicle(length, least, most int) {
	l.pieces = append(l.pieces, piece{int8(length), int8(least), int8(most), 0, l.cells, 0})
}

// Primary makes the vehicle that was added last the primary, which is 2 cells long. Its
// line is the row of the exit.
func (l *Line) Primary() { l.primary = true }

// Start returns the line with its vehicles in intervals: each from the first to the last
// position of a set, which is a byte of sets, that of the first vehicle the lowest.
func (l *Line) Start(sets uint64) *Start {
	if l.starts == nil {
		l.number()
	}
	at, rest := 0, sets
	for i := range l.pieces {
		p := &l.pieces[i]
		low, high := bits.TrailingZeros8(uint8(rest))-int(p.least), bits.Len8(uint8(rest))-1-int(p.least)
		at += (high*(high+1)/2 + low) * p.radix
		rest >>= 8
	}
	if l.starts[at] == nil {
		l.starts[at] = l.start(sets)
	}
	return l.starts[at]
}

// start is Start, found anew.
func (l *Line) start(sets uint64) *Start {
	s := &Start{line: l, pieces: l.pieces, covered: l.walls, cells: uint8(l.cells), answers: make([]answer, l.choices<<l.cells)}
	for i := range l.pieces {
		set := uint8(sets >> (8 * i))
		place := [2]int8{int8(bits.TrailingZeros8(set)), int8(bits.Len8(set) - 1)}
		s.places = append(s.places, place)
		s.covered |= uint8(cellsOf(place[0], place[1]+l.pieces[i].length-1))
	}
	return s
}

// within returns the line where lines across it always cover some cells: its vehicles stay on
// their side of these, as far as all of their interval is on one.
func (s *Start) within(always uint8) *Start {
	if always == 0 || s.line == nil {
		return s
	}
	if s.confined == nil {
		s.confined = make([]*Start, 1<<s.cells)
	}
	if s.confined[always] == nil {
		t := *s
		t.pieces, t.answers, t.confined = slices.Clone(s.pieces), make([]answer, len(s.answers)), nil
		for i, at := range s.places {
			p := &t.pieces[i]
			p.from = max(p.from, int8(bits.Len8(always&uint8(cellsOf(0, at[0]-1)))))
			p.to = min(p.to, at[1]+p.length+int8(bits.TrailingZeros16(uint16(always)>>(at[1]+p.length)|1<<SizeMax)))
			p.least, p.most = max(p.least, p.from), min(p.most, p.to-p.length)
		}
		s.confined[always] = &t
	}
	return s.confined[always]
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
func (s *Start) answer(choice uint, crossing uint8) (a answer) {
	for cannot := uint8(1); cannot != 0; choice = after(choice, cannot) {
		a, cannot = s.try(choice, crossing)
	}
	return a
}

// after returns the choice after one, for some vehicles that cannot step aside that way.
func after(choice uint, vehicles uint8) uint {
	for ; vehicles != 0; vehicles &= vehicles - 1 {
		choice += powers[bits.TrailingZeros8(vehicles)]
	}
	return choice
}

// try is answer for one choice. It also returns the vehicles that cannot step aside like
// that because of the line itself.
func (s *Start) try(choice uint, crossing uint8) (a answer, cannot uint8) {
	l := s.line
	var states [SizeMax]state
	for i, at := range s.places {
		p := &s.pieces[i]
		states[i] = state{low: at[0], high: at[1], want: at, covered: cellsOf(at[0], at[1]+p.length-1)}
	}
	a = answer{choice: uint8(choice + 1)}
	aside := uint8(0) // the vehicles that step aside
	if l.choices > 1 {
		for y := range s.pieces {
			way := choice / powers[y] % ways
			if across := uint16(crossing) & states[y].covered; across != 0 && way != eitherWay && !l.isPrimary(y) {
				aside |= 1 << y
				a.asked |= 1 << y
				if a.ways[y] = s.pieces[y].stepAside(&states[y], across, way == asideOn); a.ways[y] == 0 {
					cannot |= 1 << y
				}
				a.way |= a.ways[y]
			}
		}
	}
	if l.primary {
		i := len(s.pieces) - 1
		a.asked = 1 << i
		states[i].active[1], states[i].want[1] = true, l.cells-2
		s.pieces[i].extend(&states[i])
	}
	for grown := cannot == 0; grown; {
		grown = false
		for y := range s.pieces {
			q, t := &s.pieces[y], &states[y]
			want, active := t.want, t.active
			if across := uint16(crossing) & t.covered; across != 0 && aside>>y&1 == 0 {
				a.asked |= 1 << y
				a.entered |= leave(q, t, across, l.cells)
			}
			for r := range s.pieces {
				if u := &states[r]; r != y && (u.front[0]|u.front[1])&t.covered != 0 {
					a.asked |= 1 << y
					push(&s.pieces[r], u, q, t, l.cells)
				}
			}
			if t.want != want || t.active != active {
				q.extend(t)
				grown = true
			}
		}
	}
	a.covered = l.walls
	for i := range s.pieces {
		a.entered |= uint8(states[i].front[0] | states[i].front[1])
		a.covered |= uint8(states[i].covered)
	}
	for set := aside; set != 0; set &= set - 1 {
		y := bits.TrailingZeros8(set)
		for r := range s.pieces {
			u := &states[r]
			if r != y && (uint8(u.covered)&a.ways[y] != 0 || (u.front[0]|u.front[1])&states[y].covered != 0) {
				cannot |= 1 << y
			}
		}
	}
	i := len(s.pieces)
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
// it, either way if there is room. It returns the cells that it would have to enter and that
// are always covered.
func leave(q *piece, t *state, cells uint16, size int8) (why uint8) {
	if c := cells >> q.length; c != 0 {
		if c&(1<<q.from-1) != 0 {
			why |= 1 << (q.from - 1)
		}
		if c = c >> q.from << q.from; c != 0 {
			t.active[0] = true
			t.want[0] = min(t.want[0], int8(bits.TrailingZeros16(c)))
		}
	}
	if c := cells & (1<<(size-q.length) - 1); c != 0 {
		if c>>(q.to-q.length) != 0 {
			why |= 1 << q.to
		}
		if c &= 1<<(q.to-q.length) - 1; c != 0 {
			t.active[1] = true
			t.want[1] = max(t.want[1], int8(bits.Len16(c)))
		}
	}
	return why
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
