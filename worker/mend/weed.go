package mend

import (
	"context"
	"fmt"

	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/worker"
)

// Weed drops from a store, after damage, what is left of partitions of layers that are not
// whole any more, so that they are restored.
func Weed(ctx context.Context, s *store.Store, shape store.Shape, phases [][]worker.Layer) error {
	for _, layers := range phases {
		for _, l := range layers {
			for p, states := range l.PartStates {
				if err := ctx.Err(); err != nil {
					return err
				}
				if states == 0 {
					continue
				}
				n, err := s.Count(shape, l.Segment, uint32(p))
				if n == states && err == nil || n == 0 && err == nil {
					continue
				}
				if err != nil && !store.IsCorruption(err) {
					return err
				}
				if err := store.DropPart(s, l.Segment, uint32(p)); err != nil {
					return fmt.Errorf("drop what is left: %w", err)
				}
			}
		}
	}
	return nil
}
