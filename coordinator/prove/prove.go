// Package prove leads the workers that keep a run through the proof that it is complete
// (ProofService): round by round, so that all can go back to the same one if the proof
// breaks off. It adds up what they report and compares it with what was committed. It
// must never look at a state, nor decide who keeps what.
package prove

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/coordinator/relay"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/puzzle/digest"
)

const (
	// A proof has a round for each roundStates states, and at most roundsMax.
	roundStates = 1 << 20
	roundsMax   = 256

	saveInterval = time.Minute
	tellInterval = time.Second
)

// Proof is what is to be proved.
type Proof struct {
	ID      uint64 // distinguishes it from others
	Request *everystatev1.ProveRunRequest
	Caller  string // the coordinator, for people
	Entries journal.Entries
	Keepers []relay.Keeper // by partition

	// Rounds is the number of rounds, at most 256. Zero means one for each 2^20 states.
	Rounds int
	// SaveEvery is how often the workers save what they have done. Zero means a minute.
	SaveEvery time.Duration
}

// faultError is a fault that a worker found, or that shows when the reports are added up.
type faultError struct{ what string }

func (f *faultError) Error() string { return f.what }

// Run proves a run complete and sends how far it is, and at last the result or the fault.
func Run(ctx context.Context, p Proof, send func(*everystatev1.ProveRunResponse) error) error {
	spec, past, err := journal.Read(p.Entries)
	switch {
	case err != nil:
		return status.Error(codes.DataLoss, err.Error())
	case !bytes.Equal(past.Digest().Bytes(), p.Request.GetDigest()), spec.Partitions != len(p.Keepers), past.Empty():
		return status.Errorf(codes.FailedPrecondition, "run %s has other layers by now", p.Request.GetRun())
	}
	l := newLeader(&p, &past)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan error, 1)
	var proved *everystatev1.Proved
	go func() {
		var err error
		proved, err = l.lead(ctx)
		done <- err
	}()
	ticker := time.NewTicker(tellInterval)
	defer ticker.Stop()
	for {
		select {
		case err := <-done:
			var fault *faultError
			if errors.As(err, &fault) {
				return send(&everystatev1.ProveRunResponse{Fault: fault.what})
			}
			if err != nil {
				return err
			}
			return send(&everystatev1.ProveRunResponse{Done: l.done(), Proved: proved})
		case <-ticker.C:
			if err := send(&everystatev1.ProveRunResponse{Done: l.done()}); err != nil {
				cancel()
				return cmp.Or(err, <-done)
			}
		}
	}
}

// leader leads the shares of one proof.
type leader struct {
	proof  *Proof
	past   *history.History
	rounds int
	shares []*share
}

// share is a worker's share of a proof.
type share struct {
	relay.Keeper
	parts  []uint32
	stream everystatev1.ProofService_ProveShareClient
	done   atomic.Uint64

	answer *everystatev1.ProveShareResponse // to the last step
}

func newLeader(p *Proof, past *history.History) *leader {
	l := &leader{proof: p, past: past, rounds: cmp.Or(p.Rounds, int(min(roundsMax, 1+past.States(history.Forward)/roundStates)))}
	for part, k := range p.Keepers {
		i := slices.IndexFunc(l.shares, func(s *share) bool { return s.Name == k.Name })
		if i < 0 {
			i = len(l.shares)
			l.shares = append(l.shares, &share{Keeper: k})
		}
		l.shares[i].parts = append(l.shares[i].parts, uint32(part))
	}
	return l
}

// done returns how many states have been processed.
func (l *leader) done() uint64 {
	var sum uint64
	for _, s := range l.shares {
		sum += s.done.Load()
	}
	return sum
}

// lead leads all shares through the proof.
func (l *leader) lead(ctx context.Context) (*everystatev1.Proved, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends all streams
	proved := &everystatev1.Proved{States: uint64(l.past.States(history.Forward)), Distances: uint64(l.past.States(history.Goal))}
	if err := l.all(cancel, func(s *share) error { return l.begin(ctx, s) }); err != nil {
		return nil, err
	}
	round := uint32(l.rounds)
	for _, s := range l.shares {
		round = min(round, s.answer.GetRound())
		if v := s.answer.GetVersion(); !slices.Contains(proved.Versions, v) {
			proved.Versions = append(proved.Versions, v)
		}
	}
	saved := time.Now()
	for ; ; round++ {
		step := &everystatev1.ShareStep{Round: round, Save: time.Since(saved) > cmp.Or(l.proof.SaveEvery, saveInterval)}
		if step.GetSave() {
			saved = time.Now()
		}
		err := l.all(cancel, func(s *share) error {
			if err := s.stream.Send(&everystatev1.ProveShareRequest{What: &everystatev1.ProveShareRequest_Step{Step: step}}); err != nil {
				return s.wait() // says why
			}
			return s.wait()
		})
		if err != nil {
			return nil, err
		}
		if round == uint32(l.rounds) {
			break
		}
	}
	for _, s := range l.shares {
		proved.Successors += s.answer.GetResult().GetSuccessors()
	}
	return proved, l.compareSums()
}

