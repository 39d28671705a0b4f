package rushhour

import (
	"math/bits"

	"github.com/everystate/everystate/internal/sweep/relevance"
	"github.com/everystate/everystate/internal/sweep/rushhour/fits"
	"github.com/everystate/everystate/internal/sweep/rushhour/rules"
)

// A line is the content of a row or column, regardless of where its vehicles are: its
// walls, and the lengths of its vehicles from left to right or top to bottom. Walls
// do not move and vehicles do not pass one another, so moves never change a line.
type line struct {
	id      int // among the columns, or the rows, of a book
	size    int
	walls   uint32 // the cells of walls
	lengths []int  // of the vehicles, in order
	// gaps[i] is the number of walls before vehicle i.
	gaps []int
	// primary is set for the row of the primary vehicle, which is its last: anything
	// to the right of it would block the exit forever.
	primary bool

	// placements are the ways to place the vehicles, in lexicographic order of their
	// first cells.
	placements []placement
	// next[v][d][p] is the placement that placement p becomes when vehicle v steps
	// down (d = 0) or up (d = 1) the line; -1 if there is none.
	next [][2][]int32
	// first and last are the first and last positions of each vehicle.
	first, last []int
	always      uint32 // the cells that all placements cover
	asks        *relevance.Line

	// without is the line left after removing each piece, vehicles first and then
	// walls; nil where not yet computed.
	without []*reduction

	// For columns only: what fits where, where the vehicles can be, and the cells of each
	// placement as masks of the whole board, row by row, as if in its first column.
	fits  *fits.Table
	spots *spots
	down  [views][]uint64
}

// A placement is where the vehicles of a line are.
type placement struct {
	cells  uint32 // of vehicles and walls
	starts []int
}

// A reduction is a line with a piece removed.
type reduction struct {
	line *line
	// placement[p] is what placement p becomes.
	placement []int32
}

// isPrimary reports whether piece v is the primary vehicle.
func (l *line) isPrimary(v int) bool { return l.primary && v == len(l.lengths)-1 }

// others returns how many vehicles of a length there are besides the primary.
func (l *line) others(length int) int {
	n := 0
	for v, k := range l.lengths {
		if k == length && !l.isPrimary(v) {
			n++
		}
	}
	return n
}

func (l *line) pieces() int { return len(l.lengths) + bits.OnesCount32(l.walls) }

func span(start, length int) uint32 { return (1<<length - 1) << start }

// full reports whether the pieces fill the line.
func (l *line) full() bool {
	n := bits.OnesCount32(l.walls)
	for _, k := range l.lengths {
		n += k
	}
	return n >= l.size
}

// place finds the placements and the steps between them.
func (l *line) place() {
	starts := make([]int, len(l.lengths))
	var walk func(v, from int, cells uint32)
	walk = func(v, from int, cells uint32) {
		if v == len(l.lengths) {
			l.placements = append(l.placements, placement{cells, append([]int(nil), starts...)})
			return
		}
		for s := from; s+l.lengths[v] <= l.size; s++ {
			body := span(s, l.lengths[v])
			if body&l.walls != 0 || bits.OnesCount32(l.walls&(1<<s-1)) != l.gaps[v] {
				continue
			}
			starts[v] = s
			walk(v+1, s+l.lengths[v], cells|body)
		}
	}
	walk(0, 0, l.walls)
	index := make(map[string]int32, len(l.placements))
	key := func(starts []int) string {
		b := make([]byte, len(starts))
		for i, s := range starts {
			b[i] = byte(s)
		}
		return string(b)
	}
	for i, p := range l.placements {
		index[key(p.starts)] = int32(i)
	}
	l.next = make([][2][]int32, len(l.lengths))
	for v := range l.next {
		for d, by := range [2]int{-1, 1} {
			l.next[v][d] = make([]int32, len(l.placements))
			for i, p := range l.placements {
				copy(starts, p.starts)
				starts[v] += by
				to, ok := index[key(starts)]
				if !ok {
					to = -1
				}
				l.next[v][d][i] = to
			}
		}
	}
	l.without = make([]*reduction, l.pieces())
	l.first, l.last = make([]int, len(l.lengths)), make([]int, len(l.lengths))
	l.always = 1<<l.size - 1
	for i, p := range l.placements {
		l.always &= p.cells
		for v, s := range p.starts {
			if i == 0 || s < l.first[v] {
				l.first[v] = s
			}
			l.last[v] = max(l.last[v], s)
		}
	}
}

// entered returns the cell that a step of vehicle v enters from placement p.
func (l *line) entered(v, d, p int) int {
	start := l.placements[p].starts[v]
	if d == 0 {
		return start - 1
	}
	return start + l.lengths[v]
}

