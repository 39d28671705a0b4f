package picture

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/everystate/everystate/cmd/everystate/internal/terminal/paint"
)

// words takes a board apart whose symbols are numbers with blanks between them,
// with a dot for an empty cell; it returns nil for any other board.
func words(text string) [][]string {
	var rows [][]string
	numbers, blanks := false, false
	for line := range strings.SplitSeq(text, "\n") {
		row := strings.Fields(line)
		for _, word := range row {
			_, err := strconv.Atoi(word)
			if err != nil && word != "." {
				return nil
			}
			numbers = numbers || err == nil
		}
		rows = append(rows, row)
		blanks = blanks || len(row) > 1
	}
	if !numbers || !blanks {
		return nil
	}
	return rows
}

// prose reports whether rows are words with blanks between them, rather than a
// symbol a cell. Levels with walls have blanks for floor.
func prose(rows []string) bool {
	found := false
	for _, row := range rows {
		if strings.ContainsRune(row, '#') {
			return false
		}
		for _, word := range strings.Fields(row) {
			found = found || len(word) > 1 && len(word) < len(strings.TrimSpace(row))
		}
	}
	return found
}

// drawWords draws numbers as blocks of one width. Those that are not what stood
// there before are marked.
func (p Painter) drawWords(rows, before [][]string) Picture {
	width := 0
	for _, row := range rows {
		for _, word := range row {
			width = max(width, len(word))
		}
	}
	var pic Picture
	for r, row := range rows {
		line := ""
		for c, word := range row {
			marked := r < len(before) && c < len(before[r]) && before[r][c] != word
			line += p.wordBlock(fmt.Sprintf(" %*s ", width, word), word, marked)
		}
		pic.Lines = append(pic.Lines, line)
		pic.Width = max(pic.Width, len(row)*(width+2))
	}
	for r, row := range rows {
		pic.Lines[r] += strings.Repeat(" ", pic.Width-len(row)*(width+2))
	}
	return pic
}

func (p Painter) wordBlock(text, word string, marked bool) string {
	number, err := strconv.Atoi(word)
	if err != nil || number == 0 {
		return p.Paint.Faint(strings.Repeat(" ", len(text)-2) + "· ")
	}
	return p.Paint.Block(text, paint.Tone(int(byte(number))), true, marked)
}
