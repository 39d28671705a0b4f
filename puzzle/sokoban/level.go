package sokoban

import (
	"slices"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
)

// What a square of a drawing shows.
const (
	wall     = '#'
	floor    = ' '
	target   = '.'
	box      = '$'
	boxOn    = '*' // a box on a target
	player   = '@'
	playerOn = '+' // the player on a target
)

// square is one square of a drawing and its column in the input.
type square struct {
	symbol byte
	column int
}

// drawing is a level as rows of squares, which may be ragged.
type drawing struct {
	rows    [][]square
	lines   []int // line of each row in the input
	squares int
}

// at returns the symbol of a square, which is floor beyond the ends of the rows.
func (d *drawing) at(p puzzle.Cell) byte {
	if p.Row < 0 || p.Row >= len(d.rows) || p.Col < 0 || p.Col >= len(d.rows[p.Row]) {
		return floor
	}
	return d.rows[p.Row][p.Col].symbol
}

// inside reports whether a square is within the drawing.
func (d *drawing) inside(p puzzle.Cell) bool {
	return p.Row >= 0 && p.Row < len(d.rows) && p.Col >= 0 && p.Col < len(d.rows[p.Row])
}

// faultf makes an input error at a square.
func (d *drawing) faultf(p puzzle.Cell, format string, args ...any) *puzzle.InputError {
	return boardfile.Piece{Line: d.lines[p.Row], Column: d.rows[p.Row][p.Col].column}.Faultf(format, args...)
}

// start returns the position where the drawing begins.
func (d *drawing) start() boardfile.Piece {
	return boardfile.Piece{Line: d.lines[0], Column: 1}
}

// beside returns the next square in a direction.
func beside(p puzzle.Cell, d direction) puzzle.Cell {
	switch d {
	case up:
		p.Row--
	case down:
		p.Row++
	case left:
		p.Col--
	default:
		p.Col++
	}
	return p
}

// level is a drawing interpreted: the cells that the player can walk to if there are
// no boxes, and what is on them.
type level struct {
	walls   [][]byte // rows of fixed squares, without floor at their ends
	cols    int      // of the longest row
	places  []puzzle.Cell
	next    [directions][]int16 // by cell: the next cell, or -1
	targets cellSet
	boxes   cellSet
	player  int
	count   int // boxes; targets are as many
	outside int // boxes and targets that the player cannot reach
}

// newLevel interprets a drawing.
func newLevel(d *drawing) (*level, *puzzle.InputError) {
	playerAt, fault := d.player()
	if fault != nil {
		return nil, fault
	}
	l, number, fault := d.layOut(playerAt)
	if fault != nil {
		return nil, fault
	}
	targets := 0
	for row, squares := range d.rows {
		for col, s := range squares {
			isBox := s.symbol == box || s.symbol == boxOn
			isTarget := s.symbol == target || s.symbol == boxOn || s.symbol == playerOn
			c := number[row][col] - 1
			if c < 0 {
				if isBox || isTarget {
					l.outside++
				}
				continue
			}
			if isBox {
				l.boxes.add(c)
				l.count++
			}
			if isTarget {
				l.targets.add(c)
				targets++
			}
		}
	}
	switch {
	case l.count == 0 && targets == 0:
		return nil, d.start().Faultf("no box: a level has at least one $ and one target .")
	case l.count != targets:
		return nil, d.start().Faultf("%s and %s within the player's reach: must be equally many", plural(l.count, "box"), plural(targets, "target"))
	}
	l.keepWalls(d, number)
	return l, nil
}

// layOut makes a level of the cells that a player can walk to, with nothing on them,
// and returns their numbers as findCells does.
func (d *drawing) layOut(playerAt puzzle.Cell) (*level, [][]int, *puzzle.InputError) {
	d.crop(&playerAt)
	l := &level{}
	number, fault := l.findCells(d, playerAt)
	if fault != nil {
		return nil, nil, fault
	}
	l.player = number[playerAt.Row][playerAt.Col] - 1
	return l, number, nil
}

