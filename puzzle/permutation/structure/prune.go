package structure

import (
	"sync"

	"github.com/everystate/everystate/puzzle"
)

// pairedMax is the largest number of moves for which all pairs are multiplied.
const pairedMax = 128

// Unpruned returns, for each move, the moves that are not pruned after it. Without
// blocked places all moves are legal everywhere, and products decide: a move is pruned
// if both together do nothing, or the same as a single move or as another pair whose
// last move has a smaller id. If there are too many moves to multiply all pairs, only
// the inverse is pruned.
func (s *System) Unpruned() [][]puzzle.Move {
	paired := len(s.Moves) <= pairedMax
	known := map[string]bool{product(Still(len(s.Moduli))): true}
	var pairs []string // by last move
	if paired {
		for _, t := range s.Moves {
			known[product(t)] = true
		}
	}
	kept := make([][]puzzle.Move, len(s.Moves))
	for m, u := range s.Moves {
		if !paired {
			back := u.Inverse(s.Moduli)
			for l, t := range s.Moves {
				if !t.Equal(back) {
					kept[l] = append(kept[l], puzzle.Move(m))
				}
			}
			continue
		}
		pairs = pairs[:0]
		for l, t := range s.Moves {
			pairs = append(pairs, product(t.Then(u, s.Moduli)))
			if !known[pairs[l]] {
				kept[l] = append(kept[l], puzzle.Move(m))
			}
		}
		if s.Blocked != nil {
			continue // the other order of two moves may be blocked
		}
		for _, pair := range pairs {
			known[pair] = true
		}
	}
	return kept
}

// Canceller returns which moves after which others do nothing, or the same as a single
// move, or nil if there are too many moves to try all pairs.
func (s *System) Canceller() func(a, b puzzle.Move) bool {
	count := len(s.Moves)
	if count > pairedMax {
		return nil
	}
	table := sync.OnceValue(func() []bool {
		known := map[string]bool{product(Still(len(s.Moduli))): true}
		for _, t := range s.Moves {
			known[product(t)] = true
		}
		var cancel []bool
		for _, t := range s.Moves {
			for _, u := range s.Moves {
				cancel = append(cancel, known[product(t.Then(u, s.Moduli))])
			}
		}
		return cancel
	})
	return func(a, b puzzle.Move) bool { return table()[int(a)*count+int(b)] }
}

// product returns a move as a key of maps.
func product(t Move) string { return string(t.From) + string(t.By) }
