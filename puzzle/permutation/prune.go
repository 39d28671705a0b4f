package permutation

import "github.com/everystate/everystate/puzzle"

// pairedMax bounds the number of moves of which all pairs are multiplied.
const pairedMax = 128

// kept returns, for each move, the moves that are not pruned after it. As all moves
// are legal everywhere, it is a matter of products: a move is pruned if the two are
// nothing, or another single move, or another two of which the last has a lesser id.
// Where moves are too many to multiply all pairs, only the way back is pruned.
func (s *system) kept() [][]puzzle.Move {
	paired := len(s.turns) <= pairedMax
	known := map[string]bool{product(identity(len(s.moduli))): true}
	var pairs []string // by last move
	if paired {
		for _, t := range s.turns {
			known[product(t)] = true
		}
	}
	kept := make([][]puzzle.Move, len(s.turns))
	for m, u := range s.turns {
		if !paired {
			back := u.inverse(s.moduli)
			for l, t := range s.turns {
				if !t.equal(back) {
					kept[l] = append(kept[l], puzzle.Move(m))
				}
			}
			continue
		}
		pairs = pairs[:0]
		for l, t := range s.turns {
			pairs = append(pairs, product(t.then(u, s.moduli)))
			if !known[pairs[l]] {
				kept[l] = append(kept[l], puzzle.Move(m))
			}
		}
		if s.blocked != nil {
			continue // the other order of two moves may not be possible
		}
		for _, pair := range pairs {
			known[pair] = true
		}
	}
	return kept
}

// product returns a turn as a key of maps.
func product(t turn) string { return string(t.from) + string(t.by) }
