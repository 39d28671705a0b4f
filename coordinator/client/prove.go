package client

import (
	"context"
	"errors"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
)

// Proved is what the workers of a run have checked.
type Proved struct {
	States     int64 // of the forward phase
	Successors int64
	Distances  int64    // goal distances
	Versions   []string // of the workers, each once
}

// FaultError is a fault that the workers have found in a run.
type FaultError struct{ What string }

func (f *FaultError) Error() string { return f.What }

// ErrCannotProve reports that the coordinator is of an earlier version.
var ErrCannotProve = errors.New("the coordinator is of an earlier version and cannot have a run proved")

// Prove has the workers prove that the run is complete as far as it has been read, each
// for the states that it keeps. It returns a *FaultError for what is wrong. done is
// called with the number of states processed.
func (r *Run) Prove(ctx context.Context, done func(states int64)) (Proved, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := r.client.proofs.ProveRun(ctx, &everystatev1.ProveRunRequest{
		Run: r.name, RunIdentity: wire.Identity(r.history.Identity()), Entries: uint64(len(r.entries)), Digest: r.history.Digest().Bytes(),
	})
	for {
		var res *everystatev1.ProveRunResponse
		if err == nil {
			res, err = stream.Recv()
		}
		switch {
		case status.Code(err) == codes.Unimplemented:
			return Proved{}, ErrCannotProve
		case err != nil:
			return Proved{}, r.client.explain(ctx, r.name, err)
		case res.GetFault() != "":
			return Proved{}, &FaultError{res.GetFault()}
		}
		done(int64(res.GetDone()))
		if p := res.GetProved(); p != nil {
			return Proved{int64(p.GetStates()), int64(p.GetSuccessors()), int64(p.GetDistances()), p.GetVersions()}, nil
		}
	}
}
