package blocks

import (
	"github.com/everystate/everystate/puzzle"
	family "github.com/everystate/everystate/puzzle/blocks"
)

// Family is the name of the puzzles whose boards can be swept.
const Family = family.Family

// Read reads boards whose pieces can be swept.
func Read(text []byte, opts puzzle.ReadOptions) ([]puzzle.Board, error) {
	return family.Read(text, opts)
}
