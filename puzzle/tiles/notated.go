package tiles

import (
	"strings"

	"github.com/everystate/everystate/puzzle"
)

// Notations implements [puzzle.Notated].
func (g *game) Notations(state []uint64) []puzzle.Notation {
	rows := g.Format(state)
	return []puzzle.Notation{{Name: "rows", Text: rows}, {Name: "one line", Text: strings.ReplaceAll(rows, "\n", " ")}}
}
