package exchange

import (
	"context"
	"slices"

	"github.com/everystate/everystate/coordinator/history"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/layerstream"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/store"
)

// Reading identifies the run, its reader, and the worker that is read from.
type Reading struct {
	Run            string
	Identity       history.Identity
	Reader, Keeper string // names of workers
}

// ReadLayer reads partitions of a layer, in increasing order, from another worker or
// through the coordinator, and calls f with each block. f owns the block and may keep
// it. An empty partition is left out: callers that know how many states there must be
// have to count.
//
// Blocks arrive as they were sent and belong to partitions that were asked for; their
// contents, including their order within a partition, have not been checked. An error of
// f ends the reading and is returned as it is; other errors are those of the call and of
// layerstream.Reader.
func ReadLayer(ctx context.Context, client everystatev1.RecordServiceClient, from Reading, id store.SegmentID, parts []uint32,
	f func(part uint32, block []byte) error,
) error {
	for some := range slices.Chunk(parts, layerstream.PartsMax) {
		err := ReadStream(ctx, client, &everystatev1.ReadLayerRequest{
			Run: from.Run, RunIdentity: wire.Identity(from.Identity), Reader: from.Reader, Keeper: from.Keeper,
			Phase: wire.Phase(history.Phase(id.Phase)), Depth: id.Layer, Epoch: uint64(id.Epoch), Partitions: some,
		}, f)
		if err != nil {
			return err
		}
	}
	return nil
}

// ReadStream is ReadLayer for one request.
func ReadStream(ctx context.Context, client everystatev1.RecordServiceClient, req *everystatev1.ReadLayerRequest, f func(part uint32, block []byte) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the stream if f fails
	stream, err := client.ReadLayer(ctx, req)
	if err != nil {
		return err
	}
	return layerstream.NewReader(stream.Recv, req.GetPartitions()).All(f)
}
