package stored

import (
	"github.com/everystate/everystate/internal/table"
	"github.com/everystate/everystate/puzzle"
)

// Ranked reports whether a puzzle's states can be kept as a table. It builds ranks only if
// the puzzle cannot say how many there are.
func Ranked(p puzzle.Puzzle) bool {
	if !puzzle.Tabular(p) {
		return false
	}
	if counted, ok := p.(puzzle.RankCounter); ok && p.Layout().Reversible && counted.RankCount() > 0 {
		return true
	}
	if n := puzzle.NumberingOf(p); n != nil && table.NumbersFit(n, p.Layout().Moves) {
		return true
	}
	dense, ok := p.(puzzle.Dense)
	return ok && p.Layout().Reversible && dense.Ranks() != nil
}
