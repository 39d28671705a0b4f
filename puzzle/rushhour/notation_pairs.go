package rushhour

import "github.com/everystate/everystate/puzzle"

// The pairs notation has one board: 6x6, numbered 7*row+column with rows from 0 and
// columns from 1, so multiples of 7 lie off the board.
const (
	pairsSide    = 6
	pairsGoalRow = 2
	pairsCellMax = 41
)

// pairScanner scans the characters of a list of pairs, skipping line ends and blanks.
type pairScanner struct {
	lines []textLine
	row   int // index into lines
	col   int // index into the line's text
}

// peek returns the next character that is not a blank, or 0 at the end.
func (s *pairScanner) peek() byte {
	for s.row < len(s.lines) {
		text := s.lines[s.row].text
		for s.col < len(text) && (text[s.col] == ' ' || text[s.col] == '\t') {
			s.col++
		}
		if s.col < len(text) {
			return text[s.col]
		}
		s.row, s.col = s.row+1, 0
	}
	return 0
}

// place returns the position of the next character; at the end, the position after the
// last.
func (s *pairScanner) place() position {
	if s.row == len(s.lines) {
		last := s.lines[len(s.lines)-1]
		return position{last.place.line, last.place.column + len(last.text)}
	}
	at := s.lines[s.row].place
	at.column += s.col
	return at
}

// expect reads one character, which must be the wanted one.
func (s *pairScanner) expect(want byte) *puzzle.InputError {
	if got := s.peek(); got != want {
		return faultAt(s.place(), "the pairs notation expects %q here: [(rear,front),(rear,front),...]", string(want))
	}
	s.col++
	return nil
}

// cell reads a cell number.
func (s *pairScanner) cell() (int, *puzzle.InputError) {
	s.peek()
	at, n := s.place(), 0
	for c := s.peek(); c >= '0' && c <= '9' && n <= pairsCellMax; c = s.next() {
		n = 10*n + int(c-'0')
	}
	if n == 0 || n > pairsCellMax || n%7 == 0 {
		return 0, faultAt(at, "no cell number: cells are 1-6, 8-13, 15-20, 22-27, 29-34 and 36-41")
	}
	return n, nil
}

// next skips a character and returns the one right after it, or 0 at a line's end.
func (s *pairScanner) next() byte {
	s.col++
	if text := s.lines[s.row].text; s.col < len(text) {
		return text[s.col]
	}
	return 0
}

// readPairs reads one list of pairs from the scanner.
func readPairs(s *pairScanner) (*drawn, *puzzle.InputError) {
	d := &drawn{
		board:    board{rows: pairsSide, cols: pairsSide, walls: make([]bool, pairsSide*pairsSide)},
		notation: notationLetters, goal: 0, name: "pairs",
	}
	var taken [pairsSide * pairsSide]bool
	if fault := s.expect('['); fault != nil {
		return nil, fault
	}
	for {
		s.peek()
		at := s.place()
		v, fault := readPair(s)
		if fault == nil {
			fault = takePair(v, &taken, at)
		}
		if fault != nil {
			return nil, fault
		}
		v.symbol = 'A' + byte(len(d.vehicles)) // at most 18 vehicles of 2 cells
		d.vehicles = append(d.vehicles, v)
		d.places = append(d.places, at)
		if s.peek() != ',' {
			break
		}
		s.col++
	}
	if fault := s.expect(']'); fault != nil {
		return nil, fault
	}
	if first := d.vehicles[0]; first.vertical || first.row != pairsGoalRow {
		return nil, faultAt(d.places[0], "the first vehicle is the goal vehicle and lies in the row of the exit cell 20: cells 15 to 20")
	}
	return d, nil
}

// readPair reads "(rear,front)".
func readPair(s *pairScanner) (vehicle, *puzzle.InputError) {
	at := s.place()
	if fault := s.expect('('); fault != nil {
		return vehicle{}, fault
	}
	rear, fault := s.cell()
	if fault == nil {
		fault = s.expect(',')
	}
	if fault != nil {
		return vehicle{}, fault
	}
	front, fault := s.cell()
	if fault == nil {
		fault = s.expect(')')
	}
	if fault != nil {
		return vehicle{}, fault
	}
	rear, front = min(rear, front), max(rear, front)
	v := vehicle{row: rear / 7, col: rear%7 - 1}
	switch {
	case rear == front:
		return v, faultAt(at, "a vehicle of one cell: the pairs notation cannot express its direction")
	case rear/7 == front/7:
		v.length = front - rear + 1
	case rear%7 == front%7:
		v.length, v.vertical = (front-rear)/7+1, true
	default:
		return v, faultAt(at, "cells %d and %d are not in one row or column", rear, front)
	}
	return v, nil
}

// takePair marks the cells of a vehicle, which must be free.
func takePair(v vehicle, taken *[pairsSide * pairsSide]bool, at position) *puzzle.InputError {
	row, col := v.row, v.col
	for range v.length {
		if taken[row*pairsSide+col] {
			return faultAt(at, "two vehicles on cell %d", 7*row+col+1)
		}
		taken[row*pairsSide+col] = true
		if v.vertical {
			row++
		} else {
			col++
		}
	}
	return nil
}
