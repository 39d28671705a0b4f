package server

import (
	"path/filepath"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/store/naming"
	"github.com/everystate/everystate/worker/exchange"
	"github.com/everystate/everystate/worker/prove"
)

// proofMemory is the part of the memory budget that a proof may use, besides what is
// used for the run in progress.
const proofMemory = 4

// newProver returns the part of the worker that proves runs complete.
func newProver(opts Options, e *engine, peers *exchange.Peers) *prove.Prover {
	return &prove.Prover{
		Self: e.desk.self, Version: opts.Version, MemoryBytes: opts.MemoryBytes / proofMemory, Workers: opts.Lanes,
		Open: e.openForProof, Admit: e.door.Admit, Peer: peers.Proofs,
		Dir: func(run string) string { return filepath.Join(opts.Data, "runs", run, "proof") },
	}
}

// openForProof opens the store of a run for a proof.
func (e *engine) openForProof(caller, keeper, name string, id history.Identity) (*prove.Stored, func(), error) {
	if !naming.IsRun(name) {
		return nil, nil, status.Errorf(codes.InvalidArgument, "%.140q is not a run's name", name)
	}
	if err := e.door.Admit(caller, keeper); err != nil {
		return nil, nil, err
	}
	run, err := e.stores.take(name, nil)
	if err != nil {
		return nil, nil, statusOf(err)
	}
	give := func() {
		if err := e.stores.give(run); err != nil {
			e.log.Warn("a run was not closed cleanly", "error", err)
		}
	}
	if err := e.door.AdmitRun(caller, name, id, run.Identity()); err != nil {
		give()
		return nil, nil, err
	}
	return &prove.Stored{
		Store: run.Store, Shape: run.Shape, Damage: func(err error) { e.stores.noteDamage(name, err) },
		Space: query.Space{
			Scheme: run.Scheme,
			Board: puzzle.Board{
				Puzzle: run.Puzzle, Family: run.Spec.GetFamily(), Metric: run.Spec.GetMetric(), Name: run.Spec.GetName(), Text: run.Spec.GetText(),
			},
		},
	}, give, nil
}
