// Package solve solves a single puzzle on one machine: it looks for one way
// from a start to a goal, and stops when it has it. It stands on package puzzle
// alone, shares no code with the engine that enumerates whole spaces, and so
// checks it.
//
// It must never print, read a clock or a file, or keep state between calls. The
// same problem gives the same moves and the same counts on every machine; only
// a limit of time may end a search elsewhere.
//
// # Answers
//
// A search ends in one of three ways that must never be confused: it has found a
// goal, it has proved that none can be reached, or it has stopped before it knew.
// Moves that a search returns have not been checked; package internal/solve/check does
// that with other means.
//
// # Counts
//
//	expanded   states whose successors have been made, again if it was done again
//	generated  successors made, repetitions included
//	frontier   the most states that waited to be expanded at one time; of a search
//	           that keeps only its path, the longest path
//	stored     states kept to recognise them, or to find the way back
package solve

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/everystate/everystate/puzzle"
)

// An Algorithm is a way to search.
type Algorithm struct {
	Name    string
	Summary string

	// Families are the puzzles that it can solve; none means all.
	Families []string

	// Optimal tells that a solution it finds has the fewest moves there are, if
	// the heuristic never says too much.
	Optimal bool

	// Heuristic tells that it uses the problem's heuristic. Without one it takes
	// every state for a goal's neighbour, which is right and slow.
	Heuristic bool

	// Solve searches until it knows or a limit is reached. The error is one of the
	// caller's: a problem that the algorithm cannot be put to wraps ErrUnsuited.
	Solve func(ctx context.Context, p *Problem) (Result, error)
}

// Suits reports whether an algorithm is one for a family.
func (a *Algorithm) Suits(family string) bool {
	for _, f := range a.Families {
		if f == family {
			return true
		}
	}
	return len(a.Families) == 0
}

// ErrUnsuited is the error of a problem that an algorithm cannot be put to. What
// wraps it says why, after it.
var ErrUnsuited = errors.New("does not work on this board")

// A Problem is what to solve, and how.
type Problem struct {
	Board puzzle.Board

	// Start is the key of the state to solve. Empty means the starts of the board.
	Start []uint64

	// Heuristic estimates distances to a goal. Nil estimates nothing.
	Heuristic Heuristic

	// Weight is how much a weighted search trusts the heuristic. Zero means 2.
	Weight float64

	// Width is how many states of a layer a beam search keeps. Zero means 1000.
	Width int

	Limits Limits

	// Progress, if it is not nil, is told the counts now and then, by the
	// goroutine that searches.
	Progress func(Stats)
}

// starts returns the keys of the states to search from.
func (p *Problem) starts() []uint64 {
	if len(p.Start) > 0 {
		return p.Start
	}
	return p.Board.Puzzle.Starts()
}

// Limits end a search that has not found an answer. A limit of time is the
// deadline of the context.
type Limits struct {
	// NodesMax bounds the states expanded. Zero means no bound.
	NodesMax int64

	// MemoryBytesMax bounds the memory of the search's own tables. Zero means no
	// bound. Searches with a table of bounded size go on with a full one.
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

// Stats counts what a search has done.
type Stats struct {
	Expanded    int64
	Generated   int64
	Frontier    int64 // at its peak
	Stored      int64
	MemoryBytes int64 // of the search's own tables, at their peak

	// Iterations are those of a search that deepens, the one going on last.
	Iterations []Iteration
}

// Iteration is one round of a search that deepens.
type Iteration struct {
	Bound    int
	Expanded int64
}

// Result is an answer.
type Result struct {
	Outcome Outcome
	Stop    Stop // of Unknown

	// Start is the key of the start, and Moves lead from there to a goal.
	Start []uint64
	Moves []puzzle.Move

	// Optimal tells that Moves are proved to be as few as there can be.
	Optimal bool

	// InitialBound is the estimate of the start, 0 without a heuristic.
	InitialBound int

	Stats
}

// Dead is the estimate of a state from which no goal can be reached.
const Dead = math.MaxInt32

// A Heuristic estimates how far states are from a goal. It is safe for
// concurrent use.
type Heuristic interface {
	// Estimate sets h[i] to at most the fewest moves from the i-th state to a
	// goal, or to Dead if that is proved to be impossible. len(h) is the number of
	// states.
	Estimate(states []uint64, h []int32)
}

// unsuited says why an algorithm cannot be put to a problem.
func unsuited(format string, args ...any) (Result, error) {
	return Result{}, fmt.Errorf("%w: %s", ErrUnsuited, fmt.Sprintf(format, args...))
}
