package explore

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/table/divided"
	"github.com/everystate/everystate/internal/table/stored"
)

// verifyDivided verifies a run that divides a table among its workers: it reads the table
// into memory and makes all layers again.
func verifyDivided(env *shell.Env, cmd *cobra.Command, r *runs.RemoteRun, f *verify) (checked verified, err error) {
	if f.complete || f.held != nil {
		return checked, exit.Errorf(exit.Usage, "%v", divided.ErrNoProof)
	}
	checked.divided = true
	d := r.Divided()
	if d == nil { // there are no layers yet
		return checked, nil
	}
	view := verification(env, r.Dir(), r.History())
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
	return checked, err
}
