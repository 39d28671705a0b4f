package prove

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/proof"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/store/naming"
)

const (
	// roundsMax is the greatest number of rounds of a proof.
	roundsMax = 256

	// tellInterval is how often the coordinator is told how far a step is.
	tellInterval = time.Second

	// claimWait is how long a proof waits for the end of another one of the same run,
	// which may have been given up already.
	claimWait = 10 * time.Second
)

// Prover is the ProofService of a worker. It is safe for concurrent use.
type Prover struct {
	everystatev1.UnimplementedProofServiceServer

	Self        string // the worker's name
	Version     string // of the program; what another version has saved is not used
	MemoryBytes int64  // for one proof
	Workers     int    // goroutines of a proof

	// Open opens the store of a run, which the caller closes, or refuses a call that is
	// meant for another worker or run.
	Open func(caller, keeper, run string, id history.Identity) (*Stored, func(), error)
	// Admit refuses a call that is meant for another worker.
	Admit func(caller, meant string) error
	// Dir returns where the proof of a run keeps its files.
	Dir func(run string) string
	// Peer returns a client of the worker at an address.
	Peer func(address string) (everystatev1.ProofServiceClient, error)

	mu     sync.Mutex // guards the fields below
	shares map[uint64]*share
	busy   map[string]chan struct{} // runs of which a proof is in progress; closed when it ends
}

// share is a proof in progress.
type share struct {
	*proof.Share
	run   string
	id    history.Identity
	peers []*peer // by number; nil for this worker

	done atomic.Int64
	fail context.CancelCauseFunc
}

// ProveShare does the worker's share of a proof.
func (p *Prover) ProveShare(stream everystatev1.ProofService_ProveShareServer) error {
	start, h, err := begin(stream)
	if err != nil {
		return status.Error(codes.InvalidArgument, err.Error())
	}
	ctx, fail := context.WithCancelCause(stream.Context())
	defer fail(nil)
	s := &share{run: start.GetRun(), fail: fail}
	if s.id, err = wire.IdentityOf(start.GetRunIdentity()); err != nil {
		return status.Error(codes.InvalidArgument, err.Error())
	}
	stored, closeStore, err := p.Open(start.GetCaller(), start.GetKeeper(), start.GetRun(), s.id)
	if err != nil {
		return err
	}
	defer closeStore()
	space := stored.Space
	space.History, space.Records = h, records{stored}
	div, err := p.divide(ctx, s, start, space.Scheme.Partitions())
	if err != nil {
		return status.Error(codes.InvalidArgument, err.Error())
	}
	if err := fits(h, space.Scheme.Partitions()); err != nil {
		return status.Error(codes.InvalidArgument, err.Error())
	}
	dir := p.Dir(start.GetRun())
	release, err := p.claim(ctx, start.GetRun())
	if err != nil {
		return err
	}
	defer release()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return statusOf(err)
	}
	s.Share = proof.NewShare(&space, proof.Options{
		Dir: dir, Version: p.Version, MemoryBytes: p.MemoryBytes, Workers: p.Workers, Done: func(n int64) { s.done.Store(n) },
	}, div)
	for _, peer := range s.peers {
		if peer != nil {
			peer.words = s.EdgeWords()
		}
	}
	if !p.enter(start.GetProof(), s) {
		return status.Errorf(codes.AlreadyExists, "proof %d is in progress", start.GetProof())
	}
	defer p.leave(start.GetProof())
	over, err := s.lead(ctx, stream, int(start.GetRounds()), p.Version)
	var fault *proof.FaultError
	if errors.As(err, &fault) {
		over = true
		err = stream.Send(&everystatev1.ProveShareResponse{Fault: cut(fault.What)})
	}
	if over {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	return statusOf(err)
}

