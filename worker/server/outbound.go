package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/coordinator/history"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/puzzle/partition"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/worker"
)

// openWait is how long connecting to the owner of a partition may take.
const openWait = 10 * time.Second

// exchangeError reports candidates that did not reach their owner. The attempt is lost,
// but no worker is at fault.
type exchangeError struct {
	err  error
	peer string // the worker that could not be reached, empty if it was something else
}

func (e *exchangeError) Error() string { return e.err.Error() }
func (e *exchangeError) Unwrap() error { return e.err }

// notCarried returns the error for a failed call to another worker.
func notCarried(name, address string, err error) error {
	e := &exchangeError{err: fmt.Errorf("%s at %s: %w", name, address, err)}
	if code := status.Code(err); code == codes.Unavailable || code == codes.DeadlineExceeded || errors.Is(err, errNotReached) {
		e.peer = name
	}
	return e
}

// errNotReached reports that the owner of a partition was not reached within openWait.
var errNotReached = fmt.Errorf("not reached within %v", openWait)

// outbound carries the candidates of one lane to the owners of their partitions. Only
// the lane's goroutine uses it.
type outbound struct {
	run    *keptRun
	chunks *worker.Chunks
	peers  *peers
	stats  *Stats
	sorter worker.Sorter

	at      *attempt
	form    worker.Form
	local   []*worker.Worker // by partition, nil for those of other workers
	sent    []worker.Tally   // by owner
	streams []*outStream     // by owner, nil until there is something to send
	connect func(owner int) (*outStream, error)
}

// packBytes is the size at which packed blocks are sent. It makes the overhead of a
// message negligible, and little waits.
const packBytes = 64 << 10

// outStream carries candidates to one owner.
type outStream struct {
	everystatev1.ExchangeService_SendClient
	candidates uint64 // in messages sent, and in the one being packed

	// The message being packed, and the memory of its blocks. Neither may change after
	// the message was sent.
	next *everystatev1.SendRequest
	pack []byte
}

func newOutbound(run *keptRun, chunks *worker.Chunks, peers *peers, stats *Stats) *outbound {
	return &outbound{run: run, chunks: chunks, peers: peers, stats: stats}
}

func (o *outbound) begin(at *attempt, local []*worker.Worker) {
	o.at, o.local, o.form = at, local, worker.FormOf(o.run.scheme, at.plan.Source)
	o.streams = make([]*outStream, len(at.address))
	o.sent = make([]worker.Tally, len(at.address))
}

// open allows streams to be opened. They break when ctx ends.
func (o *outbound) open(ctx context.Context) {
	o.connect = func(owner int) (*outStream, error) {
		client, err := o.peers.exchange(o.at.address[owner])
		if err != nil {
			return nil, err
		}
		ctx, cancel := context.WithCancel(ctx)
		late := time.AfterFunc(openWait, cancel)
		stream, err := client.Send(ctx, grpc.WaitForReady(true))
		if !late.Stop() {
			err = errNotReached
		}
		if err != nil {
			cancel()
			return nil, err
		}
		// The stream's context ends when ctx does.
		context.AfterFunc(ctx, cancel)
		return &outStream{ExchangeService_SendClient: stream, next: &everystatev1.SendRequest{}}, nil
	}
}

// Send implements worker.Exchange.
func (o *outbound) Send(epoch uint32, part partition.ID, chunk []uint64) error {
	owner := o.at.owner[part]
	if w := o.local[part]; w != nil {
		o.sent[owner].Add(part, chunk, o.form.Shape().Stride)
		return w.DeliverFrom(owner, epoch, part, chunk)
	}
	err := o.send(owner, part, chunk)
	o.chunks.Put(chunk)
	if err != nil {
		return notCarried(o.at.names[owner], o.at.address[owner], err)
	}
	return nil
}

func (o *outbound) send(owner int, part partition.ID, chunk []uint64) error {
	stride := o.form.Shape().Stride
	s, err := o.stream(owner)
	if err != nil {
		return err
	}
	recs := o.sorter.Distinct(o.form, chunk)
	n := len(recs) / stride
	o.sent[owner].Add(part, recs, stride)
	s.candidates += uint64(n)
	o.stats.Candidates.Add(int64(len(chunk) / stride))
	o.stats.Sent.Add(int64(n))
	for len(recs) > 0 {
		n := min(len(recs), o.form.BlockRecords()*stride)
		s.add(o.form.Shape(), part, recs[:n])
		recs = recs[n:]
		if len(s.pack) >= packBytes {
			if err := o.flush(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// stream returns the stream to an owner. Its first message, yet to be sent, names the
// attempt.
func (o *outbound) stream(owner int) (*outStream, error) {
	s := o.streams[owner]
	if s == nil {
		var err error
		if s, err = o.connect(owner); err != nil {
			return nil, err
		}
		id := o.at.target
		s.next.Run, s.next.RunIdentity, s.next.Epoch = o.run.name, wire.Identity(o.at.run), uint64(id.Epoch)
		s.next.Phase, s.next.Depth = wire.Phase(history.Phase(id.Phase)), id.Layer
		s.next.Sender, s.next.Receiver = o.at.self, o.at.names[owner]
		o.streams[owner] = s
	}
	return s, nil
}

// add packs a block into the next message.
func (s *outStream) add(shape store.Shape, part partition.ID, recs []uint64) {
	at := len(s.pack)
	s.pack = shape.AppendBlock(s.pack, recs)
	s.next.Blocks = append(s.next.Blocks, &everystatev1.PartitionBlock{
		Partition: uint32(part), Block: s.pack[at:len(s.pack):len(s.pack)],
	})
}

// flush sends the packed message, if it has any blocks.
func (o *outbound) flush(s *outStream) error {
	if len(s.next.GetBlocks()) == 0 {
		return nil
	}
	if err := s.Send(s.next); err != nil {
		if errors.Is(err, io.EOF) {
			err = s.refusal()
		}
		return err
	}
	o.stats.SentBytes.Add(int64(len(s.pack)))
	s.next, s.pack = &everystatev1.SendRequest{}, make([]byte, 0, packBytes+packBytes/4)
	return nil
}

// refusal returns why the other side ended the stream.
func (s *outStream) refusal() error {
	if _, err := s.CloseAndRecv(); err != nil {
		return err
	}
	return errors.New("the stream ended too early")
}

// finish ends the streams and waits until everything sent has been taken.
func (o *outbound) finish() error {
	for owner, s := range o.streams {
		if s == nil {
			continue
		}
		err := o.flush(s)
		if err == nil {
			err = s.CloseSend()
		}
		if err != nil {
			return notCarried(o.at.names[owner], o.at.address[owner], err)
		}
	}
	for owner, s := range o.streams {
		if s == nil {
			continue
		}
		res, err := s.CloseAndRecv()
		if err == nil && res.GetCandidates() != s.candidates {
			err = fmt.Errorf("%d of %d candidates arrived", res.GetCandidates(), s.candidates)
		}
		if err != nil {
			return notCarried(o.at.names[owner], o.at.address[owner], err)
		}
	}
	return nil
}
