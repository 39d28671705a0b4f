package cluster

import (
	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/cmd/everystate/internal/sweep"
	"github.com/everystate/everystate/puzzle"
)

// WatchCommand is `everystate watch`.
func WatchCommand(env *shell.Env) *cobra.Command {
	var at runs.CoordinatorFlag
	var quiet, asJSON bool
	cmd := &cobra.Command{
		Use:   "watch ADDR/RUN",
		Short: "Watch a run on a coordinator until it stops",
		Long: `Watch shows the progress of a run on a coordinator until it stops, and then prints
what explore prints; for a sweep, what status prints. Ctrl-C stops watching; the run
continues.`,
		Example: `  everystate watch 127.0.0.1:7000/jam-93
  everystate watch jam-93 --coordinator 127.0.0.1:7000`,
		Args: shell.Exactly(1, "ADDR/RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			run, err := at.Run(cmd, args[0])
			if err != nil {
				return err
			}
			is, err := sweep.IsSweep(cmd.Context(), env, run)
			if err != nil {
				return err
			}
			if is {
				return sweep.WatchSweep(cmd.Context(), env, run, quiet, asJSON)
			}
			_, err = runs.Watch(cmd.Context(), env, run, runs.Finishing{JSON: asJSON, Quiet: quiet, Expect: puzzle.ExpectNothing()})
			return err
		},
	}
	at.Flags(cmd.Flags())
	cmd.Flags().BoolVarP(&quiet, "quiet", "q", false, "do not show progress")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object (docs/JSON.md)")
	return cmd
}
