// Package divided is about runs that divide a table among workers: which puzzles can, and
// the layers of such a run as records, so that queries need not know the difference.
//
// It must never decide which layers are in the table, nor keep anything.
package divided

import (
	"errors"

	"github.com/everystate/everystate/internal/table/stored"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/partition"
)

var (
	// ErrNoUndo reports a puzzle whose states have ranks, but whose moves cannot be undone.
	ErrNoUndo = errors.New("a table divided among workers needs moves that can be undone by moves, and this puzzle has others: use --store layers, or explore it on one machine with --store table")
	// ErrNoProof reports that a run that divides a table is not proved in place.
	ErrNoProof = errors.New("workers cannot prove a run whose layers they put into a table: `everystate verify --complete` recomputes and proves them on the machine that runs it")
	// ErrOnCluster reports that a run that divides a table cannot be worked on in a directory.
	ErrOnCluster = errors.New("the run divides a table among workers, and can be continued on a cluster only: resume it there, or restore it into a directory of its own, where it keeps layers")
)

// Check returns why a run of a puzzle cannot divide a table, or nil.
func Check(p puzzle.Puzzle, partitions int) error {
	scheme, err := partition.New(p.Layout(), partitions)
	if err != nil {
		return err
	}
	if !scheme.Narrow() || !stored.Ranked(p) {
		return stored.ErrNoRanks
	}
	if !p.Layout().Reversible {
		return ErrNoUndo
	}
	return nil
}
