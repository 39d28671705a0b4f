// Package specs reads what a client wants to have explored: it checks the text of a board or
// the rules of a sweep, and brings it into its canonical form. It must never know which
// runs there are.
package specs

import (
	"fmt"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/internal/frontier"
	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/table/divided"
	"github.com/everystate/everystate/internal/wasm"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
	"github.com/everystate/everystate/puzzle/partition"
)

const (
	// partitionsMin is the least that Partitions returns: a run that begins with one or two
	// workers can be continued by as many lanes. More cost small layers time, fewer do not
	// save any (docs/lab/SCALING.md).
	partitionsMin = 64

	// lanePartitions is how many partitions each lane should have at least, so that lanes
	// have equal shares, to within an eighth.
	lanePartitions = 8

	// unknownPartitions is what a run gets if the lanes are unknown.
	unknownPartitions = 256

	// TextMax bounds the text of a puzzle.
	TextMax = 1 << 20

	// titleMax bounds the name of a puzzle, which is for people.
	titleMax = 128
)

// Partitions returns the number of partitions of a run that states none, for the number of
// lanes of all workers that are there, or 0 if that is unknown.
func Partitions(lanes int) int {
	if lanes <= 0 {
		return unknownPartitions
	}
	p := partitionsMin
	for p < partition.Max && p < lanes*lanePartitions {
		p *= 2
	}
	return p
}

// Reader reads specs.
type Reader struct {
	// Lanes is the number of lanes of all workers that are there, or 0 if unknown.
	Lanes int

	// Module returns an uploaded module by its hash.
	Module func(hash string) (module string, ok bool)

	// Sweeps returns the enumeration for rules.
	Sweeps func(rules string) (sweep.Enumeration, error)
}

// Read reads the puzzle of a spec and returns the spec in canonical form.
func (s *Reader) Read(m *everystatev1.RunSpec) (history.Spec, error) {
	if len(m.GetText()) > TextMax {
		return history.Spec{}, fmt.Errorf("the puzzle has %d bytes: at most %d", len(m.GetText()), TextMax)
	}
	if m.GetUnits() > 0 {
		return s.readSweep(m)
	}
	b, err := s.readBoard(m)
	if err != nil {
		return history.Spec{}, err
	}
	partitions := int(m.GetPartitions())
	if partitions == 0 {
		partitions = Partitions(s.Lanes)
	}
	if err := partition.Check(partitions); err != nil {
		return history.Spec{}, err
	}
	name := m.GetName()
	if name == "" {
		name = b.Name
	}
	if len(name) > titleMax {
		return history.Spec{}, fmt.Errorf("the puzzle's name has %d bytes: at most %d", len(name), titleMax)
	}
	spec := history.Spec{Family: b.Family, Name: name, Metric: b.Metric, Text: b.Text, Partitions: partitions, Module: wasm.ModuleOf(b.Puzzle)}
	if spec.Keep, err = journal.KeepOf(m); err != nil {
		return history.Spec{}, err
	}
	if m.GetFormatVersion() == journal.DividedVersion {
		spec.Store = history.DividedTable
		if err := divided.Check(b.Puzzle, partitions); err != nil {
			return history.Spec{}, err
		}
	}
	return spec, frontier.Check(spec, b.Puzzle)
}

// readBoard reads the board of a spec. If the puzzle is a module, it must have been
// uploaded before.
func (s *Reader) readBoard(m *everystatev1.RunSpec) (board puzzle.Board, err error) {
	defer func() {
		if v := recover(); v != nil { // whoever sends it must not end the coordinator
			err = fmt.Errorf("the puzzle cannot be read: internal error: %v", v)
		}
	}()
	if hash, _, is := wasm.IsStored(m.GetText()); is {
		module, ok := s.Module(hash)
		if !ok {
			return puzzle.Board{}, fmt.Errorf("the puzzle's module sha256:%s was not uploaded, or has since been evicted: submit it again", hash)
		}
		b, err := wasm.Open([]byte(module), m.GetText(), wasm.Options{})
		if err != nil {
			return puzzle.Board{}, fmt.Errorf("the puzzle cannot be read: %w", err)
		}
		return b, nil
	}
	boards, err := families.Read([]byte(m.GetText()), puzzle.ReadOptions{Metric: m.GetMetric()})
	if err != nil {
		return puzzle.Board{}, fmt.Errorf("the puzzle cannot be read: %w", err)
	}
	if len(boards) != 1 {
		return puzzle.Board{}, fmt.Errorf("%d boards: a run takes one", len(boards))
	}
	return boards[0], nil
}

// readSweep reads the rules of a spec.
func (s *Reader) readSweep(m *everystatev1.RunSpec) (history.Spec, error) {
	e, err := s.Sweeps(m.GetText())
	if err != nil {
		return history.Spec{}, fmt.Errorf("the sweep cannot be read: %w", err)
	}
	if n := e.Units(); n < 1 || n > journal.UnitsMax {
		return history.Spec{}, fmt.Errorf("the sweep has %d units: a cluster takes 1 to %d; run larger sweeps on one machine", n, journal.UnitsMax)
	}
	if len(m.GetName()) > titleMax || len(m.GetFamily()) > titleMax || len(m.GetMetric()) > titleMax {
		return history.Spec{}, fmt.Errorf("a name of more than %d bytes", titleMax)
	}
	return history.Spec{
		Family: m.GetFamily(), Name: m.GetName(), Metric: m.GetMetric(), Text: e.Rules(), Partitions: 1, Units: e.Units(),
	}, nil
}
