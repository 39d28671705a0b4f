package journal

import (
	"fmt"
	"slices"

	"github.com/everystate/everystate/coordinator/history"
)

// LayerObject is an object that the log of a run names, with the layer whose blocks it
// holds.
type LayerObject struct {
	Object
	Phase history.Phase
	Depth uint32
	Epoch uint32

	drops uint32 // by the layer (history.Layer.KeptFrom)
}

// LayerObjects returns the objects that entries of a log name, in order.
func LayerObjects(log Entries, partitions int) ([]LayerObject, error) {
	var all []LayerObject
	for i, body := range log {
		e, err := ReadEntry(body, partitions)
		if err != nil {
			return nil, fmt.Errorf("log entry %d: %w", i, err)
		}
		for _, o := range e.Objects {
			all = append(all, LayerObject{Object: o, Phase: e.Layer.Phase, Depth: e.Layer.Depth, Epoch: e.Layer.Epoch, drops: e.Layer.KeptFrom})
		}
	}
	return all, nil
}

// Current returns, of the objects that a log names in order, those of layers that have
// been neither made again nor dropped since.
func Current(objects []LayerObject, named history.Depths) []LayerObject {
	var last [history.Goal + 1]LayerObject // of each phase
	current := make([]LayerObject, 0, len(objects))
	for _, o := range objects {
		if before := last[o.Phase]; before.Name != "" && o.Epoch != before.Epoch && o.Depth <= before.Depth {
			current = slices.DeleteFunc(current, func(old LayerObject) bool {
				return old.Phase == o.Phase && old.Depth >= o.Depth || old.Phase > o.Phase
			})
		}
		last[o.Phase] = o
		current = append(current, o)
	}
	drops := last[history.Forward].drops
	return slices.DeleteFunc(current, func(o LayerObject) bool {
		return o.Phase == history.Forward && o.Depth < drops && !named.Has(o.Depth)
	})
}

// Lost returns those of the objects that are not there, by name and size.
func Lost(objects []LayerObject, there map[string]int64) []LayerObject {
	var lost []LayerObject
	for _, o := range objects {
		if bytes, ok := there[o.Name]; !ok || bytes != o.Bytes {
			lost = append(lost, o)
		}
	}
	return lost
}

// Without returns where a log is to be cut to drop the layer of a phase and depth, and
// the entries behind it that stay: placements and sessions.
func Without(log Entries, partitions int, phase history.Phase, depth uint32) (from int, rest Entries, err error) {
	from = len(log)
	for i, body := range log {
		e, err := ReadEntry(body, partitions)
		if err != nil {
			return 0, nil, fmt.Errorf("log entry %d: %w", i, err)
		}
		switch l := e.Layer; {
		case l != nil && l.Phase == phase && l.Depth == depth:
			from, rest = i, nil
		case i > from && (e.Placement != nil || e.FirstEpoch > 0):
			rest = append(rest, body)
		}
	}
	return from, rest, nil
}

// FirstLayers returns the entries up to the next layer after the first n of the forward
// phase, or all if there are no more.
func FirstLayers(log Entries, n int) (Entries, error) {
	spec, past, err := Read(log)
	if err != nil || len(past.Layers(history.Forward)) <= n {
		return log, err
	}
	last := n == 0 // the last layer to stay has been seen
	for i, body := range log {
		e, err := ReadEntry(body, spec.Partitions)
		if err != nil {
			return nil, fmt.Errorf("journal entry %d: %w", i, err)
		}
		if e.Layer != nil && last {
			return log[:i], nil
		}
		last = last || e.Layer != nil && int64(e.Layer.Depth) == int64(n)-1 && past.Has(*e.Layer)
	}
	return log, nil
}
