package rushhour

import (
	"fmt"
	"slices"
	"strings"
)

// canonicalText writes a setup with every header that it depends on, in the notation
// in which its states are drawn. It omits what does not change the puzzle: the name
// and what the file promised.
func canonicalText(s *setup) string {
	var text strings.Builder
	fmt.Fprintf(&text, "puzzle: %s\nmetric: %s\nnotation: %s\nsize: %dx%d\ngoal: %c\nexit: %s\n",
		Family, s.metric, s.notation, s.rows, s.cols, s.vehicles[s.goal].symbol, s.exit)
	if letters := verticalSingles(s); letters != "" {
		fmt.Fprintf(&text, "vertical: %s\n", letters)
	}
	text.WriteByte('\n')
	text.Write(draw(&s.board, s.vehicles))
	text.WriteByte('\n')
	return text.String()
}

// verticalSingles lists the vertical single-cell vehicles whose direction no picture
// shows.
func verticalSingles(s *setup) string {
	var letters []string
	for i, v := range s.vehicles {
		if v.length == 1 && v.vertical && (s.notation != notationTypes || i == s.goal) {
			letters = append(letters, string(v.symbol))
		}
	}
	slices.Sort(letters)
	return strings.Join(letters, " ")
}

// horizontalSingles lists the horizontal single-cell vehicles whose direction no
// picture shows.
func horizontalSingles(s *setup) string {
	var letters []string
	for i, v := range s.vehicles {
		if v.length == 1 && !v.vertical && (s.notation != notationTypes || i == s.goal) {
			letters = append(letters, string(v.symbol))
		}
	}
	return strings.Join(letters, " ")
}

// draw returns the rows of a board with vehicles on it, without a final newline.
func draw(b *board, vehicles []vehicle) []byte {
	text := make([]byte, 0, b.rows*(b.cols+1))
	for row := range b.rows {
		for col := range b.cols {
			symbol := byte('.')
			if b.wall(row, col) {
				symbol = 'x'
			}
			text = append(text, symbol)
		}
		text = append(text, '\n')
	}
	for _, v := range vehicles {
		at, stride := v.row*(b.cols+1)+v.col, 1
		if v.vertical {
			stride = b.cols + 1
		}
		for range v.length {
			text[at] = v.symbol
			at += stride
		}
	}
	return text[:len(text)-1]
}

// note describes a setup in one line, including what was assumed.
func note(s *setup) string {
	goal := s.vehicles[s.goal]
	line, at := "row", goal.row
	if goal.vertical {
		line, at = "column", goal.col
	}
	text := fmt.Sprintf("goal vehicle %c, exit %s in %s %d; %s on %dx%d",
		goal.symbol, s.exit, line, at+1, plural(len(s.vehicles), "vehicle"), s.rows, s.cols)
	walls := 0
	for _, wall := range s.walls {
		if wall {
			walls++
		}
	}
	if walls > 0 {
		text += ", " + plural(walls, "wall")
	}
	if letters := horizontalSingles(s); letters != "" {
		text += "; single cells taken as horizontal: " + letters
	}
	if s.notation == notationTypes {
		text += "; moves name the vehicles A, B, C, ... in reading order of the start, X the goal vehicle"
	}
	return text
}

// plural formats a count of things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
