package flat

import (
	"math"
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// A Shape is where the places of a puzzle lie. A nil Shape is a row.
type Shape struct {
	rows, cols int
	cells      []puzzle.Cell // by place
	spots      []puzzle.Spot // by cell; nil on a grid
	rings      []puzzle.Ring
	numbered   bool
}

// pitch is the distance of neighbours on a ring, in cells.
const pitch = 1.04

// nearest is the least distance of places, in cells.
const nearest = 0.96

// Of returns the shape of a puzzle with the given moves, or nil if they give none: the
// piece that move m brings to place i was at place moves[m][i]. All moves have the same
// number of places.
func Of(moves [][]uint8) *Shape {
	if len(moves) == 0 {
		return nil
	}
	places := len(moves[0])
	cycles := cyclesOf(moves)
	for _, try := range []func([][]int, int) *Shape{grid, oneRing, apart, touching, crossing} {
		if s := try(cycles, places); s != nil && s.clear() {
			s.turntables(moves)
			return s.moved()
		}
	}
	return nil
}

// Ring returns the shape of a ring of places that moves call by their numbers.
func Ring(places int) *Shape {
	order := make([]int, places)
	for i := range order {
		order[i] = i
	}
	s := onSpots(places)
	s.circle(order, puzzle.Spot{}, radius(places), -math.Pi/2, 1)
	s.numbered = true
	return s.moved()
}

// Picture draws a state: the word and the colour of the piece at each place. Pieces are
// in the order of their colours, so that each keeps its number when it moves.
func (s *Shape) Picture(words []string, colours []uint8) *puzzle.Picture {
	n := len(words)
	p := &puzzle.Picture{Rows: 1, Cols: n}
	if s != nil {
		p.Rows, p.Cols, p.Spots, p.Rings, p.Numbered = s.rows, s.cols, s.spots, s.rings, s.numbered
	}
	p.Ground = make([]puzzle.Ground, p.Rows*p.Cols)
	for i, word := range words {
		at := puzzle.Cell{Row: 0, Col: i}
		if s != nil {
			at = s.cells[i]
		}
		p.Pieces = append(p.Pieces, puzzle.Piece{
			Kind: puzzle.PieceTile, Cells: []puzzle.Cell{at}, Label: word, Colour: int(colours[i]),
		})
	}
	if s != nil {
		slices.SortStableFunc(p.Pieces, func(a, b puzzle.Piece) int { return a.Colour - b.Colour })
	}
	return p
}

// Stack draws bars on one another, the top first: a bar of a greater colour is two cells
// longer than the one before it.
func Stack(words []string, colours []uint8) *puzzle.Picture {
	size := len(words)
	p := &puzzle.Picture{Rows: size, Cols: 2*size - 1}
	p.Ground = make([]puzzle.Ground, p.Rows*p.Cols)
	for i, word := range words {
		n := int(colours[i])
		disc := puzzle.Piece{Kind: puzzle.PieceDisc, Label: word, Colour: n}
		for col := size - 1 - n; col < size+n; col++ {
			disc.Cells = append(disc.Cells, puzzle.Cell{Row: i, Col: col})
		}
		p.Pieces = append(p.Pieces, disc)
	}
	return p
}

// cyclesOf returns the cycles of the moves that are one cycle of three or more places,
// in the order in which pieces go round; one cycle for all moves of the same places.
func cyclesOf(moves [][]uint8) [][]int {
	var cycles [][]int
	var seen [][]int // their places in order
	for _, from := range moves {
		cycle := cycleOf(from)
		places := slices.Sorted(slices.Values(cycle))
		if len(cycle) < 3 || slices.ContainsFunc(seen, func(other []int) bool { return slices.Equal(other, places) }) {
			continue
		}
		cycles, seen = append(cycles, cycle), append(seen, places)
	}
	return cycles
}

// cycleOf returns the one cycle of a move, from its least place, or nil.
func cycleOf(from []uint8) []int {
	var cycle []int
	for first := range from {
		if int(from[first]) == first || slices.Contains(cycle, first) {
			continue
		}
		if cycle != nil {
			return nil
		}
		for at := first; ; {
			cycle = append(cycle, at)
			if at = slices.Index(from, uint8(at)); at == first {
				break
			}
		}
	}
	return cycle
}

// grid finds rows and columns: each place is in one cycle of both, and each of the rows
// meets each of the columns.
func grid(cycles [][]int, places int) *Shape {
	if len(cycles) < 4 {
		return nil
	}
	row := cycles[0]
	across := func(a, b []int) bool { // they have one place in common
		return len(common(a, b)) == 1
	}
	var rows, cols [][]int
	for _, c := range cycles {
		if across(row, c) {
			cols = append(cols, c)
		} else {
			rows = append(rows, c)
		}
	}
	if len(cols) != len(row) || len(rows)*len(cols) != places {
		return nil
	}
	slices.SortFunc(cols, func(a, b []int) int {
		return slices.Index(row, common(a, row)[0]) - slices.Index(row, common(b, row)[0])
	})
	first := rotated(cols[0], row[0])
	if len(first) != len(rows) {
		return nil
	}
	s := &Shape{rows: len(rows), cols: len(cols), cells: make([]puzzle.Cell, places)}
	for _, own := range rows {
		for j, col := range cols {
			at := common(own, col)
			if len(at) != 1 {
				return nil
			}
			s.cells[at[0]] = puzzle.Cell{Row: slices.Index(first, common(own, cols[0])[0]), Col: j}
		}
	}
	return s
}

func common(a, b []int) []int {
	var both []int
	for _, place := range a {
		if slices.Contains(b, place) {
			both = append(both, place)
		}
	}
	return both
}

// rotated returns a cycle from one of its places on.
func rotated(cycle []int, first int) []int {
	at := slices.Index(cycle, first)
	return slices.Concat(cycle[at:], cycle[:at])
}

// looseMax bounds the places on no ring.
const looseMax = 2

// loose returns the places that lie on none of the cycles.
func loose(cycles [][]int, places int) []int {
	var out []int
	for place := range places {
		if !slices.ContainsFunc(cycles, func(c []int) bool { return slices.Contains(c, place) }) {
			out = append(out, place)
		}
	}
	return out
}

// oneRing finds a ring of nearly all places. The others lie in its middle.
func oneRing(cycles [][]int, places int) *Shape {
	for _, c := range cycles {
		rest := loose([][]int{c}, places)
		if len(rest) > looseMax || len(c) < 6 {
			continue
		}
		s := onSpots(places)
		s.circle(c, puzzle.Spot{}, radius(len(c)), -math.Pi/2, 1)
		s.row(rest, puzzle.Spot{})
		return s
	}
	return nil
}

// apart finds rings that have nothing in common. They lie side by side.
func apart(cycles [][]int, places int) *Shape {
	rest := loose(cycles, places)
	if len(cycles) < 2 || len(rest) > looseMax {
		return nil
	}
	s := onSpots(places)
	x, low := 0.0, 0.0
	for i, c := range cycles {
		for _, other := range cycles[:i] {
			if len(common(c, other)) > 0 {
				return nil
			}
		}
		r := radius(len(c))
		// A place is not at the top, but the gap between the last and the first.
		s.circle(c, puzzle.Spot{X: x + r, Y: 0}, r, math.Pi/float64(len(c))-math.Pi/2, 1)
		x, low = x+2*r+1.5*pitch, max(low, r)
	}
	s.row(rest, puzzle.Spot{X: x/2 - 0.75*pitch, Y: low})
	return s
}

// touching finds two rings that share a place.
func touching(cycles [][]int, places int) *Shape {
	if len(cycles) != 2 || len(loose(cycles, places)) > 0 || len(common(cycles[0], cycles[1])) != 1 {
		return nil
	}
	both := common(cycles[0], cycles[1])[0]
	a, b := rotated(cycles[0], both), rotated(cycles[1], both)
	s := onSpots(places)
	s.circle(a, puzzle.Spot{X: -radius(len(a))}, radius(len(a)), 0, 1)
	s.circle(b, puzzle.Spot{X: radius(len(b))}, radius(len(b)), math.Pi, 1)
	return s
}

// crossing finds two rings that share two places, where they cross.
func crossing(cycles [][]int, places int) *Shape {
	if len(cycles) != 2 || len(loose(cycles, places)) > 0 {
		return nil
	}
	both := common(cycles[0], cycles[1])
	if len(both) != 2 {
		return nil
	}
	s := onSpots(places)
	high := 0.0 // half the distance of the crossings
	for _, c := range cycles {
		high = max(high, radius(len(c))*math.Sin(inner(c, both)))
	}
	for i, c := range cycles {
		half := inner(c, both)
		r := high / math.Sin(half)
		x, begin, way := -r*math.Cos(half), -half, 1.0
		if i == 1 {
			x, begin, way = -x, math.Pi+half, -1
		}
		c = rotated(c, both[0])
		if 2*slices.Index(c, both[1]) > len(c) {
			way = -way
		}
		s.circle(c, puzzle.Spot{X: x}, r, begin, way)
	}
	return s
}

// inner returns half the angle of the shorter arc of a ring between two places.
func inner(cycle, both []int) float64 {
	n := slices.Index(rotated(cycle, both[0]), both[1])
	return math.Pi * float64(min(n, len(cycle)-n)) / float64(len(cycle))
}

func radius(places int) float64 { return pitch / (2 * math.Sin(math.Pi/float64(places))) }

// onSpots returns a shape whose places are the cells of a row, and lie anywhere.
func onSpots(places int) *Shape {
	s := &Shape{rows: 1, cols: places, spots: make([]puzzle.Spot, places)}
	for i := range places {
		s.cells = append(s.cells, puzzle.Cell{Row: 0, Col: i})
	}
	return s
}

// circle lays places on a ring, the first at an angle, clockwise if way is 1.
func (s *Shape) circle(order []int, middle puzzle.Spot, r, first, way float64) {
	for i, place := range order {
		sin, cos := math.Sincos(first + way*2*math.Pi*float64(i)/float64(len(order)))
		s.spots[place] = puzzle.Spot{X: middle.X + r*cos, Y: middle.Y + r*sin}
	}
	s.rings = append(s.rings, puzzle.Ring{Middle: middle, Radius: r})
}

// row lays places side by side.
func (s *Shape) row(places []int, middle puzzle.Spot) {
	for i, place := range places {
		s.spots[place] = puzzle.Spot{X: middle.X + pitch*(float64(i)-float64(len(places)-1)/2), Y: middle.Y}
	}
}

// clear makes room between places of different rings that lie on each other in part. It
// reports false if that would take too much room.
func (s *Shape) clear() bool {
	least := nearest
	for i, a := range s.spots {
		for _, b := range s.spots[:i] {
			least = min(least, math.Hypot(a.X-b.X, a.Y-b.Y))
		}
	}
	const widest = 1.6
	by := nearest / max(least, 1e-9)
	for i := range s.spots {
		s.spots[i] = puzzle.Spot{X: by * s.spots[i].X, Y: by * s.spots[i].Y}
	}
	for i, r := range s.rings {
		s.rings[i] = puzzle.Ring{Middle: puzzle.Spot{X: by * r.Middle.X, Y: by * r.Middle.Y}, Radius: by * r.Radius}
	}
	return by <= widest
}

// turntables adds a disc below the places of a single ring that a move reverses, as the
// toy has it.
func (s *Shape) turntables(moves [][]uint8) {
	if len(s.rings) != 1 {
		return
	}
	order := s.around()
	for _, from := range moves {
		for first := range order {
			n := reversed(order, first, from)
			if n < 2 || 3*n > len(order) { // a larger disc would hide the ring
				continue
			}
			a, b := s.spots[order[first]], s.spots[order[(first+n-1)%len(order)]]
			s.rings = append(s.rings, puzzle.Ring{
				Middle: puzzle.Spot{X: (a.X + b.X) / 2, Y: (a.Y + b.Y) / 2}, Radius: math.Hypot(a.X-b.X, a.Y-b.Y)/2 + 0.55, Disc: true,
			})
			return
		}
	}
}

// around returns the places of the only ring, clockwise.
func (s *Shape) around() []int {
	ring := s.rings[0]
	var order []int
	for place, at := range s.spots {
		if math.Abs(math.Hypot(at.X-ring.Middle.X, at.Y-ring.Middle.Y)-ring.Radius) < 1e-6 {
			order = append(order, place)
		}
	}
	angle := func(place int) float64 {
		return math.Atan2(s.spots[place].Y-ring.Middle.Y, s.spots[place].X-ring.Middle.X)
	}
	slices.SortFunc(order, func(a, b int) int {
		if angle(a) < angle(b) {
			return -1
		}
		return 1
	})
	return order
}

// reversed returns how many neighbours from the first on a move reverses, leaving all
// others where they are, or 0.
func reversed(order []int, first int, from []uint8) int {
	n := len(order)
	last := slices.Index(order, int(from[order[first]]))
	if last < 0 || last == first {
		return 0
	}
	long := (last-first+n)%n + 1
	moved := 0
	for place, was := range from {
		if int(was) != place {
			moved++
		}
	}
	if moved != long-long%2 {
		return 0
	}
	for i := range long {
		if int(from[order[(first+i)%n]]) != order[(first+long-1-i)%n] {
			return 0
		}
	}
	return long
}

// moved moves everything to the right and down until no coordinate of a piece is below 0.
func (s *Shape) moved() *Shape {
	least := puzzle.Spot{X: math.Inf(1), Y: math.Inf(1)}
	for _, at := range s.spots {
		least.X, least.Y = min(least.X, at.X-0.5), min(least.Y, at.Y-0.5)
	}
	for _, r := range s.rings {
		least.X, least.Y = min(least.X, r.Middle.X-r.Radius-0.5), min(least.Y, r.Middle.Y-r.Radius-0.5)
	}
	for i := range s.spots {
		s.spots[i].X, s.spots[i].Y = s.spots[i].X-least.X, s.spots[i].Y-least.Y
	}
	for i := range s.rings {
		s.rings[i].Middle.X, s.rings[i].Middle.Y = s.rings[i].Middle.X-least.X, s.rings[i].Middle.Y-least.Y
	}
	return s
}
