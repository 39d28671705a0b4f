package peg

import (
	"math/bits"
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// merged is a puzzle whose states are merged under symmetries. Its keys are the least
// keys of the merged states.
type merged struct {
	*game
	symmetries []symmetry
	inverse    []int

	// Images of keys under all symmetries are compared together with the symmetry:
	// image<<shift | symmetry. The least such value holds the key of the
	// representative and the first symmetry that leads to it.
	shift  uint
	images spread
	// Under symmetry s, jump m changes an image by deltas[m*len(symmetries)+s] and
	// becomes jump turnedJumps[m*len(symmetries)+s].
	deltas      []uint64
	turnedJumps []uint16
	leastJump   []uint16 // the least of these, by jump

	layout puzzle.Layout
	start  uint64
}

// symmetriesMax is the size of the largest symmetry group of a board.
const symmetriesMax = 12

// imageList is the images of one key.
type imageList [symmetriesMax]uint64

// newMerged merges states under a group of symmetries, the identity first. It reports
// false if keys or move ids leave no room for it.
func newMerged(s *setup, group []symmetry) (*merged, bool) {
	g := newGame(s, group)
	m := &merged{game: g, symmetries: group, shift: uint(bits.Len(uint(len(group) - 1)))}
	if g.layout.KeyBits+int(m.shift) > 64 || len(g.rules)*len(group) > puzzle.MovesMax {
		return nil, false
	}
	image := func(b board, i int) uint64 { return g.coset.key(g.turned(b, group[i])) << m.shift }
	base := make([]uint64, len(group))
	vectors := make([][]uint64, len(g.coset.vectors))
	for i := range group {
		base[i] = image(g.coset.base, i) | uint64(i)
		for n, v := range g.coset.vectors {
			vectors[n] = append(vectors[n], image(v, i))
		}
		m.inverse = append(m.inverse, inverseOf(group, i))
	}
	m.images = newSpread(base, vectors)
	for n := range g.rules {
		for i := range group {
			m.deltas = append(m.deltas, image(g.rules[n].mask, i))
			m.turnedJumps = append(m.turnedJumps, g.jumpImage(n, group[i]))
		}
		m.leastJump = append(m.leastJump, slices.Min(m.turnedJumps[n*len(group):]))
	}
	m.layout = g.layout
	m.layout.Moves *= len(group)
	m.start = m.canonical(g.start)
	return m, true
}

// turned returns the image of a board under a symmetry.
func (g *game) turned(b board, s symmetry) board {
	image := board(0)
	for i, to := range s.to {
		image |= b >> g.at[i] & 1 << g.at[to]
	}
	return image
}

// jumpImage returns the id of a jump's image under a symmetry.
func (g *game) jumpImage(id int, s symmetry) uint16 {
	j := g.rules[id].jump
	want := jump{s.to[j.from], s.to[j.over], s.to[j.to]}
	return uint16(slices.IndexFunc(g.rules, func(r rule) bool { return r.jump == want })) // the board's jumps are closed under its symmetries
}

// inverseOf returns the inverse of a symmetry.
func inverseOf(group []symmetry, i int) int {
	for n := range group {
		inverse := true
		for hole, to := range group[i].to {
			inverse = inverse && group[n].to[to] == hole
		}
		if inverse {
			return n
		}
	}
	panic("peg: a symmetry has no inverse") // they form a group
}

// least returns the least image after a jump, given its changes to the images.
func (m *merged) least(images *imageList, deltas []uint64) uint64 {
	if len(deltas) == 8 { // all symmetries of a square, unrolled
		d := (*[8]uint64)(deltas)
		return min(
			min(min(images[0]^d[0], images[1]^d[1]), min(images[2]^d[2], images[3]^d[3])),
			min(min(images[4]^d[4], images[5]^d[5]), min(images[6]^d[6], images[7]^d[7])))
	}
	best := ^uint64(0)
	for i, d := range deltas {
		best = min(best, images[i]^d)
	}
	return best
}

// imagesOf returns all images of a key.
func (m *merged) imagesOf(key uint64, list *imageList) {
	m.images.images(key, list[:m.images.width])
}

// first returns the first symmetry that maps a state to its representative, and the
// representative's key.
func (m *merged) first(key uint64) (symmetry int, leastKey uint64) {
	var images imageList
	m.imagesOf(key, &images)
	best := slices.Min(images[:m.images.width])
	return int(best & (1<<m.shift - 1)), best >> m.shift
}

// canonical returns the key of a state's representative.
func (m *merged) canonical(key uint64) uint64 {
	_, least := m.first(key)
	return least
}

// image returns the image of a key under one symmetry.
func (m *merged) image(key uint64, symmetry int) uint64 {
	var images imageList
	m.imagesOf(key, &images)
	return images[symmetry] >> m.shift
}

func (m *merged) Layout() puzzle.Layout { return m.layout }

func (m *merged) Starts() []uint64 { return []uint64{m.start} }

// Valid reports whether key is a representative in the start's position class.
func (m *merged) Valid(key []uint64) bool {
	return m.game.Valid(key) && m.canonical(key[0]) == key[0]
}

func (m *merged) Successors(states []uint64, out *puzzle.Edges) {
	for _, key := range states {
		from := len(out.Moves)
		m.edges(key, false, m.adjacent.none, out)
		m.merge(key, from, out)
	}
}

// merge turns the edges of boards, from index from on, into edges of merged states.
func (m *merged) merge(key uint64, from int, out *puzzle.Edges) {
	var images imageList
	count := len(m.symmetries)
	m.imagesOf(key, &images)
	for i := from; i < len(out.Moves); i++ {
		at := int(out.Moves[i]) * count
		best := m.least(&images, m.deltas[at:at+count])
		out.Keys[i] = best >> m.shift
		out.Moves[i] = puzzle.Move(at + int(best&(1<<m.shift-1)))
	}
}

// Onward appends the successors of each state except those that its link prunes.
//
// Let jump a and then symmetry g lead from state p to s, and let s jump b. On the
// board of p, b is another jump. If it shares no hole with a, it may come first, and
// some symmetry h then maps the result to its representative r. There, a becomes the
// jump h(a), after which the board is merged with that of s after b. So if h(a) has a
// smaller id than b, r leads there by a smaller move than s does.
func (m *merged) Onward(states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
	var images imageList
	count := len(m.symmetries)
	for i, key := range states {
		from := len(out.Moves)
		m.edges(key, false, m.adjacent.none, out)
		a, back := int(links[i])/count, m.inverse[int(links[i])%count]
		m.imagesOf(key, &images)
		m.imagesOf(images[back]>>m.shift^m.rules[a].delta, &images)
		n := from
		for at := from; at < len(out.Moves); at++ {
			b := out.Moves[at]
			first := int(m.turnedJumps[int(b)*count+back])
			if m.leastJump[a] < uint16(b) && m.rules[a].mask&m.rules[first].mask == 0 {
				turn := int(m.least(&images, m.deltas[first*count:first*count+count]) & (1<<m.shift - 1))
				if m.turnedJumps[a*count+turn] < uint16(b) {
					continue
				}
			}
			out.Keys[n], out.Moves[n] = out.Keys[at], b
			n++
		}
		pruned += len(out.Moves) - n
		out.Keys, out.Moves = out.Keys[:n], out.Moves[:n]
		m.merge(key, from, out)
	}
	return pruned
}

// Apply makes a jump and maps the result by the symmetry.
func (m *merged) Apply(dst, state []uint64, move puzzle.Move) bool {
	count := len(m.symmetries)
	var after [1]uint64
	if !m.game.Apply(after[:], state, puzzle.Move(int(move)/count)) {
		return false
	}
	first, key := m.first(after[0])
	if first != int(move)%count {
		return false
	}
	dst[0] = key
	return true
}

// Undo inverts the symmetry and undoes the jump.
func (m *merged) Undo(dst, state []uint64, move puzzle.Move) bool {
	count := len(m.symmetries)
	turn := int(move) % count
	before := [1]uint64{m.image(state[0], m.inverse[turn])}
	if first, _ := m.first(before[0]); first != turn {
		return false
	}
	if !m.game.Undo(before[:], before[:], puzzle.Move(int(move)/count)) || m.canonical(before[0]) != before[0] {
		return false
	}
	dst[0] = before[0]
	return true
}

func (m *merged) Predecessors(states []uint64, out *puzzle.Edges) {
	for _, key := range states {
		m.predecessors(key, out)
	}
}

func (m *merged) predecessors(key uint64, out *puzzle.Edges) {
	count := len(m.symmetries)
	var own imageList
	m.imagesOf(key, &own)
	// The boards that the symmetry maps to the state, if it is the first that does so.
	var boards, keys imageList
	var used [symmetriesMax]bool
	var images [symmetriesMax]imageList
	for turn := range count {
		keys[turn] = own[m.inverse[turn]] >> m.shift
		boards[turn] = m.expand(keys[turn])
		m.imagesOf(keys[turn], &images[turn])
		used[turn] = int(slices.Min(images[turn][:count])&(1<<m.shift-1)) == turn
	}
	for id := range m.rules {
		r := &m.rules[id]
		deltas := m.deltas[id*count : id*count+count]
		for turn := range count {
			if !used[turn] || boards[turn]&r.mask != r.mask&^r.pegs {
				continue
			}
			before := keys[turn] ^ r.delta
			if m.least(&images[turn], deltas)>>m.shift == before {
				out.Keys = append(out.Keys, before)
				out.Moves = append(out.Moves, puzzle.Move(id*count+turn))
			}
		}
	}
}

// Goals marks the states with one peg, or with the goal's arrangement, which the
// symmetries preserve.
func (m *merged) Goals(states []uint64, marks []bool) { m.game.Goals(states, marks) }

// Weights counts the boards that each state represents.
func (m *merged) Weights(states, weights []uint64) {
	var images imageList
	for i := range weights {
		m.imagesOf(states[i], &images)
		same := 0
		for _, image := range images[:len(m.symmetries)] {
			if image>>m.shift == states[i] {
				same++
			}
		}
		weights[i] = uint64(len(m.symmetries) / same)
	}
}
