// Package trial puts a board to an algorithm, within limits, and its answer to a
// checker that shares no code with it.
//
// No solution leaves it that was not replayed. A trial belongs to one goroutine; many
// may run side by side.
package trial

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/internal/solve/check"
	"github.com/everystate/everystate/internal/solve/sokoban"
	"github.com/everystate/everystate/puzzle"
)

// Options are what trials may have in common.
type Options struct {
	// Heuristic returns the heuristic of a board, nil if there is none. It is asked
	// for algorithms that use one.
	Heuristic func(ctx context.Context, b *puzzle.Board) (solve.Heuristic, error)
	Weight    float64
	Width     int

	NodesMax       int64 // zero means no limit, here and below
	MemoryBytesMax int64
	TimeMax        time.Duration

	// Expanded is told of states that were expanded, if it is not nil.
	Expanded func(states int64)
}

// Trial is a board, what it is put to, and what came of it.
type Trial struct {
	Board     puzzle.Board
	Algorithm solve.Algorithm
	Start     []uint64 // where to begin, if not at the start of the board

	Result  solve.Result
	Names   []string          // of the moves
	Walk    *sokoban.Solution // of Sokoban: with the player's way
	Seconds float64
	Err     error
}

// Run puts the board to the algorithm, and its answer to the checker.
func (t *Trial) Run(ctx context.Context, o *Options) {
	defer func() {
		if v := recover(); v != nil {
			t.Err = fmt.Errorf("internal error: %s: %v (a bug in everystate, not in your input)", t.Algorithm.Name, v)
		}
	}()
	if t.Err = ctx.Err(); t.Err != nil {
		return
	}
	if !t.Algorithm.Suits(t.Board.Family) {
		t.Err = fmt.Errorf("%w: it is only for %s", solve.ErrUnsuited, strings.Join(t.Algorithm.Families, ", "))
		return
	}
	if t.Err = t.search(ctx, o); t.Err == nil && t.Result.Outcome == solve.Solved {
		t.Err = t.check()
	}
}

func (t *Trial) search(ctx context.Context, o *Options) (err error) {
	p := solve.Problem{
		Board: t.Board, Start: t.Start, Weight: o.Weight, Width: o.Width,
		Limits: solve.Limits{NodesMax: o.NodesMax, MemoryBytesMax: o.MemoryBytesMax},
	}
	if t.Algorithm.Heuristic {
		if p.Heuristic, err = o.Heuristic(ctx, &t.Board); err != nil {
			return err
		}
	}
	told := int64(0)
	tell := func(expanded int64) {
		if o.Expanded != nil {
			o.Expanded(expanded - told)
		}
		told = expanded
	}
	p.Progress = func(now solve.Stats) { tell(now.Expanded) }
	if o.TimeMax > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.TimeMax)
		defer cancel()
	}
	began := time.Now()
	t.Result, err = t.Algorithm.Solve(ctx, &p)
	t.Seconds = time.Since(began).Seconds()
	tell(t.Result.Expanded)
	return err
}

// check replays the solution.
func (t *Trial) check() error {
	for _, m := range t.Result.Moves {
		t.Names = append(t.Names, t.Board.Puzzle.FormatMove(m))
	}
	if err := check.NewNames(t.Board.Puzzle).Solves(t.Result.Start, t.Names); err != nil {
		return fmt.Errorf("internal error: %s found an invalid solution: %w", t.Algorithm.Name, err)
	}
	var err error
	if t.Walk, err = walked(&t.Board, &t.Result); err != nil {
		return fmt.Errorf("internal error: %s: %w", t.Algorithm.Name, err)
	}
	return nil
}

// walked fills in the player's way between the pushes of a solution, and has it
// checked. Other families have none.
func walked(board *puzzle.Board, r *solve.Result) (*sokoban.Solution, error) {
	if board.Family != sokoban.Family || board.Metric == sokoban.Backwards {
		return nil, nil //nolint:nilnil // No solution of this kind is no fault.
	}
	level, err := sokoban.NewLevel(board.Puzzle, r.Start)
	if err != nil {
		return nil, err
	}
	s, err := level.Solution(r.Moves)
	if err != nil {
		return nil, err
	}
	if pushes, err := sokoban.Check(level.Drawing(), s.Moves); err != nil || pushes != len(s.Pushes) {
		return nil, fmt.Errorf("the player's way has %d pushes for %d: %w", pushes, len(s.Pushes), err)
	}
	if _, err := check.Text(board, s.Moves); err != nil && s.Moves != "" && slices.Equal(r.Start, board.Puzzle.Starts()) {
		return nil, err
	}
	return &s, nil
}
