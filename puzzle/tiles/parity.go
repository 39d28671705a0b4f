package tiles

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/everystate/everystate/puzzle"
)

var (
	_ puzzle.SolvabilityChecker = (*game)(nil)
	_ puzzle.Sized              = (*game)(nil)
)

// Unsolvable compares what no move changes: on a board of one line the order of the
// tiles, otherwise the parity of the arrangement as a permutation together with that
// of the hole's cell, as each move of one tile changes both (Johnson and Story 1879).
func (g *game) Unsolvable(state []uint64) string {
	switch {
	case g.width() == 1:
		cells := uint64(g.cells())
		if state[0]/cells != g.goal/cells {
			return "on a board of one line tiles never pass each other"
		}
	case g.parity(state[0]) != g.parity(g.goal):
		why := "half of the arrangements cannot be reached from the other half (parity)"
		if first := g.holeFirst(); g.parity(state[0]) == g.parity(first) {
			why += "; it has one with the hole first: goal: " + strings.ReplaceAll(g.Format([]uint64{first}), "\n", " / ")
		}
		return why
	}
	return ""
}

// holeFirst is the other usual goal: that of the hundred standard instances of the
// 15-puzzle.
func (g *game) holeFirst() uint64 {
	var cells [cellsMax]uint8
	for i := range cells {
		cells[i] = uint8(i)
	}
	return g.key(cells[:g.cells()])
}

// parity is a sum modulo 2 that no move changes.
func (g *game) parity(key uint64) int {
	var cells [cellsMax]uint8
	g.arrangement(key, cells[:])
	sum := 0
	for i, tile := range cells[:g.cells()] {
		if tile == 0 {
			sum += i/g.cols + i%g.cols
		}
		for _, later := range cells[i+1 : g.cells()] {
			if later < tile {
				sum++
			}
		}
	}
	return sum % 2
}

// Size returns half of all arrangements or, on a board of one line, the number of
// cells of the hole (Wilson 1974).
func (g *game) Size() puzzle.Size {
	n, formula := uint64(g.cells()), fmt.Sprintf("%d cells", g.cells())
	if g.width() > 1 {
		n, formula = g.keys()/2, fmt.Sprintf("%d!/2", g.cells()) // 16! is less than 2^45
	}
	return puzzle.Size{States: new(big.Int).SetUint64(n), Exact: true, Formula: formula}
}
