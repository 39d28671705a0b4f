package server

import (
	"context"
	"slices"

	"github.com/everystate/everystate/coordinator/history"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/layerstream"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/store"
)

// reading says who reads what from whom.
type reading struct {
	run            string
	id             history.Identity
	reader, keeper string // names of workers
}

// readLayer reads partitions of a layer, which increase, from another worker, or
// through the coordinator, and calls f with each block, partitions in order. f
// owns the block and may keep it. A partition of which there is nothing is left
// out: whoever knows how many states there must be counts.
//
// Blocks arrive as they were sent and belong to partitions that were asked for;
// what is in them, their order in a partition included, has not been looked at.
// An error of f's ends the reading and is returned as it is; others are those of
// the call and of layerstream.Reader.
func readLayer(ctx context.Context, client everystatev1.RecordServiceClient, from reading, id store.SegmentID, parts []uint32,
	f func(part uint32, block []byte) error,
) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the stream if f does not want any more
	for some := range slices.Chunk(parts, layerstream.PartsMax) {
		stream, err := client.ReadLayer(ctx, &everystatev1.ReadLayerRequest{
			Run: from.run, RunIdentity: wire.Identity(from.id), Reader: from.reader, Keeper: from.keeper,
			Phase: wire.Phase(history.Phase(id.Phase)), Depth: id.Layer, Epoch: uint64(id.Epoch), Partitions: some,
		})
		if err != nil {
			return err
		}
		if err := layerstream.NewReader(stream.Recv, some).All(f); err != nil {
			return err
		}
	}
	return nil
}
