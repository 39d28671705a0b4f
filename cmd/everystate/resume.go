package main

import (
	"github.com/spf13/cobra"

	"github.com/everystate/everystate/local"
	"github.com/everystate/everystate/puzzle"
)

// resume holds the flags of the command.
type resume struct {
	engine
	limits
	json bool
}

func (a *app) resumeCommand() *cobra.Command {
	var f resume
	cmd := &cobra.Command{
		Use:   "resume RUN",
		Short: "Go on with a run that was stopped",
		Long: `Resume goes on with a run from its last layer, with as many workers and as much
memory as it is given now. A run that is complete answers at once.`,
		Example: `  everystate resume runs/huge-8x8
  everystate resume huge-8x8 --goal-distance --memory 4G`,
		Args:              exactly(1, "RUN"),
		ValidArgsFunction: completeRun,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.resume(cmd, &f, args[0]) },
	}
	f.limits.flags(cmd.Flags())
	f.engine.flags(cmd.Flags())
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON object (docs/JSON.md)")
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
