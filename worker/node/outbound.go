package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/everystate/everystate/partition"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/worker"
)

// openWait is how long the owner of a partition may take to be reached.
const openWait = 10 * time.Second

// exchangeError reports candidates that did not reach their owner. The attempt
// is lost, but nobody has failed.
type exchangeError struct{ err error }

func (e *exchangeError) Error() string { return e.err.Error() }
func (e *exchangeError) Unwrap() error { return e.err }

// outbound carries the candidates of one lane to the owners of their partitions.
// It is used by the goroutine of the lane.
type outbound struct {
	run    *keptRun
	chunks *worker.Chunks
	peers  *peers
	stats  *Stats
	sorter *worker.Sorter

	at      *attempt
	local   []*worker.Worker // by partition, nil for those of others
	streams []*outStream     // by owner, nil until there is something to send
	connect func(owner int) (*outStream, error)
}

// outStream carries candidates to one owner.
type outStream struct {
	everystatev1.ExchangeService_SendClient
	candidates uint64
}

func newOutbound(run *keptRun, chunks *worker.Chunks, peers *peers, stats *Stats) *outbound {
	return &outbound{run: run, chunks: chunks, peers: peers, stats: stats, sorter: worker.NewSorter(run.scheme)}
}

func (o *outbound) begin(at *attempt, local []*worker.Worker) {
	o.at, o.local = at, local
	o.streams = make([]*outStream, len(at.address))
}

// open lets streams be opened. They break when ctx ends.
func (o *outbound) open(ctx context.Context) {
	o.connect = func(owner int) (*outStream, error) {
		client, err := o.peers.exchange(o.at.address[owner])
		if err != nil {
			return nil, err
		}
		ctx, cancel := context.WithCancel(ctx)
		late := time.AfterFunc(openWait, cancel)
		stream, err := client.Send(ctx, grpc.WaitForReady(true))
		if !late.Stop() && err == nil {
			err = context.DeadlineExceeded
		}
		if err != nil {
			cancel()
			return nil, err
		}
		// The stream's context ends with the one that it was made from.
		context.AfterFunc(ctx, cancel)
		return &outStream{ExchangeService_SendClient: stream}, nil
	}
}

// Send implements worker.Exchange.
func (o *outbound) Send(epoch uint32, part partition.ID, chunk []uint64) error {
	if w := o.local[part]; w != nil {
		return w.Deliver(epoch, part, chunk)
	}
	owner := o.at.owner[part]
	err := o.send(owner, part, chunk)
	o.chunks.Put(chunk)
	if err != nil {
		return &exchangeError{fmt.Errorf("%s: %w", o.at.address[owner], err)}
	}
	return nil
}

func (o *outbound) send(owner int, part partition.ID, chunk []uint64) error {
	stride := o.run.shape.Stride
	o.stats.Candidates.Add(int64(len(chunk) / stride))
	recs := o.sorter.Distinct(chunk)
	for len(recs) > 0 {
		n := min(len(recs), store.BlockRecords*stride)
		if err := o.sendBlock(owner, part, recs[:n]); err != nil {
			return err
		}
		recs = recs[n:]
	}
	return nil
}

func (o *outbound) sendBlock(owner int, part partition.ID, recs []uint64) error {
	req := &everystatev1.SendRequest{Partition: uint32(part)}
	s := o.streams[owner]
	if s == nil {
		var err error
		if s, err = o.connect(owner); err != nil {
			return err
		}
		o.streams[owner] = s
		req.Run, req.Epoch = o.run.name, uint64(o.at.target.Epoch)
	}
	// A message must not change after it was sent, so that each block has memory
	// of its own.
	req.Block = o.run.shape.AppendBlock(nil, recs)
	if err := s.Send(req); err != nil {
		if errors.Is(err, io.EOF) {
			err = s.refusal()
		}
		return err
	}
	n := int64(len(recs) / o.run.shape.Stride)
	s.candidates += uint64(n)
	o.stats.Sent.Add(n)
	o.stats.SentBytes.Add(int64(len(req.Block)))
	return nil
}

// refusal returns why the other side ended the stream.
func (s *outStream) refusal() error {
	if _, err := s.CloseAndRecv(); err != nil {
		return err
	}
	return errors.New("the stream was ended too early")
}

// finish ends the streams and waits until all that was sent has been taken.
func (o *outbound) finish() error {
	for _, s := range o.streams {
		if s == nil {
			continue
		}
		if err := s.CloseSend(); err != nil {
			return &exchangeError{err}
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
			return &exchangeError{fmt.Errorf("%s: %w", o.at.address[owner], err)}
		}
	}
	return nil
}

// peers holds connections to other workers. It is safe for concurrent use.
type peers struct {
	opts []grpc.DialOption

	mu    sync.Mutex // guards conns
	conns map[string]*grpc.ClientConn
}

func newPeers(opts []grpc.DialOption) *peers {
	return &peers{opts: opts, conns: make(map[string]*grpc.ClientConn)}
}

func (p *peers) exchange(address string) (everystatev1.ExchangeServiceClient, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	conn := p.conns[address]
	if conn == nil {
		var err error
		if conn, err = grpc.NewClient(address, p.opts...); err != nil {
			return nil, err
		}
		p.conns[address] = conn
	}
	return everystatev1.NewExchangeServiceClient(conn), nil
}

// keep closes the connections to all other addresses.
func (p *peers) keep(addresses []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	wanted := make(map[string]bool, len(addresses))
	for _, a := range addresses {
		wanted[a] = true
	}
	for a, conn := range p.conns {
		if !wanted[a] {
			_ = conn.Close() // nobody uses it
			delete(p.conns, a)
		}
	}
}

func (p *peers) close() { p.keep(nil) }
