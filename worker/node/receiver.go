package node

import (
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/partition"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/worker"
)

// blockBytesMax bounds a block of candidates: 4,096 records of at most 9 words,
// 10 bytes a word coded, make 370 KiB.
const blockBytesMax = 512 << 10

// receiver takes the candidates of one attempt. It never changes.
type receiver struct {
	run    *keptRun
	epoch  uint32
	local  []*worker.Worker // by partition, nil for those of others
	chunks *worker.Chunks
	stats  *Stats
	fail   func(error) // says that the attempt cannot go on
}

// exchangeServer is the ExchangeService of a worker.
type exchangeServer struct {
	everystatev1.UnimplementedExchangeServiceServer
	receiver *atomic.Pointer[receiver]
}

// Send takes the candidates of a stream.
func (s *exchangeServer) Send(stream everystatev1.ExchangeService_SendServer) error {
	req, err := stream.Recv()
	if err != nil {
		if errors.Is(err, io.EOF) {
			return status.Error(codes.InvalidArgument, "the stream names no attempt")
		}
		return err
	}
	r := s.receiver.Load()
	if r == nil || r.run.name != req.GetRun() || uint64(r.epoch) != req.GetEpoch() {
		return status.Errorf(codes.FailedPrecondition, "run %.140q, epoch %d: no such attempt under way here", req.GetRun(), req.GetEpoch())
	}
	var candidates uint64
	var recs []uint64
	for {
		if recs, err = r.decode(recs[:0], req); err != nil {
			return err
		}
		if err := r.deliver(partition.ID(req.GetPartition()), recs); err != nil {
			return err
		}
		n := len(recs) / r.run.shape.Stride
		candidates += uint64(n)
		r.stats.Received.Add(int64(n))
		req, err = stream.Recv()
		if errors.Is(err, io.EOF) {
			return stream.SendAndClose(&everystatev1.SendResponse{Candidates: candidates})
		}
		if err != nil {
			return err
		}
		if req.GetRun() != "" || req.GetEpoch() != 0 {
			return status.Error(codes.InvalidArgument, "the stream names its attempt twice")
		}
	}
}

// decode returns the records of a block, each of which the puzzle could have
// made as far as its form goes.
func (r *receiver) decode(dst []uint64, req *everystatev1.SendRequest) ([]uint64, error) {
	part, block := req.GetPartition(), req.GetBlock()
	refuse := func(code codes.Code, what string) ([]uint64, error) {
		return dst, status.Errorf(code, "partition %d: %s", part, what)
	}
	if int64(part) >= int64(len(r.local)) || r.local[part] == nil {
		return refuse(codes.InvalidArgument, "is not of this worker")
	}
	if len(block) > blockBytesMax {
		return refuse(codes.InvalidArgument, fmt.Sprintf("block of %d bytes: at most %d", len(block), blockBytesMax))
	}
	if !store.CheckBlock(block) {
		return refuse(codes.DataLoss, "the block's checksum does not match")
	}
	recs, ok := r.run.shape.DecodeBlock(dst, block)
	if !ok {
		return refuse(codes.InvalidArgument, "is not a block of this run")
	}
	if !r.possible(partition.ID(part), recs) {
		return refuse(codes.InvalidArgument, "the block has records that are none of this run")
	}
	return recs, nil
}

// possible reports whether records have keys of a partition and moves of the
// puzzle.
func (r *receiver) possible(part partition.ID, recs []uint64) bool {
	scheme := &r.run.scheme
	moves := uint64(r.run.puzzle.Layout().Moves)
	if scheme.Narrow() {
		shift, bits := scheme.MoveBits(), scheme.LocalBits()
		mask := uint64(1)<<shift - 1
		for _, rec := range recs {
			if rec>>shift>>bits != 0 || rec&mask >= moves {
				return false
			}
		}
		return true
	}
	stride := scheme.Stride()
	for i := 0; i < len(recs); i += stride {
		if recs[i]>>scheme.LocalBits() != uint64(part) || recs[i+stride-1] >= moves {
			return false
		}
	}
	return true
}

// deliver hands records to the lane that owns their partition.
func (r *receiver) deliver(part partition.ID, recs []uint64) error {
	for len(recs) > 0 {
		chunk := r.chunks.Get()
		n := min(cap(chunk), len(recs))
		chunk = append(chunk, recs[:n]...)
		recs = recs[n:]
		err := r.local[part].Deliver(r.epoch, part, chunk)
		switch {
		case errors.Is(err, worker.ErrStale):
			return status.Error(codes.FailedPrecondition, err.Error())
		case err != nil:
			// What could not be kept is missing here, so that the attempt fails here.
			r.fail(fmt.Errorf("take candidates for partition %d: %w", part, err))
			return status.Error(codes.Aborted, err.Error())
		}
	}
	return nil
}
