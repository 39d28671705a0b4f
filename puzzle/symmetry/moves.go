package symmetry

import (
	"github.com/everystate/everystate/puzzle"
)

func (m *merged) Successors(states []uint64, out *puzzle.Edges) {
	for i := 0; i < len(states); i += m.words {
		at := len(out.Moves)
		m.base.Successors(states[i:i+m.words], out)
		m.Merge(states[i:i+m.words], out.Keys[at*m.words:], out.Moves[at:])
	}
}

// Onward appends the successors of each state except those that its link prunes.
//
// Let move a and then symmetry g lead from state p to s, and let s move by b. Before
// the symmetry, b was another move, first. If first after a does the same as a move or
// nothing, then p, or a state one move from p, is a representative of the result.
//
// If the two moves commute, first may come before a, and some symmetry h then maps the
// result to its representative r. There, a becomes the move h(a), after which the state
// is merged with that of s after b. So if h(a) has a smaller id than b, r leads there
// by a smaller move than s does.
func (m *merged) Onward(states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
	w := m.words
	for i, link := range links {
		state := states[i*w : (i+1)*w]
		at := len(out.Moves)
		m.base.Successors(state, out)
		if m.Cancels != nil || m.Commutes != nil {
			pruned += m.prune(state, link, at, out)
		}
		m.Merge(state, out.Keys[at*w:], out.Moves[at:])
	}
	return pruned
}

// prune removes, from index at on, the edges that a state's link prunes. What lies
// beyond the edges serves as scratch memory.
func (m *merged) prune(state []uint64, link puzzle.Move, at int, out *puzzle.Edges) (pruned int) {
	w, end := m.words, len(out.Moves)
	out.Keys = append(append(out.Keys, state...), state...)
	out.Moves = append(out.Moves, 0)
	before, other := out.Keys[end*w:(end+1)*w], out.Keys[(end+1)*w:(end+2)*w]
	by := out.Moves[end : end+1]
	a, back := puzzle.Move(int(link)/m.count), m.Inverse[int(link)%m.count]
	traced := false // before holds p
	n := at
	for j := at; j < end; j++ {
		b := out.Moves[j]
		first := m.Moves[back][b]
		if m.Cancels != nil && m.Cancels(a, first) {
			continue
		}
		if m.Commutes != nil && m.least[a] < b && m.Commutes(a, first) {
			if !traced {
				m.Image(before, state, back)
				m.base.Undo(before, before, a)
				traced = true
			}
			m.base.Apply(other, before, first)
			by[0] = first
			m.Merge(before, other, by)
			if m.Moves[int(by[0])%m.count][a] < b {
				continue
			}
		}
		copy(out.Keys[n*w:(n+1)*w], out.Keys[j*w:(j+1)*w])
		out.Moves[n] = b
		n++
	}
	out.Keys, out.Moves = out.Keys[:n*w], out.Moves[:n]
	return end - n
}

// Apply makes a move and maps the result by the symmetry.
func (m *merged) Apply(dst, state []uint64, move puzzle.Move) bool {
	var old [puzzle.WordsMax]uint64
	copy(old[:], dst)
	if int(move) >= m.layout.Moves || !m.base.Apply(dst, state, puzzle.Move(int(move)/m.count)) {
		return false
	}
	g := int(move) % m.count
	if m.First(dst) != g {
		copy(dst, old[:])
		return false
	}
	m.Image(dst, dst, g)
	return true
}

// Undo inverts the symmetry and undoes the move.
func (m *merged) Undo(dst, state []uint64, move puzzle.Move) bool {
	if int(move) >= m.layout.Moves {
		return false
	}
	var old [puzzle.WordsMax]uint64
	copy(old[:], dst)
	g := int(move) % m.count
	m.Image(dst, state, m.Inverse[g])
	if m.First(dst) == g && m.base.Undo(dst, dst, puzzle.Move(int(move)/m.count)) && m.First(dst) == 0 {
		return true
	}
	copy(dst, old[:])
	return false
}

// Predecessors appends the representatives from which a move leads to each state.
func (m backward) Predecessors(states []uint64, out *puzzle.Edges) {
	for i := 0; i < len(states); i += m.words {
		at := len(out.Moves)
		for g := range m.count {
			m.through(states[i:i+m.words], g, at, out)
		}
	}
}

// through appends the predecessors of a state by moves with the symmetry g, and sorts
// all edges from index at on.
func (m backward) through(state []uint64, g, at int, out *puzzle.Edges) {
	w, middle := m.words, len(out.Moves)
	out.Keys = append(out.Keys, state...) // as memory for the state before the symmetry
	after := out.Keys[middle*w:]
	m.Image(after, state, m.Inverse[g])
	if m.First(after) != g {
		out.Keys = out.Keys[:middle*w]
		return
	}
	out.Moves = append(out.Moves, 0)
	m.undoing.Predecessors(after, out)
	after = out.Keys[middle*w : (middle+1)*w] // appending may have moved it
	m.Merge(after, out.Keys[(middle+1)*w:], out.Moves[middle+1:])
	n := middle
	for j := middle + 1; j < len(out.Moves); j++ {
		if move := int(out.Moves[j]); move%m.count == 0 { // from a representative
			copy(out.Keys[n*w:(n+1)*w], out.Keys[j*w:(j+1)*w])
			out.Moves[n] = puzzle.Move(move + g)
			n++
		}
	}
	out.Keys, out.Moves = out.Keys[:n*w], out.Moves[:n]
	m.interleave(out, at, middle)
}

// interleave merges two sorted lists of edges: those from at to middle, and the rest.
func (m *merged) interleave(out *puzzle.Edges, at, middle int) {
	w, end := m.words, len(out.Moves)
	out.Keys = append(out.Keys, out.Keys[middle*w:]...)
	out.Moves = append(out.Moves, out.Moves[middle:]...)
	i, j := middle-1, len(out.Moves)-1 // the last of either list; the second lies behind end
	for to := end - 1; j >= end; to-- {
		from := &j
		if i >= at && out.Moves[i] > out.Moves[j] {
			from = &i
		}
		copy(out.Keys[to*w:(to+1)*w], out.Keys[*from*w:(*from+1)*w])
		out.Moves[to] = out.Moves[*from]
		*from--
	}
	out.Keys, out.Moves = out.Keys[:end*w], out.Moves[:end]
}
