// Package specs reads what a client wants to have explored: it checks the text of a board or
// the rules of a sweep, and brings it into its canonical form. It must never know which
// runs there are.
package specs

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/internal/frontier"
	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/table/divided"
	"github.com/everystate/everystate/internal/table/stored"
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
// lanes that the workers there have cores for, or 0 if that is unknown.
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

// lanesOf returns the number of lanes that workers have cores for, 0 if some do not tell.
func lanesOf(workers []core.Able) (lanes int) {
	// Machines get as many as they have cores for, whoever came first.
	byLanes := slices.SortedStableFunc(slices.Values(workers), func(a, b core.Able) int { return cmp.Compare(b.Lanes, a.Lanes) })
	for i, has := range core.HaveCores(byLanes) {
		if byLanes[i].Lanes == 0 {
			return 0
		}
		if has {
			lanes += byLanes[i].Lanes
		}
	}
	return lanes
}

// Reader reads specs.
type Reader struct {
	// Workers are those that are there.
	Workers []core.Able

	// Bucket says that runs are kept in a bucket, which has layers only.
	Bucket bool

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
		partitions = Partitions(lanesOf(s.Workers))
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
	spec := history.Spec{Family: b.Family, Name: name, Metric: b.Metric, Text: b.Text, Above: int(m.GetLinesAbove()), Partitions: partitions, Module: wasm.ModuleOf(b.Puzzle)}
	if spec.Keep, err = journal.KeepOf(m); err != nil {
		return history.Spec{}, err
	}
	if err := s.choose(&spec, m.GetFormatVersion(), b.Puzzle); err != nil {
		return history.Spec{}, err
	}
	return spec, frontier.Check(spec, b.Puzzle)
}

// roomiest returns the worker with the most memory for a table.
func roomiest(workers []core.Able) (most core.Able) {
	for _, w := range workers {
		if w.TableBytes > most.TableBytes {
			most = w
		}
	}
	return most
}

// choose decides how a run keeps its states. Of the versions of formats, 0 leaves that open, and
// that of a table whether one worker keeps it or all divide it.
func (s *Reader) choose(spec *history.Spec, version uint32, p puzzle.Puzzle) error {
	asked := version == journal.TableVersion
	var tooLarge error
	if most := roomiest(s.Workers); (asked || version == 0) && !s.Bucket && !spec.Keep.Frontier && most.TableBytes > 0 {
		t, err := stored.NewWithin(most.TableBytes, false, p, spec.Partitions, 1, nil)
		tooLarge = err
		if err == nil && (asked || stored.WorthAtOne(t, most.Lanes, lanesOf(s.Workers))) {
			spec.Store, spec.Folded = history.Table, t.Folded()
			return nil
		}
	}
	if !asked && version != journal.DividedVersion {
		return nil
	}
	spec.Store = history.DividedTable
	err := divided.Check(p, spec.Partitions)
	if large := new(stored.MemoryError); errors.Is(err, divided.ErrNoUndo) && errors.As(tooLarge, &large) {
		const mebi = 1 << 20
		return fmt.Errorf("the table takes %d MiB, more than any worker has for one (five eighths of its --memory): start a worker with more memory, or use --store layers", large.NeedBytes/mebi+1)
	}
	return err
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
