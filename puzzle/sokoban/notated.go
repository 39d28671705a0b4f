package sokoban

import (
	"strconv"
	"strings"

	"github.com/everystate/everystate/puzzle"
)

// Notations implements [puzzle.Notated].
func (g *game) Notations(state []uint64) []puzzle.Notation {
	rows := g.Format(state)
	return []puzzle.Notation{{Name: "xsb", Text: rows}, {Name: "rle", Text: writeRuns(rows)}}
}

// writeRuns writes rows with numbers for repeated symbols, as in 6#|#-@$.#|6#.
func writeRuns(rows string) string {
	var out strings.Builder
	for i, row := range strings.Split(rows, "\n") {
		if i > 0 {
			out.WriteByte('|')
		}
		row = strings.ReplaceAll(row, " ", "-")
		for len(row) > 0 {
			n := len(row) - len(strings.TrimLeft(row, row[:1]))
			if n > 1 {
				out.WriteString(strconv.Itoa(n))
			}
			out.WriteByte(row[0])
			row = row[n:]
		}
	}
	return out.String()
}
