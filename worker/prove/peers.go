package prove

import (
	"context"
	"fmt"
	"sync"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/internal/proof"
	"github.com/everystate/everystate/internal/security"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
)

// peer sends successors to another worker, on one stream for the whole proof.
type peer struct {
	begin   *everystatev1.CompareSuccessorsRequest // what the first message names
	address string                                 // of the other worker
	client  func() (everystatev1.ProofServiceClient, error)
	words   int // of a successor

	mu     sync.Mutex // guards the fields below
	stream everystatev1.ProofService_CompareSuccessorsClient
	sent   uint64 // successors of the round under way
}

// newPeer returns a peer to which nothing has been sent.
func (p *Prover) newPeer(start *everystatev1.ShareStart, owner *everystatev1.Owner) *peer {
	return &peer{
		begin: &everystatev1.CompareSuccessorsRequest{
			Proof: start.GetProof(), Run: start.GetRun(), RunIdentity: start.GetRunIdentity(), Sender: p.Self, Receiver: owner.GetWorker(),
		},
		address: owner.GetAddress(),
		client:  func() (everystatev1.ProofServiceClient, error) { return p.Peer(owner.GetAddress()) },
	}
}

// send sends words of a round, and with end waits until all of it has been compared.
// The stream is opened with the first words and lives as long as ctx, that of the proof.
func (p *peer) send(ctx context.Context, round int, words []uint64, end bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stream == nil && len(words) == 0 {
		return nil // nothing was sent to it yet
	}
	req := &everystatev1.CompareSuccessorsRequest{}
	if p.stream == nil {
		client, err := p.client()
		if err == nil {
			p.stream, err = client.CompareSuccessors(ctx)
		}
		if err != nil {
			return p.explain(err)
		}
		req = p.begin
	}
	req.Round, req.Words, req.End = uint32(round), words, end
	p.sent += uint64(len(words) / p.words)
	if err := p.stream.Send(req); err != nil {
		// What Recv returns says why.
		return p.answer()
	}
	if !end {
		return nil
	}
	return p.answer()
}

// answer receives what the other worker has compared.
func (p *peer) answer() error {
	res, err := p.stream.Recv()
	switch {
	case err != nil:
		return p.explain(err)
	case res.GetFault() != "":
		return &proof.FaultError{What: res.GetFault()}
	case res.GetCompared() != p.sent:
		return p.explain(fmt.Errorf("compared %d successors of %d", res.GetCompared(), p.sent))
	}
	p.sent = 0
	return nil
}

// explain adds to an error which worker it came from, or which worker was lost.
func (p *peer) explain(err error) error {
	s := status.Convert(err)
	if lost := security.Lost(s.Message(), p.begin.GetReceiver(), p.address); lost != "" && s.Code() == codes.Unavailable {
		return status.Error(codes.Unavailable, lost)
	}
	return status.Errorf(s.Code(), "worker %s: %s", p.begin.GetReceiver(), s.Message())
}

// check returns an error unless the beginning of a stream is about this proof.
func (s *share) check(req *everystatev1.CompareSuccessorsRequest) error {
	id, err := wire.IdentityOf(req.GetRunIdentity())
	if err != nil || id != s.id || req.GetRun() != s.run {
		return fmt.Errorf("proof %d is not about %.140q, %v", req.GetProof(), req.GetRun(), id)
	}
	return nil
}
