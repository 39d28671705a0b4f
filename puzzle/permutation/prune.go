package permutation

import (
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/permutation/structure"
)

// pairedMax is the largest number of moves for which all pairs are multiplied.
const pairedMax = 128

// unpruned returns, for each move, the moves that are not pruned after it. Without
// blocked places all moves are legal everywhere, and products decide: a move is pruned
// if both together do nothing, or the same as a single move or as another pair whose
// last move has a smaller id. If there are too many moves to multiply all pairs, only
// the inverse is pruned.
func (s *system) unpruned() [][]puzzle.Move {
	paired := len(s.moves) <= pairedMax
	known := map[string]bool{product(structure.Still(len(s.moduli))): true}
	var pairs []string // by last move
	if paired {
		for _, t := range s.moves {
			known[product(t)] = true
		}
	}
	kept := make([][]puzzle.Move, len(s.moves))
	for m, u := range s.moves {
		if !paired {
			back := u.Inverse(s.moduli)
			for l, t := range s.moves {
				if !t.Equal(back) {
					kept[l] = append(kept[l], puzzle.Move(m))
				}
			}
			continue
		}
		pairs = pairs[:0]
		for l, t := range s.moves {
			pairs = append(pairs, product(t.Then(u, s.moduli)))
			if !known[pairs[l]] {
				kept[l] = append(kept[l], puzzle.Move(m))
			}
		}
		if s.blocked != nil {
			continue // the other order of two moves may be blocked
		}
		for _, pair := range pairs {
			known[pair] = true
		}
	}
	return kept
}

// product returns a move as a key of maps.
func product(t move) string { return string(t.From) + string(t.By) }
