package play

import (
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// arrow is a direction in which a piece is moved.
type arrow struct{ row, col int }

// arrows are the keys that move a piece.
var arrows = map[string]arrow{"up": {-1, 0}, "down": {1, 0}, "left": {0, -1}, "right": {0, 1}}

// pictureOf returns a state as a picture, or nil if the puzzle has none.
func pictureOf(p puzzle.Puzzle, state []uint64) *puzzle.Picture {
	if pictured, ok := p.(puzzle.Pictured); ok {
		return pictured.Picture(state)
	}
	return nil
}

// shift is how a piece moves between two pictures.
type shift struct {
	piece    int // its number in the first picture
	row, col int // by how much
}

// shifted finds the one piece that has left cells, and how far it went. If a piece
// was pushed, the pusher counts.
func shifted(before, after *puzzle.Picture) (shift, bool) {
	there := map[puzzle.Cell]bool{}
	for i := range after.Pieces {
		for _, c := range after.Pieces[i].Cells {
			there[c] = true
		}
	}
	for i := range before.Pieces {
		piece := &before.Pieces[i]
		for _, c := range piece.Cells {
			if there[c] {
				continue
			}
			if to, ok := arrived(piece, before, after); ok {
				return shift{i, to.Row - piece.Cells[0].Row, to.Col - piece.Cells[0].Col}, true
			}
			return shift{}, false
		}
	}
	return shift{}, false
}

// arrived finds the new first cell of a piece that has moved: the first cell of a
// piece of its shape and colour where there was none before.
func arrived(piece *puzzle.Piece, before, after *puzzle.Picture) (puzzle.Cell, bool) {
	stood := func(p *puzzle.Piece) bool {
		return slices.ContainsFunc(before.Pieces, func(old puzzle.Piece) bool { return same(&old, p) && slices.Equal(old.Cells, p.Cells) })
	}
	for i := range after.Pieces {
		if p := &after.Pieces[i]; same(piece, p) && len(p.Cells) == len(piece.Cells) && !stood(p) {
			return p.Cells[0], true
		}
	}
	return puzzle.Cell{}, false
}

// same reports whether two pieces differ only in where they are.
func same(a, b *puzzle.Piece) bool {
	return a.Kind == b.Kind && a.Colour == b.Colour && a.Goal == b.Goal
}

// along returns how far a shift goes in a direction, or 0 if it goes in another
// too.
func (a arrow) along(s shift) int {
	if s.row*a.col != 0 || s.col*a.row != 0 {
		return 0
	}
	return max(0, s.row*a.row+s.col*a.col)
}

// changes counts the pieces that are where none of their kind was before.
func changes(before, after *puzzle.Picture) int {
	stood := map[puzzle.Cell]int{}
	for i := range before.Pieces {
		stood[before.Pieces[i].Cells[0]] = before.Pieces[i].Colour + 1
	}
	n := 0
	for i := range after.Pieces {
		if stood[after.Pieces[i].Cells[0]] != after.Pieces[i].Colour+1 {
			n++
		}
	}
	return n
}

// push finds the move that takes a piece the shortest way in a direction: the
// selected piece or, if none is, the only one that can go there.
func push(p puzzle.Puzzle, state []uint64, selected int, to arrow) (move choice, moved shift, found, several bool) {
	before := pictureOf(p, state)
	if before == nil {
		return choice{}, shift{}, false, false
	}
	least := 0 // by distance, then by pieces moved: one tile rather than a whole row
	for _, c := range choices(p, state) {
		after := pictureOf(p, c.state)
		s, ok := shifted(before, after)
		distance := to.along(s)
		if !ok || distance == 0 || selected >= 0 && s.piece != selected {
			continue
		}
		const piecesMax = 1 << 16
		cost := distance*piecesMax + changes(before, after)
		switch {
		case !found || cost < least:
			several = false
			move, moved, least, found = c, s, cost, true
		case cost == least && s.piece != moved.piece:
			several = true
		}
	}
	return move, moved, found, several
}

// selectable returns the pieces that some move moves.
func selectable(p puzzle.Puzzle, state []uint64) []int {
	before := pictureOf(p, state)
	if before == nil {
		return nil
	}
	var pieces []int
	for _, c := range choices(p, state) {
		if s, ok := shifted(before, pictureOf(p, c.state)); ok && !slices.Contains(pieces, s.piece) {
			pieces = append(pieces, s.piece)
		}
	}
	slices.Sort(pieces)
	return pieces
}

// labelled returns the piece with a label, or -1.
func labelled(pic *puzzle.Picture, label string) int {
	if pic == nil {
		return -1
	}
	return slices.IndexFunc(pic.Pieces, func(p puzzle.Piece) bool { return p.Label == label })
}

// standing returns the piece whose first cell is first, or -1.
func standing(pic *puzzle.Picture, first puzzle.Cell) int {
	return slices.IndexFunc(pic.Pieces, func(p puzzle.Piece) bool { return p.Cells[0] == first })
}
