package engine

import (
	"context"
	"time"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/store/bucket"
)

// Garbage returns the layer objects written before a given time that no entry of
// the run's log names or ever will. They belong to
//
//   - layers that the log has, from an attempt that was not committed;
//   - sessions before the last one, whose entries could only have come before it.
//
// Objects of the last session that the log does not name yet are kept: it may
// name them next. So nothing is lost if others write the run meanwhile, as the
// log was read before the objects are listed.
func (s *Stored) Garbage(ctx context.Context, before time.Time) ([]bucket.ObjectInfo, error) {
	named := make(map[string]bool)
	logged := make(map[store.SegmentID]bool) // without epochs
	for id, objects := range s.objects {
		logged[store.SegmentID{Phase: id.Phase, Layer: id.Layer}] = true
		if s.History.Dropped(history.Layer{Phase: history.Phase(id.Phase), Depth: id.Layer}) {
			continue
		}
		for _, o := range objects {
			named[o.Name] = true
		}
	}
	var garbage []bucket.ObjectInfo
	err := s.Run.Objects(ctx, func(o bucket.ObjectInfo) error {
		phase, layer, epoch, ok := o.Layer()
		if !ok || named[o.Name] || !o.Written.Before(before) || phase != uint8(history.Forward) && phase != uint8(history.Goal) {
			return nil
		}
		if logged[store.SegmentID{Phase: phase, Layer: layer}] || epoch < s.session {
			garbage = append(garbage, o)
		}
		return nil
	})
	return garbage, err
}

// Remove removes garbage, and returns how many objects and bytes it removed.
func (s *Stored) Remove(ctx context.Context, garbage []bucket.ObjectInfo) (objects int, bytes int64, err error) {
	if len(garbage) == 0 {
		return 0, 0, nil
	}
	gone := make(map[string]bool, len(garbage))
	for _, o := range garbage {
		gone[o.Name] = true
	}
	return s.Run.Prune(ctx, func(object string) bool { return !gone[object] })
}
