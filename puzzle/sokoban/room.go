package sokoban

import (
	"fmt"

	"github.com/everystate/everystate/puzzle"
)

// A Room is the walls and the floor of a level, and a number of boxes: what all levels
// with the same walls and number of boxes share. Its states are the keys of the metric
// push; it does not know which of them are solved.
//
// Sets of as many cells as there are boxes are numbered from 0. They serve as
// positions of the boxes and of the targets.
type Room struct {
	g *game
	// images are the reflections and rotations that map the floor to itself, as the
	// image of each cell. The first one is the identity.
	images [][]int16
}

// ReadRoom reads the room of the only level of a text, with its boxes and targets
// taken as floor. The player marks the floor that is meant, and may be left out if
// walls enclose only one. An error of the text is a *puzzle.InputError.
func ReadRoom(text []byte, boxes int) (*Room, error) {
	r := newReader()
	if fault := r.readAll(text, puzzle.ReadOptions{}); fault != nil {
		return nil, fault
	}
	if len(r.levels) > 1 {
		return nil, r.levels[1].drawing.start().Faultf("a second level: a room is one level")
	}
	l, fault := newFloor(&r.levels[0].drawing)
	if fault != nil {
		return nil, fault
	}
	if boxes < 1 || boxes >= len(l.places) {
		return nil, &BoxesError{boxes, len(l.places)}
	}
	l.count = boxes
	g := &game{level: l, metric: metricPush, codec: newCodec(len(l.places), boxes)}
	images, _ := l.symmetries()
	return &Room{g, images}, nil
}

// A BoxesError reports that a number of boxes is less than 1, or leaves no cell of a
// room for the player.
type BoxesError struct{ Boxes, Cells int }

func (e *BoxesError) Error() string {
	if e.Cells < 2 {
		return "a room of 1 cell has no space for a box and the player"
	}
	return fmt.Sprintf("a room of %d cells has space for 1 to %s and the player", e.Cells, plural(e.Cells-1, "box"))
}

// newFloor interprets only the walls and floor of a drawing.
func newFloor(d *drawing) (*level, *puzzle.InputError) {
	men := 0
	for _, row := range d.rows {
		for i := range row {
			switch row[i].symbol {
			case player, playerOn:
				men++
			case wall:
			default:
				row[i].symbol = floor
			}
		}
	}
	var playerAt puzzle.Cell
	var fault *puzzle.InputError
	if men == 0 {
		playerAt, fault = d.closed()
	} else {
		playerAt, fault = d.player()
	}
	if fault != nil {
		return nil, fault
	}
	l, number, fault := d.layOut(playerAt)
	if fault != nil {
		return nil, fault
	}
	l.keepWalls(d, number)
	return l, nil
}

// closed finds the only floor that walls enclose, and returns its first cell.
func (d *drawing) closed() (first puzzle.Cell, fault *puzzle.InputError) {
	seen := map[puzzle.Cell]bool{}
	found := 0
	for row := range d.rows {
		for col := range d.rows[row] {
			here := puzzle.Cell{Row: row, Col: col}
			if d.at(here) == wall || seen[here] {
				continue
			}
			open := false
			seen[here] = true
			for queue := []puzzle.Cell{here}; len(queue) > 0; queue = queue[1:] {
				for dir := range directions {
					to := beside(queue[0], dir)
					switch {
					case d.at(to) == wall || seen[to]:
					case !d.inside(to):
						open = true
					default:
						seen[to] = true
						queue = append(queue, to)
					}
				}
			}
			if open {
				continue
			}
			if found++; found == 1 {
				first = here
			}
		}
	}
	switch found {
	case 0:
		return first, d.start().Faultf("no floor that walls # enclose on all sides")
	case 1:
		return first, nil
	}
	return first, d.start().Faultf("walls enclose %d floors: put the player @ into the one that you mean", found)
}

// symmetries lists the reflections and rotations that map the floor to itself.
func (l *level) symmetries() (images [][]int16, ways []int) {
	low, high := l.places[0], l.places[0]
	number := map[puzzle.Cell]int16{}
	for c, p := range l.places {
		low = puzzle.Cell{Row: min(low.Row, p.Row), Col: min(low.Col, p.Col)}
		high = puzzle.Cell{Row: max(high.Row, p.Row), Col: max(high.Col, p.Col)}
		number[p] = int16(c)
	}
	for way := range 8 {
		image := make([]int16, 0, len(l.places))
		for _, p := range l.places {
			to := puzzle.Cell{Row: p.Row - low.Row, Col: p.Col - low.Col}
			if way&4 != 0 {
				to.Row, to.Col = to.Col, to.Row
			}
			to.Row, to.Col = low.Row+to.Row, low.Col+to.Col
			if way&2 != 0 {
				to.Row = low.Row + high.Row - to.Row
			}
			if way&1 != 0 {
				to.Col = low.Col + high.Col - to.Col
			}
			if c, ok := number[to]; ok {
				image = append(image, c)
			}
		}
		if len(image) == len(l.places) {
			images, ways = append(images, image), append(ways, way)
		}
	}
	return images, ways
}

// Cells returns the number of cells of the floor.
func (r *Room) Cells() int { return r.g.cells }

// Boxes returns the number of boxes.
func (r *Room) Boxes() int { return r.g.count }

// Sets returns the number of sets of cells, or 0 if keys are not ranks in one word.
func (r *Room) Sets() uint64 {
	if !r.g.ranked {
		return 0
	}
	return r.g.ranks
}

// Keys returns a number greater than every key, or 0 if Sets does.
func (r *Room) Keys() uint64 { return r.Sets() * uint64(r.g.cells) }

// IsRepresentative reports whether a set of cells has the least number among its
// images under the reflections and rotations that map the floor to itself.
func (r *Room) IsRepresentative(set uint64) bool {
	var cells cellSet
	r.g.unrank(set, &cells)
	for _, image := range r.images[1:] {
		var moved cellSet
		for c, to := range image {
			if cells.has(c) {
				moved.add(int(to))
			}
		}
		if r.g.rank(&moved) < set {
			return false
		}
	}
	return true
}

// On appends the keys of all states with the boxes on a set of cells, one for each
// region that the player may be in.
func (r *Room) On(set uint64, keys []uint64) []uint64 {
	var boxes cellSet
	r.g.unrank(set, &boxes)
	for _, least := range r.g.regions(&boxes) {
		keys = append(keys, set*uint64(r.g.cells)+uint64(least))
	}
	return keys
}

// Pulls appends all states from which a push leads to one of the given ones, as
// Predecessors does.
func (r *Room) Pulls(states []uint64, out *puzzle.Edges) { r.g.pulls(states, nil, out) }

// Level draws a state with targets on a set of cells, as Format does.
func (r *Room) Level(set, state uint64) string {
	with := *r.g.level
	with.targets = cellSet{}
	r.g.unrank(set, &with.targets)
	var boxes cellSet
	playerAt, _ := r.g.decode([]uint64{state}, &boxes)
	return with.draw(&boxes, playerAt)
}

// Drawing draws the room, empty except for the player in its first cell.
func (r *Room) Drawing() string { return r.g.draw(&cellSet{}, 0) }
