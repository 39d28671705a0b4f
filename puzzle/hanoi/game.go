package hanoi

import (
	"math"
	"math/bits"
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// Bounds of a puzzle. The discs are bounded further by a key, which is one word.
const (
	pegsMin  = 3
	pegsMax  = 8
	discsMax = 40
)

// rule determines to which pegs a disc may go.
type rule uint8

const (
	ruleAny rule = iota
	ruleAdjacent
	ruleCyclic
	rules
)

func (r rule) String() string { return [...]string{"any", "adjacent", "cyclic"}[r] }

// allows reports whether a disc may go from one peg to another.
func (r rule) allows(from, to, pegs int) bool {
	switch r {
	case ruleAdjacent:
		return from-to == 1 || to-from == 1
	case ruleCyclic:
		return to == (from+1)%pegs
	default:
		return from != to
	}
}

// setup describes a puzzle. Arrangements hold the peg of each disc, from 0, the
// largest disc first.
type setup struct {
	pegs        int
	rule        rule
	start, goal []uint8
}

// shift is a move: between two pegs.
type shift struct{ from, to uint8 }

// empty stands for the uppermost disc of a peg that has none: it is larger than every
// disc.
const empty = math.MaxUint8

// uppermost holds the uppermost disc of each peg. Discs are numbered from the
// smallest, 0.
type uppermost [pegsMax]uint8

// chunkMax bounds the table of arrangements of a few discs.
const chunkMax = 1 << 12

// game is the puzzle. reversible and oneWay add what only some rules support.
type game struct {
	setup
	discs  int
	states uint64 // 0 means 1<<64
	layout puzzle.Layout
	target uint64 // the key of the goal

	moves  []shift  // by id
	pruned []uint64 // by id: the set of moves that are pruned after a move
	powers [discsMax]uint64

	// A chunk is chunkDiscs discs of neighbouring sizes. uppermosts has an entry per
	// arrangement of a chunk, as if there were no other discs.
	chunkDiscs  int
	chunkStates uint64
	uppermosts  []uppermost
}

// reversible is a game in which every move has an inverse move.
type reversible struct{ *game }

// oneWay is a game in which moves have no inverse.
type oneWay struct{ *game }

var (
	_ puzzle.Onward   = &game{}
	_ puzzle.Pictured = reversible{}
	_ puzzle.Backward = oneWay{}
)

// discsFit returns how many discs on the given number of pegs fit one word.
func discsFit(pegs int) int {
	discs, left := 0, uint64(math.MaxUint64)
	for ; left >= uint64(pegs); left /= uint64(pegs) {
		discs++
	}
	if bits.OnesCount(uint(pegs)) == 1 { // 2^64 is one more than left can hold
		discs = 64 / bits.TrailingZeros(uint(pegs))
	}
	return min(discs, discsMax)
}

// newPuzzle makes a puzzle of a setup.
func newPuzzle(s setup) puzzle.Puzzle {
	g := &game{setup: s, discs: len(s.start), states: 1}
	for disc := range g.discs {
		g.powers[disc] = g.states
		g.states *= uint64(g.pegs)
	}
	index := map[shift]bool{}
	for from := range g.pegs {
		for to := range g.pegs {
			if g.rule.allows(from, to, g.pegs) {
				index[shift{uint8(from), uint8(to)}] = true
				g.moves = append(g.moves, shift{uint8(from), uint8(to)})
			}
		}
	}
	reversal := true
	for _, m := range g.moves {
		reversal = reversal && index[shift{m.to, m.from}]
	}
	g.setPruned()
	g.target = g.key(s.goal)
	g.layout = puzzle.Layout{
		KeyBits:    bits.Len64(g.states - 1),
		Moves:      len(g.moves),
		Reversible: reversal,
		HasGoal:    true,
	}
	g.setUppermosts()
	if g.layout.Reversible {
		return reversible{g}
	}
	return oneWay{g}
}

// setUppermosts fills the table.
func (g *game) setUppermosts() {
	g.chunkStates = 1
	for g.chunkStates*uint64(g.pegs) <= chunkMax && g.chunkDiscs < g.discs {
		g.chunkStates *= uint64(g.pegs)
		g.chunkDiscs++
	}
	g.uppermosts = make([]uppermost, g.chunkStates)
	for i := range g.uppermosts {
		u := &g.uppermosts[i]
		*u = noDiscs
		for disc, rest := 0, i; disc < g.chunkDiscs; disc++ {
			peg := rest % g.pegs
			rest /= g.pegs
			u[peg] = min(u[peg], uint8(disc))
		}
	}
}

var noDiscs = uppermost{empty, empty, empty, empty, empty, empty, empty, empty}

// uppermost returns the uppermost discs of a state.
func (g *game) uppermost(state uint64) uppermost {
	u := g.uppermosts[state%g.chunkStates]
	for below := g.chunkDiscs; below < g.discs; below += g.chunkDiscs {
		if !slices.Contains(u[:g.pegs], empty) {
			break
		}
		state /= g.chunkStates
		more := &g.uppermosts[state%g.chunkStates]
		for peg := range u[:g.pegs] {
			if u[peg] == empty && more[peg] != empty {
				u[peg] = more[peg] + uint8(below)
			}
		}
	}
	if int(u[0]) >= g.discs { // the last chunk is padded with zeros
		u[0] = empty
	}
	return u
}

// key returns the key of an arrangement.
func (g *game) key(pegs []uint8) uint64 {
	key := uint64(0)
	for _, peg := range pegs {
		key = key*uint64(g.pegs) + uint64(peg)
	}
	return key
}

// arrangement returns the peg of each disc, the largest first.
func (g *game) arrangement(key uint64) []uint8 {
	pegs := make([]uint8, g.discs)
	for i := len(pegs) - 1; i >= 0; i-- {
		pegs[i] = uint8(key % uint64(g.pegs))
		key /= uint64(g.pegs)
	}
	return pegs
}

func (g *game) Layout() puzzle.Layout { return g.layout }

func (g *game) Starts() []uint64 { return []uint64{g.key(g.start)} }

// Valid reports whether key is the key of a state.
func (g *game) Valid(key []uint64) bool {
	return len(key) == 1 && (g.states == 0 || key[0] < g.states)
}

// setPruned fills the sets of moves that are pruned after each move. The disc that has
// moved neither returns nor moves on to where it could have gone directly. Of moves
// between other pegs, which commute with the last one, only those with smaller ids are
// made.
func (g *game) setPruned() {
	for id, m := range g.moves {
		pruned := uint64(0)
		for next, n := range g.moves {
			again := n.from == m.to && (n.to == m.from || g.rule.allows(int(m.from), int(n.to), g.pegs))
			apart := n.from != m.from && n.from != m.to && n.to != m.from && n.to != m.to
			if again || apart && next > id {
				pruned |= 1 << next // at most 56
			}
		}
		g.pruned = append(g.pruned, pruned)
	}
}

// Successors appends the successors of each state.
func (g *game) Successors(states []uint64, out *puzzle.Edges) {
	for _, state := range states {
		g.successors(state, 0, out)
	}
}

// Onward appends the successors of each state except those that its link prunes.
func (g *game) Onward(states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
	for i, state := range states {
		pruned += g.successors(state, g.pruned[links[i]], out)
	}
	return pruned
}

// successors appends the successors of a state by all moves except those of a set, and
// returns how many of these are legal.
func (g *game) successors(state, without uint64, out *puzzle.Edges) (pruned int) {
	u := g.uppermost(state)
	keys := slices.Grow(out.Keys, len(g.moves))
	moves := slices.Grow(out.Moves, len(g.moves))
	n := len(moves)
	newKeys, newMoves := keys[:n+len(g.moves)], moves[:n+len(g.moves)]
	for id, m := range g.moves {
		disc, onto := u[m.from&(pegsMax-1)], u[m.to&(pegsMax-1)]
		// A peg without discs has no legal move: no disc is smaller than itself.
		newKeys[n] = g.moved(state, m, disc)
		newMoves[n] = puzzle.Move(id)
		if disc < onto {
			without := int(without >> (id & 63) & 1)
			pruned += without
			n += 1 - without
		}
	}
	out.Keys, out.Moves = keys[:n], moves[:n]
	return pruned
}

// moved returns the state with a disc moved; if disc is empty, any number.
func (g *game) moved(state uint64, m shift, disc uint8) uint64 {
	return state + uint64(int64(m.to)-int64(m.from))*g.powers[min(disc, discsMax-1)]
}

// Predecessors appends the states from which a move leads to each state.
func (o oneWay) Predecessors(states []uint64, out *puzzle.Edges) {
	for _, state := range states {
		u := o.uppermost(state)
		for id, m := range o.moves {
			if u[m.to] < u[m.from] {
				out.Keys = append(out.Keys, o.moved(state, shift{m.to, m.from}, u[m.to]))
				out.Moves = append(out.Moves, puzzle.Move(id))
			}
		}
	}
}

// Apply writes the state that a move leads to.
func (g *game) Apply(dst, state []uint64, move puzzle.Move) bool {
	return int(move) < len(g.moves) && g.shift(dst, state, g.moves[move])
}

// Undo writes the state from which a move leads to a state.
func (g *game) Undo(dst, state []uint64, move puzzle.Move) bool {
	if int(move) >= len(g.moves) {
		return false
	}
	m := g.moves[move]
	return g.shift(dst, state, shift{m.to, m.from})
}

// shift moves a disc, ignoring the rule.
func (g *game) shift(dst, state []uint64, m shift) bool {
	u := g.uppermost(state[0])
	if u[m.from] >= u[m.to] {
		return false
	}
	dst[0] = g.moved(state[0], m, u[m.from])
	return true
}

// Goals marks the goal.
func (g *game) Goals(states []uint64, marks []bool) {
	for i, state := range states {
		marks[i] = state == g.target
	}
}

// GoalStates returns the goal.
func (g *game) GoalStates() []uint64 { return []uint64{g.target} }
