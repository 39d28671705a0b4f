package server

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/coordinator/history"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/layerstream"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/store"
)

// clients holds connections to workers.
type clients struct {
	opts []grpc.DialOption

	mu   sync.Mutex // guards open
	open map[string]*grpc.ClientConn
}

func newClients(opts []grpc.DialOption) *clients {
	opts = append([]grpc.DialOption{
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: pingInterval}),
	}, opts...)
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

// homeOf returns the name of the worker that now keeps a partition of all layers.
func homeOf(r *run, part uint32) (string, error) {
	place := r.job.past().Placement()
	if place == nil && r.backup != nil && len(r.job.past().Layers(history.Forward)) > 0 {
		return "", status.Errorf(codes.Unavailable, "run %s is only in the bucket: resume it, and workers restore it", r.name)
	}
	if place == nil || int64(part) >= int64(len(place.Homes)) {
		return "", status.Errorf(codes.InvalidArgument, "run %s has no partition %d", r.name, part)
	}
	return place.Workers[place.Homes[part]], nil
}

// recordService passes clients' questions about states on to workers.
type recordService struct {
	everystatev1.UnimplementedRecordServiceServer
	*Server
}

// keeper is a worker that keeps a requested partition.
type keeper struct {
	name   string
	client everystatev1.RecordServiceClient
}

// question names what a request is about.
type question struct {
	run   string
	id    []byte
	phase everystatev1.Phase
	depth uint32
	epoch uint64
	parts []uint32
}

// keepers returns the keeper of each partition of a question, and the run's identity. A
// caller need not know the identity, but if it gives one it must be this run's.
func (s *recordService) keepers(q question) (_ []keeper, id []byte, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.find(q.run)
	if err != nil {
		return nil, nil, err
	}
	id = wire.Identity(r.job.past().Identity())
	if len(q.id) > 0 && !bytes.Equal(q.id, id) {
		s.misrouted++
		return nil, nil, status.Errorf(codes.FailedPrecondition, "run %s here is %v, not the intended %x", r.name, r.job.past().Identity(), q.id)
	}
	keepers, err := s.keepersOf(r, q)
	return keepers, id, err
}

func (s *recordService) keepersOf(r *run, q question) ([]keeper, error) {
	known := make(map[string]keeper)
	keepers := make([]keeper, len(q.parts))
	for i, part := range q.parts {
		name, err := homeOf(r, part)
		if err != nil {
			return nil, err
		}
		k, ok := known[name]
		if !ok {
			if k, err = s.keeper(r, name, part); err != nil {
				return nil, err
			}
			known[name] = k
		}
		keepers[i] = k
	}
	if !hasLayer(r.job.past(), q.phase, q.depth, q.epoch) {
		return nil, status.Errorf(codes.NotFound, "run %s has no such layer", r.name)
	}
	return keepers, nil
}

// keeper returns the named worker, which keeps part, or an error if it is not there.
func (s *recordService) keeper(r *run, name string, part uint32) (keeper, error) {
	m := s.members[name]
	if m == nil || !s.roster.Of(m.name).Present {
		help := ""
		if r.backup != nil {
			help = "; the bucket has it: resume the run, and other workers restore it"
		}
		return keeper{}, status.Errorf(codes.Unavailable, "worker %s, which has partition %d, is not connected%s", name, part, help)
	}
	client, err := s.clients.records(m.address)
	if err != nil {
		return keeper{}, status.Errorf(codes.Unavailable, "worker %s: %v", name, err)
	}
	return keeper{name, client}, nil
}

// hasLayer reports whether a layer is committed as the attempt with this epoch wrote it.
func hasLayer(h *history.History, phase everystatev1.Phase, depth uint32, epoch uint64) bool {
	p, err := wire.PhaseOf(phase)
	if err != nil {
		return false
	}
	layers := h.Layers(p)
	return int64(depth) < int64(len(layers)) && uint64(layers[depth].Epoch) == epoch
}

// explain adds to an error which worker it came from.
func (k keeper) explain(err error) error {
	s, ok := status.FromError(err)
	if err == nil || !ok {
		return err
	}
	return status.Errorf(s.Code(), "worker %s: %s", k.name, s.Message())
}

// reader names to workers who asks.
func (s *recordService) reader() string { return "the coordinator " + s.name }

// FindRecord asks the worker that keeps the partition.
func (s *recordService) FindRecord(ctx context.Context, req *everystatev1.FindRecordRequest) (*everystatev1.FindRecordResponse, error) {
	p := req.GetPart()
	keepers, id, err := s.keepers(question{p.GetRun(), p.GetRunIdentity(), p.GetPhase(), p.GetDepth(), p.GetEpoch(), []uint32{p.GetPartition()}})
	if err != nil {
		return nil, err
	}
	res, err := keepers[0].client.FindRecord(ctx, &everystatev1.FindRecordRequest{Record: req.GetRecord(), Part: &everystatev1.LayerPart{
		Run: p.GetRun(), RunIdentity: id, Reader: s.reader(), Keeper: keepers[0].name,
		Phase: p.GetPhase(), Depth: p.GetDepth(), Epoch: p.GetEpoch(), Partition: p.GetPartition(),
	}})
	return res, keepers[0].explain(err)
}

// ReadLayer reads from all workers that keep some of the partitions at the same time,
// and sends the blocks in the order of the partitions.
func (s *recordService) ReadLayer(req *everystatev1.ReadLayerRequest, out everystatev1.RecordService_ReadLayerServer) error {
	parts := req.GetPartitions()
	if err := layerstream.CheckParts(parts); err != nil {
		return status.Error(codes.InvalidArgument, err.Error())
	}
	keepers, id, err := s.keepers(question{req.GetRun(), req.GetRunIdentity(), req.GetPhase(), req.GetDepth(), req.GetEpoch(), parts})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(out.Context())
	defer cancel() // ends all streams
	sources := make(map[string]*source)
	for i, part := range parts {
		src := sources[keepers[i].name]
		if src == nil {
			src = &source{keeper: keepers[i]}
			sources[src.name] = src
		}
		src.parts = append(src.parts, part)
	}
	for _, src := range sources {
		if err := src.open(ctx, req, id, s.reader()); err != nil {
			return err
		}
	}
	sender := layerstream.NewSender(out.Send)
	for i, part := range parts {
		if err := sources[keepers[i].name].send(part, sender); err != nil {
			return err
		}
	}
	return sender.Flush()
}

// source is a worker that partitions are read from. It holds one message of the
// worker's; whatever else the flow control of its stream admits waits in the transport.
type source struct {
	keeper
	parts []uint32
	in    *layerstream.Reader

	begun bool
	part  uint32
	block []byte // the next one, of part; nil at the end
}

func (src *source) open(ctx context.Context, req *everystatev1.ReadLayerRequest, id []byte, reader string) error {
	stream, err := src.client.ReadLayer(ctx, &everystatev1.ReadLayerRequest{
		Run: req.GetRun(), RunIdentity: id, Reader: reader, Keeper: src.name,
		Phase: req.GetPhase(), Depth: req.GetDepth(), Epoch: req.GetEpoch(), Partitions: src.parts,
	})
	if err != nil {
		return src.explain(err)
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
		return status.Errorf(codes.DataLoss, "worker %s: %v", src.name, err)
	case errors.Is(err, layerstream.ErrProtocol):
		return status.Errorf(codes.Internal, "worker %s: %v", src.name, err)
	}
	return src.explain(err)
}