// begin reads what comes before the first step.
func begin(stream everystatev1.ProofService_ProveShareServer) (*everystatev1.ShareStart, *history.History, error) {
	req, err := stream.Recv()
	if err != nil {
		return nil, nil, err
	}
	start := req.GetStart()
	switch {
	case start == nil:
		return nil, nil, errors.New("does not begin with a start")
	case !naming.IsRun(start.GetRun()):
		return nil, nil, fmt.Errorf("%.140q is not a run's name", start.GetRun())
	case start.GetRounds() < 1 || start.GetRounds() > roundsMax:
		return nil, nil, fmt.Errorf("%d rounds: must be 1 to %d", start.GetRounds(), roundsMax)
	}
	h := new(history.History)
	for range start.GetLayers() {
		if req, err = stream.Recv(); err != nil {
			return nil, nil, err
		}
		l, err := wire.LayerOf(req.GetLayer(), len(req.GetLayer().GetPartitionStates()))
		if err != nil {
			return nil, nil, err
		}
		if l.Phase == history.Goal && h.End(history.Forward) == nil && !endPhase(h, history.Forward) || !h.AddLayer(l) {
			return nil, nil, fmt.Errorf("%v layer %d is not the next", l.Phase, l.Depth)
		}
	}
	if start.GetForwardEnded() && h.End(history.Forward) == nil && !endPhase(h, history.Forward) ||
		start.GetGoalEnded() && !endPhase(h, history.Goal) || h.Empty() {
		return nil, nil, errors.New("phases end that cannot")
	}
	return start, h, nil
}

func endPhase(h *history.History, p history.Phase) bool {
	return h.AddEnd(history.PhaseEnd{Phase: p, Layers: uint32(len(h.Layers(p)))})
}

// fits returns an error if layers have another number of partitions.
func fits(h *history.History, partitions int) error {
	for _, phase := range []history.Phase{history.Forward, history.Goal} {
		for _, l := range h.Layers(phase) {
			if len(l.PartStates) != partitions {
				return fmt.Errorf("%v layer %d has counts for %d of %d partitions", l.Phase, l.Depth, len(l.PartStates), partitions)
			}
		}
	}
	return nil
}

// divide returns whose partitions are whose, and sets the peers of a share.
func (p *Prover) divide(ctx context.Context, s *share, start *everystatev1.ShareStart, partitions int) (proof.Division, error) {
	div := proof.Division{Owners: make([]int, partitions), Self: -1, Rounds: int(start.GetRounds())}
	for i := range div.Owners {
		div.Owners[i] = -1
	}
	for i, o := range start.GetOwners() {
		s.peers = append(s.peers, nil)
		if o.GetWorker() == p.Self {
			div.Self = i
		} else {
			s.peers[i] = p.newPeer(start, o)
		}
		for _, part := range o.GetPartitions() {
			if int64(part) >= int64(partitions) || div.Owners[part] >= 0 {
				return div, fmt.Errorf("partition %d of %d has no owner, or two", part, partitions)
			}
			div.Owners[part] = i
		}
	}
	if div.Self < 0 || slices.Contains(div.Owners, -1) {
		return div, errors.New("a partition has no owner, or this worker has none")
	}
	div.Send = func(_ context.Context, share, round int, words []uint64) error {
		return s.peers[share].send(ctx, round, words, false)
	}
	return div, nil
}

// claim waits until no other proof of a run is in progress. The caller calls release.
func (p *Prover) claim(ctx context.Context, run string) (release func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, claimWait)
	defer cancel()
	for {
		p.mu.Lock()
		other := p.busy[run]
		if other == nil {
			if p.busy == nil {
				p.busy = make(map[string]chan struct{})
			}
			over := make(chan struct{})
			p.busy[run] = over
			p.mu.Unlock()
			return func() {
				p.mu.Lock()
				defer p.mu.Unlock()
				delete(p.busy, run)
				close(over)
			}, nil
		}
		p.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, status.Errorf(codes.FailedPrecondition, "another verification of run %s is under way", run)
		}
	}
}

func (p *Prover) enter(id uint64, s *share) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shares == nil {
		p.shares = make(map[uint64]*share)
	}
	if p.shares[id] != nil {
		return false
	}
	p.shares[id] = s
	return true
}

func (p *Prover) leave(id uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.shares, id)
}

// lead does one step after another, and reports whether the proof is over.
func (s *share) lead(ctx context.Context, stream everystatev1.ProofService_ProveShareServer, rounds int, version string) (over bool, err error) {
	var res *everystatev1.ProveShareResponse
	err = s.step(ctx, stream, func() error {
		round, err := s.Prepare(ctx)
		res = &everystatev1.ProveShareResponse{Reached: true, Round: uint32(round), Version: version}
		return err
	})
	for err == nil {
		res.Done = uint64(s.done.Load())
		if err := stream.Send(res); err != nil {
			return false, err
		}
		if res.GetResult() != nil {
			return true, nil
		}
		var req *everystatev1.ProveShareRequest
		if req, err = stream.Recv(); err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return false, err
		}
		at := req.GetStep()
		if at == nil || int64(at.GetRound()) > int64(rounds) {
			return false, status.Error(codes.InvalidArgument, "not a step")
		}
		err = s.step(ctx, stream, func() (err error) {
			res, err = s.do(ctx, int(at.GetRound()), rounds, at.GetSave())
			return err
		})
	}
	return false, err
}

