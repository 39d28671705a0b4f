package permutation

import (
	"slices"
	"sync"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/permutation/ranking"
	"github.com/everystate/everystate/puzzle/permutation/structure"
)

// Bounds of a puzzle.
const (
	placesMax       = ranking.ItemsMax
	orientationsMax = 16
	movesMax        = 1024
)

// arrangement holds the piece at each place and how far it is turned. Pieces that look
// alike have the same number.
type arrangement struct {
	pieces  []uint8
	orients []uint8
}

func newArrangement(places int) arrangement {
	return arrangement{make([]uint8, places), make([]uint8, places)}
}

func (a arrangement) equal(b arrangement) bool {
	return slices.Equal(a.pieces, b.pieces) && slices.Equal(a.orients, b.orients)
}

// move is the effect of a move.
type move = structure.Move

// apply writes the result of a move to dst, which must not share memory with src.
func apply(t move, dst, src arrangement, moduli []uint8) {
	for i, from := range t.From {
		dst.pieces[i] = src.pieces[from]
		dst.orients[i] = (src.orients[from] + t.By[i]) % moduli[i]
	}
}

// system is a puzzle without a notation: its starts, moves and goals.
type system struct {
	moduli []uint8 // by place: the number of orientations of a piece there
	start  arrangement
	goals  []arrangement // may be empty
	moves  []move        // by move id

	// ways holds, by piece, how many orientations are distinguished, a divisor of the
	// modulus of its place: 1 if the orientation is ignored. nil means all.
	ways []uint8

	blocked []block
	loose   *loose // the puzzle without the piece that is held, or nil
}

// block says that a piece must not be at a place: moves that lead there are not legal.
type block struct{ place, piece uint8 }

// settle reduces the turns to the orientations that are distinguished.
func (s *system) settle(a arrangement) {
	if s.ways != nil {
		for i, piece := range a.pieces {
			a.orients[i] %= s.ways[piece]
		}
	}
}

// open reports whether no piece is at a place blocked for it.
func (s *system) open(a arrangement) bool {
	for _, b := range s.blocked {
		if a.pieces[b.place] == b.piece {
			return false
		}
	}
	return true
}

// partial reports whether an orbit has pieces with fewer distinguished orientations
// than its modulus.
func (s *system) partial(o *orbit) bool {
	return len(s.ways) > 0 && slices.ContainsFunc(o.places, func(place int) bool { return int(s.ways[s.start.pieces[place]]) != o.modulus })
}

// reduce returns the system with only as many orientations in each orbit as its pieces
// need.
func (s system) reduce() system {
	if s.ways == nil {
		return s
	}
	s.moduli = slices.Clone(s.moduli)
	s.moves = slices.Clone(s.moves)
	for i := range s.moves {
		s.moves[i].By = slices.Clone(s.moves[i].By)
	}
	for _, o := range s.orbits() {
		most := 1
		for _, place := range o.places {
			most = lcm(most, int(s.ways[s.start.pieces[place]]))
		}
		for _, place := range o.places {
			s.moduli[place] = uint8(most)
			for i := range s.moves {
				s.moves[i].By[place] %= uint8(most)
			}
		}
	}
	return s
}

// lcm returns the least common multiple.
func lcm(a, b int) int {
	for m := a; ; m += a {
		if m%b == 0 {
			return m
		}
	}
}

// orbit is a set of places whose pieces the moves mix among themselves.
type orbit struct {
	places  []int
	modulus int
	sumKept bool  // no move changes the sum of the turns
	sum     uint8 // of the turns, if sumKept
}

// orbits returns the orbits, by their first places.
func (s *system) orbits() []orbit {
	n := len(s.moduli)
	root := make([]int, n)
	for i := range root {
		root[i] = i
	}
	for changed := true; changed; {
		changed = false
		for _, t := range s.moves {
			for i, from := range t.From {
				if low := min(root[i], root[from]); root[i] != low || root[from] != low {
					root[i], root[from], changed = low, low, true
				}
			}
		}
	}
	var list []orbit
	for first := range root {
		if root[first] != first {
			continue
		}
		o := orbit{modulus: int(s.moduli[first])}
		for i := first; i < n; i++ {
			if root[i] == first {
				o.places = append(o.places, i)
			}
		}
		o.setSum(s)
		list = append(list, o)
	}
	return list
}