// player finds the only player.
func (d *drawing) player() (playerAt puzzle.Cell, fault *puzzle.InputError) {
	found := false
	for row, squares := range d.rows {
		for col, s := range squares {
			if s.symbol != player && s.symbol != playerOn {
				continue
			}
			here := puzzle.Cell{Row: row, Col: col}
			if found {
				return playerAt, d.faultf(here, "a second player: the first is in line %d", d.lines[playerAt.Row])
			}
			playerAt, found = here, true
		}
	}
	if !found {
		return playerAt, d.start().Faultf("no player: a level has one @, or + on a target")
	}
	return playerAt, nil
}

// crop drops everything beyond rows of nothing but floor: a closed level has no such
// row, and when written, it would end the level.
func (d *drawing) crop(playerAt *puzzle.Cell) {
	first, last := playerAt.Row, playerAt.Row
	for first > 0 && !blank(d.rows[first-1]) {
		first--
	}
	for last+1 < len(d.rows) && !blank(d.rows[last+1]) {
		last++
	}
	d.rows, d.lines = d.rows[first:last+1], d.lines[first:last+1]
	playerAt.Row -= first
}

// blank reports whether a row is nothing but floor.
func blank(row []square) bool {
	return !slices.ContainsFunc(row, func(s square) bool { return s.symbol != floor })
}

// findCells walks from the player through everything but walls, and numbers the cells
// it reaches row by row. The numbers returned count from 1; 0 is not a cell.
func (l *level) findCells(d *drawing, playerAt puzzle.Cell) ([][]int, *puzzle.InputError) {
	number := make([][]int, len(d.rows))
	for row := range number {
		number[row] = make([]int, len(d.rows[row]))
	}
	number[playerAt.Row][playerAt.Col] = 1
	queue := []puzzle.Cell{playerAt}
	for i := 0; i < len(queue); i++ {
		if len(queue) > cellsMax {
			return nil, d.start().Faultf("the player can reach more than %d cells, the maximum", cellsMax)
		}
		for dir := range directions {
			to := beside(queue[i], dir)
			switch {
			case d.at(to) == wall:
			case !d.inside(to):
				return nil, d.faultf(queue[i], "the level is not closed: the player can leave here, going %s; walls are #", dir)
			case number[to.Row][to.Col] == 0:
				number[to.Row][to.Col] = 1
				queue = append(queue, to)
			}
		}
	}
	for row := range number {
		for col := range number[row] {
			if number[row][col] != 0 {
				l.places = append(l.places, puzzle.Cell{Row: row, Col: col})
				number[row][col] = len(l.places)
			}
		}
	}
	for dir := range l.next {
		l.next[dir] = make([]int16, len(l.places))
		for c, p := range l.places {
			to := beside(p, direction(dir))
			l.next[dir][c] = -1
			if d.at(to) != wall {
				l.next[dir][c] = int16(number[to.Row][to.Col] - 1)
			}
		}
	}
	return number, nil
}

// keepWalls keeps the fixed squares: walls, and whatever the player cannot reach.
func (l *level) keepWalls(d *drawing, number [][]int) {
	for i, squares := range d.rows {
		var row []byte
		for col, s := range squares {
			if number[i][col] != 0 || s.symbol == floor {
				continue
			}
			for len(row) < col {
				row = append(row, floor)
			}
			row = append(row, s.symbol)
		}
		l.walls = append(l.walls, row)
		l.cols = max(l.cols, len(row))
	}
}

// draw returns a state as text. Empty cells are drawn as floor.
func (l *level) draw(boxes *cellSet, playerAt int) string {
	rows := make([][]byte, len(l.walls))
	size := len(rows)
	for i, walls := range l.walls {
		rows[i] = append([]byte(nil), walls...)
		size += len(walls)
	}
	for c, p := range l.places {
		symbols := [...]byte{floor, box, player}
		if l.targets.has(c) {
			symbols = [...]byte{target, boxOn, playerOn}
		}
		what := 0
		switch {
		case boxes.has(c):
			what = 1
		case c == playerAt:
			what = 2
		}
		rows[p.Row][p.Col] = symbols[what]
	}
	text := make([]byte, 0, size)
	for i, row := range rows {
		if i > 0 {
			text = append(text, '\n')
		}
		text = append(text, row...)
	}
	return string(text)
}