// all does one thing for all shares at the same time. It returns a fault if there is one,
// and otherwise the first error.
func (l *leader) all(cancel context.CancelFunc, f func(s *share) error) error {
	var mu sync.Mutex // guards first
	var first error
	var wait sync.WaitGroup
	for _, s := range l.shares {
		wait.Go(func() {
			err := f(s)
			if err == nil {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if first == nil || errors.As(err, new(*faultError)) && !errors.As(first, new(*faultError)) {
				first = err
			}
			cancel()
		})
	}
	wait.Wait()
	return first
}

// begin begins a share, and waits until its worker has read its states.
func (l *leader) begin(ctx context.Context, s *share) (err error) {
	if s.stream, err = s.Proofs.ProveShare(ctx); err != nil {
		return s.explain(err)
	}
	send := func(req *everystatev1.ProveShareRequest) {
		if err == nil {
			err = s.stream.Send(req)
		}
	}
	start := &everystatev1.ShareStart{
		Proof: l.proof.ID, Run: l.proof.Request.GetRun(), RunIdentity: wire.Identity(l.past.Identity()),
		Caller: l.proof.Caller, Keeper: s.Name, Rounds: uint32(l.rounds),
		ForwardEnded: l.past.End(history.Forward) != nil, GoalEnded: l.past.End(history.Goal) != nil,
		Layers: uint32(len(l.past.Layers(history.Forward)) + len(l.past.Layers(history.Goal))),
	}
	for _, o := range l.shares {
		start.Owners = append(start.Owners, &everystatev1.Owner{Worker: o.Name, Address: o.Address, Partitions: o.parts})
	}
	send(&everystatev1.ProveShareRequest{What: &everystatev1.ProveShareRequest_Start{Start: start}})
	for _, phase := range []history.Phase{history.Forward, history.Goal} {
		for _, layer := range l.past.Layers(phase) {
			send(&everystatev1.ProveShareRequest{What: &everystatev1.ProveShareRequest_Layer{Layer: wire.LayerRecord(layer)}})
		}
	}
	return s.wait() // if something could not be sent, it says why
}

// wait waits until the worker has done what it was told last.
func (s *share) wait() error {
	for {
		res, err := s.stream.Recv()
		switch {
		case err != nil:
			return s.explain(err)
		case res.GetFault() != "":
			return &faultError{res.GetFault()}
		}
		s.done.Store(res.GetDone())
		if res.GetReached() {
			s.answer = res
			return nil
		}
	}
}

// explain adds to an error which worker it came from.
func (s *share) explain(err error) error {
	if status.Code(err) == codes.Unimplemented {
		return status.Errorf(codes.FailedPrecondition, "worker %s is of an earlier version and cannot prove: replace its program", s.Name)
	}
	return s.Explain(err)
}

// compareSums compares what the states of each layer add up to with what was committed.
func (l *leader) compareSums() error {
	if goals := l.past.Layers(history.Goal); len(goals) > 0 && goals[0].States != l.past.Goals() {
		return &faultError{fmt.Sprintf("goal layer 0: %d states, but the forward layers have %d goals", goals[0].States, l.past.Goals())}
	}
	for _, phase := range []history.Phase{history.Forward, history.Goal} {
		for i, layer := range l.past.Layers(phase) {
			var sum digest.Digest
			var goals, represented, pruned int64
			for _, s := range l.shares {
				all := s.answer.GetResult().GetForward()
				if phase == history.Goal {
					all = s.answer.GetResult().GetGoal()
				}
				if i >= len(all) {
					return s.explain(status.Errorf(codes.Internal, "sums of %d layers", len(all)))
				}
				d, err := digest.FromBytes(all[i].GetDigest())
				if err != nil {
					return s.explain(status.Error(codes.Internal, err.Error()))
				}
				sum.Add(d)
				goals += int64(all[i].GetGoalStates())
				represented += int64(all[i].GetRepresentedStates())
				pruned += int64(all[i].GetPrunedMoves())
			}
			differs := func(what string, is, was any) error {
				return &faultError{fmt.Sprintf("%v layer %d: %s %v, %v was committed", phase, layer.Depth, what, is, was)}
			}
			switch {
			case sum != layer.Digest:
				return differs("digest is", sum, layer.Digest)
			case phase == history.Goal:
			case goals != layer.Goals:
				return differs("goal states:", goals, layer.Goals)
			case represented != layer.Represented:
				return differs("represented states:", represented, layer.Represented)
			case pruned != layer.Pruned:
				return differs("pruned moves:", pruned, layer.Pruned)
			}
		}
	}
	return nil
}
