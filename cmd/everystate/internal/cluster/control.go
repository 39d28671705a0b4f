package cluster

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/bucket"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/coordinator/client"
)

// PauseCommand is `everystate pause`.
func PauseCommand(env *shell.Env) *cobra.Command {
	return controlCommand(env, "pause", "Pause a run on a coordinator",
		`Pause abandons the layer in progress and lets the next run in the queue proceed;
resume puts the run back in the queue.`, (*client.Client).Pause)
}

// CancelCommand is `everystate cancel`.
func CancelCommand(env *shell.Env) *cobra.Command {
	return controlCommand(env, "cancel", "Stop a run on a coordinator",
		`Cancel stops a run on a coordinator. What it has found can still be queried, and
resume puts the run back in the queue.`, (*client.Client).Cancel)
}

func controlCommand(env *shell.Env, name, short, long string, do func(*client.Client, context.Context, string) (client.Status, error)) *cobra.Command {
	var at runs.CoordinatorFlag
	var asJSON bool
	cmd := &cobra.Command{
		Use:     name + " ADDR/RUN",
		Short:   short,
		Long:    long,
		Example: "  everystate " + name + " 127.0.0.1:7000/jam-93",
		Args:    shell.Exactly(1, "ADDR/RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			run, err := at.Run(cmd, args[0])
			if err != nil {
				return err
			}
			return runs.WithClient(env, run.Addr, func(c *client.Client) error {
				s, err := do(c, cmd.Context(), run.Name)
				if err != nil {
					return runs.RemoteError(err)
				}
				if asJSON {
					return env.JSON(runs.StatusJSONOf(run.Addr, &s))
				}
				fmt.Fprintf(env.Out, "%s is %s\n", run, runs.DescribeStatus(&s))
				return nil
			})
		},
	}
	at.Flags(cmd.Flags())
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object (docs/JSON.md)")
	return cmd
}

// DeleteCommand is `everystate delete`.
func DeleteCommand(env *shell.Env) *cobra.Command {
	var at runs.CoordinatorFlag
	var yes, asJSON bool
	cmd := &cobra.Command{
		Use:   "delete ADDR/RUN",
		Short: "Remove a run from a coordinator, or from a bucket",
		Long: `Delete removes a run and everything it has found from a coordinator and its
workers, or, as URL/RUN, from a bucket. On a terminal it asks first; elsewhere it
needs --yes.`,
		Example: `  everystate delete 127.0.0.1:7000/jam-93 --yes
  everystate delete file:///mnt/bucket/jam-93 --yes`,
		Args: shell.Exactly(1, "ADDR/RUN or URL/RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if runs.IsBucketURL(args[0]) {
				return bucket.DeleteStored(env, cmd, args[0], yes, asJSON)
			}
			run, err := at.Run(cmd, args[0])
			if err != nil {
				return err
			}
			if !yes {
				if err := shell.Confirm(env, cmd, run.String()); err != nil {
					return err
				}
			}
			return runs.WithClient(env, run.Addr, func(c *client.Client) error {
				if err := c.Delete(cmd.Context(), run.Name); err != nil {
					return runs.RemoteError(err)
				}
				if asJSON {
					return env.JSON(bucket.DeletedJSON{Run: run.String()})
				}
				fmt.Fprintf(env.Out, "deleted %s\n", run)
				return nil
			})
		},
	}
	at.Flags(cmd.Flags())
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object (docs/JSON.md)")
	return cmd
}
