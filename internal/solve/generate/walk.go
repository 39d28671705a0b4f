package generate

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/everystate/everystate/internal/solve"
)

// walk is one restart, independent of all others.
type walk struct {
	rules  *Rules
	method Method
	length int64
	start  *start // nil for a board drawn at random

	number int64
	random *rand.Rand
	dense  int // the least number of cells in 16 that a board drawn at random covers
	scorer *scorer
	top    top
	told   *Progress
}

// triesMax bounds how often something that did not fit is redrawn.
const triesMax = 100

// run searches until it has evaluated its number of boards, or is stopped. Either
// way, its findings are in top.
func (w *walk) run(ctx context.Context) error {
	now, score, err := w.begin(ctx)
	if err != nil {
		return err
	}
	for w.left() {
		next := w.change(now)
		if w.method == Random {
			next = w.draw()
		}
		if next == nil {
			w.scorer.evaluated++ // nothing fits, and yet the search must end
			continue
		}
		e, err := w.evaluate(ctx, next)
		if err != nil {
			return err
		}
		if e == nil || !w.takes(e.score()-score) {
			continue
		}
		now, score = e.hardest(), e.score()
	}
	return nil
}

func (w *walk) left() bool { return w.scorer.evaluated < w.length }

// begin finds a board that has a score.
func (w *walk) begin(ctx context.Context) (*board, int, error) {
	for tries := 0; w.left(); tries++ {
		var b *board
		switch {
		case w.start == nil || tries >= triesMax:
			b = w.draw()
		case w.start.grows():
			b = w.grow()
		default:
			b, tries = w.start.board, triesMax
		}
		if b == nil {
			w.scorer.evaluated++
			continue
		}
		e, err := w.evaluate(ctx, b)
		if err != nil {
			return nil, 0, err
		}
		if e != nil {
			return e.hardest(), e.score(), nil
		}
	}
	return nil, 0, nil
}

// evaluate explores a board and records it. It returns nil if the board has no score.
func (w *walk) evaluate(ctx context.Context, b *board) (*explored, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e, err := w.scorer.explore(ctx, b)
	w.told.Evaluations.Add(1)
	switch {
	case errors.Is(err, solve.ErrTooLarge):
		w.told.TooLarge.Add(1)
		w.dense = min(w.dense+1, 15)
		return nil, nil
	case err != nil:
		return nil, err
	}
	w.told.States.Add(int64(e.c.Len()))
	if e.score() < 0 {
		w.dense = max(w.dense-1, 0)
		return nil, nil
	}
	w.told.best(e.score())
	if w.top.wants(e.score()) {
		f := e.found()
		f.Restart = w.number
		w.top.add(f)
	}
	return e, nil
}

// How many of 65,536 downward steps of one move annealing accepts at first and at
// last. They are integers, because powers differ between machines.
const (
	takesOf    = 1 << 16
	takesFirst = takesOf / 2
	takesLast  = takesOf / 32
)

// takes reports whether to continue from a board whose score is better by that much.
func (w *walk) takes(better int) bool {
	if w.method != Anneal {
		return better >= 0
	}
	odds := takesFirst - (takesFirst-takesLast)*w.scorer.evaluated/w.length
	for ; better < 0; better++ {
		if w.random.Int64N(takesOf) >= odds {
			return false
		}
	}
	return true
}

// draw places pieces at random, covering at least a third of the cells, or more if
// boards were too large to explore: the fuller a board, the fewer states it has. It
// returns nil if too few pieces fit.
func (w *walk) draw() *board {
	r := w.rules
	b := &board{r, []piece{{row: r.ExitRow, col: w.random.IntN(r.Cols - 1), length: 2}}}
	for range r.WallsMin + w.random.IntN(r.WallsMax-r.WallsMin+1) {
		w.add(b, w.wall)
	}
	area := r.Rows * r.Cols
	least := max(area/3, area*w.dense/16)
	cells := least + w.random.IntN(max(area*4/5, least)-least+1)
	for vehicles := 0; vehicles < r.VehiclesMax && (cells > 0 || vehicles < r.VehiclesMin); vehicles++ {
		if !w.add(b, w.vehicle) {
			break
		}
		cells -= b.pieces[len(b.pieces)-1].length
	}
	if !w.kept(b) {
		return nil
	}
	return b
}

