package stored

import (
	"context"
	"fmt"
	"slices"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/table"
	"github.com/everystate/everystate/puzzle/partition"
)

// FaultError is a fault that Verify found.
type FaultError struct{ What string }

func (f *FaultError) Error() string { return f.What }

func faultIn(layer history.Layer, format string, args ...any) error {
	return &FaultError{fmt.Sprintf("%v layer %d: ", layer.Phase, layer.Depth) + fmt.Sprintf(format, args...)}
}

// Verify reads the tables, regenerates every layer from the starts and the goals, and
// compares counts, goals, links and digests with what was committed. Every state must
// be in some layer. Verify calls done with each layer that is correct.
func (t *Tables) Verify(ctx context.Context, done func(layer history.Layer)) error {
	for _, phase := range []history.Phase{history.Forward, history.Goal} {
		layers := t.history.Layers(phase)
		if len(layers) == 0 || phase == history.Goal && t.given != nil { // which is the other phase's
			continue
		}
		read, edges, part, err := t.open(phase)
		if err != nil {
			return err
		}
		kept, err := t.readLast(phase)
		if err != nil {
			return err
		}
		search := t.replay(read, phase, true)
		t.mu.Lock()
		got, err := t.begin(ctx, search, phase)
		t.mu.Unlock()
		if err == nil {
			err = sameLayers(ctx, search, got, layers, func(layer history.Layer) error {
				return verifyLast(kept, layer, func() (*sorted, error) { return t.sort(search.Each, layer, 0) })
			}, done)
		}
		if err != nil {
			return err
		}
		last := layers[len(layers)-1]
		seen := read.Seen()
		if err := read.Err(); err != nil {
			return err
		}
		if part != nil {
			seen -= part.States
		}
		if seen != t.history.States(phase) {
			return faultIn(last, "the table has %d states, the layers have %d", seen, t.history.States(phase))
		}
		if edges != unknownEdges && edges != search.Edges() {
			return faultIn(last, "%d successors were recorded, should be %d", edges, search.Edges())
		}
	}
	return nil
}

// VerifyGoals makes the layers of goal distances again, from the goals in the table that
// Tables.Give has set, and compares counts, links and digests with what a history of the run
// has. It calls same with each layer that is correct so far and its records, and then done.
// It takes the memory for a second table.
func VerifyGoals(ctx context.Context, t *Tables, h *history.History, same func(layer history.Layer, made Made) error, done func(layer history.Layer)) error {
	layers := h.Layers(history.Goal)
	if len(layers) == 0 {
		return nil
	}
	given := t.Space.BytesPerTable()
	if err := exceeds(given+t.Space.SearchBytes(), t.MemoryBytes); err != nil {
		return err
	}
	t.Space.Allow(t.MemoryBytes - given)
	search, err := t.newSearch(history.Goal, t.Space.NewTableOf(uint8(history.Goal)), t.given)
	if err != nil {
		return err
	}
	got, err := beginGoals(ctx, search, t.given, t.puzzle, t.Workers)
	if err == nil {
		err = sameLayers(ctx, search, got, layers, func(layer history.Layer) error { return same(layer, made(t, search, layer)) }, done)
	}
	if err != nil {
		return err
	}
	end := h.End(history.Goal)
	if end == nil {
		return nil
	}
	last, edges := layers[len(layers)-1], search.Edges()
	if got, err = search.Next(ctx); err != nil {
		return err
	}
	switch {
	case got.States > 0:
		return faultIn(last, "%d states are one move farther from a goal, and in no layer", got.States)
	case edges != end.Generated:
		return faultIn(last, "%d successors were recorded, should be %d", end.Generated, edges)
	}
	return nil
}

// Made returns the records of a partition of a layer that was made again. They are valid until
// the next call and must not be changed.
type Made func(part partition.ID) ([]uint64, error)

// made returns the records of the last layer of a search.
func made(t *Tables, search table.Search, layer history.Layer) Made {
	var some *sorted
	return func(part partition.ID) (_ []uint64, err error) {
		if some == nil || part < some.first || part >= some.end {
			if some, err = t.sort(search.Each, layer, part); err != nil {
				return nil, err
			}
		}
		return some.of(part), nil
	}
}

// sameLayers makes layers again, the first of which has been made, and compares each with what
// was committed, then by also, and calls done with those that are correct.
func sameLayers(ctx context.Context, search table.Search, got table.Layer, layers []history.Layer, also func(layer history.Layer) error, done func(layer history.Layer)) (err error) {
	for i, layer := range layers {
		if i > 0 {
			got, err = search.Next(ctx)
		}
		if err == nil {
			err = sameLayer(layer, got)
		}
		if err == nil {
			err = also(layer)
		}
		if err != nil {
			return err
		}
		done(layer)
	}
	return nil
}

// sameLayer compares a layer with what was committed.
func sameLayer(layer history.Layer, got table.Layer) error {
	switch {
	case got.States != layer.States || !slices.Equal(got.PartStates, layer.PartStates):
		return faultIn(layer, "the table has %d states, %d were committed", got.States, layer.States)
	case got.Digest != layer.Digest:
		return faultIn(layer, "digest is %v, %v was committed", got.Digest, layer.Digest)
	case layer.Phase == history.Forward && got.Goals != layer.Goals:
		return faultIn(layer, "%d goal states, should be %d", got.Goals, layer.Goals)
	case got.Represented != layer.Represented:
		return faultIn(layer, "the states represent %d, should be %d", got.Represented, layer.Represented)
	case got.Generated != layer.Generated:
		return faultIn(layer, "%d successors lead there, should be %d", got.Generated, layer.Generated)
	}
	return nil
}
