package cluster

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/coordinator/client"
)

// RunsCommand is `everystate runs`.
func RunsCommand(env *shell.Env) *cobra.Command {
	var at runs.CoordinatorFlag
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "runs [ADDR]",
		Short: "List the runs and workers of a coordinator",
		Long:  `Runs lists the runs of a coordinator with their progress, and its workers.`,
		Example: `  everystate runs 127.0.0.1:7000
  everystate runs --coordinator 127.0.0.1:7000 --json`,
		Args: shell.Between(0, 1, "[ADDR]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				if !runs.IsAddress(args[0]) {
					return exit.Usagef(cmd, "%q is not a coordinator's address: must be HOST:PORT", args[0])
				}
				return runs.PrintAll(cmd.Context(), env, args[0], asJSON)
			}
			addr, err := at.Address(cmd)
			if err != nil {
				return err
			}
			return runs.PrintAll(cmd.Context(), env, addr, asJSON)
		},
	}
	at.Flags(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per run (docs/JSON.md)")
	return cmd
}

// StatusCommand is `everystate status`.
func StatusCommand(env *shell.Env) *cobra.Command {
	var at runs.CoordinatorFlag
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status ADDR/RUN",
		Short: "Print the progress of a run on a coordinator",
		Long: `Status prints the state and progress of a run on a coordinator, what it is waiting
for, and its workers.`,
		Example: `  everystate status 127.0.0.1:7000/jam-93
  everystate status jam-93 --coordinator 127.0.0.1:7000 --json`,
		Args: shell.Exactly(1, "ADDR/RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			run, err := at.Run(cmd, args[0])
			if err != nil {
				return err
			}
			return runs.WithClient(env, run.Addr, func(c *client.Client) error {
				s, workers, err := c.Get(cmd.Context(), run.Name)
				switch {
				case err != nil:
					return runs.RemoteError(err)
				case asJSON:
					return env.JSON(runs.WithWorkers(runs.StatusJSONOf(run.Addr, &s), workers))
				}
				runs.PrintStatus(env, run, &s)
				fmt.Fprintln(env.Out)
				runs.PrintWorkers(env, workers, true)
				runs.PrintShares(env, s.Shares)
				return nil
			})
		},
	}
	at.Flags(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object (docs/JSON.md)")
	return cmd
}
