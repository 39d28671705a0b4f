package machine

import "github.com/everystate/everystate/puzzle/puzzlescript/game"

// matcher finds the cells that a game.Matcher matches.
type matcher struct {
	objects []int
	all     bool
}

func newMatcher(g *game.Game, m game.Matcher) matcher {
	n := matcher{all: m.All}
	for id := range g.Objects {
		if m.Objects.Has(id) {
			n.objects = append(n.objects, id)
		}
	}
	return n
}

// word returns which of the cells of word n match.
func (m *matcher) word(b *board, n int) uint64 {
	if len(m.objects) == 0 {
		return 0
	}
	w := b.objects[m.objects[0]*b.planeWords+n]
	for _, id := range m.objects[1:] {
		if m.all {
			w &= b.objects[id*b.planeWords+n]
		} else {
			w |= b.objects[id*b.planeWords+n]
		}
	}
	return w
}

// condition is a win condition.
type condition struct {
	quantifier game.Quantifier
	a, b       matcher
}

// Solved reports whether there are win conditions and the level fulfils them.
func (m *Machine) Solved() bool {
	for i := range m.conditions {
		if !m.holds(&m.conditions[i]) {
			return false
		}
	}
	return len(m.conditions) > 0
}

func (m *Machine) holds(c *condition) bool {
	for n := range m.board.planeWords {
		a := c.a.word(m.board, n)
		if a == 0 {
			continue
		}
		b := c.b.word(m.board, n)
		switch {
		case c.quantifier == game.All && a&^b != 0, c.quantifier == game.No && a&b != 0:
			return false
		case c.quantifier == game.Some && a&b != 0:
			return true
		}
	}
	return c.quantifier != game.Some
}
