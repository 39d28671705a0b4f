package generate

import (
	"context"
	"strings"

	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/puzzle"
)

// scorer explores boards, one after the other.
type scorer struct {
	component solve.Component
	evaluated int64
}

// explore fills the component with all that a board can reach. It reports whether
// the board has a score: a goal to reach, and no more states than allowed.
func (s *scorer) explore(ctx context.Context, b *board) (*explored, error) {
	s.evaluated++
	at := b.puzzle()
	err := s.component.Explore(ctx, at.Puzzle, b.rules.StatesMax)
	if err != nil {
		return nil, err
	}
	return &explored{b, &s.component, func(key []uint64) string { return at.Puzzle.Format(key) }}, nil
}

// explored is a board with all that it can reach, until the next one is explored.
type explored struct {
	board  *board
	c      *solve.Component
	format func(key []uint64) string
}

// score is the greatest distance to a goal, or -1 if there is no goal to reach.
func (e *explored) score() int { return len(e.c.Layers()) - 1 }

// state returns the board as it is in a state.
func (e *explored) state(n uint32) *board { return e.board.at(e.format(e.c.Key(int(n)))) }

// hardest returns one of the states with the greatest distance.
func (e *explored) hardest() *board { return e.state(e.c.Farthest()[0]) }

// found describes the space by the state that a sweep would choose for it.
func (e *explored) found() Found {
	var best *board
	least := ""
	for _, n := range e.c.Farthest() {
		b := e.state(n)
		if mask := b.mask(); best == nil || strings.Compare(mask, least) < 0 {
			best, least = b, mask
		}
	}
	best.sort()
	f := Found{
		board: best, Distance: e.score(), States: e.c.Len(), Layers: append([]int(nil), e.c.Layers()...),
		Cells: string(best.cells()),
	}
	f.Vehicles, f.Walls = best.count()
	f.Vehicles++
	return f
}

// Found is a board that was found: the hardest state of what it can reach.
type Found struct {
	board *board

	// Cells are the board's cells row by row: . is empty, x a wall, A the goal
	// vehicle, and the others are named by rows and then by columns.
	Cells string

	// Distance is how far it is from its nearest goal, which is the greatest
	// distance of all its States. Layers says how many have each distance.
	Distance, States int
	Layers           []int

	// Vehicles counts the goal vehicle too.
	Vehicles, Walls int

	// Minimal tells that without any one of the vehicles and walls the board would
	// be easier; false where that was not found out.
	Minimal bool

	// Restart is the number of the restart that found it, from 0.
	Restart int64
}

// Board returns the board as one that can be explored.
func (f *Found) Board() puzzle.Board { return f.board.puzzle() }

// Size returns the rows and columns of the board.
func (f *Found) Size() (rows, cols int) { return f.board.rules.Rows, f.board.rules.Cols }

// compare orders what was found, the hardest first.
func (f *Found) compare(g *Found) int {
	switch {
	case f.Distance != g.Distance:
		return g.Distance - f.Distance
	case f.States != g.States:
		return f.States - g.States
	}
	return strings.Compare(f.Cells, g.Cells)
}

// minimal takes away all that makes a board no easier when it is gone, as long as
// the rules allow it, and returns what is left. That may be harder.
func (s *scorer) minimal(ctx context.Context, f Found) (Found, error) {
	for {
		smaller, err := s.without(ctx, &f)
		if err != nil {
			return f, err
		}
		if smaller == nil {
			f.Minimal = true
			return f, nil
		}
		f = *smaller
	}
}

// without looks for a piece that can go, and returns what is left then, or nil.
func (s *scorer) without(ctx context.Context, f *Found) (*Found, error) {
	vehicles, walls := f.board.count()
	for i, p := range f.board.pieces {
		switch {
		case i == 0,
			p.wall && walls <= f.board.rules.WallsMin,
			!p.wall && vehicles <= f.board.rules.VehiclesMin:
			continue
		}
		b := f.board.clone()
		b.pieces = append(b.pieces[:i], b.pieces[i+1:]...)
		e, err := s.explore(ctx, b)
		if err != nil {
			return nil, err
		}
		if e.c.Distance(0) >= f.Distance {
			smaller := e.found()
			smaller.Restart = f.Restart
			return &smaller, nil
		}
	}
	return nil, nil
}
