package sokoban

import (
	"fmt"

	"github.com/everystate/everystate/puzzle"
)

// Format draws a state with the walls of the level as given.
func (g *game) Format(state []uint64) string {
	var boxes cellSet
	playerAt, _ := g.decode(state, &boxes)
	return g.draw(&boxes, playerAt)
}

// Draw is Format with the player where Picture shows it: moves name cells by row and
// column.
func (g *game) Draw(state []uint64) string {
	var boxes cellSet
	playerAt, _ := g.decode(state, &boxes)
	return g.draw(&boxes, g.shown(state, playerAt))
}

// FormatMove names a move: the row and column of a box before the push and its
// direction, or a step as the letter of its direction, a capital for a push.
func (g *game) FormatMove(m puzzle.Move) string {
	if g.metric == metricMove {
		if int(m) >= g.Layout().Moves {
			return "?"
		}
		return "uUdDlLrR"[m : m+1]
	}
	cell := int(m >> 2)
	if cell >= g.cells {
		return "?"
	}
	p := g.places[cell]
	return fmt.Sprintf("%d,%d %s", p.Row+1, p.Col+1, direction(m&3))
}

// Parse reads a state: a level with the same cells and targets, and as many boxes. The
// space around it may differ.
func (g *game) Parse(text string) ([]uint64, error) {
	d, fault := readState(text)
	if fault != nil {
		return nil, fault
	}
	l, fault := newLevel(d)
	if fault != nil {
		return nil, fault
	}
	if fault := g.compare(l, d); fault != nil {
		return nil, fault
	}
	playerAt := l.player
	if g.metric != metricMove {
		_, playerAt = l.region(&l.boxes, playerAt)
	}
	key := make([]uint64, g.words())
	g.encode(key, &l.boxes, playerAt)
	return key, nil
}

// compare reports where a drawn level differs from the puzzle's.
func (g *game) compare(l *level, d *drawing) *puzzle.InputError {
	for c, p := range l.places {
		if c == g.cells || p.Row-l.places[0].Row != g.places[c].Row-g.places[0].Row ||
			p.Col-l.places[0].Col != g.places[c].Col-g.places[0].Col {
			return d.faultf(p, "the cells that the player can reach differ from the puzzle's, first here: the walls must be those of the puzzle")
		}
		if l.targets.has(c) != g.targets.has(c) {
			has, hasNot := "no target", "one"
			if l.targets.has(c) {
				has, hasNot = "a target", "none"
			}
			return d.faultf(p, "here is %s, but the puzzle has %s", has, hasNot)
		}
	}
	if len(l.places) != g.cells {
		return d.start().Faultf("the player can reach %d cells, but in the puzzle %d: the walls must be those of the puzzle", len(l.places), g.cells)
	}
	return nil // targets are as many as the puzzle's, and so are boxes
}

// plural formats a count of things.
func plural(n int, thing string) string {
	switch {
	case n == 1:
		return "1 " + thing
	case thing == "box":
		return fmt.Sprintf("%d boxes", n)
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
