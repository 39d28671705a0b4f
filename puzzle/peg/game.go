package peg

import (
	"slices"

	"github.com/everystate/everystate/puzzle"
)

// setup is a board as read.
type setup struct {
	*shape
	pegs []bool // of the start
	goal goal
}

// goal is one peg anywhere, or an arrangement.
type goal struct {
	pegs []bool // nil: one peg
}

// rule is the effect of one jump on boards and keys.
type rule struct {
	jump
	mask  board  // its three holes
	pegs  board  // those of them that must hold a peg before it
	delta uint64 // the change of a key
}

// plain is a puzzle without merged states.
type plain struct{ *game }

// game is the board and its jumps, for puzzles with or without merged states.
type game struct {
	*setup
	layout   puzzle.Layout
	at       []uint // the bit of each hole in a board
	coset    coset
	boards   spread // from keys
	rules    []rule // by move id
	strips   []strip
	adjacent adjacentJumps
	start    uint64

	goals     []uint64 // the keys of the goals in the start's position class
	goalsLike uint64   // bit n is set if a goal's key is n modulo 64
}

// newGame makes the puzzle of a setup, with states closed under the given symmetries.
func newGame(s *setup, closed []symmetry) *game {
	g := &game{setup: s}
	step, fits := s.stripStep()
	for i, c := range s.holes {
		g.at = append(g.at, uint(i))
		if fits {
			g.at[i] = uint(c.row*step + c.col - s.holes[0].row*step - s.holes[0].col)
		}
	}
	axes := s.jumps()
	for _, a := range axes {
		for _, backwards := range []bool{false, true} {
			for _, t := range a.triples {
				j := jump{t[0], t[1], t[2]}
				if backwards {
					j = jump{t[2], t[1], t[0]}
				}
				pegs := board(1)<<g.at[j.from] | 1<<g.at[j.over]
				g.rules = append(g.rules, rule{jump: j, mask: pegs | 1<<g.at[j.to], pegs: pegs})
			}
		}
	}
	start := g.boardOf(s.pegs)
	var vectors []board
	for i := range g.rules {
		vectors = append(vectors, g.rules[i].mask)
	}
	for _, sym := range closed {
		vectors = append(vectors, start^g.boardOf(sym.of(s.pegs)))
	}
	g.coset = newCoset(vectors, start)
	g.start = g.coset.key(start)
	var rows [][]uint64
	for _, v := range g.coset.vectors {
		rows = append(rows, []uint64{v})
	}
	g.boards = newSpread([]uint64{g.coset.base}, rows)
	for i := range g.rules {
		g.rules[i].delta = g.coset.key(g.rules[i].mask)
	}
	if fits {
		g.strips = g.newStrips(axes, step)
	}
	g.adjacent = g.newAdjacentJumps()
	if s.goal.pegs != nil {
		g.addGoal(g.boardOf(s.goal.pegs))
	} else {
		for _, bit := range g.at {
			g.addGoal(1 << bit)
		}
	}
	g.layout = puzzle.Layout{
		KeyBits: max(1, len(g.coset.vectors)),
		Moves:   max(1, len(g.rules)),
		Graded:  true, // by the pegs
		HasGoal: true,
	}
	return g
}

// addGoal adds a board to the goals if it is in the start's position class.
func (g *game) addGoal(b board) {
	if g.coset.contains(b) {
		key := g.coset.key(b)
		g.goals = append(g.goals, key)
		g.goalsLike |= 1 << (key % 64)
	}
}

// Unsolvable compares position classes: a goal of another class is not a state.
func (g *game) Unsolvable([]uint64) string {
	if g.goal.pegs != nil && len(g.goals) == 0 {
		return "the goal is in a different position class"
	}
	return ""
}

// boardOf returns the board with the given pegs.
func (g *game) boardOf(pegs []bool) board {
	b := board(0)
	for i, peg := range pegs {
		if peg {
			b |= 1 << g.at[i]
		}
	}
	return b
}

// pegsOf returns the holes of a state that hold a peg.
func (g *game) pegsOf(key uint64) []bool {
	b := g.expand(key)
	pegs := make([]bool, len(g.holes))
	for i := range pegs {
		pegs[i] = b>>g.at[i]&1 != 0
	}
	return pegs
}

// expand returns the board of a key.
func (g *game) expand(key uint64) board {
	return g.boards.image(key)
}

func (g *game) Layout() puzzle.Layout { return g.layout }

func (g *game) Starts() []uint64 { return []uint64{g.start} }

// Valid reports whether key is a board of the start's position class.
func (g *game) Valid(key []uint64) bool {
	return len(key) == 1 && key[0]>>len(g.coset.vectors) == 0
}

func (g *game) Apply(dst, state []uint64, move puzzle.Move) bool {
	if int(move) >= len(g.rules) {
		return false
	}
	r := &g.rules[move]
	if g.expand(state[0])&r.mask != r.pegs {
		return false
	}
	dst[0] = state[0] ^ r.delta
	return true
}

// Undo undoes a jump.
func (g *game) Undo(dst, state []uint64, move puzzle.Move) bool {
	if int(move) >= len(g.rules) {
		return false
	}
	r := &g.rules[move]
	if g.expand(state[0])&r.mask != r.mask&^r.pegs {
		return false
	}
	dst[0] = state[0] ^ r.delta
	return true
}

// Goals marks the states with one peg, or the goal's arrangement.
func (g *game) Goals(states []uint64, marks []bool) {
	for i, key := range states {
		marks[i] = g.goalsLike>>(key%64)&1 == 1 && slices.Contains(g.goals, key)
	}
}
