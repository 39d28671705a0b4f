// Package relevance finds, without a search, pieces of Rush Hour boards that cannot
// matter: a board with such a piece is not minimal. docs/SWEEP.md has the proof.
//
// It traces what the primary's path to the exit can demand of the other pieces. A
// vehicle that is asked to leave a cell may go either way, if the board is long
// enough, and only as far as just past that cell; the cells that it enters ask their
// vehicles in turn. A piece that is never asked is useless. In slides, a vehicle that
// can step aside one way, over cells that no other piece ever covers, asks nothing. A
// vehicle never enters cells that a line across its own always covers; if that keeps it
// from going where it is asked to go, the pieces of that line are asked.
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

// A Closure is what is asked of the pieces of a family. It is for one goroutine.
//
// Lines are numbered, the rows from 0 and the columns from SizeMax.
type Closure struct {
	n     uint   // pieces
	exit  int    // the primary's line
	used  uint32 // the lines with pieces, as far as is known
	lines [2 * SizeMax]placed
}

// placed is a line of a family. Its pieces are numbered from first on, walls last.
type placed struct {
	start   *Start
	first   uint
	pieces  uint  // how many
	walls   uint8 // those of its cells that walls cover
	always  uint8 // those that pieces across it always cover
	choice  uint  // where its vehicles go
	covered uint8
}

// Reset begins a family.
func (v *Closure) Reset() { v.n, v.used = 0, 0 }

// Add adds a line. Pieces are numbered as their lines are added: the vehicles of each,
// then its walls.
func (v *Closure) Add(at int, l *Line) {
	pieces := uint(len(l.pieces) + bits.OnesCount8(l.walls))
	if pieces == 0 {
		return
	}
	v.lines[at] = placed{first: v.n, pieces: pieces, walls: l.walls}
	v.n += pieces
	v.used |= 1 << at
	if l.primary {
		v.exit = at
	}
}

// Confine says which cells of a line, which was added, the lines across it always cover,
// however their vehicles stand. Without it there are none.
func (v *Closure) Confine(at int, always uint8) { v.lines[at].always = always }

// Unknown says that there may be any vehicles in a line. A piece that is not asked then is
// useless whatever they are.
func (v *Closure) Unknown(at int) {
	v.lines[at] = placed{start: anything}
	v.used |= 1 << at
}

// anything is a line in which there may be any vehicles.
var anything = &Start{
	covered: 1<<SizeMax - 1,
	cells:   SizeMax,
	answers: slices.Repeat([]answer{{choice: 1, entered: 1<<SizeMax - 1, covered: 1<<SizeMax - 1}}, 1<<SizeMax),
}

// Len returns the number of pieces.
func (v *Closure) Len() int { return int(v.n) }

// Place sets where the vehicles of a line may be at first.
func (v *Closure) Place(at int, s *Start) {
	l := &v.lines[at]
	l.start = s.within(l.always)
}

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
		at := uint(bits.TrailingZeros32(set)) % uint(len(v.lines)) // which spares checks, as others below
		l := &v.lines[at]
		if l.covered, l.choice = l.start.covered, 0; aside {
			covered[1-at/SizeMax] |= spread[l.covered] << (at % SizeMax)
		} else {
			l.choice = uint(len(l.start.answers)>>l.start.cells - 1)
		}
	}
	asked, all := uint64(0), uint64(1)<<v.n-1
	for dirty := uint32(1) << v.exit; dirty != 0 && asked != all; {
		at := uint(bits.TrailingZeros32(dirty)) % uint(len(v.lines))
		dirty &= dirty - 1
		side, i := at/SizeMax, at%SizeMax
		l := &v.lines[at]
		a := l.answer(uint8(crossing[side]>>(8*i)), uint8(covered[side]>>(8*i)))
		asked |= uint64(a.asked) << (l.first % PiecesMax)
		if more := a.entered &^ entered[at]; more != 0 {
			entered[at] = a.entered
			for set := more & l.always; set != 0; set &= set - 1 {
				asked |= v.covering((1-side)*SizeMax+uint(bits.TrailingZeros8(set)), i)
			}
			more &^= l.always
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

// covering returns the pieces without one of which a line might not always cover a cell: the
// wall that is there, or any of the line.
func (v *Closure) covering(at, cell uint) uint64 {
	l := &v.lines[at]
	if l.walls>>cell&1 != 0 {
		return 1 << (l.first + l.pieces - uint(bits.OnesCount8(l.walls>>cell)))
	}
	return (1<<l.pieces - 1) << l.first
}

// answer returns what follows in a line if vehicles that cross it may enter some cells, and
// cover some.
func (l *placed) answer(crossing, covered uint8) *answer {
	s := l.start
	for {
		a := &s.answers[l.choice<<(s.cells%16)|uint(crossing)]
		if a.choice == 0 {
			*a = s.answer(l.choice, crossing)
		}
		l.choice = uint(a.choice) - 1
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
