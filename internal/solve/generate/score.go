package generate

import (
	"context"
	"strings"

	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/puzzle"
)

// scorer explores boards, one after another.
type scorer struct {
	component solve.Component
	evaluated int64
}

// explore fills the component with everything reachable from a board. The error is
// [solve.ErrTooLarge] if that is more states than allowed.
func (s *scorer) explore(ctx context.Context, b *board) (*explored, error) {
	s.evaluated++
	at := b.puzzle()
	err := s.component.Explore(ctx, at.Puzzle, b.rules.StatesMax)
	if err != nil {
		return nil, err
	}
	return &explored{b, &s.component, func(key []uint64) string { return at.Puzzle.Format(key) }}, nil
}

// explored is a board with everything reachable from it, valid until the next board
// is explored.
type explored struct {
	board  *board
	c      *solve.Component
	format func(key []uint64) string
}

// score returns the greatest distance to a goal, or -1 if no goal is reachable.
func (e *explored) score() int { return len(e.c.Layers()) - 1 }

// state returns the board with its vehicles placed as in a state.
func (e *explored) state(n uint32) *board { return e.board.at(e.format(e.c.Key(int(n)))) }

// hardest returns one of the states at the greatest distance.
func (e *explored) hardest() *board { return e.state(e.c.Farthest()[0]) }

// found describes the space by the representative that a sweep would choose.
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

// Found is a board that was found: the hardest state reachable from it.
type Found struct {
	board *board

	// Cells are the board's cells row by row: . is empty, x a wall, A the goal
	// vehicle, and the others are named by rows, then by columns.
	Cells string

	// Distance is the distance to the nearest goal, the greatest of all States.
	// Layers holds the number of states at each distance.
	Distance, States int
	Layers           []int

	// Vehicles counts the goal vehicle as well.
	Vehicles, Walls int

	// Minimal means that removing any vehicle or wall makes the board easier; false
	// if that was not determined.
	Minimal bool

	// Restart is the number of the restart that found it, from 0.
	Restart int64
}

// Board returns the board, ready to explore.
func (f *Found) Board() puzzle.Board { return f.board.puzzle() }

// Size returns the rows and columns of the board.
func (f *Found) Size() (rows, cols int) { return f.board.rules.Rows, f.board.rules.Cols }

// compare orders boards, the hardest first.
func (f *Found) compare(g *Found) int {
	switch {
	case f.Distance != g.Distance:
		return g.Distance - f.Distance
	case f.States != g.States:
		return f.States - g.States
	}
	return strings.Compare(f.Cells, g.Cells)
}

// minimal removes pieces that do not make the board harder, as far as the rules
// allow, and returns the result, which may be harder.
func (s *scorer) minimal(ctx context.Context, f Found) (Found, error) {
	for {
		smaller, minimal, err := s.without(ctx, &f)
		if err != nil {
			return f, err
		}
		if smaller == nil {
			f.Minimal = minimal
			return f, nil
		}
		f = *smaller
	}
}

// without looks for one such piece, and returns the board without it, or nil and whether
// there is none among those either that the rules do not allow to take.
func (s *scorer) without(ctx context.Context, f *Found) (smaller *Found, minimal bool, err error) {
	minimal = true
	vehicles, walls := f.board.count()
	for i, p := range f.board.pieces {
		stays := p.wall && walls <= f.board.rules.WallsMin || !p.wall && vehicles <= f.board.rules.VehiclesMin
		if i == 0 || stays && !minimal {
			continue
		}
		b := f.board.clone()
		b.pieces = append(b.pieces[:i], b.pieces[i+1:]...)
		e, err := s.explore(ctx, b)
		switch {
		case err != nil:
			return nil, false, err
		case e.c.Distance(0) < f.Distance:
		case stays:
			minimal = false
		default:
			smaller := e.found()
			smaller.Restart = f.Restart
			return &smaller, true, nil
		}
	}
	return nil, minimal, nil
}
