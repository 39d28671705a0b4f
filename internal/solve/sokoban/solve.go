package sokoban

import (
	"context"
	"fmt"
	"slices"

	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/puzzle"
	puzzles "github.com/everystate/everystate/puzzle/sokoban"
)

// memoryDefault bounds the bytes of stored positions if there is no limit.
const memoryDefault = 1 << 30

// A Level is a level ready to be searched. Its tables are built when first needed; it
// is not safe for concurrent use.
type Level struct {
	tables *tables
	source puzzles.Level
	key    []uint64
}

// NewLevel prepares a puzzle of the family sokoban for solving from the state with
// the given key, or from its start if the key is empty.
func NewLevel(p puzzle.Puzzle, start []uint64) (*Level, error) {
	if slices.Equal(start, p.Starts()) {
		start = nil // the drawing knows where the player stands in its region
	}
	source, ok := puzzles.LevelOf(p, start)
	if !ok {
		return nil, fmt.Errorf("%w: it is only for Sokoban levels played forwards", solve.ErrUnsuited)
	}
	if len(start) == 0 {
		start = p.Starts()
	}
	l, err := newLevel(&source)
	if err != nil {
		return nil, err
	}
	return &Level{tables: newTables(l), source: source, key: start}, nil
}

// Drawing returns the start as drawn.
func (l *Level) Drawing() string { return l.source.Drawing }

// run is one search of a level.
type run struct {
	*tables
	*solve.Meter
	stop    solve.Stop
	initial int
}

func (l *Level) newRun(ctx context.Context, p *solve.Problem) run {
	m := solve.NewMeter(ctx, p)
	m.Every = 64 // on a large level a position takes some milliseconds
	return run{tables: l.tables, Meter: m}
}

func memoryMax(p *solve.Problem) int64 {
	if p.Limits.MemoryBytesMax > 0 {
		return p.Limits.MemoryBytesMax
	}
	return memoryDefault
}

// result converts the findings of a search to a Result.
func (l *Level) result(r *run, outcome solve.Outcome, path []push, optimal bool) solve.Result {
	answer := solve.Result{Outcome: outcome, Stop: r.stop, InitialBound: r.initial, Stats: r.Stats}
	if outcome == solve.Solved {
		s := l.solution(path)
		answer.Start, answer.Optimal = l.key, optimal
		answer.Moves = s.PushMoves()
		if !l.source.PushMove {
			answer.Moves = s.StepMoves()
		}
	}
	return answer
}
