package server

import (
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/prove"
	"github.com/everystate/everystate/internal/frontier"
	"github.com/everystate/everystate/internal/table/divided"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
)

// proofService has the workers that keep a run prove it complete.
type proofService struct {
	everystatev1.UnimplementedProofServiceServer
	*recordService
}

// ProveRun proves a run complete.
func (s *proofService) ProveRun(req *everystatev1.ProveRunRequest, out everystatev1.ProofService_ProveRunServer) error {
	p, err := s.proof(req)
	if err != nil {
		return err
	}
	return prove.Run(out.Context(), p, out.Send)
}

// proof returns what is to be proved, and who keeps it.
func (s *proofService) proof(req *everystatev1.ProveRunRequest) (p prove.Proof, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.find(req.GetRun())
	if err != nil {
		return p, err
	}
	layers := r.job.past().Layers(history.Forward)
	if r.spec.Keep.Frontier {
		return p, status.Error(codes.FailedPrecondition, frontier.ErrNoProof.Error())
	}
	if r.spec.Store != history.Layers {
		return p, status.Error(codes.FailedPrecondition, divided.ErrNoProof.Error())
	}
	if req.GetEntries() > uint64(len(r.log)) || len(layers) == 0 {
		return p, status.Errorf(codes.FailedPrecondition, "run %s has other layers by now", r.name)
	}
	q := question{run: r.name, id: req.GetRunIdentity(), phase: wire.Phase(history.Forward), epoch: uint64(layers[0].Epoch)}
	for part := range r.spec.Partitions {
		q.parts = append(q.parts, uint32(part))
	}
	p = prove.Proof{ID: s.opts.Random(), Request: req, Caller: s.reader(), Entries: r.log[:req.GetEntries():req.GetEntries()]}
	p.Keepers, err = s.keepersOf(r, q)
	return p, err
}
