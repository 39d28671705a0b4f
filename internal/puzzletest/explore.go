package puzzletest

import (
	"github.com/everystate/everystate/puzzle"
)

// Space is a whole space of one-word keys, explored in memory.
type Space struct {
	States   []uint64 // in breadth-first order
	Layers   []int
	Goals    int
	Solution int // -1: none
	Last     int // states of the last layer

	// Of these ToGoal finds out.
	GoalLayers []int // by distance to the nearest goal
	Hardest    []uint64

	goals []uint64
}

// Explore enumerates a puzzle of one-word keys.
func Explore(p puzzle.Puzzle) *Space {
	s := &Space{Solution: -1}
	s.States, s.Layers = layers(p, p.Starts(), p.Successors)
	s.Last = s.Layers[len(s.Layers)-1]
	marks := make([]bool, len(s.States))
	p.Goals(s.States, marks)
	depth, left := 0, s.Layers[0]
	for i, goal := range marks {
		for i >= left {
			depth++
			left += s.Layers[depth]
		}
		if goal {
			s.goals = append(s.goals, s.States[i])
			if s.Solution < 0 {
				s.Solution = depth
			}
		}
	}
	s.Goals = len(s.goals)
	return s
}

// ToGoal enumerates a reversible space from its goals.
func (s *Space) ToGoal(p puzzle.Puzzle) {
	if s.Goals == 0 || !p.Layout().Reversible {
		return
	}
	near, counts := layers(p, s.goals, p.Successors)
	s.GoalLayers = counts
	s.Hardest = near[len(near)-counts[len(counts)-1]:]
}

// layers enumerates what is reached from some states, layer by layer.
func layers(p puzzle.Puzzle, from []uint64, step func([]uint64, *puzzle.Edges)) (states []uint64, counts []int) {
	seen := newSet(p.Layout().KeyBits)
	for _, key := range from {
		if seen.add(key) {
			states = append(states, key)
		}
	}
	var out puzzle.Edges
	for at := 0; at < len(states); {
		end := len(states)
		counts = append(counts, end-at)
		for at < end {
			piece := min(256, end-at)
			out.Reset()
			step(states[at:at+piece], &out)
			at += piece
			for _, key := range out.Keys {
				if seen.add(key) {
					states = append(states, key)
				}
			}
		}
	}
	return states, counts
}

// set is a set of keys: bits, or a map where keys are long.
type set struct {
	bits []uint64
	rest map[uint64]bool
}

func newSet(keyBits int) *set {
	const bitsMax = 28
	if keyBits <= bitsMax {
		return &set{bits: make([]uint64, 1<<max(0, keyBits-6))}
	}
	return &set{rest: map[uint64]bool{}}
}

// add reports whether the key is new.
func (s *set) add(key uint64) bool {
	if s.rest != nil {
		if s.rest[key] {
			return false
		}
		s.rest[key] = true
		return true
	}
	word, bit := &s.bits[key>>6], uint64(1)<<(key&63)
	if *word&bit != 0 {
		return false
	}
	*word |= bit
	return true
}
