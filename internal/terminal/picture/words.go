package picture

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/everystate/everystate/internal/terminal/paint"
)

// words splits a board whose symbols are numbers separated by blanks, with a
// dot for an empty cell. It returns nil for any other board.
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

// prose reports whether rows are words separated by blanks, rather than one
// symbol per cell. In levels with walls, blanks are floor.
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

// drawWords draws numbers as blocks of one width. Those that differ from before
// are marked.
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
