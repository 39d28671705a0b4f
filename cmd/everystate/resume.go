package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/local"
	"github.com/everystate/everystate/puzzle"
)

// resume holds the flags of the command.
type resume struct {
	engine
	limits
	json, wait bool
}

func (a *app) resumeCommand() *cobra.Command {
	var f resume
	cmd := &cobra.Command{
		Use:   "resume RUN",
		Short: "Go on with a run that was stopped",
		Long: `Resume goes on with a run from its last layer, with as many workers and as much
memory as it is given now. A run that is complete answers at once.

A run on a coordinator is put back in its queue; --wait waits for it.`,
		Example: `  everystate resume runs/huge-8x8
  everystate resume huge-8x8 --goal-distance --memory 4G
  everystate resume 127.0.0.1:7000/huge-8x8 --wait`,
		Args:              exactly(1, "RUN"),
		ValidArgsFunction: completeRun,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.resume(cmd, &f, args[0]) },
	}
	f.limits.flags(cmd.Flags())
	f.engine.flags(cmd.Flags())
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON object (docs/JSON.md)")
	cmd.Flags().BoolVar(&f.wait, "wait", false, "of a run on a coordinator: wait until it stops, and print what explore prints")
	return cmd
}

func (a *app) resume(cmd *cobra.Command, f *resume, arg string) error {
	want, err := f.want(cmd)
	if err != nil {
		return err
	}
	opts, err := f.options(cmd, 0)
	if err != nil {
		return err
	}
	if at, ok := remoteName(arg); ok {
		return a.resumeRemote(cmd, f, at, want)
	}
	if f.wait {
		return usagef(cmd, "--wait is for runs on a coordinator, HOST:PORT/NAME")
	}
	dir, err := findRun(arg)
	if err != nil {
		return err
	}
	r, err := local.Open(dir, opts)
	if err != nil {
		return a.explain(dir, err)
	}
	_, err = a.finish(cmd.Context(), r, finishing{
		want: want, json: f.json, quiet: f.quiet, expect: puzzle.ExpectNothing(),
		again: append(f.limits.again(), f.engine.again()...),
	})
	return err
}

// resumeRemote puts a run back in the queue of its coordinator. How far to go is
// what the flags say; a paused run goes on as far as it was to if they say
// nothing.
func (a *app) resumeRemote(cmd *cobra.Command, f *resume, at remote, want core.Want) error {
	if f.workers != 0 || f.memory != 0 {
		return usagef(cmd, "--workers and --memory are for runs in directories: %s is on a coordinator", at)
	}
	err := a.withClient(at.addr, func(c *client.Client) error {
		s, _, err := c.Get(cmd.Context(), at.name)
		if err != nil {
			return remoteError(err)
		}
		asked := &want
		if s.State == client.Paused && len(f.limits.again()) == 0 {
			asked = nil
		}
		want.GoalDistance = want.GoalDistance || s.Want.GoalDistance
		if s, err = c.Resume(cmd.Context(), at.name, asked); err != nil {
			return remoteError(err)
		}
		switch {
		case f.wait:
			return nil
		case f.json:
			return a.json(statusJSONOf(at.addr, &s))
		}
		fmt.Fprintf(a.out, "%s is %s\n", at, describeStatus(&s))
		return nil
	})
	if err != nil || !f.wait {
		return err
	}
	_, err = a.watch(cmd.Context(), at, finishing{json: f.json, quiet: f.quiet, expect: puzzle.ExpectNothing()})
	return err
}
