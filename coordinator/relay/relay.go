// Package relay passes on what workers answer about the records of a layer: it keeps the
// connections to them, and puts the partitions that several of them keep into one
// stream, in order. It must never look into a record, nor decide which worker keeps what.
package relay

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/internal/security"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/layerstream"
	"github.com/everystate/everystate/store"
)

// Clients holds connections to workers. It is safe for concurrent use.
type Clients struct {
	opts []grpc.DialOption

	mu   sync.Mutex // guards open
	open map[string]*grpc.ClientConn
}

// connectMax bounds the time between two attempts to connect, and so for how long a worker that
// is back seems to be away.
const connectMax = 3 * time.Second

// NewClients returns no connections yet. They are made with the given options.
func NewClients(opts ...grpc.DialOption) *Clients {
	wait := backoff.DefaultConfig
	wait.MaxDelay = connectMax
	params := grpc.WithConnectParams(grpc.ConnectParams{Backoff: wait, MinConnectTimeout: connectMax})
	return &Clients{opts: append([]grpc.DialOption{params}, opts...), open: make(map[string]*grpc.ClientConn)}
}

// Keeper returns the worker of a name at an address.
func (c *Clients) Keeper(name, address string) (Keeper, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	conn := c.open[address]
	if conn == nil {
		var err error
		if conn, err = grpc.NewClient(address, c.opts...); err != nil {
			return Keeper{}, err
		}
		c.open[address] = conn
	}
	return Keeper{name, address, everystatev1.NewRecordServiceClient(conn), everystatev1.NewProofServiceClient(conn)}, nil
}

// Close closes all connections.
func (c *Clients) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	for _, conn := range c.open {
		errs = append(errs, conn.Close())
	}
	return errors.Join(errs...)
}

// Keeper is a worker that keeps a requested partition.
type Keeper struct {
	Name    string
	Address string
	Client  everystatev1.RecordServiceClient
	Proofs  everystatev1.ProofServiceClient
}

// Explain adds to an error which worker it came from.
func (k Keeper) Explain(err error) error {
	s, ok := status.FromError(err)
	if err == nil || !ok {
		return err
	}
	if lost := security.Lost(s.Message(), k.Name, k.Address); lost != "" && s.Code() == codes.Unavailable {
		if security.Unreached(s.Message()) {
			lost += ": ask again when it is back or its lease has expired"
		}
		return status.Error(codes.Unavailable, lost)
	}
	return status.Errorf(s.Code(), "worker %s: %s", k.Name, s.Message())
}

// Layer reads from the keepers of the partitions of a request, given in the same order,
// all at the same time, and passes the blocks to send in the order of the partitions.
func Layer(ctx context.Context, req *everystatev1.ReadLayerRequest, keepers []Keeper, send func(*everystatev1.ReadLayerResponse) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends all streams
	sources := make(map[string]*source)
	for i, part := range req.GetPartitions() {
		src := sources[keepers[i].Name]
		if src == nil {
			src = &source{Keeper: keepers[i]}
			sources[src.Name] = src
		}
		src.parts = append(src.parts, part)
	}
	for _, src := range sources {
		if err := src.open(ctx, req); err != nil {
			return err
		}
	}
	sender := layerstream.NewSender(send)
	for i, part := range req.GetPartitions() {
		if err := sources[keepers[i].Name].send(part, sender); err != nil {
			return err
		}
	}
	return sender.Flush()
}

// source is a worker that partitions are read from. It holds one message of the
// worker's; whatever else the flow control of its stream admits waits in the transport.
type source struct {
	Keeper
	parts []uint32
	in    *layerstream.Reader

	begun bool
	part  uint32
	block []byte // the next one, of part; nil at the end
}

func (src *source) open(ctx context.Context, req *everystatev1.ReadLayerRequest) error {
	stream, err := src.Client.ReadLayer(ctx, &everystatev1.ReadLayerRequest{
		Run: req.GetRun(), RunIdentity: req.GetRunIdentity(), Reader: req.GetReader(), Keeper: src.Name,
		Phase: req.GetPhase(), Depth: req.GetDepth(), Epoch: req.GetEpoch(), Partitions: src.parts,
		Table: req.GetTable(),
	})
	if err != nil {
		return src.Explain(err)
	}
	src.in = layerstream.NewReader(stream.Recv, src.parts)
	return nil
}

// send passes on the blocks of the next partition, of which there may be none.
func (src *source) send(part uint32, out *layerstream.Sender) error {
	if !src.begun {
		src.begun = true
		if err := src.next(); err != nil {
			return err
		}
	}
	for src.block != nil && src.part == part {
		if err := out.Add(part, src.block); err != nil {
			return err
		}
		if err := src.next(); err != nil {
			return err
		}
	}
	return nil
}

func (src *source) next() (err error) {
	src.part, src.block, err = src.in.Next()
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.EOF):
		src.block = nil
		return nil
	case store.IsCorruption(err):
		return status.Errorf(codes.DataLoss, "worker %s: %v", src.Name, err)
	case errors.Is(err, layerstream.ErrProtocol):
		return status.Errorf(codes.Internal, "worker %s: %v", src.Name, err)
	}
	return src.Explain(err)
}