// grow fills the rows and columns around the start board with vehicles: the fuller they
// are, the more of what makes it hard remains. It returns nil if too few pieces fit.
func (w *walk) grow() *board {
	b := w.start.clone()
	for vehicles, _ := b.count(); vehicles < w.rules.VehiclesMax; vehicles++ {
		if !w.add(b, w.vehicleAround) {
			break
		}
	}
	if !w.kept(b) {
		return nil
	}
	return b
}

// vehicleAround draws a vehicle around the start board, if it finds one soon.
func (w *walk) vehicleAround() piece {
	for range triesMax {
		if p := w.vehicle(); w.start.around(p) {
			return p
		}
	}
	return w.start.pieces[0] // which has no room
}

// vehicle draws a vehicle anywhere on the board.
func (w *walk) vehicle() piece {
	return w.anywhere(piece{length: w.rules.Lengths[w.random.IntN(len(w.rules.Lengths))]})
}

func (w *walk) wall() piece { return w.anywhere(piece{length: 1, wall: true}) }

// anywhere draws a direction and a place for a piece, which may not fit.
func (w *walk) anywhere(p piece) piece {
	rows, cols := w.rules.Rows, w.rules.Cols
	p.vertical = !p.wall && w.random.IntN(2) == 1
	if p.vertical {
		rows -= p.length - 1
	} else {
		cols -= p.length - 1
	}
	p.row, p.col = w.random.IntN(max(1, rows)), w.random.IntN(max(1, cols))
	return p
}

// add adds a piece somewhere, if there is room.
func (w *walk) add(b *board, draw func() piece) bool {
	for range triesMax {
		if p := draw(); b.room(p, -1) {
			b.pieces = append(b.pieces, p)
			if b.allowed() {
				return true
			}
			b.pieces = b.pieces[:len(b.pieces)-1]
		}
	}
	return false
}

// kept reports whether a board meets the rules.
func (w *walk) kept(b *board) bool {
	vehicles, walls := b.count()
	return vehicles >= w.rules.VehiclesMin && vehicles <= w.rules.VehiclesMax &&
		walls >= w.rules.WallsMin && walls <= w.rules.WallsMax && b.allowed()
}

// change returns a slightly different board, or nil if it finds none.
func (w *walk) change(b *board) *board {
	for range triesMax {
		next := b.clone()
		ok := w.mutate(next)
		for ok && w.random.IntN(3) == 0 {
			ok = w.mutate(next)
		}
		if ok && w.kept(next) {
			return next
		}
	}
	return nil
}

// mutate changes one thing. It returns false if there is nothing to change, or no
// room.
func (w *walk) mutate(b *board) bool {
	what := w.random.IntN(16)
	switch {
	case what < 3:
		return w.add(b, w.vehicle)
	case what == 3:
		return w.rules.WallsMax > 0 && w.add(b, w.wall)
	case what == 4:
		return w.move(b, 0)
	case len(b.pieces) == 1:
		return false
	}
	i := 1 + w.random.IntN(len(b.pieces)-1)
	switch {
	case what < 8:
		b.pieces = append(b.pieces[:i], b.pieces[i+1:]...)
		return true
	case what < 12:
		return w.move(b, i)
	}
	return w.replace(b, i)
}

// move moves a piece: the goal vehicle within its row, any other piece anywhere.
func (w *walk) move(b *board, i int) bool {
	p := b.pieces[i]
	if i == 0 {
		p.col = w.random.IntN(w.rules.Cols - 1)
	} else {
		p = w.anywhere(p)
	}
	if !b.room(p, i) {
		return false
	}
	b.pieces[i] = p
	return true
}

// replace replaces a piece by one near it: of another length, turned, shifted, or a
// wall.
func (w *walk) replace(b *board, i int) bool {
	p := b.pieces[i]
	switch w.random.IntN(4) {
	case 0:
		p.wall = w.rules.WallsMax > 0 && !p.wall
		if p.wall {
			p.length, p.vertical = 1, false
			break
		}
		fallthrough
	case 1:
		p.wall, p.length = false, w.rules.Lengths[w.random.IntN(len(w.rules.Lengths))]
	case 2:
		p.vertical = !p.wall && !p.vertical
	}
	p.row += w.random.IntN(3) - 1
	p.col += w.random.IntN(3) - 1
	if p == b.pieces[i] || !b.room(p, i) {
		return false
	}
	b.pieces[i] = p
	return true
}
