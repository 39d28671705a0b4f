// Package puzzletest runs the examination of package puzzle/conformance as a test.
// The tests of this package run it over every family, so that a new one is tested
// by registering it.
//
// It must hold no check of its own: what is promised of a puzzle is looked into
// in one place.
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
