// Package lostobjects compares the objects of a run in a bucket with its log, and has the
// missing ones written again. It never replaces an object that is there.
package lostobjects

import (
	"context"
	"fmt"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/store/bucket"
)

// Logged is a run as its log in a bucket has it.
type Logged struct {
	Run     *bucket.Run
	History *history.History
	Objects func(history.Layer) []journal.Object
}

// Restore writes missing objects again, from the layers that a directory has, and returns
// how many they were.
func Restore(ctx context.Context, p *bucket.Patience, log Logged, dir string, own *history.History, write func(history.Layer, journal.Object) error) (missing int, err error) {
	there := make(map[string]int64)
	err = p.Try(ctx, func() error {
		clear(there)
		return log.Run.Objects(ctx, func(o bucket.ObjectInfo) error {
			there[o.Name] = o.Bytes
			return nil
		})
	})
	if err != nil {
		return 0, err
	}
	for _, phase := range []history.Phase{history.Forward, history.Goal} {
		for _, layer := range log.History.Layers(phase) {
			if log.History.Dropped(layer) {
				continue
			}
			for _, o := range log.Objects(layer) {
				where := log.Run.URL() + "/" + o.Name
				bytes, ok := there[o.Name]
				switch {
				case ok && bytes == o.Bytes:
					continue
				case ok:
					return missing, &bucket.CorruptionError{Where: where, What: fmt.Sprintf("has %d bytes, but its log says %d: remove it, and this run writes its own copy again", bytes, o.Bytes)}
				case !own.Has(layer) || own.Dropped(layer):
					return missing, &bucket.CorruptionError{Where: where, What: "is missing, and so is its layer in " + dir}
				}
				if err := p.Try(ctx, func() error { return write(layer, o) }); err != nil {
					return missing, err
				}
				missing++
			}
		}
	}
	return missing, nil
}
