package server

import (
	"bytes"
	"context"
	"slices"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/coordinator/convert"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/relay"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/layerstream"
	"github.com/everystate/everystate/proto/wire"
)

// homeOf returns the name of the worker that now keeps a partition of all layers.
func homeOf(r *run, part uint32) (string, error) {
	place := r.job.past().Placement()
	if place == nil && r.backup != nil && len(r.job.past().Layers(history.Forward)) > 0 {
		return "", status.Errorf(codes.Unavailable, "run %s is only in the bucket: workers restore it after %s", r.name, resumes(r))
	}
	if place == nil || int64(part) >= int64(len(place.Homes)) {
		return "", status.Errorf(codes.InvalidArgument, "run %s has no partition %d", r.name, part)
	}
	return place.Workers[place.Homes[part]], nil
}

// resumes is the command that resumes a run; clients put the coordinator's address in.
func resumes(r *run) string { return "`everystate resume " + r.name + "`" }

// recordService passes clients' questions about states on to workers.
type recordService struct {
	everystatev1.UnimplementedRecordServiceServer
	*Server
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
func (s *recordService) keepers(q question) (_ []relay.Keeper, id []byte, err error) {
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

func (s *recordService) keepersOf(r *run, q question) ([]relay.Keeper, error) {
	known := make(map[string]relay.Keeper)
	keepers := make([]relay.Keeper, len(q.parts))
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
	if !convert.Has(r.job.past(), q.phase, q.depth, q.epoch) {
		return nil, status.Errorf(codes.NotFound, "run %s has no such layer", r.name)
	}
	return keepers, nil
}

// keeper returns the named worker, which keeps part, or an error if it is not there.
func (s *recordService) keeper(r *run, name string, part uint32) (relay.Keeper, error) {
	m := s.members[name]
	if m == nil || !s.roster.Of(m.name).Present {
		help := "; nobody else has it: start the worker again with its directory"
		switch {
		case r.backup != nil:
			help = ": start it again, or let other workers restore it from the bucket with " + resumes(r)
		case r.spec.Store == history.Table:
			help = ": start it again with its directory, or have another worker recompute the table with " + resumes(r)
		}
		return relay.Keeper{}, status.Errorf(codes.Unavailable, "worker %s, which has partition %d, is not connected%s", name, part, help)
	}
	if tells(m.damaged, r, true) {
		return relay.Keeper{}, status.Errorf(codes.Unavailable, "worker %s has not restored all of partition %d yet: ask again later; if the run is not running, start it with %s", name, part, resumes(r))
	}
	k, err := s.clients.Keeper(name, m.address)
	if err != nil {
		return k, status.Errorf(codes.Unavailable, "worker %s: %v", name, err)
	}
	return k, nil
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
	res, err := keepers[0].Client.FindRecord(ctx, &everystatev1.FindRecordRequest{Record: req.GetRecord(), Part: &everystatev1.LayerPart{
		Run: p.GetRun(), RunIdentity: id, Reader: s.reader(), Keeper: keepers[0].Name,
		Phase: p.GetPhase(), Depth: p.GetDepth(), Epoch: p.GetEpoch(), Partition: p.GetPartition(),
	}})
	return res, keepers[0].Explain(err)
}

// FindDepths asks the workers that keep the partitions.
func (s *recordService) FindDepths(ctx context.Context, req *everystatev1.FindDepthsRequest) (*everystatev1.FindDepthsResponse, error) {
	if err := layerstream.CheckDepths(req); err != nil {
		return nil, status.Error(codes.InvalidArgument, err.Error())
	}
	parts := slices.Compact(slices.Sorted(slices.Values(req.GetPartitions())))
	keepers, id, err := s.keepers(question{req.GetRun(), req.GetRunIdentity(), req.GetPhase(), req.GetDepth(), req.GetEpoch(), parts})
	if err != nil {
		return nil, err
	}
	req.RunIdentity, req.Reader = id, s.reader()
	return relay.Depths(ctx, req, parts, keepers)
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
	return relay.Layer(out.Context(), &everystatev1.ReadLayerRequest{
		Run: req.GetRun(), RunIdentity: id, Reader: s.reader(), Phase: req.GetPhase(), Depth: req.GetDepth(), Epoch: req.GetEpoch(), Partitions: parts,
		Table: req.GetTable(),
	}, keepers, out.Send)
}
