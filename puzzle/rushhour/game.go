package rushhour

import (
	"sync"

	"github.com/everystate/everystate/puzzle"
)

// game is one puzzle. Everything but tables is set at construction; tables are built
// on first use, because files of a hundred thousand boards are read whole and rarely
// explored whole.
type game struct {
	*setup
	layout puzzle.Layout
	lines  []line
	start  [puzzle.WordsMax]uint64

	// A state is a goal if vehicle goalAt of line goalLine starts at cell goalStart of
	// the line. That may lie outside the line, beyond a wall.
	goalLine, goalAt, goalStart int

	once  sync.Once
	built tables
}

// newGame makes a puzzle of a setup, and keeps the setup.
func newGame(s *setup) (*game, *puzzle.InputError) {
	g := &game{setup: s, lines: linesOf(&s.board)}
	keyBits, fault := setFields(g.lines)
	if fault != nil {
		return nil, fault
	}
	moves := g.numberMoves()
	g.layout = puzzle.Layout{KeyBits: keyBits, Moves: max(1, moves), Reversible: true, HasGoal: true,
		// A step changes one position by one, and with it the parity of their sum.
		Alternating: s.metric == metricStep}
	for i := range g.lines {
		g.lines[i].put(g.start[:], g.lines[i].rank(s.vehicles))
	}
	g.findGoal()
	return g, nil
}

// findGoal sets where the goal vehicle must be.
func (g *game) findGoal() {
	for n := range g.lines {
		for i, v := range g.lines[n].vehicles {
			if v == g.goal {
				g.goalLine, g.goalAt = n, i
			}
		}
	}
	first := g.lines[g.goalLine].first
	switch g.exit {
	case sideLeft, sideTop:
		g.goalStart = -first
	case sideRight:
		g.goalStart = g.cols - g.vehicles[g.goal].length - first
	case sideBottom:
		g.goalStart = g.rows - g.vehicles[g.goal].length - first
	}
}

func (g *game) Layout() puzzle.Layout { return g.layout }

func (g *game) Starts() []uint64 {
	return append([]uint64(nil), g.start[:g.layout.Words()]...)
}

// Valid reports whether key is a placement without overlaps.
func (g *game) Valid(key []uint64) bool {
	if len(key) != g.layout.Words() {
		return false
	}
	t := g.tables()
	var used [puzzle.WordsMax]uint64
	var rows [sideMax]uint16
	for n := range g.lines {
		l := &g.lines[n]
		rank := l.get(key)
		if rank >= uint64(l.placements) {
			return false
		}
		l.put(used[:], 1<<l.width-1)
		mask := t.shapes[n].masks[rank] << l.first
		if !l.vertical {
			if rows[l.index]&mask != 0 {
				return false
			}
			rows[l.index] |= mask
			continue
		}
		for row := range rows {
			bit := mask >> row & 1 << l.index
			if rows[row]&bit != 0 {
				return false
			}
			rows[row] |= bit
		}
	}
	for i, word := range key {
		if word&^used[i] != 0 {
			return false
		}
	}
	return true
}

func (g *game) Successors(states []uint64, out *puzzle.Edges) {
	t := g.tables()
	if t.narrow != nil {
		t.narrow.Successors(states, out)
		return
	}
	g.wideSuccessors(t, states, out)
}

// Onward appends the successors of each state except those that its link prunes.
func (g *game) Onward(states []uint64, links []puzzle.Move, out *puzzle.Edges) (pruned int) {
	t := g.tables()
	if t.narrow != nil {
		return t.narrow.Onward(states, links, out)
	}
	return g.wideOnward(t, states, links, out)
}

// Goals marks the states whose goal vehicle touches the exit's edge.
func (g *game) Goals(states []uint64, marks []bool) {
	t := g.tables()
	l, words := &g.lines[g.goalLine], g.layout.Words()
	for i := range marks {
		marks[i] = t.goals[l.get(states[i*words:i*words+words])]
	}
}
