package table

import (
	"math/bits"

	"github.com/everystate/everystate/puzzle"
)

// Full reports whether a table of the space is worth having. Ranks belong to states that can
// be reached; a number need not, so a search counts states until one number of 1,024 has one.
func (s *Space) Full(p puzzle.Puzzle) bool {
	const (
		share      = 1 << 10
		numbersMax = 1 << 29
	)
	if s.numbers == nil {
		return true
	}
	count := s.numbers.Count()
	return count <= numbersMax && hasStates(p, int(count/share))
}

// hasStates reports whether a space has that many states.
func hasStates(p puzzle.Puzzle, states int) bool {
	seen := newKeySet(states)
	front := p.Starts()
	for _, key := range front {
		seen.add(key)
	}
	var links []puzzle.Move
	var out puzzle.Edges
	const few = 1 << 10
	for first := true; len(front) > 0 && seen.n < states; first = false {
		var next puzzle.Edges
		for len(front) > 0 && seen.n < states {
			n := min(few, len(front))
			out.Reset()
			if onward, ok := p.(puzzle.Onward); ok && !first {
				onward.Onward(front[:n], links[:n], &out)
				links = links[n:]
			} else {
				p.Successors(front[:n], &out)
			}
			front = front[n:]
			for i, key := range out.Keys {
				if seen.n < states && seen.add(key) {
					next.Keys, next.Moves = append(next.Keys, key), append(next.Moves, out.Moves[i])
				}
			}
		}
		front, links = next.Keys, next.Moves
	}
	return seen.n >= states
}

// keySet is a set of a bounded number of keys.
type keySet struct {
	slots []uint64 // a key plus one, or 0
	n     int
}

func newKeySet(most int) *keySet {
	return &keySet{slots: make([]uint64, 4<<bits.Len(uint(most)))}
}

// add adds a key, and reports whether it is new.
func (s *keySet) add(key uint64) bool {
	mask := uint64(len(s.slots) - 1)
	for i := key * 0x9e3779b97f4a7c15 >> 20; ; i++ {
		switch slot := &s.slots[i&mask]; *slot {
		case key + 1:
			return false
		case 0:
			*slot = key + 1
			s.n++
			return true
		}
	}
}
