package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/worker"
	"github.com/everystate/everystate/worker/door"
	"github.com/everystate/everystate/worker/exchange"
)

// receiver takes the candidates of one attempt. It is immutable.
type receiver struct {
	run    *keptRun
	at     *attempt
	form   worker.Form
	local  []*worker.Worker // by partition, nil for those of other workers
	chunks *worker.Chunks
	stats  *Stats
	fail   func(error) // reports that the attempt cannot continue
}

// orderWait is how long the order to begin a straight attempt may take to arrive after
// the first candidates.
const orderWait = 5 * time.Second

// exchangeServer is the ExchangeService of a worker.
type exchangeServer struct {
	everystatev1.UnimplementedExchangeServiceServer
	receiver *exchange.Current[receiver]
	door     *door.Door
}

// admit returns the attempt that a message begins, or why it is refused.
func (s *exchangeServer) admit(ctx context.Context, req *everystatev1.SendRequest) (_ *receiver, sender int, err error) {
	meant, err := wire.IdentityOf(req.GetRunIdentity())
	if err != nil {
		return nil, 0, status.Error(codes.InvalidArgument, err.Error())
	}
	if err := s.door.Admit(req.GetSender(), req.GetReceiver()); err != nil {
		return nil, 0, err
	}
	r := s.receiver.Get()
	if req.GetStraight() {
		r = s.receiver.Await(ctx, orderWait, func(r *receiver) bool { return uint64(r.at.target.Epoch) >= req.GetEpoch() })
	}
	if r == nil || r.run.Name != req.GetRun() {
		return nil, 0, status.Errorf(codes.FailedPrecondition, "run %.140q, epoch %d: no such attempt in progress here", req.GetRun(), req.GetEpoch())
	}
	if err := s.door.AdmitRun(req.GetSender(), r.run.Name, meant, r.at.run); err != nil {
		return nil, 0, err
	}
	phase, err := phaseOf(req.GetPhase())
	if id := r.at.target; err != nil || uint64(id.Epoch) != req.GetEpoch() || id.Phase != phase || id.Layer != req.GetDepth() {
		return nil, 0, status.Errorf(codes.FailedPrecondition, "run %s, epoch %d: no such attempt in progress here, but %v", r.run.Name, req.GetEpoch(), id)
	}
	sender = slices.Index(r.at.names, req.GetSender())
	if sender < 0 {
		return nil, 0, s.door.Refuse(req.GetSender(), fmt.Sprintf("worker %.64q has no part in %v of run %s", req.GetSender(), r.at.target, r.run.Name))
	}
	return r, sender, nil
}

// Send takes the candidates of a stream, of one attempt after the other.
func (s *exchangeServer) Send(stream everystatev1.ExchangeService_SendServer) error {
	for {
		req, err := stream.Recv()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if err := s.takeAttempt(stream, req); err != nil {
			return err
		}
	}
}

// takeAttempt takes the candidates of the attempt that a message begins.
func (s *exchangeServer) takeAttempt(stream everystatev1.ExchangeService_SendServer, req *everystatev1.SendRequest) error {
	r, sender, err := s.admit(stream.Context(), req)
	if err != nil {
		return err
	}
	in := intake{receiver: r, sender: sender}
	var candidates uint64
	for {
		n, err := in.take(req)
		if err != nil {
			return err
		}
		candidates += uint64(n)
		if req.GetLast() {
			if req.GetAll() && r.at.roll != nil {
				r.at.roll.Done(sender)
			}
			return stream.Send(&everystatev1.SendResponse{Candidates: candidates, Epoch: uint64(r.at.target.Epoch)})
		}
		req, err = stream.Recv()
		if errors.Is(err, io.EOF) {
			return status.Error(codes.InvalidArgument, "the stream ends within an attempt")
		}
		if err != nil {
			return err
		}
		if req.GetRun() != "" || req.GetEpoch() != 0 {
			return status.Error(codes.InvalidArgument, "the stream names its attempt twice")
		}
	}
}

// intake takes the messages of one stream.
type intake struct {
	*receiver
	sender int      // its index among the owners
	recs   []uint64 // memory for a block that is not decoded into a chunk
}

