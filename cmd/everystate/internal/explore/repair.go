package explore

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/terminal/display"
)

// repairJSON is described in docs/JSON.md.
type repairJSON struct {
	Run        string  `json:"run"`
	Damage     *string `json:"damage"`
	Kept       int     `json:"kept_layers"`
	Recomputed int     `json:"recomputed_layers"`
	States     int64   `json:"states"`
	Digest     string  `json:"digest"`
	SetAside   *string `json:"set_aside"`
}

// RepairCommand is `everystate repair`.
func RepairCommand(env *shell.Env) *cobra.Command {
	var effort runs.Effort
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "repair RUN",
		Short: "Repair a damaged run",
		Long: `Repair verifies a run in a directory. If anything is damaged, it copies every intact
record, whichever files are damaged or missing, computes the layers again from the
first incomplete one, and compares their digests with those that were committed. The
damaged files are set aside in the run's directory, as damaged-1 and so on: remove
them when you are done.

Nothing is changed until the repaired run is complete on disk, so the disk must have
room for a second copy of it. A run that is also in a bucket ends after its last
complete layer, and "everystate resume" fetches the rest.`,
		Example: `  everystate repair jam-93
  everystate verify jam-93`,
		Args:              shell.Exactly(1, "RUN"),
		ValidArgsFunction: runs.CompleteName,
		RunE: func(cmd *cobra.Command, args []string) error {
			if at, away := runs.RemoteName(args[0]); away {
				return exit.Usagef(cmd, "%s is on a coordinator, which restores what its workers lose: repair is for directories", at)
			}
			opts, err := effort.Options(cmd, 0)
			if err != nil {
				return err
			}
			dir, err := runs.Find(args[0])
			if err != nil {
				return err
			}
			rep, err := repair(env, cmd, dir, opts, effort.Quiet)
			if err != nil {
				return err
			}
			if asJSON {
				out := repairJSON{Run: dir, Kept: rep.Kept, Recomputed: rep.Recomputed, States: rep.States, Digest: rep.Digest.String()}
				if rep.Damage != "" {
					out.Damage, out.SetAside = &rep.Damage, &rep.SetAside
				}
				return env.JSON(out)
			}
			if rep.Damage == "" {
				fmt.Fprintf(env.Out, "%s is sound: nothing to repair\n", dir)
				return nil
			}
			fmt.Fprintf(env.Out, "%s is repaired\n\n", dir)
			fmt.Fprintf(env.Out, "damage    %s\n", rep.Damage)
			fmt.Fprintf(env.Out, "layers    %s kept, %s computed again\n", quantity.Count(int64(rep.Kept)), quantity.Count(int64(rep.Recomputed)))
			fmt.Fprintf(env.Out, "states    %s\n", quantity.Count(rep.States))
			fmt.Fprintf(env.Out, "digest    %s\n", rep.Digest)
			fmt.Fprintf(env.Out, "set aside %s\n", rep.SetAside)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object (docs/JSON.md)")
	effort.Flags(cmd.Flags())
	return cmd
}

func repair(env *shell.Env, cmd *cobra.Command, dir string, opts engine.Options, quiet bool) (engine.Repaired, error) {
	view := &display.Verification{Run: dir, Paint: env.ErrTerm.Paint(), States: max(1, engine.StatusOf(dir).States)}
	shown := env.Show(quiet, view)
	rep, err := engine.Repair(cmd.Context(), dir, opts, view.Done.Store)
	shown.Stop()
	if err != nil && cmd.Context().Err() != nil {
		return rep, exit.Errorf(exit.Incomplete, "stopped; %s is unchanged, and the same command starts over", dir)
	}
	if engine.IsCorruption(err) {
		return rep, &exit.Error{Code: exit.Failed, Text: fmt.Sprintf("%s cannot be repaired: %v", dir, err), Cause: err}
	}
	return rep, runs.Explain(env, dir, err)
}
