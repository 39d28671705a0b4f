package symmetry

import (
	"slices"

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
	a, back := puzzle.Move(int(link)/m.count), m.Inverse[int(link)%m.count]
	by := m.others(state, a, back, at, out)
	n := at
	for j := at; j < end; j++ {
		b := out.Moves[j]
		first := m.Moves[back][b]
		how := m.relation(a, first)
		if how == cancels {
			continue
		}
		if how == commutes && m.least[a] < b {
			after := by[0]
			if by = by[1:]; m.Moves[int(after)%m.count][a] < b {
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

// relation says whether two moves cancel or commute: see puzzle.Symmetries.
type relation uint8

const (
	unrelated relation = iota
	cancels
	commutes
)

// relate returns the relation of move b to move a before it.
func (m *merged) relate(a, b puzzle.Move) relation {
	switch {
	case m.Cancels != nil && m.Cancels(a, b):
		return cancels
	case m.Commutes != nil && m.Commutes(a, b):
		return commutes
	}
	return unrelated
}

// relationsMax bounds the table of relations, at a byte each.
const relationsMax = 1 << 16

// setRelations makes the table of relations, unless it is too large. With one move there may
// be none: a layout has at least one.
func (m *merged) setRelations(moves int) {
	if moves < 2 || moves*moves > relationsMax {
		return
	}
	m.moves, m.relations = moves, make([]relation, moves*moves)
	for i := range m.relations {
		m.relations[i] = m.relate(puzzle.Move(i/moves), puzzle.Move(i%moves))
	}
}

func (m *merged) relation(a, b puzzle.Move) relation {
	if m.relations == nil {
		return m.relate(a, b)
	}
	return m.relations[int(a)*m.moves+int(b)]
}

// others returns the merged moves, from the state before the link, of those edges from index
// at on whose move commutes with the link's move a and may have a smaller id than a then has.
// They are merged all at once, as that is faster, in memory beyond the edges.
func (m *merged) others(state []uint64, a puzzle.Move, back, at int, out *puzzle.Edges) []puzzle.Move {
	w, end := m.words, len(out.Moves)
	out.Keys = append(out.Keys, state...) // the one before, as soon as it is needed
	for j := at; j < end; j++ {
		b := out.Moves[j]
		first := m.Moves[back][b]
		if m.relation(a, first) != commutes || m.least[a] >= b {
			continue
		}
		before := out.Keys[end*w : (end+1)*w]
		if len(out.Moves) == end {
			m.Image(before, state, back)
			m.base.Undo(before, before, a)
		}
		out.Keys, out.Moves = append(out.Keys, before...), append(out.Moves, first)
		m.base.Apply(out.Keys[len(out.Keys)-w:], out.Keys[end*w:(end+1)*w], first)
	}
	by := out.Moves[end:]
	if len(by) > 0 {
		m.Merge(out.Keys[end*w:(end+1)*w], out.Keys[(end+1)*w:], by)
	}
	out.Keys, out.Moves = out.Keys[:end*w], out.Moves[:end]
	return by
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
//
// If a move leads from state t to s, and symmetry h maps t to its representative, then the
// move's image under h leads from the representative to the image of s, and is followed by
// the first symmetry that leads back to s. Every edge to s is found in this way, from t or
// from another state of its orbit; the symmetries that map the representative to itself give
// further ones.
func (m backward) Predecessors(states []uint64, out *puzzle.Edges) {
	w, n := m.words, puzzle.Move(m.count)
	for s := 0; s < len(states); s += w {
		at := len(out.Moves)
		m.undoing.Predecessors(states[s:s+w], out)
		end := len(out.Moves)
		out.Keys = append(out.Keys, states[s:s+w]...) // as memory for images
		image := out.Keys[end*w:]
		for j := at; j < end; j++ {
			key, move := out.Keys[j*w:(j+1)*w], out.Moves[j]
			h := m.First(key)
			m.Image(key, key, h)
			m.Image(image, states[s:s+w], h)
			out.Moves[j] = m.Moves[h][move]*n + puzzle.Move(m.First(image))
		}
		out.Keys = out.Keys[:end*w]
		for j := at; j < end; j++ {
			if m.Fixing(out.Keys[j*w:(j+1)*w]) > 1 {
				m.fixed(states[s:s+w], j, out)
			}
		}
		m.sort(out, at)
	}
}

// fixed appends the images of edge j, which leads to a state, under the symmetries that map
// where it comes from to itself.
func (m backward) fixed(state []uint64, j int, out *puzzle.Edges) {
	w, n := m.words, puzzle.Move(m.count)
	bare, after := out.Moves[j]/n, m.Inverse[out.Moves[j]%n]
	for g := 1; g < m.count; g++ {
		end := len(out.Moves)
		out.Keys = append(append(out.Keys, out.Keys[j*w:(j+1)*w]...), state...)
		key, image := out.Keys[end*w:(end+1)*w], out.Keys[(end+1)*w:]
		m.Image(image, key, g)
		if !slices.Equal(image, key) {
			out.Keys = out.Keys[:end*w]
			continue
		}
		m.Image(image, state, after) // where the move leads to
		m.Image(image, image, g)
		out.Moves = append(out.Moves, m.Moves[g][bare]*n+puzzle.Move(m.First(image)))
		out.Keys = out.Keys[:(end+1)*w]
	}
}

// sort sorts edges from index at on by move, and drops those that are there twice.
func (m *merged) sort(out *puzzle.Edges, at int) {
	w := m.words
	for i := at + 1; i < len(out.Moves); i++ {
		for j := i; j > at && out.Moves[j] < out.Moves[j-1]; j-- {
			out.Moves[j], out.Moves[j-1] = out.Moves[j-1], out.Moves[j]
			for k := range w {
				out.Keys[j*w+k], out.Keys[(j-1)*w+k] = out.Keys[(j-1)*w+k], out.Keys[j*w+k]
			}
		}
	}
	n := at
	for i := at; i < len(out.Moves); i++ {
		key, known := out.Keys[i*w:(i+1)*w], false
		for j := n - 1; j >= at && out.Moves[j] == out.Moves[i] && !known; j-- {
			known = slices.Equal(out.Keys[j*w:(j+1)*w], key)
		}
		if !known {
			copy(out.Keys[n*w:], key)
			out.Moves[n] = out.Moves[i]
			n++
		}
	}
	out.Keys, out.Moves = out.Keys[:n*w], out.Moves[:n]
}