// setSum finds out whether the sum of the turns is kept by all moves and is the same
// in the start and the goals. A goal with another sum is unreachable, but it must be a
// state.
func (o *orbit) setSum(s *system) {
	sum := func(turns []uint8) int {
		total := 0
		for _, place := range o.places {
			total += int(turns[place])
		}
		return total % o.modulus
	}
	o.sumKept, o.sum = !s.partial(o), uint8(sum(s.start.orients))
	for _, t := range s.moves {
		o.sumKept = o.sumKept && sum(t.By) == 0
	}
	for _, g := range s.goals {
		o.sumKept = o.sumKept && sum(g.orients) == int(o.sum)
	}
}

// game is the puzzle of a system.
type game struct {
	system
	orbits   []orbit
	layout   puzzle.Layout
	undoing  []move                 // by id: the inverses
	unpruned func() [][]puzzle.Move // by id: the moves not pruned after it
	size     func() puzzle.Size

	coder
	forth, past mover // past only if the game is one-way

	starts  []uint64
	targets []uint64
	notation
}

// reversible is a game in which every move has an inverse move.
type reversible struct{ *game }

// oneWay is a game with a move that no move undoes.
type oneWay struct{ *game }

// walled is a reversible game in which some moves are blocked in some states.
type walled struct{ *game }

var (
	_ puzzle.Onward   = &game{}
	_ puzzle.Sized    = &game{}
	_ puzzle.Pictured = reversible{}
	_ puzzle.Backward = oneWay{}
)

// newPuzzle turns a system into a puzzle. It reports false if the states do not fit a
// key.
func newPuzzle(s system, n notation) (puzzle.Puzzle, bool) {
	s = s.reduce()
	g := &game{system: s, orbits: s.orbits(), notation: n}
	reversal := true
	for _, t := range s.moves {
		undoing := t.Inverse(s.moduli)
		reversal = reversal && slices.ContainsFunc(s.moves, undoing.Equal)
		g.undoing = append(g.undoing, undoing)
	}
	keyBits, ok := g.setCoder(&g.system, g.orbits)
	if !ok {
		return nil, false
	}
	g.layout = puzzle.Layout{KeyBits: keyBits, Moves: len(s.moves), Reversible: reversal, HasGoal: len(s.goals) > 0}
	g.starts = g.encoded(s.start)
	for i, goal := range s.goals {
		if !slices.ContainsFunc(s.goals[:i], goal.equal) {
			g.targets = append(g.targets, g.encoded(goal)...)
		}
	}
	g.unpruned = sync.OnceValue(func() [][]puzzle.Move { return g.abstract().Unpruned() })
	g.size = sync.OnceValue(func() puzzle.Size { return g.abstract().Size() })
	g.forth = newMover(&g.coder, s.moves)
	if reversal && s.blocked != nil {
		return walled{g}, true
	}
	if reversal {
		return reversible{g}, true
	}
	g.past = newMover(&g.coder, g.undoing)
	return oneWay{g}, true
}

func (g *game) encoded(a arrangement) []uint64 {
	g.settle(a)
	key := make([]uint64, g.layout.Words())
	g.encode(key, a)
	return key
}

func (g *game) decoded(key []uint64) arrangement {
	a := newArrangement(len(g.system.moduli))
	g.decode(a, key)
	return a
}

func (g *game) Layout() puzzle.Layout { return g.layout }

func (g *game) Starts() []uint64 { return slices.Clone(g.starts) }

// Valid reports whether key is the key of a state.
func (g *game) Valid(key []uint64) bool {
	if len(key) != g.layout.Words() {
		return false
	}
	return g.valid(key)
}

func (g *game) Successors(states []uint64, out *puzzle.Edges) {
	g.all(&g.forth, states, out)
}

// all appends the result of every move on each state.
func (g *game) all(m *mover, states []uint64, out *puzzle.Edges) {
	words := g.keyWords
	for ; len(states) > 0; states = states[words:] {
		at := len(out.Moves)
		m.append(states[:words], out)
		for id := range g.moves {
			out.Moves = append(out.Moves, puzzle.Move(id))
		}
		if g.blocked != nil {
			g.leave(out, at)
		}
	}
}

// leave removes, from index at on, states with a piece at a place blocked for it.
func (g *game) leave(out *puzzle.Edges, at int) {
	words := g.keyWords
	for i := at; i < len(out.Moves); i++ {
		if key := out.Keys[i*words : (i+1)*words]; g.free(key) {
			copy(out.Keys[at*words:], key)
			out.Moves[at] = out.Moves[i]
			at++
		}
	}
	out.Keys, out.Moves = out.Keys[:at*words], out.Moves[:at]
}

