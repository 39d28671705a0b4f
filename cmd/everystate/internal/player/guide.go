package player

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/internal/solve/algorithms"
	"github.com/everystate/everystate/internal/solve/heuristic"
	"github.com/everystate/everystate/internal/solve/sokoban"
	"github.com/everystate/everystate/internal/solve/trial"
	"github.com/everystate/everystate/internal/terminal/play"
	"github.com/everystate/everystate/puzzle"
)

// A guide tells the player of a game what a run knows, or else solves.
type guide struct {
	env    *shell.Env
	played puzzle.Puzzle
	solved puzzle.Board // the board whose moves solutions use: pushes for Sokoban

	mu  sync.Mutex
	run runs.View // nil if there is none
}

// countOf returns the word for a move of a board.
func countOf(b *puzzle.Board) string {
	if b.Family == sokoban.Family && b.Metric != sokoban.Steps {
		return "push"
	}
	return "move"
}

// Look returns where a state is in the run.
func (g *guide) Look(ctx context.Context, state []uint64) (*play.Place, error) {
	if g.run == nil {
		return nil, nil //nolint:nilnil // Nothing is known, which is not an error.
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	board, space := g.run.Board(), g.run.Space()
	key, err := as(board.Puzzle, g.played, state)
	if err != nil {
		return nil, err
	}
	found, err := space.Locate(ctx, key)
	if errors.Is(err, query.ErrUnreachable) {
		return nil, nil //nolint:nilnil // As above.
	}
	if err != nil {
		return nil, runs.Explain(g.env, g.run.Dir(), err)
	}
	known := space.HasDistances() || space.Complete() && g.run.History().Goals() == 0
	p := &play.Place{Run: g.run.Dir(), Depth: found.Depth, Distance: distanceOf(found, known)}
	if !known || board.Metric == sokoban.Backwards {
		p.Distance = play.Unknown
	}
	next, err := space.Successors(ctx, key, found)
	if err != nil {
		return nil, runs.Explain(g.env, g.run.Dir(), err)
	}
	if puzzle.Unmerged(board.Puzzle) == g.played && known {
		p.After = map[puzzle.Move]int{}
		for _, n := range next {
			if n.Known {
				p.After[bare(board.Puzzle, n.Move)] = distanceOf(n.Place, known)
			}
		}
	}
	return p, nil
}

// distanceOf returns the goal distance of a place.
func distanceOf(p query.Place, known bool) int {
	switch {
	case p.Goal:
		return 0
	case p.GoalDistance >= 0:
		return p.GoalDistance
	case known:
		return play.Lost
	}
	return play.Unknown
}

// bare returns the move that a move of an unfolded path is in the puzzle that is played.
func bare(p puzzle.Puzzle, m puzzle.Move) puzzle.Move {
	if merged, ok := p.(puzzle.Merged); ok {
		return merged.Bare(m)
	}
	return m
}

// as translates a state of puzzle from to its key in puzzle to of the same board.
func as(to, from puzzle.Puzzle, state []uint64) ([]uint64, error) {
	if to == from {
		return state, nil
	}
	return to.Parse(from.Format(state))
}

// Hint finds a path to a nearest goal in the run if that has goal distances, else
// by solving.
func (g *guide) Hint(ctx context.Context, state []uint64) (play.Hint, error) {
	h, ok, err := g.hintOfRun(ctx, state)
	if ok || err != nil {
		return h, err
	}
	key, err := as(g.solved.Puzzle, g.played, state)
	if err != nil {
		return play.Hint{}, err
	}
	return g.solve(ctx, state, key)
}

func (g *guide) hintOfRun(ctx context.Context, state []uint64) (play.Hint, bool, error) {
	if g.run == nil || !g.run.Space().HasDistances() {
		return play.Hint{}, false, nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	board := g.run.Board()
	if board.Metric == sokoban.Backwards {
		return play.Hint{}, false, nil
	}
	key, err := as(board.Puzzle, g.played, state)
	if err != nil {
		return play.Hint{}, false, err
	}
	path, err := g.run.Space().ToGoal(ctx, key)
	switch {
	case errors.Is(err, query.ErrUnreachable):
		return play.Hint{}, false, nil
	case errors.Is(err, query.ErrNoGoal):
		return play.Hint{Lost: true}, true, nil
	case err != nil:
		return play.Hint{}, false, runs.Explain(g.env, g.run.Dir(), err)
	}
	h, err := g.hint(state, board.Puzzle, path.Moves)
	h.Optimal, h.From, h.Count = true, "from "+g.run.Dir(), countOf(&board)
	return h, true, err
}

// hint translates moves of a puzzle into moves of the one being played.
func (g *guide) hint(state []uint64, p puzzle.Puzzle, moves []puzzle.Move) (play.Hint, error) {
	for i, m := range moves {
		moves[i] = bare(p, m)
	}
	p = puzzle.Unmerged(p)
	h := play.Hint{Moves: moves, Length: len(moves)}
	if p == g.played {
		return h, nil
	}
	var err error
	h.Moves, h.Parts, err = play.Walk(g.played, state, p, moves)
	return h, err
}

// Limits of each algorithm that a hint tries.
const (
	hintTimeMax     = 5 * time.Second
	hintMemoryBytes = 512 << 20
)

// solve tries one algorithm after another until one has an answer, those that find
// the fewest moves first.
func (g *guide) solve(ctx context.Context, state, key []uint64) (play.Hint, error) {
	for _, a := range hintAlgorithms(&g.solved) {
		t := &trial.Trial{Board: g.solved, Algorithm: a, Start: key}
		t.Run(ctx, &trial.Options{
			Heuristic: func(_ context.Context, b *puzzle.Board) (solve.Heuristic, error) { return heuristic.For(b, "") },
			Weight:    2, Width: 1000, MemoryBytesMax: hintMemoryBytes, TimeMax: hintTimeMax,
		})
		switch {
		case ctx.Err() != nil:
			return play.Hint{}, ctx.Err()
		case errors.Is(t.Err, solve.ErrUnsuited):
		case t.Err != nil:
			return play.Hint{}, t.Err
		case t.Result.Outcome == solve.Unsolvable:
			return play.Hint{Lost: true}, nil
		case t.Result.Outcome == solve.Solved:
			h, err := g.hint(state, g.solved.Puzzle, t.Result.Moves)
			h.Optimal, h.From, h.Count = t.Result.Optimal, "by "+a.Name, countOf(&g.solved)
			return h, err
		}
	}
	return play.Hint{}, fmt.Errorf("no solution found within %v per algorithm", hintTimeMax)
}

// hintAlgorithms returns the algorithms for a board, those that find the fewest
// moves first.
func hintAlgorithms(b *puzzle.Board) []solve.Algorithm {
	h, err := heuristic.For(b, "")
	own := algorithms.Default(b)
	all := []solve.Algorithm{own}
	if own.Name == "bfs" { // the default for families without one of their own
		all = nil
	}
	for _, name := range []string{"astar", "bidirectional", "bfs", "wastar", "dfs"} {
		a, ok := algorithms.ByName(name)
		if ok && a.Suits(b.Family) && (!a.Heuristic || h != nil && err == nil) {
			all = append(all, a)
		}
	}
	return all
}
