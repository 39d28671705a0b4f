// Package picture draws boards from their text form: rows of symbols, whatever
// the family. In colour, every symbol is a block of its own colour, red for
// what has to get to the goal and grey for walls; so is every number if numbers
// are separated by blanks. Blanks are not part of a board. If words are
// separated by blanks, or without colour, the text is the picture. All of it is
// pure.
package picture

import (
	"strings"

	"github.com/everystate/everystate/internal/terminal/paint"
)

// Painter draws the boards of one puzzle.
type Painter struct {
	Paint paint.Paint
	// Goal is the symbol of the piece that has to get to the goal, 0 if there
	// is none.
	Goal byte
}

// Picture is lines of Width characters, not counting colours.
type Picture struct {
	Title string
	Lines []string
	Width int
}

// GoalSymbol returns the symbol that the header "goal:" of a board's text
// names, possibly with its place (A at 3,1), or 0.
func GoalSymbol(board string) byte {
	for line := range strings.Lines(board) {
		key, value, ok := strings.Cut(line, ":")
		if !ok || key != "goal" {
			continue
		}
		if value, _, _ = strings.Cut(strings.TrimSpace(value), " at "); len(value) == 1 {
			return value[0]
		}
	}
	return 0
}

// Draw draws a board.
func (p Painter) Draw(text string) Picture {
	if rows := words(text); rows != nil && p.Paint.On() {
		return p.drawWords(rows, nil)
	}
	return p.draw(text, nil)
}

// DrawMove draws the board that a move leads to, and marks what moved.
func (p Painter) DrawMove(before, after string) Picture {
	if rows := words(after); rows != nil && p.Paint.On() {
		return p.drawWords(rows, words(before))
	}
	return p.draw(after, moved(strings.Split(before, "\n"), strings.Split(after, "\n")))
}

type cell struct{ row, col int }

func (p Painter) draw(text string, marked map[cell]bool) Picture {
	rows := strings.Split(text, "\n")
	inBlocks := p.Paint.On() && !prose(rows)
	var pic Picture
	for r, row := range rows {
		line, width := row, len(row)
		if inBlocks {
			line, width = "", 2*len(row)
			for c := range len(row) {
				line += p.block(row[c], marked[cell{r, c}])
			}
		}
		pic.Lines = append(pic.Lines, line)
		pic.Width = max(pic.Width, width)
	}
	for r, row := range rows {
		width := len(row)
		if inBlocks {
			width *= 2
		}
		pic.Lines[r] += strings.Repeat(" ", pic.Width-width)
	}
	return pic
}

// block draws one cell, two characters wide, which makes it about square.
func (p Painter) block(symbol byte, marked bool) string {
	text := string(rune(symbol)) + " "
	switch {
	case symbol == ' ':
		return "  "
	case emptyCell(symbol):
		return p.Paint.Faint("· ")
	case wallCell(symbol):
		return p.Paint.Block("  ", paint.Wall, false, false)
	case symbol == p.Goal:
		return p.Paint.Block(text, paint.Goal, false, marked)
	}
	return p.Paint.Block(text, paint.Tone(int(symbol)), true, marked)
}

func emptyCell(symbol byte) bool { return symbol == '.' || symbol == ' ' }

func wallCell(symbol byte) bool { return symbol == 'x' || symbol == '#' }

// moved returns the cells of what moved: those with a new symbol, and those
// with the same symbol that are connected to them along the row or column of
// the move.
func moved(before, after []string) map[cell]bool {
	if len(before) != len(after) {
		return nil
	}
	changed := make(map[cell]bool)
	var fresh []cell
	for r := range after {
		for c := range min(len(before[r]), len(after[r])) {
			if before[r][c] == after[r][c] {
				continue
			}
			changed[cell{r, c}] = true
			if !emptyCell(after[r][c]) {
				fresh = append(fresh, cell{r, c})
			}
		}
	}
	marked := make(map[cell]bool)
	for _, at := range fresh {
		marked[at] = true
		// The move was along the line in which other cells changed.
		for _, step := range []cell{{0, 1}, {0, -1}, {1, 0}, {-1, 0}} {
			if along(changed, at, step) {
				markFrom(after, at, step, marked)
			}
		}
	}
	return marked
}

// along reports whether another cell changed on the line through at.
func along(changed map[cell]bool, at, step cell) bool {
	for other := range changed {
		if other != at && (step.row == 0 && other.row == at.row || step.col == 0 && other.col == at.col) {
			return true
		}
	}
	return false
}

func markFrom(rows []string, at, step cell, marked map[cell]bool) {
	symbol := rows[at.row][at.col]
	for {
		at.row, at.col = at.row+step.row, at.col+step.col
		if at.row < 0 || at.row >= len(rows) || at.col < 0 || at.col >= len(rows[at.row]) || rows[at.row][at.col] != symbol {
			return
		}
		marked[at] = true
	}
}

// Beside lays out pictures side by side, as many in a row as width allows, and
// returns the lines.
func Beside(pictures []Picture, width int) []string {
	const gap = 3
	var lines []string
	for len(pictures) > 0 {
		n, used := 0, -gap
		for n < len(pictures) && (n == 0 || used+gap+pictures[n].span() <= width) {
			used += gap + pictures[n].span()
			n++
		}
		if lines != nil {
			lines = append(lines, "")
		}
		lines = append(lines, band(pictures[:n], gap)...)
		pictures = pictures[n:]
	}
	return lines
}

// span returns the width of the picture or its title, whichever is greater.
func (p *Picture) span() int { return max(p.Width, len(p.Title)) }

// band lays out pictures in one row.
func band(pictures []Picture, gap int) []string {
	height, titled := 0, false
	for _, p := range pictures {
		height = max(height, len(p.Lines))
		titled = titled || p.Title != ""
	}
	var lines []string
	if titled {
		lines = append(lines, join(pictures, gap, func(p *Picture) (string, int) { return p.Title, len(p.Title) }))
	}
	for i := range height {
		lines = append(lines, join(pictures, gap, func(p *Picture) (string, int) {
			if i >= len(p.Lines) {
				return "", 0
			}
			return p.Lines[i], p.Width
		}))
	}
	return lines
}

func join(pictures []Picture, gap int, part func(*Picture) (text string, width int)) string {
	var line strings.Builder
	blanks := 0
	for i := range pictures {
		text, width := part(&pictures[i])
		line.WriteString(strings.Repeat(" ", blanks))
		line.WriteString(text)
		blanks = pictures[i].span() - width + gap
	}
	return strings.TrimRight(line.String(), " ")
}
