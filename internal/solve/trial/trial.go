// Package trial runs an algorithm on a board, within limits, and has its answer
// verified by a checker that shares no code with it.
//
// It must never return a solution that was not replayed. A trial belongs to one
// goroutine; many may run concurrently.
package trial

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/internal/solve/check"
	"github.com/everystate/everystate/internal/solve/sokoban"
	"github.com/everystate/everystate/puzzle"
)

// ErrNoGoal is the error of a trial of a board that has no goal: nothing would be proved
// by searching for one.
var ErrNoGoal = errors.New("the board has no goal")

// Options are the settings that trials may share.
type Options struct {
	// Heuristic returns the heuristic for a board, nil if there is none. It is called
	// only for algorithms that use one.
	Heuristic func(ctx context.Context, b *puzzle.Board) (solve.Heuristic, error)
	Weight    float64
	Width     int

	NodesMax       int64 // zero means no limit, here and below
	MemoryBytesMax int64
	TimeMax        time.Duration

	// Expanded, if not nil, is called with numbers of states expanded.
	Expanded func(states int64)
}

// Trial is a board, the algorithm to run on it, and the outcome.
type Trial struct {
	Board     puzzle.Board
	Algorithm solve.Algorithm
	Start     []uint64 // where to start, if not at the start of the board

	Result  solve.Result
	Why     string            // why there is no solution, if that was known without a search
	Names   []string          // of the moves
	Walk    *sokoban.Solution // in Sokoban: with the player's path
	Seconds float64
	Err     error
}

// Run runs the algorithm on the board and has its answer checked.
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
	if len(t.Algorithm.Families) > 0 { // it reads the board itself
		t.Board.Puzzle = puzzle.Unmerged(t.Board.Puzzle)
	}
	if !t.Board.Puzzle.Layout().HasGoal {
		t.Err = ErrNoGoal
		return
	}
	if t.Err = t.search(ctx, o); t.Err == nil && t.Result.Outcome == solve.Solved {
		t.Err = t.check()
	}
}

func (t *Trial) search(ctx context.Context, o *Options) (err error) {
	if t.Why = t.hopeless(); t.Why != "" {
		t.Result.Outcome = solve.Unsolvable
		return nil
	}
	p := solve.Problem{
		Board: t.Board, Weight: o.Weight, Width: o.Width,
		Limits: solve.Limits{NodesMax: o.NodesMax, MemoryBytesMax: o.MemoryBytesMax},
	}
	if t.Start != nil {
		p.Start = puzzle.Represent(t.Board.Puzzle, t.Start)
	}
	if t.Algorithm.Heuristic {
		plain := t.Board
		plain.Puzzle = puzzle.Unmerged(plain.Puzzle)
		if p.Heuristic, err = o.Heuristic(ctx, &plain); err != nil {
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
	if err == nil {
		// After a failure the puzzle has no successors, which looks like a dead end.
		err = puzzle.Err(t.Board.Puzzle)
	}
	if m, merged := t.Board.Puzzle.(puzzle.Merged); merged && err == nil && t.Result.Outcome == solve.Solved {
		t.unfold(m)
	}
	return err
}

// unfold makes a solution of the true start of one that was found in a puzzle that
// merges symmetric states.
func (t *Trial) unfold(m puzzle.Merged) {
	states := [][]uint64{slices.Clone(t.Result.Start)}
	for i, move := range t.Result.Moves {
		next := make([]uint64, len(t.Result.Start))
		t.Board.Puzzle.Apply(next, states[i], move)
		states = append(states, next)
	}
	m.Unfold(states, t.Result.Moves, 0, t.Start)
	t.Result.Start = states[0]
}

// hopeless returns why the board has no solution, if the puzzle knows without a
// search.
func (t *Trial) hopeless() string {
	p, ok := t.Board.Puzzle.(puzzle.SolvabilityChecker)
	if !ok {
		return ""
	}
	starts, words := t.Start, t.Board.Puzzle.Layout().Words()
	if starts == nil {
		starts = t.Board.Puzzle.Starts()
	}
	why := ""
	for ; len(starts) > 0; starts = starts[words:] {
		if why = p.Unsolvable(starts[:words]); why == "" {
			return ""
		}
	}
	return why
}

// check replays the solution.
func (t *Trial) check() error {
	for _, m := range t.Result.Moves {
		t.Names = append(t.Names, t.Board.Puzzle.FormatMove(m))
	}
	if err := check.NewNames(puzzle.Unmerged(t.Board.Puzzle)).Solves(t.Result.Start, t.Names); err != nil {
		return fmt.Errorf("internal error: %s found an invalid solution: %w", t.Algorithm.Name, err)
	}
	var err error
	if t.Walk, err = walked(&t.Board, &t.Result); err != nil {
		return fmt.Errorf("internal error: %s: %w", t.Algorithm.Name, err)
	}
	return nil
}

// walked fills in the player's path between the pushes of a solution, and has it
// checked. Other families have none.
func walked(board *puzzle.Board, r *solve.Result) (*sokoban.Solution, error) {
	if board.Family != sokoban.Family || board.Metric == sokoban.Backwards {
		return nil, nil //nolint:nilnil // No solution of this kind is no fault.
	}
	p, moves := puzzle.Unmerged(board.Puzzle), r.Moves
	if merged, is := board.Puzzle.(puzzle.Merged); is {
		moves = nil
		for _, m := range r.Moves {
			moves = append(moves, merged.Bare(m))
		}
	}
	level, err := sokoban.NewLevel(p, r.Start)
	if err != nil {
		return nil, err
	}
	s, err := level.Solution(moves)
	if err != nil {
		return nil, err
	}
	if pushes, err := sokoban.Check(level.Drawing(), s.Moves); err != nil || pushes != len(s.Pushes) {
		return nil, fmt.Errorf("the player's path has %d pushes, should have %d: %w", pushes, len(s.Pushes), err)
	}
	if _, err := check.Text(board, s.Moves); err != nil && s.Moves != "" && slices.Equal(r.Start, p.Starts()) {
		return nil, err
	}
	return &s, nil
}
