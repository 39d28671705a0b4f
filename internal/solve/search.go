// Package solve solves a single puzzle on one machine: it searches for one path from
// a start to a goal, and stops when it has found it. It depends on package puzzle
// alone and shares no code with the engine that enumerates whole spaces, so it serves
// as a check of the engine.
//
// It must never print, read a clock or a file, or keep state between calls. The same
// problem gives the same moves and the same counts on every machine; only a time
// limit may end a search at different points.
//
// # Answers
//
// A search ends in one of three ways that must never be confused: it has found a
// goal, it has proved that none can be reached, or it has stopped without an answer.
// The moves it returns have not been checked; package internal/solve/check does that
// independently.
//
// # Counts
//
//	expanded   states whose successors were generated, counted each time
//	generated  successors generated, duplicates included
//	frontier   the most states waiting to be expanded at one time; for a search
//	           that keeps only its path, the longest path
//	stored     states kept for duplicate detection or to reconstruct the path
package solve

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/everystate/everystate/puzzle"
)

// An Algorithm is a search algorithm.
type Algorithm struct {
	Name    string
	Summary string

	// Families are the puzzles that it can solve; none means all.
	Families []string

	// Optimal means that the solutions it finds have the fewest possible moves, if
	// the heuristic is admissible.
	Optimal bool

	// Heuristic means that it uses the problem's heuristic. Without one it estimates
	// 0 for every state, which is correct but slow.
	Heuristic bool

	// Solve searches until it has an answer or reaches a limit. An error is the
	// caller's fault: if the algorithm does not work on the problem, it wraps
	// ErrUnsuited.
	Solve func(ctx context.Context, p *Problem) (Result, error)
}

// Suits reports whether an algorithm works on a family.
func (a *Algorithm) Suits(family string) bool {
	for _, f := range a.Families {
		if f == family {
			return true
		}
	}
	return len(a.Families) == 0
}

// ErrUnsuited reports a problem that an algorithm does not work on. An error that
// wraps it gives the reason after it.
var ErrUnsuited = errors.New("does not work on this board")

// A Problem says what to solve, and how.
type Problem struct {
	Board puzzle.Board

	// Start is the key of the state to solve. Empty means the board's starts.
	Start []uint64

	// Heuristic estimates distances to a goal. Nil means an estimate of 0.
	Heuristic Heuristic

	// Weight is the factor on the heuristic in a weighted search. Zero means 2.
	Weight float64

	// Width is how many states of a layer a beam search keeps. Zero means 1000.
	Width int

	Limits Limits

	// Progress, if not nil, is called with the counts now and then, on the goroutine
	// that searches.
	Progress func(Stats)
}

// starts returns the keys of the states to search from.
func (p *Problem) starts() []uint64 {
	if len(p.Start) > 0 {
		return p.Start
	}
	return p.Board.Puzzle.Starts()
}

// Limits end a search that has not found an answer. The time limit is the deadline of
// the context.
type Limits struct {
	// NodesMax bounds the states expanded. Zero means no bound.
	NodesMax int64

	// MemoryBytesMax bounds the memory of the search's own tables. Zero means no
	// bound. A search whose table has a fixed size continues when it is full.
	MemoryBytesMax int64
}

// Outcome is the kind of an answer.
type Outcome uint8

// The kinds of answers.
const (
	Unknown    Outcome = iota // stopped before it was known
	Solved                    // Result.Moves lead to a goal
	Unsolvable                // no goal can be reached: that is proved
)

func (o Outcome) String() string {
	switch o {
	case Solved:
		return "solved"
	case Unsolvable:
		return "unsolvable"
	case Unknown:
	}
	return "unknown"
}

// Stop says why a search ended without an answer.
type Stop uint8

// Why a search ends without an answer.
const (
	StopNone   Stop = iota // it has an answer
	StopNodes              // Limits.NodesMax
	StopTime               // the deadline of the context
	StopMemory             // Limits.MemoryBytesMax
	StopCancel             // the context was cancelled
	StopPruned             // what the algorithm left out may hold the solution
)

func (s Stop) String() string {
	switch s {
	case StopNodes:
		return "nodes"
	case StopTime:
		return "time"
	case StopMemory:
		return "memory"
	case StopCancel:
		return "cancelled"
	case StopPruned:
		return "pruned"
	case StopNone:
	}
	return ""
}

// Stats counts the work of a search.
type Stats struct {
	Expanded    int64
	Generated   int64
	Frontier    int64 // at its peak
	Stored      int64
	MemoryBytes int64 // of the search's own tables, at their peak

	// Iterations are the rounds of an iterative-deepening search, the current one
	// last.
	Iterations []Iteration
}

// Iteration is one round of an iterative-deepening search.
type Iteration struct {
	Bound     int
	Expanded  int64
	Generated int64
}

// Result is an answer.
type Result struct {
	Outcome Outcome
	Stop    Stop // set if Outcome is Unknown

	// Start is the key of the start from which Moves lead to a goal.
	Start []uint64
	Moves []puzzle.Move

	// Optimal means that Moves are proved to be as few as possible.
	Optimal bool

	// InitialBound is the estimate of the start, 0 without a heuristic.
	InitialBound int

	Stats
}

// Dead is the estimate of a dead state, from which no goal can be reached.
const Dead = math.MaxInt32

// A Heuristic estimates how far states are from a goal. It is safe for concurrent
// use.
type Heuristic interface {
	// Estimate sets h[i] to at most the fewest moves from the i-th state to a goal,
	// or to Dead if the state is proved dead. len(h) is the number of states.
	Estimate(states []uint64, h []int32)
}

// unsuited returns an error that says why an algorithm does not work on a problem.
func unsuited(format string, args ...any) (Result, error) {
	return Result{}, fmt.Errorf("%w: %s", ErrUnsuited, fmt.Sprintf(format, args...))
}
