package engine

import (
	"context"
	"slices"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/table"
)

// verifyTables reads the tables of a run, makes every layer again from the starts and
// the goals, and compares counts, goals, links and digests with what was committed. No
// state may be left that is in no layer.
func (r *Run) verifyTables(ctx context.Context, v Verified, done func(states int64)) (Verified, error) {
	for _, phase := range []history.Phase{history.Forward, history.Goal} {
		layers := r.history.Layers(phase)
		if len(layers) == 0 {
			continue
		}
		t, _, err := r.readTable(phase)
		if err != nil {
			return v, err
		}
		r.tables.mu.Lock()
		starts, err := r.startsOf(ctx, phase)
		r.tables.mu.Unlock()
		if err != nil {
			return v, err
		}
		search := table.Again(t, uint8(phase), true, phase == history.Forward, r.opts.Workers)
		got, err := search.Begin(starts)
		for i, layer := range layers {
			if err == nil && i > 0 {
				got, err = search.Next(ctx)
			}
			if err == nil {
				err = r.sameLayer(layer, got)
			}
			if err != nil {
				return v, err
			}
			if i > 0 {
				v.Links += layer.States
			}
			v.Layers++
			v.States += layer.States
			done(v.States)
		}
		if seen := t.Seen(); seen != r.history.States(phase) {
			return v, r.faultIn(layers[len(layers)-1], "the table has %d states, the layers have %d", seen, r.history.States(phase))
		}
	}
	return v, nil
}

// sameLayer compares a layer with what was committed.
func (r *Run) sameLayer(layer history.Layer, got table.Layer) error {
	switch {
	case got.States != layer.States || !slices.Equal(got.PartStates, layer.PartStates):
		return r.faultIn(layer, "the table has %d states, %d were committed", got.States, layer.States)
	case got.Digest != layer.Digest:
		return r.faultIn(layer, "digest is %v, %v was committed", got.Digest, layer.Digest)
	case layer.Phase == history.Forward && got.Goals != layer.Goals:
		return r.faultIn(layer, "%d goal states, should be %d", got.Goals, layer.Goals)
	case got.Generated != layer.Generated:
		return r.faultIn(layer, "%d successors lead there, should be %d", got.Generated, layer.Generated)
	}
	return nil
}
