package table

import "github.com/everystate/everystate/puzzle"

// Where every block has one of two colours, like the squares of a chessboard, and every
// move changes it, the last layer and the one being made are never in the same block. So
// one plane of bits serves for both, and a search takes three bits per rank, not four.

// noColour means that a block has none, or that blocks have both.
const noColour = 0

// other returns the other of the colours 1 and 2.
func other(colour uint8) uint8 { return 3 - colour }

// coloursOf returns a colour for each block such that every action changes it, or nil if
// there are none.
func coloursOf(p puzzle.Puzzle, r *puzzle.Ranks) []uint8 {
	if !p.Layout().Alternating {
		return nil
	}
	colours := make([]uint8, r.Blocks)
	var reached []int32
	for block := range colours {
		if colours[block] != noColour {
			continue
		}
		colours[block] = 1
		reached = append(reached[:0], int32(block))
		for len(reached) > 0 {
			from := reached[len(reached)-1]
			reached = reached[:len(reached)-1]
			for i := range r.Actions {
				switch to := r.Actions[i].Blocks[from]; {
				case to < 0:
				case colours[to] == noColour:
					colours[to] = other(colours[from])
					reached = append(reached, to)
				case colours[to] == colours[from]:
					return nil
				}
			}
		}
	}
	return colours
}

// Phases of a search, as digests have them.
const (
	FromStarts = 1
	FromGoals  = 2
)

// originColour returns the colour of the blocks of layer 0 in a phase, noColour if they
// have both, or are not known beforehand.
func (s *Space) originColour(phase uint8) uint8 {
	if s.colours == nil {
		return noColour
	}
	var origins []uint64
	if phase == FromStarts {
		origins = s.Puzzle.Starts()
	} else if ended, ok := s.Puzzle.(puzzle.GoalLister); ok && phase == FromGoals {
		origins = ended.GoalStates()
	}
	found := uint8(noColour)
	for _, key := range origins {
		block, _, ok := s.Ranks.Rank(key)
		switch {
		case !ok:
		case found == noColour:
			found = s.colours[block]
		case found != s.colours[block]:
			return noColour
		}
	}
	return found
}
