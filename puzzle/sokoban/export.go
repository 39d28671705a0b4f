package sokoban

import "github.com/everystate/everystate/puzzle"

// Level is a level for programs that search it with states of their own. Cells are
// numbered as in the keys: those that the player could walk to if there were no boxes,
// row by row.
type Level struct {
	Places  []puzzle.Cell // by cell: its position in Drawing
	Next    [4][]int16    // by cell: the next one up, down, left and right, or -1
	Targets []int         // cells, in increasing order
	Boxes   []int         // cells, in increasing order, as many as targets
	Player  int
	Drawing string // of the start, with the player at its start cell

	// PushMove reports whether moves of the puzzle are pushes, named 4*cell+direction,
	// where cell is the box's before the push. Otherwise moves are steps.
	PushMove bool
}

// LevelOf returns the level of a puzzle of this family that is played forwards, and
// false for others. It starts from the state with the given key or, if start is empty,
// as drawn.
func LevelOf(p puzzle.Puzzle, start []uint64) (Level, bool) {
	g, ok := p.(*game)
	if !ok || g.metric == metricBackward {
		return Level{}, false
	}
	boxes, playerAt := g.boxes, g.player
	if len(start) > 0 {
		boxes = cellSet{}
		playerAt, _ = g.decode(start, &boxes)
	}
	l := Level{
		Places:   append([]puzzle.Cell(nil), g.places...),
		Player:   playerAt,
		Drawing:  g.draw(&boxes, playerAt),
		PushMove: g.metric == metricPush,
	}
	for d := range g.next {
		l.Next[d] = append([]int16(nil), g.next[d]...)
	}
	for c := range g.places {
		if g.targets.has(c) {
			l.Targets = append(l.Targets, c)
		}
		if boxes.has(c) {
			l.Boxes = append(l.Boxes, c)
		}
	}
	return l, true
}
