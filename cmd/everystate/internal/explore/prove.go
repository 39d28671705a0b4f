package explore

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/proof"
)

// inPlace has the workers that keep a run prove it complete.
func (f *verify) inPlace(env *shell.Env, cmd *cobra.Command, r *runs.RemoteRun) (checked verified, err error) {
	h, spec := r.History(), r.Spec()
	checked = reached(h)
	if f.held != nil {
		if err := f.held.Holds(spec, h); err != nil {
			return checked, err
		}
	}
	checked.inPlace = true
	checked.complete = &proof.Result{}
	if h.Empty() {
		return checked, nil
	}
	view := verification(env, r.Dir(), h)
	view.States = proof.Work(h)
	shown := env.Show(f.Quiet, view)
	defer shown.Stop()
	p, err := r.Prove(cmd.Context(), func(states int64) { view.Done.Store(min(states, view.States)) })
	var fault *client.FaultError
	if errors.As(err, &fault) {
		err = &engine.FaultError{What: fault.What}
	}
	if runs.Away(err) {
		return verified{}, exit.Errorf(exit.Incomplete, "the proof of %s is not finished: %v (the same command continues it)", r.Dir(), err)
	}
	if err != nil {
		return verified{}, err
	}
	*checked.complete = proof.Result{States: p.States, Successors: p.Successors, Distances: p.Distances}
	for _, phase := range []history.Phase{history.Forward, history.Goal} {
		for _, l := range h.Layers(phase) {
			checked.Layers++
			checked.States += l.States
			if l.Depth > 0 {
				checked.Links += l.States
			}
		}
	}
	if f.certificate == "" {
		return checked, nil
	}
	version := "everystate " + env.Build.String()
	if others := slices.DeleteFunc(p.Versions, func(v string) bool { return v == env.Build.String() }); len(others) > 0 {
		version += ", with workers of " + strings.Join(others, " and ")
	}
	return checked, f.write(proof.Certify(r.Dir(), version, spec, h, *checked.complete))
}
