package cluster

import (
	"context"
	"errors"
	"io"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/coordinator/core"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

// clients holds connections to workers.
type clients struct {
	opts []grpc.DialOption

	mu   sync.Mutex // guards open
	open map[string]*grpc.ClientConn
}

func newClients(opts []grpc.DialOption) *clients {
	return &clients{opts: opts, open: make(map[string]*grpc.ClientConn)}
}

func (c *clients) records(address string) (everystatev1.RecordServiceClient, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	conn := c.open[address]
	if conn == nil {
		var err error
		if conn, err = grpc.NewClient(address, c.opts...); err != nil {
			return nil, err
		}
		c.open[address] = conn
	}
	return everystatev1.NewRecordServiceClient(conn), nil
}

func (c *clients) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	for _, conn := range c.open {
		errs = append(errs, conn.Close())
	}
	return errors.Join(errs...)
}

// keeper returns the worker that keeps a partition.
func (s *Server) keeper(part *everystatev1.LayerPart) (everystatev1.RecordServiceClient, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.find(part.GetRun())
	if err != nil {
		return nil, err
	}
	place := r.past().Placement()
	if place == nil || int(part.GetPartition()) >= len(place.Homes) {
		return nil, status.Errorf(codes.InvalidArgument, "run %s has no partition %d", r.name, part.GetPartition())
	}
	layers := r.past().Layers(core.Phase(part.GetPhase() % 3))
	if int(part.GetDepth()) >= len(layers) || uint64(layers[part.GetDepth()].Epoch) != part.GetEpoch() {
		return nil, status.Errorf(codes.NotFound, "run %s has no such layer", r.name)
	}
	name := place.Workers[place.Homes[part.GetPartition()]]
	m := s.members[name]
	if m == nil || !m.present {
		return nil, status.Errorf(codes.Unavailable, "worker %s, which keeps partition %d, is not there", name, part.GetPartition())
	}
	return s.clients.records(m.address)
}

// FindRecord asks the worker that keeps the partition.
func (s *Server) FindRecord(ctx context.Context, req *everystatev1.FindRecordRequest) (*everystatev1.FindRecordResponse, error) {
	worker, err := s.keeper(req.GetPart())
	if err != nil {
		return nil, err
	}
	return worker.FindRecord(ctx, req)
}

// ReadBlocks asks the worker that keeps the partition.
func (s *Server) ReadBlocks(req *everystatev1.ReadBlocksRequest, out everystatev1.RecordService_ReadBlocksServer) error {
	worker, err := s.keeper(req.GetPart())
	if err != nil {
		return err
	}
	in, err := worker.ReadBlocks(out.Context(), req)
	if err != nil {
		return err
	}
	for {
		block, err := in.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := out.Send(block); err != nil {
			return err
		}
	}
}
