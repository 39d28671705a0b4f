package edit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/internal/solve/algorithms"
	"github.com/everystate/everystate/internal/solve/heuristic"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/blocks"
	"github.com/everystate/everystate/puzzle/families"
	"github.com/everystate/everystate/puzzle/peg"
	"github.com/everystate/everystate/puzzle/rushhour"
	"github.com/everystate/everystate/puzzle/sokoban"
	"github.com/everystate/everystate/puzzle/tiles"
)

// textBytesMax bounds the text of a board: the largest has 256 cells, or a Sokoban level
// a few thousand.
const textBytesMax = 32 << 10

// Families returns the names of the families whose boards can be edited.
func Families() []string {
	return []string{rushhour.Family, blocks.Family, sokoban.Family, peg.Family, tiles.Family}
}

// Limits bound one answer.
type Limits struct {
	// StatesMax and EdgesMax bound the space that is explored as a whole. An edge takes
	// 14 bytes at most, a state its key and about 50.
	StatesMax, EdgesMax int
	// Search bounds the search for one solution of a larger space.
	Search solve.Limits
	// Time bounds each of the two.
	Time time.Duration
}

// DefaultLimits returns limits for a page on which several people edit at once: an answer
// takes at most about 256 MiB and a few seconds.
func DefaultLimits() Limits {
	return Limits{
		StatesMax: 300_000, EdgesMax: 6_000_000, Time: 2 * time.Second,
		Search: solve.Limits{NodesMax: 2_000_000, MemoryBytesMax: 192 << 20},
	}
}

// Answer is what is known of a board.
type Answer struct {
	States   int  // all, or as many as were found
	Complete bool // all were found

	Goal       bool // the board has a goal
	Outcome    solve.Outcome
	Distance   int    // moves of the solution, if there is one
	Optimal    bool   // and there is none with fewer
	Why        string // why there is no solution, if that is known without a search
	Solution   []string
	Unsolvable int // states from which no goal can be reached, if Complete

	// The hardest start among all states, if Complete and some state can be solved.
	Hardest         string // its text, as Text writes it
	HardestDistance int
}

// Read reads the only board of a text. The error is a *[puzzle.InputError] if the text
// has no board that can be edited. A board that is explored backwards is read with the
// metric of its moves: its starts are the solved states, and not what is edited.
func Read(text, metric string) (puzzle.Board, error) {
	var none puzzle.Board
	if len(text) > textBytesMax {
		return none, &puzzle.InputError{What: fmt.Sprintf("the board has more than %d KiB", textBytesMax>>10)}
	}
	all, err := families.Read([]byte(text), puzzle.ReadOptions{Metric: metric})
	if err != nil {
		return none, err
	}
	b := all[0]
	if f, ok := families.ByName(b.Family); ok {
		if i := slices.IndexFunc(f.Metrics, func(m families.Metric) bool { return m.Name == b.Metric }); i >= 0 && f.Metrics[i].FromGoals {
			return Read(text, f.Metrics[0].Name)
		}
	}
	if !slices.Contains(Families(), b.Family) {
		return none, &puzzle.InputError{What: fmt.Sprintf("boards of %s cannot be edited: those of %s can", b.Family, strings.Join(Families(), ", "))}
	}
	return b, nil
}

// Analyse explores a board. It fails only if ctx ends or the puzzle fails.
func Analyse(ctx context.Context, b *puzzle.Board, limits Limits) (*Answer, error) {
	a := &Answer{Goal: b.Puzzle.Layout().HasGoal}
	if checker, ok := b.Puzzle.(puzzle.SolvabilityChecker); ok && a.Goal {
		a.Why = checker.Unsolvable(b.Puzzle.Starts()[:b.Puzzle.Layout().Words()])
	}
	var space solve.Component
	limited, cancel := context.WithTimeout(ctx, limits.Time)
	err := space.ExploreAny(limited, b.Puzzle, limits.StatesMax, limits.EdgesMax)
	cancel()
	a.States = space.Len()
	if fault := errors.Join(ctx.Err(), puzzle.Err(b.Puzzle)); fault != nil {
		return nil, fault
	}
	if err != nil { // it is too large, or takes too long
		if !a.Goal {
			return a, nil
		}
		err := a.search(ctx, b, limits)
		return a, err
	}
	a.Complete = true
	a.Unsolvable = a.States
	for _, n := range space.Layers() {
		a.Unsolvable -= n
	}
	if a.Outcome = solve.Unsolvable; space.Distance(0) >= 0 {
		a.Outcome, a.Distance, a.Optimal = solve.Solved, space.Distance(0), true
		a.Solution = names(b.Puzzle, space.Solution(0))
	}
	if far := space.Farthest(); len(far) > 0 {
		// The first in the order of their texts, as everywhere else.
		first := b.Puzzle.Format(space.Key(int(far[0])))
		for _, state := range far[1:min(len(far), textsMax)] {
			first = min(first, b.Puzzle.Format(space.Key(int(state))))
		}
		a.Hardest, a.HardestDistance = Text(b, first), len(space.Layers())-1
	}
	return a, nil
}

// textsMax bounds the texts that are compared to choose one of the hardest states.
const textsMax = 1000

// search looks for one solution of a space that is too large.
func (a *Answer) search(ctx context.Context, b *puzzle.Board, limits Limits) error {
	if a.Why != "" {
		a.Outcome = solve.Unsolvable
		return nil
	}
	way, graded := algorithms.Default(b), b.Puzzle.Layout().Graded
	if graded {
		way = solve.DFS() // a peg goes with each move, so all solutions are equally long
	}
	limited, cancel := context.WithTimeout(ctx, limits.Time)
	defer cancel()
	problem := solve.Problem{Board: *b, Limits: limits.Search}
	if way.Heuristic {
		h, err := heuristic.For(b, "")
		if err != nil {
			return err
		}
		problem.Heuristic = h
	}
	r, err := way.Solve(limited, &problem)
	if errors.Is(err, solve.ErrUnsuited) {
		err = nil // then nothing is known
	}
	if err = errors.Join(err, ctx.Err(), puzzle.Err(b.Puzzle)); err != nil {
		return err
	}
	a.Outcome = r.Outcome
	if r.Outcome == solve.Solved {
		a.Distance, a.Solution = len(r.Moves), names(b.Puzzle, r.Moves)
		a.Optimal = r.Optimal && way.Optimal || graded
	}
	return nil
}

func names(p puzzle.Puzzle, moves []puzzle.Move) []string {
	list := make([]string, len(moves))
	for i, m := range moves {
		list[i] = p.FormatMove(m)
	}
	return list
}
