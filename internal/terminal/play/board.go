package play

import (
	"strings"

	"github.com/everystate/everystate/internal/terminal/paint"
	"github.com/everystate/everystate/puzzle"
)

// Colours of the 256-colour palette.
const (
	colourBox    = 173
	colourThere  = 71 // a box on its goal
	colourPlayer = 33
	colourPeg    = 67
)

// drawn is a board as lines of width characters each, colours not counted.
type drawn struct {
	lines []string
	width int
}

// look is what to highlight on a board.
type look struct {
	paint    paint.Paint
	selected int           // a piece, or -1
	moved    []puzzle.Cell // where the last move put a piece
}

// draw draws a state. Without colour, or without a picture, it is the text of the
// state.
func (l look) draw(p puzzle.Puzzle, state []uint64) drawn {
	pic := pictureOf(p, state)
	if pic == nil || !l.paint.On() {
		return plain(p.Draw(state))
	}
	width := widthOf(pic)
	cells := make([]string, pic.Rows*pic.Cols)
	for i := range cells {
		cells[i] = l.ground(groundOf(pic, i), width)
		if i < len(pic.Tiles) && len(pic.Tiles[i]) > 0 {
			cells[i] = l.sprite(strings.Repeat(" ", width), false, pic.Tiles[i]...)
		}
	}
	for i := range pic.Pieces {
		piece := &pic.Pieces[i]
		strong := i == l.selected || moved(piece, l.moved)
		for n, text := range spread(piece, width) {
			c := piece.Cells[n]
			if c.Row < 0 || c.Row >= pic.Rows || c.Col < 0 || c.Col >= pic.Cols {
				continue
			}
			at := c.Row*pic.Cols + c.Col
			if piece.Sprite != nil {
				if piece.Kind == puzzle.PieceBox { // which may be anything that changes
					text = strings.Repeat(" ", width)
				}
				cells[at] = l.sprite(text, strong, piece.Sprite)
				continue
			}
			cells[at] = l.cell(piece, text, groundOf(pic, at), strong)
		}
	}
	d := drawn{width: pic.Cols * width}
	for row := range pic.Rows {
		d.lines = append(d.lines, strings.Join(cells[row*pic.Cols:(row+1)*pic.Cols], ""))
	}
	return d
}

func groundOf(pic *puzzle.Picture, at int) puzzle.Ground {
	if at < len(pic.Ground) {
		return pic.Ground[at]
	}
	return puzzle.GroundFloor
}

// widthOf returns the width of a cell in characters: two make it about square,
// tiles have blanks around their numbers, and discs are long anyway.
func widthOf(pic *puzzle.Picture) int {
	least, room := 2, 1
	if len(pic.Pieces) > 0 {
		switch pic.Pieces[0].Kind {
		case puzzle.PieceDisc:
			least, room = 1, 0
		case puzzle.PieceTile:
			least, room = 4, 2
		default:
		}
	}
	for i := range pic.Pieces {
		piece := &pic.Pieces[i]
		label := len([]rune(piece.Label)) + room
		if piece.Kind == puzzle.PieceDisc {
			label = (label + len(piece.Cells) - 1) / len(piece.Cells)
		}
		least = max(least, label)
	}
	return least
}

func moved(piece *puzzle.Piece, cells []puzzle.Cell) bool {
	for _, c := range cells {
		if c == piece.Cells[0] {
			return true
		}
	}
	return false
}

// plain splits a text into lines.
func plain(text string) drawn {
	d := drawn{lines: strings.Split(text, "\n")}
	for _, line := range d.lines {
		d.width = max(d.width, len([]rune(line)))
	}
	return d
}

// ground draws an empty cell.
func (l look) ground(g puzzle.Ground, width int) string {
	pad := func(text string) string { return l.paint.Faint(centred(text, width)) }
	switch g {
	case puzzle.GroundNone:
		return strings.Repeat(" ", width)
	case puzzle.GroundWall:
		return l.paint.Block(strings.Repeat(" ", width), paint.Wall, false, false)
	case puzzle.GroundTarget:
		return pad("○")
	case puzzle.GroundHole, puzzle.GroundFloor:
	}
	return pad("·")
}

// spread returns the text for each cell of a piece: its label in every cell, or
// once across a disc.
func spread(piece *puzzle.Piece, width int) []string {
	texts := make([]string, len(piece.Cells))
	label := piece.Label
	if label == "" {
		label = symbolOf(piece)
	}
	if piece.Kind != puzzle.PieceDisc {
		for i := range texts {
			texts[i] = centred(label, width)
		}
		return texts
	}
	bar := []rune(centred(label, width*len(texts)))
	for i := range texts {
		texts[i] = string(bar[i*width : (i+1)*width])
	}
	return texts
}

// symbolOf returns the text of a piece without a label.
func symbolOf(piece *puzzle.Piece) string {
	switch piece.Kind {
	case puzzle.PieceBox:
		return "$"
	case puzzle.PiecePlayer:
		return "@"
	case puzzle.PiecePeg:
		return "o"
	default:
		return ""
	}
}

// cell draws a cell of a piece.
func (l look) cell(piece *puzzle.Piece, text string, g puzzle.Ground, strong bool) string {
	there := g == puzzle.GroundTarget
	switch {
	case piece.Kind == puzzle.PieceDigit && !strong && piece.Colour == 0:
		return l.paint.Bold(text)
	case piece.Kind == puzzle.PieceDigit:
		return l.paint.Block(text, paint.Tone(piece.Colour), true, strong)
	case piece.Kind == puzzle.PiecePlayer:
		return l.paint.Block(text, colourPlayer, false, true)
	case piece.Kind == puzzle.PieceBox && there:
		return l.paint.Block(strings.ReplaceAll(text, "$", "*"), colourThere, true, strong)
	case piece.Kind == puzzle.PieceBox:
		return l.paint.Block(text, colourBox, true, strong)
	case piece.Kind == puzzle.PiecePeg:
		return l.paint.Block(text, colourPeg, false, strong)
	case piece.Goal && piece.Kind != puzzle.PieceTile && piece.Kind != puzzle.PieceDisc:
		return l.paint.Block(text, paint.Goal, false, strong)
	}
	return l.paint.Block(text, paint.Tone(piece.Colour), true, strong)
}

// sprite draws a cell in the mean colour of sprites, the lowest first.
func (l look) sprite(text string, strong bool, stack ...*puzzle.Sprite) string {
	var seen puzzle.Sprite
	for _, s := range stack {
		for i, pixel := range s {
			if pixel != 0 {
				seen[i] = pixel
			}
		}
	}
	var sum [3]int
	n := 0
	for _, pixel := range seen {
		if pixel != 0 {
			n++
			for i := range sum {
				sum[i] += int(pixel >> (16 - 8*i) & 255)
			}
		}
	}
	if n == 0 {
		return text
	}
	// The palette has a cube of six shades of each colour, from 16 on.
	shade := func(i int) int { return (sum[i]/n*5 + 127) / 255 }
	const bright = 3 * 128
	return l.paint.Block(text, uint8(16+36*shade(0)+6*shade(1)+shade(2)), (sum[0]+sum[1]+sum[2])/n > bright, strong)
}

// centred centres a text in width characters; an odd blank goes to the right.
func centred(text string, width int) string {
	runes := []rune(text)
	if len(runes) > width {
		return string(runes[:width])
	}
	left := (width - len(runes)) / 2
	return strings.Repeat(" ", left) + text + strings.Repeat(" ", width-len(runes)-left)
}
