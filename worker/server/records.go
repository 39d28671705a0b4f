package server

import (
	"context"
	"errors"
	"log/slog"
	"math"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/layerstream"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/store/naming"
	"github.com/everystate/everystate/worker/depths"
	"github.com/everystate/everystate/worker/door"
	"github.com/everystate/everystate/worker/onetable"
)

// recordServer is the RecordService of a worker. It knows what is stored here,
// not what has been committed: a part that is not here looks empty.
type recordServer struct {
	everystatev1.UnimplementedRecordServiceServer
	stores *stores
	door   *door.Door
	log    *slog.Logger
}

// FindRecord looks up a record.
func (s *recordServer) FindRecord(ctx context.Context, req *everystatev1.FindRecordRequest) (*everystatev1.FindRecordResponse, error) {
	run, id, err := s.take(req.GetPart())
	if err != nil {
		return nil, err
	}
	defer s.give(run)
	if n := len(req.GetRecord()); n != run.Shape.Stride {
		return nil, status.Errorf(codes.InvalidArgument, "record of %d words: must be %d", n, run.Shape.Stride)
	}
	part := req.GetPart().GetPartition()
	if run.One != nil {
		res, err := findInTable(ctx, run, id, part, req.GetRecord())
		if err != nil {
			s.stores.noteDamage(run.Name, err)
			return nil, statusOf(err)
		}
		return res, nil
	}
	found, ok, err := run.Store.Find(run.Shape, id, part, req.GetRecord(), nil)
	var absent []uint32
	if err == nil && !ok {
		absent, err = run.Store.Absent(id, []uint32{part})
	}
	if err != nil {
		s.stores.noteDamage(run.Name, err)
		return nil, statusOf(err)
	}
	if len(absent) > 0 {
		return nil, status.Errorf(codes.Unavailable, "no records of partition %d of %v are here: if it has any, they are still to be restored", part, id)
	}
	return &everystatev1.FindRecordResponse{Record: found}, nil
}

// ReadLayer reads partitions of a layer.
func (s *recordServer) ReadLayer(req *everystatev1.ReadLayerRequest, stream everystatev1.RecordService_ReadLayerServer) error {
	parts := req.GetPartitions()
	if err := layerstream.CheckParts(parts); err != nil {
		return status.Error(codes.InvalidArgument, err.Error())
	}
	run, id, err := s.take(&everystatev1.LayerPart{
		Run: req.GetRun(), Phase: req.GetPhase(), Depth: req.GetDepth(), Epoch: req.GetEpoch(),
		Partition:   parts[len(parts)-1], // the others are smaller
		RunIdentity: req.GetRunIdentity(), Reader: req.GetReader(), Keeper: req.GetKeeper(),
	})
	if err != nil {
		return err
	}
	defer s.give(run)
	out := layerstream.NewSender(stream.Send)
	send := sendParts
	switch {
	case req.GetTable():
		send = sendTable
	case run.One != nil:
		send = sendFromTable
	}
	if err := send(stream.Context(), out, run, id, parts); err != nil {
		s.stores.noteDamage(run.Name, err)
		return statusOf(err)
	}
	return out.Flush()
}

// sendParts sends the blocks of partitions as they are stored.
func sendParts(ctx context.Context, out *layerstream.Sender, run *keptRun, id store.SegmentID, parts []uint32) error {
	if err := run.Table.Passed(id, parts); err != nil {
		return err
	}
	return store.EachBlock(run.Store, id, parts, func(part uint32, block []byte) error {
		if ctx.Err() != nil {
			return status.FromContextError(ctx.Err()).Err()
		}
		return out.Add(part, block) // which keeps the block
	})
}

// take opens the run of a part and checks that it can have the part.
func (s *recordServer) take(part *everystatev1.LayerPart) (*keptRun, store.SegmentID, error) {
	if !naming.IsRun(part.GetRun()) {
		return nil, store.SegmentID{}, status.Errorf(codes.InvalidArgument, "%.140q is not a run's name", part.GetRun())
	}
	phase, err := phaseOf(part.GetPhase())
	if err != nil {
		return nil, store.SegmentID{}, status.Error(codes.InvalidArgument, err.Error())
	}
	if part.GetEpoch() > math.MaxUint32 {
		return nil, store.SegmentID{}, status.Errorf(codes.InvalidArgument, "epoch %d is too large", part.GetEpoch())
	}
	meant, err := wire.IdentityOf(part.GetRunIdentity())
	if err != nil {
		return nil, store.SegmentID{}, status.Error(codes.InvalidArgument, err.Error())
	}
	if err := s.door.Admit(part.GetReader(), part.GetKeeper()); err != nil {
		return nil, store.SegmentID{}, err
	}
	run, err := s.stores.take(part.GetRun(), nil)
	if err != nil {
		return nil, store.SegmentID{}, statusOf(err)
	}
	if err := s.door.AdmitRun(part.GetReader(), run.Name, meant, run.Identity()); err != nil {
		s.give(run)
		return nil, store.SegmentID{}, err
	}
	if n := run.Scheme.Partitions(); int64(part.GetPartition()) >= int64(n) {
		s.give(run)
		return nil, store.SegmentID{}, status.Errorf(codes.InvalidArgument, "partition %d of %d", part.GetPartition(), n)
	}
	return run, store.SegmentID{Phase: phase, Layer: part.GetDepth(), Epoch: uint32(part.GetEpoch())}, nil
}

func (s *recordServer) give(run *keptRun) {
	if err := s.stores.give(run); err != nil {
		s.log.Warn("a run was not closed cleanly", "error", err)
	}
}

// statusOf returns a store's error with its status code.
func statusOf(err error) error {
	if _, is := status.FromError(err); is {
		return err
	}
	switch {
	case errors.Is(err, store.ErrNotExist), store.IsCorruption(err): // a run that is kept here must be there
		return status.Error(codes.DataLoss, err.Error())
	case errors.Is(err, onetable.ErrNotHere):
		return status.Error(codes.Unavailable, err.Error())
	case errors.Is(err, depths.ErrAhead):
		return status.Error(codes.FailedPrecondition, err.Error())
	}
	return status.Error(codes.Internal, err.Error())
}
