package rushhour

import (
	"math/bits"

	"github.com/everystate/everystate/internal/sweep/relevance"
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

	// For columns only: what fits where, and the cells of each placement as masks of
	// the whole board, row by row, as if in its first column.
	fits *fitTable
	down [views][]uint64
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
		l.fits = newFitTable(&l, b.exit, b.inSteps)
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

// A fitTable tells which placements of a column fit between the rows, for every set
// of its cells that the rows cover.
type fitTable struct {
	n      int      // placements
	set    []uint64 // by mask: the placements that fit
	count  []uint32 // by mask: how many
	groups []uint32 // by mask: the number of groups joined by steps
	splits bool     // whether there are several groups for any mask
	// label[mask*n+p] is the group of placement p, member[mask*n+g] the set of group
	// g.
	label  []uint8
	member []uint64
	// reach[mask*n+p] is the set of placements one move from placement p, and into that of
	// those for which a vehicle enters the cell of the primary's row.
	reach, into []uint64
	// Where the vehicles can be: starts is by mask, nil if nothing fits, starting by mask and
	// group as in member, and single by placement.
	starts, starting, single []*relevance.Start
	// stuck is, by mask, the placements that cover the cell of the primary's row and cannot
	// be left for one that does not.
	stuck []uint64

	spreads map[int][]uint64 // by stride, of bits
}

func newFitTable(l *line, exit int, inSteps bool) *fitTable {
	n := len(l.placements)
	if n > placementsMax {
		return nil // the rules ensure that this is never used
	}
	masks := 1 << l.size
	t := &fitTable{
		n: n, set: make([]uint64, masks), count: make([]uint32, masks), groups: make([]uint32, masks),
		label: make([]uint8, masks*n), member: make([]uint64, masks*n), starts: make([]*relevance.Start, masks),
		reach: make([]uint64, masks*n), into: make([]uint64, masks*n),
		starting: make([]*relevance.Start, masks*n),
		stuck:    make([]uint64, masks), spreads: make(map[int][]uint64),
	}
	covering := l.covering(exit)
	for p := range l.placements {
		t.single = append(t.single, l.asks.Start(l.intervals(1<<p)))
	}
	for m := range masks {
		for p := range l.placements {
			if l.placements[p].cells&uint32(m) == 0 {
				t.set[m] |= 1 << p
			}
		}
		t.count[m] = uint32(bits.OnesCount64(t.set[m]))
		if t.set[m] != 0 {
			t.starts[m] = l.asks.Start(l.intervals(t.set[m]))
		}
		for rest := t.set[m]; rest != 0; {
			group := rest & -rest
			for {
				grown := group
				for v := range l.next {
					for d := range l.next[v] {
						for g := group; g != 0; g &= g - 1 {
							if to := l.next[v][d][bits.TrailingZeros64(g)]; to >= 0 {
								grown |= 1 << to & t.set[m]
							}
						}
					}
				}
				if grown == group {
					break
				}
				group = grown
			}
			g := t.groups[m]
			t.member[m*n+int(g)] = group
			t.starting[m*n+int(g)] = l.asks.Start(l.intervals(group))
			if group&^covering == 0 {
				t.stuck[m] |= group
			}
			for set := group; set != 0; set &= set - 1 {
				t.label[m*n+bits.TrailingZeros64(set)] = uint8(g)
			}
			t.groups[m]++
			rest &^= group
		}
		t.splits = t.splits || t.groups[m] > 1
		for set := t.set[m]; set != 0; set &= set - 1 {
			t.move(l, m, bits.TrailingZeros64(set), exit, inSteps)
		}
	}
	return t
}

// move fills reach and into for a placement.
func (t *fitTable) move(l *line, mask, from, exit int, inSteps bool) {
	at := mask*t.n + from
	for v := range l.next {
		for d, next := range l.next[v] {
			entered := false
			for p := from; next[p] >= 0 && t.set[mask]>>next[p]&1 != 0; p = int(next[p]) {
				entered = entered || l.entered(v, d, p) == exit
				t.reach[at] |= 1 << next[p]
				if entered {
					t.into[at] |= 1 << next[p]
				}
				if inSteps {
					break
				}
			}
		}
	}
}

// intervals returns the first and last position of each vehicle over a set of
// placements.
func (l *line) intervals(set uint64) (all [][2]int8) {
	for v := range l.lengths {
		at := [2]int8{int8(l.size), -1}
		for rest := set; rest != 0; rest &= rest - 1 {
			s := int8(l.placements[bits.TrailingZeros64(rest)].starts[v])
			at = [2]int8{min(at[0], s), max(at[1], s)}
		}
		all = append(all, at)
	}
	return all
}

// placementsMax bounds the placements of a column: they are bits of a word.
const placementsMax = 64

// spreadMax bounds the placements of a column whose spreads are tabulated.
const spreadMax = 8

// spread returns a table by set of placements: the set's bits, stride apart. It is
// nil if there are too many sets.
func (t *fitTable) spread(stride int) []uint64 {
	if t.n > spreadMax || stride > wordBits {
		return nil
	}
	if have, ok := t.spreads[stride]; ok {
		return have
	}
	table := make([]uint64, 1<<t.n)
	for set := range table {
		table[set] = spreadBits(uint64(set), stride)
	}
	t.spreads[stride] = table
	return table
}

func (t *fitTable) memberOf(mask uint8, group int) uint64 { return t.member[int(mask)*t.n+group] }

func (t *fitTable) startOf(mask uint8, group int) *relevance.Start {
	return t.starting[int(mask)*t.n+group]
}

func (t *fitTable) sizeOf(mask uint8, group int) uint64 {
	return uint64(bits.OnesCount64(t.memberOf(mask, group)))
}

// someOf returns a placement of a group.
func (t *fitTable) someOf(mask uint8, group int) int {
	return bits.TrailingZeros64(t.memberOf(mask, group))
}

func (t *fitTable) groupOf(mask uint8, p int) uint8 { return t.label[int(mask)*t.n+p] }

// join calls f with each pair of groups that have a placement in common, for two sets of
// cells that the rows cover, of which one contains the other.
func (t *fitTable) join(x, y uint8, f func(g, h int32)) {
	switch {
	case x == y:
		for g := range int32(t.groups[x]) {
			f(g, g)
		}
	case x&y == y: // a cell becomes free: each group of x grows
		for g := range int32(t.groups[x]) {
			f(g, int32(t.groupOf(y, t.someOf(x, int(g)))))
		}
	default:
		for h := range int32(t.groups[y]) {
			f(int32(t.groupOf(x, t.someOf(y, int(h)))), h)
		}
	}
}
