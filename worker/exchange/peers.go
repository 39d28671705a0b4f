package exchange

import (
	"context"
	"sync"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/stats"

	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

// writeBytes is how much a connection writes to the system at a time: a packed message
// with its framing.
const writeBytes = 128 << 10

// Peers holds connections to other workers. It is safe for concurrent use.
type Peers struct {
	opts []grpc.DialOption

	mu    sync.Mutex // guards conns
	conns map[string]*grpc.ClientConn
}

// NewPeers returns Peers without connections. wireBytes counts what they send of
// candidates.
func NewPeers(wireBytes *atomic.Int64, opts []grpc.DialOption) *Peers {
	opts = append([]grpc.DialOption{
		grpc.WithStatsHandler(&wireCount{bytes: wireBytes}),
		grpc.WithWriteBufferSize(writeBytes),
	}, opts...)
	return &Peers{opts: opts, conns: make(map[string]*grpc.ClientConn)}
}

func (p *Peers) exchange(address string) (everystatev1.ExchangeServiceClient, error) {
	conn, err := p.conn(address)
	return everystatev1.NewExchangeServiceClient(conn), err
}

// Records returns a client of the records of the worker at an address.
func (p *Peers) Records(address string) (everystatev1.RecordServiceClient, error) {
	conn, err := p.conn(address)
	return everystatev1.NewRecordServiceClient(conn), err
}

// Proofs returns a client of the proofs of the worker at an address.
func (p *Peers) Proofs(address string) (everystatev1.ProofServiceClient, error) {
	conn, err := p.conn(address)
	return everystatev1.NewProofServiceClient(conn), err
}

func (p *Peers) conn(address string) (*grpc.ClientConn, error) {
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
	return conn, nil
}

// Keep closes the connections to all other addresses.
func (p *Peers) Keep(addresses []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	wanted := make(map[string]bool, len(addresses))
	for _, a := range addresses {
		wanted[a] = true
	}
	for a, conn := range p.conns {
		if !wanted[a] {
			_ = conn.Close() // it is not in use
			delete(p.conns, a)
		}
	}
}

// Close closes all connections.
func (p *Peers) Close() { p.Keep(nil) }

// wireCount counts the bytes of the messages that carry candidates, as they are on the
// wire, each with its five-byte prefix. It excludes encryption and the frames of HTTP/2,
// nine bytes for at most 16 KiB.
type wireCount struct{ bytes *atomic.Int64 }

// carriesCandidates marks the context of a call to be counted.
type carriesCandidates struct{}

func (w *wireCount) TagRPC(ctx context.Context, info *stats.RPCTagInfo) context.Context {
	if info.FullMethodName != everystatev1.ExchangeService_Send_FullMethodName {
		return ctx
	}
	return context.WithValue(ctx, carriesCandidates{}, true)
}

func (w *wireCount) HandleRPC(ctx context.Context, s stats.RPCStats) {
	if out, ok := s.(*stats.OutPayload); ok && ctx.Value(carriesCandidates{}) != nil {
		w.bytes.Add(int64(out.WireLength))
	}
}

// The rest of stats.Handler counts nothing.

func (w *wireCount) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

func (w *wireCount) HandleConn(context.Context, stats.ConnStats) {}
