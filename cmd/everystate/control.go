package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/coordinator/client"
)

func pauseCommand(env *app) *cobra.Command {
	return controlCommand(env, "pause", "Let a run on a coordinator rest",
		`Pause gives the layer under way up and lets the next run of the queue go on;
resume puts the run back in the queue.`, (*client.Client).Pause)
}

func cancelCommand(env *app) *cobra.Command {
	return controlCommand(env, "cancel", "Stop a run on a coordinator",
		`Cancel stops a run on a coordinator for good. What it has found can still be
asked.`, (*client.Client).Cancel)
}

func controlCommand(env *app, name, short, long string, do func(*client.Client, context.Context, string) (client.Status, error)) *cobra.Command {
	var at coordinatorFlag
	cmd := &cobra.Command{
		Use:     name + " ADDR/RUN",
		Short:   short,
		Long:    long,
		Example: "  everystate " + name + " 127.0.0.1:7000/jam-93",
		Args:    exactly(1, "ADDR/RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			run, err := at.run(cmd, args[0])
			if err != nil {
				return err
			}
			return withClient(env, run.addr, func(c *client.Client) error {
				s, err := do(c, cmd.Context(), run.name)
				if err != nil {
					return remoteError(err)
				}
				fmt.Fprintf(env.out, "%s is %s\n", run, describeStatus(&s))
				return nil
			})
		},
	}
	at.flags(cmd.Flags())
	return cmd
}

func deleteCommand(env *app) *cobra.Command {
	var at coordinatorFlag
	var yes bool
	cmd := &cobra.Command{
		Use:   "delete ADDR/RUN",
		Short: "Remove a run from a coordinator, or from a bucket",
		Long: `Delete removes a run and all that it has found from a coordinator and its
workers, or from a bucket, URL/RUN. It asks first, on a terminal; elsewhere it
takes --yes.`,
		Example: `  everystate delete 127.0.0.1:7000/jam-93 --yes
  everystate delete file:///mnt/bucket/jam-93 --yes`,
		Args: exactly(1, "ADDR/RUN or URL/RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if isBucketURL(args[0]) {
				return deleteStored(env, cmd, args[0], yes)
			}
			run, err := at.run(cmd, args[0])
			if err != nil {
				return err
			}
			if !yes {
				if err := confirm(env, cmd, run.String()); err != nil {
					return err
				}
			}
			return withClient(env, run.addr, func(c *client.Client) error {
				if err := c.Delete(cmd.Context(), run.name); err != nil {
					return remoteError(err)
				}
				fmt.Fprintf(env.out, "%s is deleted\n", run)
				return nil
			})
		},
	}
	at.flags(cmd.Flags())
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

// confirm asks whoever sits at the terminal whether a run may go.
func confirm(env *app, cmd *cobra.Command, run string) error {
	in, ok := env.in.(*os.File)
	if !ok || !terminalOf(in).is() || !env.errTerm.is() {
		return usagef(cmd, cmd.Name()+" removes all that %s has found: confirm with --yes", run)
	}
	fmt.Fprintf(env.err, "remove %s and all that it has found? [y/N] ", run)
	answer, err := bufio.NewReader(in).ReadString('\n')
	if answer = strings.ToLower(strings.TrimSpace(answer)); err == nil && (answer == "y" || answer == "yes") {
		return nil
	}
	return failf(exitIncomplete, "%s stays", run)
}
