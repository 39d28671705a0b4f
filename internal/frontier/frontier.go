// Package frontier is about runs that keep only the layers that a later one needs: which
// runs can, and how what they dropped is removed from a store.
//
// Which layers are dropped is decided by package core and recorded in the run's
// journal. This package must never remove a layer that the history does not call
// dropped.
package frontier

import (
	"errors"
	"fmt"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/store"
)

var (
	// ErrNeedsAll reports that every layer of a puzzle may be needed later.
	ErrNeedsAll = errors.New("--keep frontier is not possible here: moves cannot be undone by moves, so a successor may lie in any earlier layer, and all of them are needed: use --keep all")
	// ErrInTable reports that a run that keeps a table drops nothing.
	ErrInTable = errors.New("--keep frontier cannot be combined with --store table: a table has all layers in two bits per state; use --store layers, or leave --keep out")
	// ErrNoDistances reports that a run that drops layers has no goal distances.
	ErrNoDistances = errors.New("goal distances need every layer, and this run keeps only its frontier: explore the board as another run (--run DIR, or --name NAME on a cluster) without --keep frontier")
	// ErrNoProof reports that a run that drops layers cannot be proved complete.
	ErrNoProof = errors.New("--complete needs every layer, and this run keeps only its frontier: leave --complete out to check the layers that it has")
	// ErrFixed reports that an existing run keeps other layers.
	ErrFixed = errors.New("which layers a run keeps cannot be changed")
)

// errs are all errors of this package.
var errs = []error{ErrNeedsAll, ErrInTable, ErrNoDistances, ErrNoProof, ErrFixed}

// IsRefusal reports whether an error is one of this package's.
func IsRefusal(err error) bool {
	for _, e := range errs {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// CoreOptions returns what the core has to know of a puzzle.
func CoreOptions(p puzzle.Puzzle) core.Options {
	return core.Options{
		Reversible:  p.Layout().Reversible,
		Alternating: puzzle.Alternates(p),
		Graded:      p.Layout().Graded,
		Edges:       !puzzle.GoesBack(p),
	}
}

// Check returns why a run cannot be as its spec says, or nil.
func Check(spec history.Spec, p puzzle.Puzzle) error {
	switch {
	case !spec.Keep.Frontier:
	case spec.Store == history.Table || spec.Store == history.DividedTable:
		return ErrInTable
	case !core.Drops(CoreOptions(p)):
		return ErrNeedsAll
	}
	return nil
}

// Refuses returns why a run cannot go as far as is wanted, or nil.
func Refuses(spec history.Spec, want history.Want) error {
	if spec.Keep.Frontier && want.GoalDistance {
		return ErrNoDistances
	}
	return nil
}

// Fits returns ErrFixed if a run keeps other layers than asked for. Nothing may be asked
// for.
func Fits(asked *history.Keep, spec history.Spec) error {
	if asked != nil && *asked != spec.Keep {
		return fmt.Errorf("%w: it has --keep %s; leave --keep out, or name another run, with --run DIR here or --name NAME on a cluster", ErrFixed, spec.Keep)
	}
	return nil
}

// Remover removes from a store what a run has dropped. Before the first call to Remove
// nothing of it may have been removed; what is not there needs no removing.
type Remover struct {
	Store *store.Store
	// Bytes is how much it lets gather before it removes anything: removing costs a
	// few waits for the disk, and most layers are small.
	Bytes int64

	from uint32 // layers above have been removed
}

// Remove removes the layers that a history has dropped, of those above upTo. With all it
// removes them however small they are.
func (r *Remover) Remove(h *history.History, upTo uint32, all bool) error {
	upTo = min(upTo, h.KeptFrom())
	r.from = min(r.from, upTo) // a run may have begun again
	spans := h.DroppedSpans(r.from, upTo)
	var bytes int64
	for _, span := range spans {
		for _, l := range h.Span(span) {
			bytes += l.Bytes
		}
	}
	if bytes <= r.Bytes && !all {
		return nil
	}
	for _, span := range spans {
		if err := store.DropLayers(r.Store, uint8(span.Phase), span.First, span.End, bytes > r.Bytes); err != nil {
			return err
		}
	}
	r.from = upTo
	return nil
}

// Stays returns how many entries of a journal can stay if those from number keep on
// are given up, because the first of them is damaged. A run continues from the last
// layers that stay only if none of what it then needs has been dropped since. Otherwise
// all layers are given up.
func Stays(entries journal.Entries, keep int) (int, error) {
	spec, was, err := journal.Read(entries)
	if err != nil {
		return 0, err
	}
	_, now, err := journal.Read(entries[:keep])
	if err != nil {
		return 0, err
	}
	for _, l := range now.Layers(history.Forward) {
		if was.Dropped(l) && !now.Dropped(l) {
			return beforeLayers(entries, spec.Partitions)
		}
	}
	return keep, nil
}

// beforeLayers returns the number of entries before the first that commits a layer.
func beforeLayers(entries journal.Entries, partitions int) (int, error) {
	for i, body := range entries {
		if e, err := journal.ReadEntry(body, partitions); err != nil || e.Layer != nil {
			return i, err
		}
	}
	return len(entries), nil
}
