package tiles

import (
	"cmp"
	"fmt"
	"math/bits"
	"strings"
	"sync"

	"github.com/everystate/everystate/puzzle"
)

// game is one puzzle.
type game struct {
	shape
	metric metric
	layout puzzle.Layout
	start  uint64
	goal   uint64
	table  *table

	// single reports whether the move ids are the single steps.
	single bool
}

// A table holds what all boards of a shape share. It is built on first use.
type table struct {
	shape shape
	once  sync.Once
	built *lanes
}

func (t *table) lanes() *lanes {
	t.once.Do(func() { t.built = newLanes(t.shape) })
	return t.built
}

func newGame(s shape, m metric, start, goal uint64) *game {
	g := &game{shape: s, metric: m, start: start, goal: goal, table: &table{shape: s}}
	g.layout = puzzle.Layout{
		KeyBits: bits.Len64(s.keys() - 1), Moves: g.spread().moves(),
		Reversible: true, HasGoal: true,
		// Each step takes the hole from a black cell to a white one or back, as on a
		// chessboard.
		Alternating: g.metric == metricTile,
	}
	g.single = g.spread() == spread{1, 1}
	return g
}

func (g *game) Layout() puzzle.Layout { return g.layout }

func (g *game) Starts() []uint64 { return []uint64{g.start} }

// Valid reports whether key is an arrangement, reachable or not.
func (g *game) Valid(key []uint64) bool { return len(key) == 1 && key[0] < g.keys() }

// Goals marks the goal.
func (g *game) Goals(states []uint64, marks []bool) {
	for i := range marks {
		marks[i] = states[i] == g.goal
	}
}

// GoalStates returns the goal.
func (g *game) GoalStates() []uint64 { return []uint64{g.goal} }

// Format writes rows of numbers.
func (g *game) Format(state []uint64) string {
	var arrangement [cellsMax]uint8
	g.arrangement(state[0], arrangement[:])
	return g.rowsOf(&arrangement, 0, "0")
}

// Draw writes aligned rows of numbers, with a dot for the hole.
func (g *game) Draw(state []uint64) string {
	var arrangement [cellsMax]uint8
	g.arrangement(state[0], arrangement[:])
	return g.rowsOf(&arrangement, len(fmt.Sprint(g.cells()-1)), ".")
}

// rowsOf writes an arrangement.
func (s shape) rowsOf(arrangement *[cellsMax]uint8, width int, hole string) string {
	var text strings.Builder
	for i, tile := range arrangement[:s.cells()] {
		switch {
		case i == 0:
		case i%s.cols == 0:
			text.WriteByte('\n')
		default:
			text.WriteByte(' ')
		}
		name := hole
		if tile > 0 {
			name = fmt.Sprint(tile)
		}
		fmt.Fprintf(&text, "%*s", width, name)
	}
	return text.String()
}

// Compare orders texts number by number, so that 9 comes before 10.
func (g *game) Compare(a, b string) int {
	numbers := strings.Fields(b)
	for i, number := range strings.Fields(a) {
		if i == len(numbers) {
			return 1
		}
		if order := cmp.Or(cmp.Compare(len(number), len(numbers[i])), strings.Compare(number, numbers[i])); order != 0 {
			return order
		}
	}
	return strings.Compare(a, b)
}

// FormatMove names the direction in which tiles move, and their number.
func (g *game) FormatMove(m puzzle.Move) string {
	if int(m) >= g.Layout().Moves {
		return fmt.Sprintf("no move %d", m)
	}
	step, count := g.spread().step(m)
	names := [4]string{"U", "D", "L", "R"}
	if g.sideways() {
		names = [4]string{"L", "R", "U", "D"}
	}
	if count == 1 {
		return names[step]
	}
	return fmt.Sprint(names[step], count)
}

// Picture draws a state.
func (g *game) Picture(state []uint64) *puzzle.Picture {
	var arrangement [cellsMax]uint8
	g.arrangement(state[0], arrangement[:])
	p := &puzzle.Picture{Rows: g.rows, Cols: g.cols, Ground: make([]puzzle.Ground, g.cells())}
	for i, tile := range arrangement[:g.cells()] {
		if tile > 0 {
			p.Pieces = append(p.Pieces, puzzle.Piece{
				Kind:   puzzle.PieceTile,
				Cells:  []puzzle.Cell{{Row: i / g.cols, Col: i % g.cols}},
				Label:  fmt.Sprint(tile),
				Colour: int(tile) - 1,
			})
		}
	}
	return p
}