// free is open for a key.
func (g *game) free(key []uint64) bool {
	if g.fields == nil {
		var pieces, turned [placesMax]uint8
		a := arrangement{pieces[:len(g.system.moduli)], turned[:len(g.system.moduli)]}
		g.decode(a, key)
		return g.open(a)
	}
	for _, b := range g.blocked {
		if g.fields[b.place].at(key) == b.piece {
			return false
		}
	}
	return true
}

// Onward appends the successors of each state except those that its link prunes.
func (g *game) Onward(states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
	words, after := g.keyWords, g.unpruned()
	if g.blocked != nil {
		return g.onwardFree(states, links, out)
	}
	for i, link := range links {
		at := len(out.Keys)
		g.forth.append(states[i*words:(i+1)*words], out)
		keys, kept := out.Keys[at:], after[link]
		for n, id := range kept { // kept[n] >= n: no key is overwritten before it is copied
			copy(keys[n*words:(n+1)*words], keys[int(id)*words:])
		}
		out.Keys = out.Keys[:at+len(kept)*words]
		out.Moves = append(out.Moves, kept...)
		pruned += len(g.moves) - len(kept)
	}
	return pruned
}

// onwardFree is Onward for boards with blocked places. Blocked moves count neither as
// pruned nor as kept.
func (g *game) onwardFree(states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
	words, after := g.keyWords, g.unpruned()
	for i, link := range links {
		at := len(out.Moves)
		g.all(&g.forth, states[i*words:(i+1)*words], out)
		end := at
		for j, id := range out.Moves[at:] {
			if _, kept := slices.BinarySearch(after[link], id); kept {
				copy(out.Keys[end*words:], out.Keys[(at+j)*words:(at+j+1)*words])
				out.Moves[end] = id
				end++
			}
		}
		pruned += len(out.Moves) - end
		out.Keys, out.Moves = out.Keys[:end*words], out.Moves[:end]
	}
	return pruned
}

// Predecessors appends the states from which a move leads to each state.
func (o oneWay) Predecessors(states []uint64, out *puzzle.Edges) {
	o.all(&o.past, states, out)
}

func (g *game) Apply(dst, state []uint64, move puzzle.Move) bool {
	return int(move) < len(g.moves) && g.apply(dst, state, g.moves[move])
}

func (g *game) Undo(dst, state []uint64, move puzzle.Move) bool {
	return int(move) < len(g.moves) && g.apply(dst, state, g.undoing[move])
}

// apply writes the result of a move, and reports whether it is legal.
func (g *game) apply(dst, state []uint64, t move) bool {
	var pieces, turned, newPieces, newTurned [placesMax]uint8
	n := len(g.system.moduli)
	a := arrangement{pieces[:n], turned[:n]}
	b := arrangement{newPieces[:n], newTurned[:n]}
	g.decode(a, state)
	apply(t, b, a, g.system.moduli)
	if !g.open(b) {
		return false
	}
	g.settle(b)
	g.encode(dst, b)
	return true
}

func (g *game) GoalStates() []uint64 { return slices.Clone(g.targets) }

func (g *game) Goals(states []uint64, marks []bool) {
	if len(g.targets) == 1 {
		for i, state := range states[:len(marks)] {
			marks[i] = state == g.targets[0]
		}
		return
	}
	words := g.keyWords
	for i := range marks {
		state := states[i*words : (i+1)*words]
		marks[i] = false
		for at := 0; at < len(g.targets); at += words {
			marks[i] = marks[i] || slices.Equal(state, g.targets[at:at+words])
		}
	}
}

// Orientations returns how many orientations a piece has at each place.
func (g *game) Orientations() []uint8 { return slices.Clone(g.system.moduli) }

// Effect returns, by place, where the piece that a move brings there was, and how far it
// is turned on its way.
func (g *game) Effect(move puzzle.Move) (from, by []uint8) {
	return g.moves[move].From, g.moves[move].By
}

// Solved returns the piece at each place before any move.
func (g *game) Solved() []uint8 {
	if r, ok := g.notation.(*moveReader); ok {
		return slices.Clone(r.solved.pieces)
	}
	return ordered(len(g.system.moduli)).pieces
}

// Word returns how the text of a state writes a turned piece at a place.
func (g *game) Word(place int, piece, turned uint8) string {
	a := newArrangement(len(g.system.moduli))
	a.pieces[place], a.orients[place] = piece, turned
	g.settle(a)
	return g.words(a)[place]
}