// take delivers the candidates of a message and returns their number.
func (r *intake) take(req *everystatev1.SendRequest) (candidates int, err error) {
	if len(req.GetBlocks())+len(req.GetJoined()) == 0 && !req.GetLast() {
		return 0, status.Error(codes.InvalidArgument, "the message has no block")
	}
	for _, b := range req.GetBlocks() {
		n, err := r.takeBlock(b.GetPartition(), b.GetBlock())
		if err != nil {
			return candidates, err
		}
		candidates += n
	}
	for _, b := range req.GetJoined() {
		n, err := r.takeJoined(b)
		if err != nil {
			return candidates, err
		}
		candidates += n
	}
	r.stats.Received.Add(int64(candidates))
	return candidates, nil
}

// takeBlock delivers the candidates of a block.
func (r *intake) takeBlock(part uint32, block []byte) (candidates int, err error) {
	stride := r.form.Shape().Stride
	if r.chunks.Bytes() < 8*store.BlockRecords*int64(stride) {
		if r.recs, err = r.decode(r.recs[:0], part, block); err != nil {
			return 0, err
		}
		return len(r.recs) / stride, r.deliverCopy(partition.ID(part), r.recs)
	}
	chunk := r.chunks.Get()
	recs, err := r.decode(chunk, part, block)
	if err != nil {
		r.chunks.Put(chunk)
		return 0, err
	}
	return len(recs) / stride, r.deliver(partition.ID(part), recs)
}

// takeJoined delivers the candidates of a block of several partitions.
func (r *intake) takeJoined(block []byte) (candidates int, err error) {
	shape, ok := r.form.Joined()
	if !ok {
		return 0, status.Error(codes.InvalidArgument, "candidates of this run are not joined")
	}
	if r.recs, err = exchange.OpenBlock(r.recs[:0], shape, block); err != nil {
		return 0, err
	}
	err = r.form.Split(r.recs, func(part uint64, recs []uint64) error {
		if err := r.fits(part, recs); err != nil {
			return err
		}
		return r.deliverCopy(partition.ID(part), recs)
	})
	return len(r.recs), err
}

// decode appends the records of a block to dst, having checked that each has the form of
// a record that the puzzle could have made.
func (r *receiver) decode(dst []uint64, part uint32, block []byte) ([]uint64, error) {
	if err := r.fits(uint64(part), nil); err != nil {
		return dst, err
	}
	recs, err := exchange.OpenBlock(dst, r.form.Shape(), block)
	if err == nil {
		err = r.fits(uint64(part), recs[len(dst):])
	}
	if err != nil {
		return dst, err
	}
	return recs, nil
}

// fits returns an error unless records have the form of those that the puzzle could have
// made, of a partition of this worker.
func (r *receiver) fits(part uint64, recs []uint64) error {
	if part >= uint64(len(r.local)) || r.local[part] == nil {
		return status.Errorf(codes.InvalidArgument, "partition %d: is not of this worker", part)
	}
	if !r.form.Holds(partition.ID(part), recs, r.run.Puzzle.Layout().Moves) {
		return status.Errorf(codes.InvalidArgument, "partition %d: the block has records that do not belong to this run", part)
	}
	return nil
}

// deliverCopy delivers records in chunks of their own.
func (r *intake) deliverCopy(part partition.ID, recs []uint64) error {
	for len(recs) > 0 {
		chunk := r.chunks.Get()
		n := cap(chunk)
		n = min(n-n%r.form.Shape().Stride, len(recs))
		if err := r.deliver(part, append(chunk, recs[:n]...)); err != nil {
			return err
		}
		recs = recs[n:]
	}
	return nil
}

// deliver passes a chunk to the lane that owns its partition.
func (r *intake) deliver(part partition.ID, chunk []uint64) error {
	err := r.local[part].DeliverFrom(r.sender, r.at.target.Epoch, part, chunk)
	switch {
	case errors.Is(err, worker.ErrStale):
		return status.Error(codes.FailedPrecondition, err.Error())
	case err != nil:
		// A chunk that could not be kept is missing here, so the attempt fails here.
		r.fail(worker.PartitionErrorf(part, "take candidates for partition %d: %w", part, err))
		return status.Error(codes.Aborted, err.Error())
	}
	return nil
}
