package symmetry

import (
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// Unfold turns a path through representatives into one of the other puzzle.
//
// Let h be a symmetry that maps the true state to its representative. What the
// representative moves by is then, in the true state, the move's image under the
// inverse of h.
func (m *merged) Unfold(states [][]uint64, moves []puzzle.Move, at int, state []uint64) {
	if state == nil {
		at, state = 0, m.startOf(states[0])
	}
	copy(states[at], state)
	for i := at - 1; i >= 0; i-- {
		g := int(moves[i]) % m.count
		back := m.Inverse[m.First(states[i+1])]
		m.Image(states[i], states[i], g)
		m.Image(states[i], states[i], back)
		moves[i] = m.Plain(m.Moves[back][m.Moves[g][int(moves[i])/m.count]])
	}
	for i := at; i < len(moves); i++ {
		move := m.Moves[m.Inverse[m.First(states[i])]][int(moves[i])/m.count]
		if !m.base.Apply(states[i+1], states[i], move) {
			panic("symmetry: the image of a move is not legal in the image of its state: " + m.base.Format(states[i]))
		}
		moves[i] = m.Plain(move)
	}
}

// startOf returns a start that a representative stands for, or itself if there is
// none.
func (m *merged) startOf(state []uint64) []uint64 {
	first := make([]uint64, m.words)
	for start := range slices.Chunk(m.base.Starts(), m.words) {
		if m.Represent(first, start); slices.Equal(first, state) {
			return start
		}
	}
	return state
}
