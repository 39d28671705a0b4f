package sokoban

import (
	"context"
	"fmt"
	"slices"

	"github.com/everystate/everystate/puzzle"
	puzzles "github.com/everystate/everystate/puzzle/sokoban"
	"github.com/everystate/everystate/search"
)

// memoryDefault is the most bytes of positions where there is no limit.
const memoryDefault = 1 << 30

// A Level is ready to be searched. Its tables are built when they are needed first;
// it is not safe for concurrent use.
type Level struct {
	tables *tables
	source puzzles.Level
	key    []uint64
}

// NewLevel prepares a puzzle of the family sokoban, to be solved from the state with
// the given key, or from its start if there is none.
func NewLevel(p puzzle.Puzzle, start []uint64) (*Level, error) {
	if slices.Equal(start, p.Starts()) {
		start = nil // the drawing knows where the player stands in its region
	}
	source, ok := puzzles.LevelOf(p, start)
	if !ok {
		return nil, fmt.Errorf("%w: it is for Sokoban levels that are played forwards", search.ErrUnsuited)
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

// Drawing returns the start as it is drawn.
func (l *Level) Drawing() string { return l.source.Drawing }

// run is one search of a level.
type run struct {
	*tables
	*search.Meter
	stop    search.Stop
	initial int
}

func (l *Level) newRun(ctx context.Context, p *search.Problem) run {
	return run{tables: l.tables, Meter: search.NewMeter(ctx, p)}
}

func memoryMax(p *search.Problem) int64 {
	if p.Limits.MemoryBytesMax > 0 {
		return p.Limits.MemoryBytesMax
	}
	return memoryDefault
}

// result makes the answer of a search of what it found.
func (l *Level) result(r *run, outcome search.Outcome, path []push, optimal bool) search.Result {
	answer := search.Result{Outcome: outcome, Stop: r.stop, InitialBound: r.initial, Stats: r.Stats}
	if outcome == search.Solved {
		s := l.solution(path)
		answer.Start, answer.Optimal = l.key, optimal
		answer.Moves = s.PushMoves()
		if !l.source.PushMove {
			answer.Moves = s.StepMoves()
		}
	}
	return answer
}
