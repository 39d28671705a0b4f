package blocks

import (
	"fmt"
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
)

// readGoal reads the value of the header goal: positions of pieces, or a picture.
func (s *setup) readGoal(value boardfile.Piece) *puzzle.InputError {
	if value.Text == "" {
		return value.Faultf("the goal is empty: must be like A at r4c2 (row 4, column 2), or a picture of the board")
	}
	if f := value.Fields(); len(f) >= 2 && strings.EqualFold(f[1].Text, "at") {
		return s.readPlaces(value)
	}
	return s.readPattern(value)
}

// readPlaces reads "A at r4c2; B at r1c1".
func (s *setup) readPlaces(value boardfile.Piece) *puzzle.InputError {
	s.own = ""
	for _, part := range value.Split(';') {
		f := part.Fields()
		if len(f) < 3 || len(f[0].Text) != 1 || !strings.EqualFold(f[1].Text, "at") {
			return part.Faultf("cannot read the goal %s: must be like A at r4c2 (row 4, column 2), several separated by ;", boardfile.Quote(part.Text))
		}
		i := s.find(f[0].Text[0])
		if i < 0 {
			return f[0].Faultf("the board has no piece %s", boardfile.Quote(f[0].Text))
		}
		p := s.pieces[i]
		if strings.IndexByte(s.own, p.symbol) >= 0 {
			return f[0].Faultf("piece %c has two goals", p.symbol)
		}
		s.own += string(p.symbol)
		numbers := f[2].From(0)
		numbers.Text = part.Text[f[2].Column-part.Column:]
		first, fault := s.readPlace(p, numbers)
		if fault != nil {
			return fault
		}
		s.goal = append(s.goal, piece{p.symbol, p.shape, first})
	}
	return s.checkApart(value)
}

// readPlace reads "r4c2", or "3,1" for the same, as a piece's top left corner, and returns its first cell
// there.
func (s *setup) readPlace(p piece, numbers boardfile.Piece) (int, *puzzle.InputError) {
	pair, first := numbers.Split(','), 0
	if c := strings.IndexAny(numbers.Text, "cC"); c > 0 && strings.ContainsAny(numbers.Text[:1], "rR") {
		row := numbers.From(1)
		row.Text = numbers.Text[1:c]
		row = row.Trim()
		pair, first = []boardfile.Piece{row, numbers.From(c + 1)}, 1
	}
	if len(pair) != 2 {
		return 0, numbers.Faultf("cannot read the place %s: must be like r4c2 (row 4, column 2), or row,column from 0, like 3,1", boardfile.Quote(numbers.Text))
	}
	row, fault := pair[0].Number("row", first, s.rows-1+first)
	if fault != nil {
		return 0, fault
	}
	col, fault := pair[1].Number("column", first, s.cols-1+first)
	if fault != nil {
		return 0, fault
	}
	row, col = row-first, col-first
	cell := row*s.cols + col + p.shape.cells[0].col
	if col+p.shape.cols > s.cols || !p.shape.fits(&s.board, cell) {
		return 0, numbers.Faultf("piece %c does not fit at %s: it meets a wall or the edge", p.symbol, s.name(row*s.cols+col))
	}
	return cell, nil
}

// readPattern reads a picture whose pieces must be where it shows them.
func (s *setup) readPattern(value boardfile.Piece) *puzzle.InputError {
	b, fault := readBoard([]boardfile.Piece{value})
	if fault != nil {
		return fault
	}
	if b.rows != s.rows || b.cols != s.cols {
		return value.Faultf("the goal is a picture of %dx%d, but the board is %dx%d; a place is like A at r4c2", b.rows, b.cols, s.rows, s.cols)
	}
	if len(b.pieces) == 0 {
		return value.Faultf("the goal shows no piece: it is a picture of the board, or like A at r4c2")
	}
	left := s.counts()
	for _, p := range b.pieces {
		w := piece{shape: p.shape, first: p.first}
		if own := s.find(p.symbol); own >= 0 && s.isOwn(p.symbol) {
			w.symbol = p.symbol
		}
		if w.shape = s.known(w.shape); left[w.kind()] == 0 {
			return value.Faultf("the goal shows piece %c, but the board has no further piece of its shape", p.symbol)
		}
		left[w.kind()]--
		if !w.shape.fits(&s.board, w.first) {
			return value.Faultf("piece %c of the goal lies on a wall", p.symbol)
		}
		s.goal = append(s.goal, w)
	}
	for i, wall := range b.walls {
		if wall && !s.walls[i] {
			return value.Faultf("the goal has a wall at %s, but the board has none there", s.name(i))
		}
	}
	return nil
}

// counts returns the number of pieces of each kind.
func (s *setup) counts() map[piece]int {
	n := map[piece]int{}
	for _, p := range s.pieces {
		n[s.kind(p)]++
	}
	return n
}

// kind returns the interchangeable kind of a piece: a piece without a position.
func (s *setup) kind(p piece) piece {
	if !s.isOwn(p.symbol) {
		p.symbol = 0
	}
	return p.kind()
}

// kind returns the piece without its position.
func (p piece) kind() piece { return piece{symbol: p.symbol, shape: p.shape} }

// checkApart refuses goals that overlap.
func (s *setup) checkApart(value boardfile.Piece) *puzzle.InputError {
	var taken mask
	for _, w := range s.goal {
		for _, c := range w.shape.at(w.first, s.cols) {
			at := c.row*s.cols + c.col
			if taken.has(at) {
				return value.Faultf("two pieces of the goal overlap at %s", s.name(at))
			}
			taken.add(at)
		}
	}
	return nil
}

// name writes a cell as row and column, from 1.
func (b *board) name(at int) string { return fmt.Sprintf("r%dc%d", at/b.cols+1, at%b.cols+1) }

// storedPlace writes a cell as texts of boards have it since the first version, by
// which runs know their boards: row and column from 0.
func (b *board) storedPlace(at int) string { return fmt.Sprintf("%d,%d", at/b.cols, at%b.cols) }

// goalText writes the goal for the header: positions if all pieces have letters of
// their own, otherwise a picture.
func (s *setup) goalText(place func(at int) string) string {
	var places []string
	for _, w := range s.goal {
		c := w.shape.corner(w.first, s.cols)
		if w.symbol != 0 {
			places = append(places, fmt.Sprintf("%c at %s", w.symbol, place(c.row*s.cols+c.col)))
		}
	}
	if len(places) == len(s.goal) {
		return strings.Join(places, "; ")
	}
	return strings.ReplaceAll(s.draw(s.goal), "\n", " / ")
}