// signature distinguishes lines.
func (l *line) signature() string {
	b := []byte{byte(l.walls), byte(l.walls >> 8), 0}
	if l.primary {
		b[2] = 1
	}
	for i, n := range l.lengths {
		b = append(b, byte(n), byte(l.gaps[i]))
	}
	return string(b)
}

// A book holds the lines of one worker, each once.
type book struct {
	size    rules.Size
	exit    int // the primary's row
	inSteps bool
	columns map[string]*line
	rows    map[string]*line
}

func newBook(size rules.Size, exit int, inSteps bool) *book {
	return &book{size: size, exit: exit, inSteps: inSteps, columns: make(map[string]*line), rows: make(map[string]*line)}
}

func (b *book) row(l line) *line { return b.intern(b.rows, l, false) }

func (b *book) column(l line) *line { return b.intern(b.columns, l, true) }

func (b *book) intern(known map[string]*line, l line, column bool) *line {
	l.size = b.size.Columns
	if column {
		l.size = b.size.Rows
	}
	sig := l.signature()
	if have, ok := known[sig]; ok {
		return have
	}
	l.place()
	l.asks = asksOf(&l)
	if column {
		column := fits.Column{Size: l.size, Next: l.next, Entered: l.entered, Exit: b.exit, InSteps: b.inSteps}
		for _, p := range l.placements {
			column.Cells = append(column.Cells, p.cells)
		}
		if l.fits = fits.New(&column); l.fits != nil { // the rules ensure that it is, where it is used
			l.spot()
		}
		for _, p := range l.placements {
			for v := range views {
				var down uint64
				for i := range b.size.Rows {
					down |= uint64(p.cells>>i&1) << (v.row(i, b.size.Rows) * b.size.Columns)
				}
				l.down[v] = append(l.down[v], down)
			}
		}
	}
	l.id = len(known)
	known[sig] = &l
	return &l
}

// reduce removes piece i of a line.
func (b *book) reduce(l *line, i int, column bool) *reduction {
	if l.without[i] != nil {
		return l.without[i]
	}
	less := line{walls: l.walls, primary: l.primary}
	dropped := -1
	wall := -1
	if i < len(l.lengths) {
		dropped = i
	} else {
		rest := l.walls
		for range i - len(l.lengths) {
			rest &= rest - 1
		}
		wall = bits.TrailingZeros32(rest)
		less.walls &^= 1 << wall
	}
	for v, n := range l.lengths {
		if v == dropped {
			continue
		}
		gap := l.gaps[v]
		if wall >= 0 && bits.OnesCount32(l.walls&(1<<wall-1)) < gap {
			gap--
		}
		less.lengths = append(less.lengths, n)
		less.gaps = append(less.gaps, gap)
	}
	r := new(reduction)
	if column {
		r.line = b.column(less)
	} else {
		r.line = b.row(less)
	}
	for _, p := range l.placements {
		cells := p.cells
		if wall >= 0 {
			cells &^= 1 << wall
		} else {
			cells &^= span(p.starts[dropped], l.lengths[dropped])
		}
		r.placement = append(r.placement, r.line.find(cells))
	}
	l.without[i] = r
	return r
}

// find returns the placement that covers exactly the given cells. There must be one.
func (l *line) find(cells uint32) int32 {
	for i, p := range l.placements {
		if p.cells == cells {
			return int32(i)
		}
	}
	panic("rushhour: a placement is not one of its line")
}

// spots is where the vehicles of a column can be: fitting by the cells that the rows cover,
// nil if nothing fits; groups as the members of groups, by mask and then group; and single
// by placement.
type spots struct {
	fitting fits.ByMask[*relevance.Start]
	groups  []*relevance.Start
	single  []*relevance.Start
}

// spot finds the spots.
func (l *line) spot() {
	s := &spots{groups: make([]*relevance.Start, len(l.placements)<<l.size)}
	start := func(set uint64) *relevance.Start { return l.asks.Start(l.startsOf(set)) }
	for p := range l.placements {
		s.single = append(s.single, start(1<<p))
	}
	for m := range 1 << l.size {
		if set := l.fits.Set[m]; set != 0 {
			s.fitting[m] = start(set)
		}
		for g := range int(l.fits.Groups[m]) {
			s.groups[m*l.fits.N+g] = start(l.fits.Member(uint8(m), g))
		}
	}
	l.spots = s
}

// startsOf returns the positions of each vehicle over a set of placements, as a set in a byte
// each.
func (l *line) startsOf(set uint64) (sets uint64) {
	for ; set != 0; set &= set - 1 {
		for v, s := range l.placements[bits.TrailingZeros64(set)].starts {
			sets |= 1 << (8*v + s)
		}
	}
	return sets
}
