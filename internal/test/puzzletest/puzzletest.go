// Package puzzletest has what tests of puzzles share: the examination of package
// puzzle/conformance as a test, exploration in memory, and the records of
// testdata/truth. The tests of this package run the examination over every family,
// so that a new one is tested by registering it.
//
// It must hold no check of a puzzle's promises: they are looked into in one place,
// package puzzle/conformance. It must never know a family, nor be linked into the
// program.
package puzzletest

import (
	"testing"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/conformance"
)

// Run examines a board, allocations as well, and fails t for each finding. It is
// not for parallel tests, in which nobody can count allocations.
func Run(t *testing.T, board puzzle.Board, o conformance.Options) conformance.Report {
	t.Helper()
	o.AllocsPerRun = testing.AllocsPerRun
	report := conformance.Check(board, o)
	for _, f := range report.Findings {
		t.Errorf("seed %d: %s", o.Seed, f)
	}
	return report
}

// Conform examines a puzzle that has no board, with so many states near its start.
func Conform(t *testing.T, p puzzle.Puzzle, seed uint64, states int) {
	t.Helper()
	Run(t, puzzle.Board{Puzzle: p}, conformance.Options{Seed: seed, StatesMax: states})
}
