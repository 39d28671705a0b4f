package explore

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/proof"
	"github.com/everystate/everystate/internal/table/stored"
)

// verifyDivided verifies a run that divides a table among its workers: it reads the table
// into memory and makes all layers again. With --complete it then takes them as a claim and
// proves it, as for a table in a directory.
func verifyDivided(env *shell.Env, cmd *cobra.Command, r *runs.RemoteRun, f *verify, opts engine.Options) (checked verified, err error) {
	h := r.History()
	checked = reached(h)
	if f.held != nil {
		if err := f.held.Holds(r.Spec(), h); err != nil {
			return checked, err
		}
	}
	checked.divided = true
	d := r.Divided()
	if d == nil { // there are no layers yet
		return checked, nil
	}
	view := verification(env, r.Dir(), h)
	once := view.States
	if f.complete {
		view.States += proof.Work(h)
	}
	shown := env.Show(f.Quiet, view)
	defer shown.Stop()
	err = d.Verify(cmd.Context(), func(layer history.Layer) {
		if layer.Depth > 0 {
			checked.Links += layer.States
		}
		checked.Layers++
		checked.States += layer.States
		view.Done.Store(checked.States)
	})
	if fault := new(stored.FaultError); errors.As(err, &fault) {
		err = &engine.FaultError{What: fault.What}
	}
	if err != nil || !f.complete {
		return checked, err
	}
	res, err := f.proveSpace(env, cmd, r, opts, func(states int64) { view.Done.Store(once + states) })
	if err != nil {
		return checked, err
	}
	checked.complete = &res
	if f.certificate == "" {
		return checked, nil
	}
	return checked, f.write(proof.Certify(r.Dir(), "everystate "+env.Build.String(), r.Spec(), h, res))
}

// proveSpace proves on this machine what a run on a coordinator has found. An interrupted
// proof leaves its files below --scratch, if that is given, for the same command to continue.
func (f *verify) proveSpace(env *shell.Env, cmd *cobra.Command, r *runs.RemoteRun, opts engine.Options, done func(states int64)) (res proof.Result, err error) {
	dir, holds := f.scratch, filepath.Join(f.scratch, "verify")
	if dir == "" {
		if dir, err = shell.TempDir("--scratch", "", "everystate-verify-*"); err != nil {
			return res, err
		}
		holds = dir
		defer func() { err = cmp.Or(err, os.RemoveAll(dir)) }()
	}
	res, err = engine.ProveSpace(cmd.Context(), r.Space(), dir, env.Build.String(), opts, done)
	return res, scratchFull(holds, err)
}
