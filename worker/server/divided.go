package server

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/coordinator/history"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/layerstream"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/worker/depths"
	"github.com/everystate/everystate/worker/exchange"
)

// When layers are put into the table while a run is worked on: it is written as a whole, so
// they gather until they are worth that, a part of what it has.
const (
	tableShare     = 4
	tableLayersMax = 256
)

// addToTable puts the layers that a run no longer needs as records into its table, and
// removes the records. Layers gather until that is due, if the run is worked on.
func (e *engine) addToTable(kept *keptRun, was, d dropped, own depths.Share) error {
	states := own.States(was.keptFrom, d.keptFrom)
	if own.Layers != nil && d.keptFrom-was.keptFrom < tableLayersMax && (states < e.gatherStates ||
		states < own.States(0, was.keptFrom)/tableShare) || len(own.Parts) == 0 {
		return nil
	}
	large := states >= e.gatherStates
	if err := kept.Table.Add(context.Background(), d.keptFrom, own, e.lanesMax, large); err != nil {
		return err
	}
	if err := store.DropLayers(kept.Store, forward, 0, d.keptFrom, large); err != nil {
		return err
	}
	e.removed[kept.Name] = d
	if kept == e.kept { // of other partitions records are gone that are not in the table
		maps.DeleteFunc(e.holds.held, func(part uint32, _ [goal + 1]int) bool { return !slices.Contains(own.Parts, part) })
	}
	return nil
}

// checkTable forgets partitions of a table that are not of the run's layers: of layers that
// were made again since, or of fewer, where a partition was away for a while.
func (h *holds) checkTable(run *assigned, parts []uint32) error {
	forgotten, err := h.run.Table.ForgetOthers(run.layers[forward], parts)
	for _, p := range forgotten {
		delete(h.held, p) // look for its layers again
	}
	return err
}

// hold notes that all of partitions is here, where there is a table: of those that this
// worker keeps, which is first noted when it works on the run, or of others.
func (h *holds) hold(parts []uint32, own bool) error {
	if h.run.Table == nil || !own && len(h.run.Table.Held()) == 0 {
		return nil
	}
	return h.run.Table.Hold(parts)
}

// fetchTable gets a partition of the table, with all layers whose records are not needed,
// from the worker that keeps it.
func (h *holds) fetchTable(ctx context.Context, run *assigned, from source, part uint32) error {
	client, err := h.peers.Records(from.address)
	if err != nil || run.keptFrom == 0 {
		return err
	}
	layers := run.layers[forward][:run.keptFrom]
	last := layers[len(layers)-1].Segment
	return h.run.Table.Fill(layers, part, func(add func(block []byte) error) error {
		return exchange.ReadStream(ctx, client, &everystatev1.ReadLayerRequest{
			Run: run.name, RunIdentity: wire.Identity(run.id), Reader: h.self, Keeper: from.name,
			Phase: wire.Phase(history.Forward), Depth: last.Layer, Epoch: uint64(last.Epoch), Partitions: []uint32{part}, Table: true,
		}, func(_ uint32, block []byte) error { return add(block) })
	})
}

// fetchTables gets what is missing of layers whose records are not needed as partitions of
// the table, where a worker has them, and returns what else is missing.
func (h *holds) fetchTables(ctx context.Context, run *assigned, missing []missingShare) (rest []missingShare, err error) {
	done := make(map[uint32]bool)
	if h.run.Table == nil {
		return missing, nil
	}
	for _, m := range missing { // until all is here, nothing of them goes into the table
		if err := h.run.Table.Release(m.from.parts); err != nil {
			return nil, err
		}
	}
	for _, m := range missing {
		if m.layer.Segment.Phase != forward || m.layer.Segment.Layer >= run.keptFrom || m.from.address == "" {
			rest = append(rest, m)
			continue
		}
		var lacking []uint32
		for _, part := range m.from.parts {
			if !done[part] {
				if err := h.fetchTable(ctx, run, m.from, part); err != nil {
					if run.bucket == "" || ctx.Err() != nil {
						return nil, fmt.Errorf("fetch partition %d of the table: %w", part, exchange.NotCarried(m.from.name, m.from.address, err))
					}
					lacking = append(lacking, part) // from the bucket, layer by layer
					continue
				}
				done[part] = true
			}
		}
		if len(lacking) > 0 {
			rest = append(rest, missingShare{m.layer, source{parts: lacking}})
		}
	}
	return rest, h.run.Store.Sync()
}

// sendTable sends what there is of partitions up to a layer, as records of the table.
func sendTable(ctx context.Context, out *layerstream.Sender, run *keptRun, id store.SegmentID, parts []uint32) error {
	if run.Table == nil {
		return errNoTable
	}
	if id.Phase != forward {
		return status.Errorf(codes.InvalidArgument, "phase %d: a table has layers of the forward phase", id.Phase)
	}
	for _, part := range parts {
		if err := run.Table.Blocks(ctx, part, id.Layer, func(block []byte) error { return out.Add(part, block) }); err != nil {
			return err
		}
	}
	return nil
}

var errNoTable = status.Error(codes.FailedPrecondition, "the run has no table")

// FindDepths looks up how deep states are.
func (s *recordServer) FindDepths(_ context.Context, req *everystatev1.FindDepthsRequest) (*everystatev1.FindDepthsResponse, error) {
	if err := layerstream.CheckDepths(req); err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	run, _, err := s.take(&everystatev1.LayerPart{
		Run: req.GetRun(), Phase: req.GetPhase(), Depth: req.GetDepth(), Epoch: req.GetEpoch(),
		Partition:   slices.Max(req.GetPartitions()),
		RunIdentity: req.GetRunIdentity(), Reader: req.GetReader(), Keeper: req.GetKeeper(),
	})
	if err != nil {
		return nil, err
	}
	defer s.give(run)
	if run.Table == nil {
		return nil, errNoTable
	}
	if s.stores.mender.Lacks(run.Name) { // a missing state looks like one that was never found
		return nil, status.Errorf(codes.DataLoss, "records of run %s are missing here after damage, until they are restored or made again", run.Name)
	}
	found := make([]byte, len(req.GetRecords()))
	for i, rec := range req.GetRecords() {
		if found[i], err = run.Table.Find(req.GetPartitions()[i], rec); err != nil {
			s.stores.noteDamage(run.Name, err)
			return nil, statusOf(err)
		}
	}
	return &everystatev1.FindDepthsResponse{Depths: found}, nil
}
