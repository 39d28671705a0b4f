package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/everystate/everystate/internal/frontier"
	"github.com/everystate/everystate/internal/platform/memory"
	"github.com/everystate/everystate/internal/proof"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/internal/table/stored"
	"github.com/everystate/everystate/store"
)

// VerifyComplete checks what Verify cannot: that no state is missing, that each is
// in exactly one layer, the one of its depth, and that goal distances are right. It
// keeps its files in dir, or with the run if dir is empty. If it is interrupted
// they stay, and the next call by a program of the same version resumes from them;
// otherwise they are removed. It returns a *FaultError for the first fault that it
// finds. done is called from several goroutines with the number of states checked,
// out of proof.Work.
func (r *Run) VerifyComplete(ctx context.Context, dir, version string, done func(states int64)) (res proof.Result, err error) {
	if r.spec.Keep.Frontier {
		return res, frontier.ErrNoProof
	}
	if dir == "" {
		dir = filepath.Join(r.dir, "scratch")
	}
	return ProveSpace(ctx, r.Space(), dir, version, r.opts, done)
}

// ProveSpace does what VerifyComplete does, with the layers of a run wherever they are. Of
// the options it uses the memory and the workers.
func ProveSpace(ctx context.Context, space *query.Space, dir, version string, opts Options, done func(states int64)) (res proof.Result, err error) {
	opts.ensureDefaults()
	dir = filepath.Join(dir, "verify-"+space.History.Identity().String())
	lock, err := store.LockDir(dir, true)
	if errors.Is(err, store.ErrLocked) {
		return res, fmt.Errorf("another verification of the run is under way: %w", err)
	}
	if err != nil {
		return res, fmt.Errorf("verify: %w", err)
	}
	defer memory.Reserve(opts.MemoryBytes)()
	res, err = proof.Check(ctx, space, proof.Options{
		Dir: dir, Version: version, MemoryBytes: opts.MemoryBytes, Workers: opts.Workers, Done: done,
	})
	if err == nil || ctx.Err() == nil {
		err = errors.Join(asFault(err), os.RemoveAll(dir))
	}
	return res, errors.Join(err, lock.Unlock())
}

// Certify returns the certificate of a run that VerifyComplete found sound.
func (r *Run) Certify(version string, res proof.Result) proof.Certificate {
	return proof.Certify(r.dir, version, r.spec, &r.history, res)
}

// Holds returns a *proof.MismatchError if a certificate is not for this run.
func (r *Run) Holds(c *proof.Certificate) error { return c.Holds(r.spec, &r.history) }

func asFault(err error) error {
	var fault *proof.FaultError
	if errors.As(err, &fault) {
		return &FaultError{What: fault.What}
	}
	var inTable *stored.FaultError
	if errors.As(err, &inTable) {
		return &FaultError{What: inTable.What}
	}
	return err
}
