package server

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/coordinator/history"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/layerstream"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/worker"
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
// removes the records. Layers gather until that is due, or now.
func (e *engine) addToTable(kept *keptRun, was, d dropped, gathered func(history.Span) int64, now bool) error {
	states := gathered(history.Span{Phase: history.Phase(forward), First: was.keptFrom, End: d.keptFrom})
	if !now && d.keptFrom-was.keptFrom < tableLayersMax && (states < e.gatherStates ||
		states < gathered(history.Span{Phase: history.Phase(forward), First: 0, End: was.keptFrom})/tableShare) {
		return nil
	}
	large := states >= e.gatherStates
	parts := make([]uint32, kept.scheme.Partitions())
	for i := range parts {
		parts[i] = uint32(i)
	}
	if err := kept.table.Add(context.Background(), parts, d.keptFrom, e.lanesMax, large); err != nil {
		return err
	}
	if err := store.DropLayers(kept.store, forward, 0, d.keptFrom, large); err != nil {
		return err
	}
	e.removed[kept.name] = d
	return nil
}

// lastWith returns the last layer before end that has states in a partition, or nil.
func lastWith(layers []worker.Layer, end uint32, part uint32) *worker.Layer {
	for depth := min(int(end), len(layers)) - 1; depth >= 0; depth-- {
		if layers[depth].PartStates[part] > 0 {
			return &layers[depth]
		}
	}
	return nil
}

// covers returns how many layers a table has of a partition, if they are the run's, and
// whether they are.
func covers(t *depths.Table, run *assigned, part uint32) (layers uint32, sound bool) {
	id, has := t.Part(part)
	if !has {
		return 0, true
	}
	layers = id.Layer
	last := lastWith(run.layers[forward], layers, part)
	return layers, int64(layers) <= int64(len(run.layers[forward])) && last != nil && last.Segment.Epoch == id.Epoch
}

// checkTable forgets partitions of a table that are not of the run's layers: of layers that
// were made again since, or of fewer, where a partition was away for a while.
func (h *holds) checkTable(run *assigned, own []partition.ID) error {
	if h.run.table == nil {
		return nil
	}
	for _, p := range own {
		if _, sound := covers(h.run.table, run, uint32(p)); !sound {
			if err := h.run.table.Forget(uint32(p)); err != nil {
				return err
			}
			delete(h.held, uint32(p)) // look for its layers again
		}
	}
	return nil
}

// weedTable forgets partitions of the table that are not whole any more, after damage.
func weedTable(ctx context.Context, t *depths.Table, run *assigned) error {
	if t == nil {
		return nil
	}
	for part := range run.spec.GetPartitions() {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := t.Count(part)
		if err != nil && !store.IsCorruption(err) {
			return err
		}
		layers, sound := covers(t, run, part)
		if sound && err == nil && n == statesOf(run, part, layers) {
			continue
		}
		if err := t.Forget(part); err != nil {
			return err
		}
	}
	return nil
}

// statesOf returns how many states a partition has in the first layers.
func statesOf(run *assigned, part, layers uint32) (states int64) {
	for _, l := range run.layers[forward][:layers] {
		states += l.PartStates[part]
	}
	return states
}

// fetchTable gets a partition of the table, with all layers whose records are not needed,
// from the worker that keeps it.
func (h *holds) fetchTable(ctx context.Context, run *assigned, from source, part uint32) error {
	client, err := h.peers.Records(from.address)
	if err != nil {
		return err
	}
	last := lastWith(run.layers[forward], run.keptFrom, part)
	if last == nil {
		return nil
	}
	want := statesOf(run, part, run.keptFrom)
	id := store.SegmentID{Layer: run.keptFrom, Epoch: last.Segment.Epoch}
	known := run.layers[forward][run.keptFrom-1].Segment
	return h.run.table.Replace(part, id, func(f func(recs []uint64) error) error {
		var recs []uint64
		var states int64
		top := int64(-1)
		err := exchange.ReadStream(ctx, client, &everystatev1.ReadLayerRequest{
			Run: run.name, RunIdentity: wire.Identity(run.id), Reader: h.self, Keeper: from.name,
			Phase: wire.Phase(history.Forward), Depth: known.Layer, Epoch: uint64(known.Epoch), Partitions: []uint32{part}, Table: true,
		}, func(_ uint32, block []byte) error {
			var ok bool
			if recs, ok = h.run.table.Shape().DecodeBlock(recs[:0], block); !ok {
				return exchange.Errorf("partition %d: a block is not one of a table", part)
			}
			for _, rec := range recs {
				key := int64(rec >> h.run.table.Shape().MoveBits)
				if key <= top || uint64(key)>>h.run.scheme.LocalBits() != 0 || rec&3 >= depths.Modulo {
					return exchange.Errorf("partition %d: a block does not belong to this run", part)
				}
				top = key
			}
			states += int64(len(recs))
			return f(recs)
		})
		if err == nil && states != want {
			err = exchange.Errorf("partition %d: %d states arrived of %d", part, states, want)
		}
		return err
	})
}

// fetchTables gets what is missing of layers whose records are not needed as partitions of
// the table, where a worker has them, and returns what else is missing.
func (h *holds) fetchTables(ctx context.Context, run *assigned, missing []missingShare) (rest []missingShare, err error) {
	done := make(map[uint32]bool)
	if h.run.table == nil {
		return missing, nil
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
	return rest, nil
}

// sendTable sends what there is of a partition up to a layer, as records of the table.
func sendTable(ctx context.Context, out *layerstream.Sender, run *keptRun, id store.SegmentID, part uint32) (err error) {
	if run.table == nil {
		return errNoTable
	}
	if id.Phase != forward || id.Layer == math.MaxUint32 {
		return status.Errorf(codes.InvalidArgument, "phase %d, layer %d: a table has those of the forward phase", id.Phase, id.Layer)
	}
	c, err := run.table.Cursor(part, id.Layer+1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	for ctx.Err() == nil {
		recs, err := c.Next()
		if err != nil || len(recs) == 0 {
			return err
		}
		// The sender keeps the block.
		if err := out.Add(part, run.table.Shape().AppendBlock(nil, recs)); err != nil {
			return err
		}
	}
	return status.FromContextError(ctx.Err()).Err()
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
	if run.table == nil {
		return nil, errNoTable
	}
	found := make([]byte, len(req.GetRecords()))
	for i, rec := range req.GetRecords() {
		if found[i], err = run.table.Find(req.GetPartitions()[i], rec); err != nil {
			s.stores.noteDamage(run.name, err)
			return nil, statusOf(err)
		}
	}
	return &everystatev1.FindDepthsResponse{Depths: found}, nil
}
