// Package walk finds the way of the player between two boards, for films.
package walk

import (
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// Way returns the cells that the player goes through between two boards: to beside the
// box that it pushes, and then to its new cell. It is nil if the player takes one step,
// or there is no way.
func Way(from, to *puzzle.Picture) []puzzle.Cell {
	start, ok := playerAt(from)
	end, there := playerAt(to)
	if !ok || !there || from.Rows != to.Rows || from.Cols != to.Cols {
		return nil
	}
	goal := end
	if box, ok := pushed(from, to, end); ok { // from the other side
		goal = puzzle.Cell{Row: 2*end.Row - box.Row, Col: 2*end.Col - box.Col}
	}
	before := map[puzzle.Cell]puzzle.Cell{start: start}
	full := others(from)
	for queue := []puzzle.Cell{start}; len(queue) > 0; queue = queue[1:] {
		c := queue[0]
		for _, n := range []puzzle.Cell{{Row: c.Row, Col: c.Col + 1}, {Row: c.Row, Col: c.Col - 1}, {Row: c.Row + 1, Col: c.Col}, {Row: c.Row - 1, Col: c.Col}} {
			if _, seen := before[n]; seen || full[n] || solid(from, n) {
				continue
			}
			before[n] = c
			queue = append(queue, n)
		}
	}
	if _, reached := before[goal]; !reached {
		return nil
	}
	var way []puzzle.Cell
	if goal != end {
		way = append(way, end)
	}
	for at := goal; ; at = before[at] {
		way = append(way, at)
		if at == start {
			break
		}
	}
	if len(way) < 3 {
		return nil
	}
	slices.Reverse(way)
	return way
}

func playerAt(p *puzzle.Picture) (puzzle.Cell, bool) {
	for i := range p.Pieces {
		if q := &p.Pieces[i]; q.Kind == puzzle.PiecePlayer && q.Sprite == nil {
			return q.Cells[0], true
		}
	}
	return puzzle.Cell{}, false
}

// others returns the cells of all pieces but the player.
func others(p *puzzle.Picture) map[puzzle.Cell]bool {
	cells := map[puzzle.Cell]bool{}
	for i := range p.Pieces {
		if p.Pieces[i].Kind != puzzle.PiecePlayer {
			for _, c := range p.Pieces[i].Cells {
				cells[c] = true
			}
		}
	}
	return cells
}

// pushed returns where the box is then that was on a cell before, if it is the only
// piece that has moved.
func pushed(from, to *puzzle.Picture, cell puzzle.Cell) (puzzle.Cell, bool) {
	before, now := others(from), others(to)
	if !before[cell] || now[cell] {
		return puzzle.Cell{}, false
	}
	var came []puzzle.Cell
	for c := range now {
		if !before[c] {
			came = append(came, c)
		}
	}
	if len(came) != 1 {
		return puzzle.Cell{}, false
	}
	return came[0], true
}

// solid reports whether nothing can be on a cell.
func solid(p *puzzle.Picture, c puzzle.Cell) bool {
	if c.Row < 0 || c.Col < 0 || c.Row >= p.Rows || c.Col >= p.Cols {
		return true
	}
	g := p.Ground[c.Row*p.Cols+c.Col]
	return g == puzzle.GroundNone || g == puzzle.GroundWall
}
