package blocks

import (
	"sync"

	"github.com/everystate/everystate/puzzle"
)

// game is one puzzle. Everything but tables is set at construction; tables are built
// on first use, because a board that is only read needs none.
type game struct {
	*setup
	layout   puzzle.Layout
	classes  []*class
	ranking  *ranking // nil: keys are sequences
	sequence *sequence
	moves    moveSet
	start    [puzzle.WordsMax]uint64

	once  sync.Once
	built tables
}

// tables holds what moves are generated from.
type tables struct {
	pairs  []pair  // by move id
	narrow *narrow // nil if keys are sequences, or the groups have too many moves
}

// newGame makes a puzzle of a setup, and keeps the setup.
func newGame(s *setup) *game {
	g := &game{setup: s, classes: classesOf(s)}
	var keyBits int
	if g.ranking, keyBits = newRanking(s, g.classes); g.ranking == nil {
		g.sequence, keyBits = newSequence(s, g.classes)
	}
	g.moves = movesOf(s, g.classes)
	g.layout = puzzle.Layout{
		KeyBits:    keyBits,
		Moves:      max(1, g.moves.count),
		Reversible: true,
		HasGoal:    len(s.goal) > 0,
		// A step changes one coordinate of one piece by one, and with it the parity of
		// the sum of all coordinates.
		Alternating: s.metric == metricStep,
	}
	p, _ := g.place(s.pieces)
	g.encode(g.start[:g.layout.Words()], &p)
	return g
}

// tables returns the tables, built by the first call.
func (g *game) tables() *tables {
	g.once.Do(func() {
		t := &g.built
		t.pairs = g.moves.pairs()
		t.narrow = g.newNarrow()
	})
	return &g.built
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
	var p placed
	if !g.decode(key, &p) {
		return false
	}
	var taken mask
	for _, c := range g.classes {
		for _, at := range p.of(c) {
			cells := &c.places[at].cells
			if taken.meets(cells) {
				return false
			}
			taken.join(cells)
		}
	}
	var again [puzzle.WordsMax]uint64
	g.encode(again[:len(key)], &p)
	for i, word := range key {
		if word != again[i] {
			return false // stray bits
		}
	}
	return true
}

// taken returns the cells under all pieces.
func (g *game) taken(p *placed) (taken mask) {
	for _, c := range g.classes {
		for _, at := range p.of(c) {
			taken.join(&c.places[at].cells)
		}
	}
	return taken
}

// Goals marks the states in which every piece that the goal names is in its place.
func (g *game) Goals(states []uint64, marks []bool) {
	if !g.layout.HasGoal {
		clear(marks)
		return
	}
	if n := g.tables().narrow; n != nil {
		n.markGoals(states, marks)
		return
	}
	words := g.layout.Words()
	var p placed
	for i := range marks {
		g.decode(states[i*words:(i+1)*words], &p)
		marks[i] = true
		for _, c := range g.classes {
			marks[i] = marks[i] && c.satisfied(p.of(c))
		}
	}
}

// satisfied reports whether all places that the goal requires are taken.
func (c *class) satisfied(places []uint8) bool {
	for _, want := range c.wants {
		found := false
		for _, at := range places {
			found = found || at == want
		}
		if !found {
			return false
		}
	}
	return true
}

// Apply moves the piece whose first cell is that of the move.
func (g *game) Apply(dst, state []uint64, move puzzle.Move) bool {
	t := g.tables()
	return int(move) < len(t.pairs) && g.apply(dst, state, t.pairs[move])
}

// Undo moves the piece back: the inverse is a move of the same metric.
func (g *game) Undo(dst, state []uint64, move puzzle.Move) bool {
	t := g.tables()
	return int(move) < len(t.pairs) && g.apply(dst, state, t.pairs[move].back())
}

func (g *game) apply(dst, state []uint64, m pair) bool { return g.slide(dst, state, m, nil) }

// slide moves a piece, unless it has another shape than the one given, if any.
func (g *game) slide(dst, state []uint64, m pair, of *shape) bool {
	var p placed
	g.decode(state, &p)
	for _, c := range g.classes {
		if of != nil && c.kind.shape != of {
			continue
		}
		places := p.of(c)
		for _, at := range places {
			if c.places[at].first != int(m.from) {
				continue
			}
			blocked := g.taken(&p)
			blocked.subtract(&c.places[at].cells)
			if to := c.targets(at, &blocked, g.metric); !to.has(int(m.to)) {
				return false
			}
			replace(places, at, uint8(c.at[m.to]))
			g.encode(dst[:g.layout.Words()], &p)
			return true
		}
	}
	return false
}
