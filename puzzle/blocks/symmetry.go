package blocks

import (
	"fmt"
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// Symmetries returns the rotations and reflections of the floor that map the start and
// the goal to themselves. Interchangeable pieces may change places, and so may all
// pieces of two classes.
func (g *game) Symmetries(string) (*puzzle.Symmetries, error) {
	a := &action{game: g}
	s := &puzzle.Symmetries{SymmetryAction: a}
	for way, name := range wayNames {
		cells, ok := g.turned(way)
		if !ok || slices.ContainsFunc(a.turns, func(t turn) bool { return slices.Equal(t.cells, cells) }) {
			continue // a flip of a single row does nothing
		}
		if t, ok := g.turn(cells); ok {
			a.turns, s.Names = append(a.turns, t), append(s.Names, name)
		}
	}
	if len(a.turns) < 2 {
		return nil, &puzzle.InputError{What: "only the identity maps the walls, the start and the goal to themselves"}
	}
	p := newShaped(g)
	if p.moves > puzzle.MovesMax/len(a.turns) {
		return nil, &puzzle.InputError{What: fmt.Sprintf("%d moves of pieces, told apart by their shapes, and %d symmetries together are too many", p.moves, len(a.turns))}
	}
	a.rank()
	s.Puzzle, s.Cancels = p, p.cancels
	for i := range a.turns {
		s.Moves = append(s.Moves, p.images(&a.turns[i]))
		s.Inverse = append(s.Inverse, slices.IndexFunc(a.turns, func(other turn) bool {
			for cell, to := range a.turns[i].cells {
				if to >= 0 && int(other.cells[to]) != cell {
					return false
				}
			}
			return true
		}))
	}
	return s, nil
}

// wayNames names the ways of game.turned.
var wayNames = [...]string{"r0", "mirror", "flip", "r180", "diagonal", "r90", "r270", "antidiagonal"}

// turned returns the images of cells under one of eight ways to turn the smallest
// rectangle around the floor: rows and columns are exchanged first, and then each
// reversed. Those of walls are -1. It reports whether the floor is mapped to itself.
func (g *game) turned(way int) (cells []int16, ok bool) {
	low, high := cell{g.rows, g.cols}, cell{}
	for i, wall := range g.walls {
		if !wall {
			at := cell{i / g.cols, i % g.cols}
			low = cell{min(low.row, at.row), min(low.col, at.col)}
			high = cell{max(high.row, at.row), max(high.col, at.col)}
		}
	}
	cells = make([]int16, len(g.walls))
	for i, wall := range g.walls {
		cells[i] = -1
		if wall {
			continue
		}
		row, col := i/g.cols-low.row, i%g.cols-low.col
		if way&4 != 0 {
			row, col = col, row
		}
		row, col = low.row+row, low.col+col
		if way&2 != 0 {
			row = low.row + high.row - row
		}
		if way&1 != 0 {
			col = low.col + high.col - col
		}
		if row < low.row || row > high.row || col < low.col || col > high.col || g.walls[row*g.cols+col] {
			return nil, false
		}
		cells[i] = int16(row*g.cols + col)
	}
	return cells, true
}

// A turn is a rotation or reflection of the board.
type turn struct {
	cells  []int16   // the image of each cell, or -1
	from   []int     // by class: the class of which it is the image
	places [][]uint8 // by class: the image of each place, a place of the image's class

	// groups holds the image of each group of a ranking, if it is a group.
	groups []groupImage
}

// groupImage is the ranks of the images of a group's placements, and the shift of the
// group that they are placements of.
type groupImage struct {
	to    int
	shift int
	ranks []uint16
}

// turn returns a turn of the board, or false unless it maps the start and the goal to
// themselves. It is the start that says which class each one is mapped to.
func (g *game) turn(cells []int16) (t turn, ok bool) {
	t = turn{cells: cells, from: make([]int, len(g.classes)), places: make([][]uint8, len(g.classes))}
	for i := range t.from {
		t.from[i] = -1
	}
	var start placed
	g.decode(g.start[:g.layout.Words()], &start)
	for i, c := range g.classes {
		first := t.first(&c.places[start.of(c)[0]])
		to := slices.IndexFunc(g.classes, func(other *class) bool {
			at := other.at[first]
			return at >= 0 && slices.Contains(start.of(other), uint8(at))
		})
		if to < 0 || t.from[to] >= 0 || !t.setPlaces(i, c, g.classes[to]) {
			return t, false
		}
		t.from[to] = i
		if image := g.classes[to]; !t.maps(i, start.of(c), start.of(image)) || !t.maps(i, c.wants, image.wants) {
			return t, false
		}
	}
	return t, true
}

// first returns the first cell of the image of a place.
func (t *turn) first(p *place) int {
	first := cellsMax
	for at := p.cells.next(0); at >= 0; at = p.cells.next(at + 1) {
		first = min(first, int(t.cells[at]))
	}
	return first
}

// setPlaces sets the images of the places of a class, if they are places of another.
func (t *turn) setPlaces(i int, c, image *class) bool {
	if c.count != image.count || len(c.places) != len(image.places) {
		return false
	}
	for n := range c.places {
		p := &c.places[n]
		at := image.at[t.first(p)]
		if at < 0 {
			return false
		}
		var cells mask
		for from := p.cells.next(0); from >= 0; from = p.cells.next(from + 1) {
			cells.add(int(t.cells[from]))
		}
		if image.places[at].cells != cells {
			return false
		}
		t.places[i] = append(t.places[i], uint8(at))
	}
	return true
}

// maps reports whether places of a class are mapped onto others.
func (t *turn) maps(i int, places, images []uint8) bool {
	for _, at := range places {
		if !slices.Contains(images, t.places[i][at]) {
			return false
		}
	}
	return len(places) == len(images)
}
