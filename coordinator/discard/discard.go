// Package discard removes from a bucket the objects of layers that a run has dropped
// (--keep frontier). It removes only what the log of the run in the bucket has dropped:
// until then the bucket alone may be what the run is resumed from. What an interrupted
// process has left, the next one removes.
package discard

import (
	"context"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/store/bucket"
)

// How much may be logged before the objects are listed and removed: most layers are small.
const (
	gatherBytes  = 16 << 20
	gatherLayers = 64
)

// Objects removes the dropped objects of a run. It is not safe for concurrent use.
type Objects struct {
	Run  *bucket.Run
	Keep history.Keep

	due    bool
	bytes  int64 // of layers logged since the last removal
	layers int
}

// Begin notes that the log has been read: it may have dropped layers that are still there.
func (o *Objects) Begin() { o.due = o.Keep.Frontier }

// Logged notes that the log has one more entry.
func (o *Objects) Logged(entry []byte, partitions int) error {
	if !o.Keep.Frontier {
		return nil
	}
	e, err := journal.ReadEntry(entry, partitions)
	if err != nil {
		return err
	}
	if e.Layer != nil {
		o.layers++
		o.bytes += e.Layer.Bytes
	}
	o.due = o.due || o.layers >= gatherLayers || o.bytes >= gatherBytes || e.Ends
	return nil
}

// Remove removes what the log has dropped, if that is due.
func (o *Objects) Remove(ctx context.Context, log journal.Dropped) error {
	if !o.due {
		return nil
	}
	_, _, err := o.Run.Prune(ctx, func(object string) bool {
		info := bucket.ObjectInfo{Name: object}
		phase, depth, epoch, ok := info.Layer()
		// An object of a later attempt is of a layer that is made again.
		return !ok || phase != uint8(history.Forward) || depth >= log.KeptFrom || epoch > log.Epoch || o.Keep.Named.Has(depth)
	})
	if err == nil {
		o.due, o.layers, o.bytes = false, 0, 0
	}
	return err
}