// step does a step, and tells the coordinator meanwhile how far it is.
func (s *share) step(ctx context.Context, stream everystatev1.ProofService_ProveShareServer, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	ticker := time.NewTicker(tellInterval)
	defer ticker.Stop()
	for {
		select {
		case err := <-done:
			if err != nil && ctx.Err() != nil && stream.Context().Err() == nil {
				return context.Cause(ctx) // why another call ended the proof
			}
			return err
		case <-ticker.C:
			if err := stream.Send(&everystatev1.ProveShareResponse{Done: uint64(s.done.Load())}); err != nil {
				s.fail(err)
				return cmp.Or(err, <-done)
			}
		}
	}
}

// do does a round, or judges the states after the last one.
func (s *share) do(ctx context.Context, round, rounds int, save bool) (*everystatev1.ProveShareResponse, error) {
	res := &everystatev1.ProveShareResponse{Reached: true, Round: uint32(round + 1)}
	if save {
		if err := s.Save(round); err != nil {
			return nil, err
		}
	}
	if round == rounds {
		judged, err := s.Judge(ctx)
		if err != nil {
			return nil, err
		}
		res.Result = &everystatev1.ShareResult{
			Successors: uint64(judged.Successors), Forward: sums(judged.Layers[0]), Goal: sums(judged.Layers[1]),
		}
		return res, nil
	}
	if err := s.Round(ctx, round); err != nil {
		return nil, err
	}
	// All that was sent must have been compared before anybody begins the next round.
	for _, p := range s.peers {
		if p == nil {
			continue
		}
		if err := p.send(ctx, round, nil, true); err != nil {
			return nil, err
		}
	}
	return res, nil
}

// sums converts what layers add up to.
func sums(layers []proof.Sum) []*everystatev1.LayerSum {
	var out []*everystatev1.LayerSum
	for _, l := range layers {
		out = append(out, &everystatev1.LayerSum{
			Digest: l.Digest.Bytes(), GoalStates: uint64(l.Goals), RepresentedStates: uint64(l.Represented), PrunedMoves: uint64(l.Pruned),
		})
	}
	return out
}

// CompareSuccessors compares successors that another worker sends with the states here.
func (p *Prover) CompareSuccessors(stream everystatev1.ProofService_CompareSuccessorsServer) error {
	req, err := stream.Recv()
	if err != nil {
		return err
	}
	if err := p.Admit(req.GetSender(), req.GetReceiver()); err != nil {
		return err
	}
	p.mu.Lock()
	s := p.shares[req.GetProof()]
	p.mu.Unlock()
	if s == nil {
		return status.Errorf(codes.FailedPrecondition, "run %.140q: no such proof is in progress here", req.GetRun())
	}
	if err := s.check(req); err != nil {
		return status.Error(codes.FailedPrecondition, err.Error())
	}
	taker := s.NewTaker()
	compared := 0
	for {
		n, err := taker.Take(stream.Context(), int(req.GetRound()), req.GetWords(), req.GetEnd())
		var fault *proof.FaultError
		if errors.As(err, &fault) {
			s.fail(err)
			return stream.Send(&everystatev1.CompareSuccessorsResponse{Fault: cut(fault.What)})
		}
		if err != nil {
			return statusOf(err)
		}
		compared += n
		if req.GetEnd() {
			if err := stream.Send(&everystatev1.CompareSuccessorsResponse{Compared: uint64(compared)}); err != nil {
				return err
			}
			compared = 0
		}
		if req, err = stream.Recv(); err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return err
		}
	}
}

// statusOf returns an error with its status code.
func statusOf(err error) error {
	if err == nil {
		return nil
	}
	if _, is := status.FromError(err); is {
		return err
	}
	if store.IsCorruption(err) {
		return status.Error(codes.DataLoss, err.Error())
	}
	return status.Error(codes.Internal, err.Error())
}

// faultBytesMax bounds the text of a fault: a board of the largest puzzle.
const faultBytesMax = 64 << 10

func cut(text string) string { return text[:min(len(text), faultBytesMax)] }
