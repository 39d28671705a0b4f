package portrait

import (
	"strconv"
	"strings"

	"github.com/everystate/everystate/puzzle"
)

// lettered draws the states of a puzzle without pictures, such as a module's, from
// their texts: a cell is a word if the text is in columns of words, as numbers often
// are, and otherwise a character.
type lettered struct {
	puzzle     puzzle.Puzzle
	words      bool
	rows, cols int // of the start; a picture may be larger
}

// Bounds of a picture made from a text. What exceeds them is omitted.
const (
	textRowsMax = 64
	textColsMax = 128
)

func letter(p puzzle.Puzzle) *lettered {
	l := &lettered{puzzle: p, words: true}
	lines := strings.Split(p.Draw(p.Starts()[:p.Layout().Words()]), "\n")
	columns := len(strings.Fields(lines[0]))
	for _, line := range lines {
		l.words = l.words && columns > 1 && len(strings.Fields(line)) == columns
	}
	l.rows, l.cols = l.size(lines)
	return l
}

// cells splits a line into cells.
func (l *lettered) cells(line string) []string {
	if l.words {
		return strings.Fields(line)
	}
	return strings.Split(line, "")
}

func (l *lettered) size(lines []string) (rows, cols int) {
	for _, line := range lines {
		cols = max(cols, len(l.cells(line)))
	}
	return min(max(len(lines), l.rows), textRowsMax), min(max(cols, l.cols, 1), textColsMax)
}

// Picture draws a state.
func (l *lettered) Picture(state []uint64) *puzzle.Picture {
	lines := strings.Split(l.puzzle.Draw(state), "\n")
	rows, cols := l.size(lines)
	pic := &puzzle.Picture{Rows: rows, Cols: cols, Ground: make([]puzzle.Ground, rows*cols)}
	for row, line := range lines[:min(len(lines), rows)] {
		for col, cell := range l.cells(line) {
			if col == cols {
				break
			}
			at := puzzle.Cell{Row: row, Col: col}
			switch number, err := strconv.Atoi(cell); {
			case cell == " " || cell == ".":
			case cell == "#":
				pic.Ground[row*cols+col] = puzzle.GroundWall
			case l.words && err == nil:
				pic.Pieces = append(pic.Pieces, puzzle.Piece{
					Kind: puzzle.PieceTile, Cells: []puzzle.Cell{at}, Label: cell, Colour: min(max(number, 0), rows*cols),
				})
			case l.words:
				pic.Pieces = append(pic.Pieces, puzzle.Piece{Kind: puzzle.PieceTile, Cells: []puzzle.Cell{at}, Label: cell})
			default:
				pic.Pieces = append(pic.Pieces, puzzle.Piece{Kind: puzzle.PieceDigit, Cells: []puzzle.Cell{at}, Label: cell})
			}
		}
	}
	return pic
}
