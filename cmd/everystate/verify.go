package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/display"
	"github.com/everystate/everystate/cmd/everystate/internal/quantity"
	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/local"
)

// verifyJSON is described in docs/JSON.md.
type verifyJSON struct {
	local.Verified
	Sound   bool    `json:"sound"`
	Problem *string `json:"problem"`
	Run     string  `json:"run"`
}

// verify holds the flags of the command.
type verify struct {
	engine
	json bool
}

func (a *app) verifyCommand() *cobra.Command {
	var f verify
	cmd := &cobra.Command{
		Use:   "verify RUN",
		Short: "Check everything that a run has stored",
		Long: `Verify reads everything that a run has stored: the checksums of all files and
blocks, the counts and the digest of every layer, and that every state's
predecessor is one layer up and its move leads from there to the state.`,
		Example:           "  everystate verify jam-93",
		Args:              exactly(1, "RUN"),
		ValidArgsFunction: completeRun,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.verify(cmd, &f, args[0]) },
	}
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON object (docs/JSON.md)")
	f.flags(cmd.Flags())
	return cmd
}

func (a *app) verify(cmd *cobra.Command, f *verify, arg string) error {
	opts, err := f.options(cmd, 0)
	if err != nil {
		return err
	}
	if at, ok := remoteName(arg); ok {
		return failf(exitUsage, "verify checks runs in directories only, and %s is on a coordinator", at)
	}
	dir, err := findRun(arg)
	if err != nil {
		return err
	}
	checked, err := a.verifyIn(cmd, dir, f, opts)
	err = a.explain(dir, err)
	if f.json && cmd.Context().Err() == nil {
		out := verifyJSON{Verified: checked, Sound: err == nil, Run: dir}
		if err != nil {
			text, _ := exitOf(err)
			out.Problem = &text
		}
		return firstError(err, a.json(out))
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s is sound\n\n", dir)
	files := "every one is what it was when the run was closed"
	if !checked.Sealed {
		files = "not compared as a whole: the run was not closed, as when its process is killed"
	}
	fmt.Fprintf(a.out, "files   %s\n", files)
	fmt.Fprintf(a.out, "layers  %s with the states and the digest that were committed\n", quantity.Count(int64(checked.Layers)))
	fmt.Fprintf(a.out, "states  %s, each a state of the puzzle in a block with the right checksum\n", quantity.Count(checked.States))
	fmt.Fprintf(a.out, "links   %s, each from a state one layer up by a legal move\n", quantity.Count(checked.Links))
	return nil
}

func (a *app) verifyIn(cmd *cobra.Command, dir string, f *verify, opts local.Options) (local.Verified, error) {
	opts.ReadOnly = true
	r, err := local.Open(dir, opts)
	if err != nil {
		return local.Verified{}, err
	}
	h := r.History()
	view := &display.Verification{Run: dir, Paint: a.errTerm.paint(), States: h.States(core.Forward) + h.States(core.Goal)}
	shown := a.show(f.quiet, view)
	checked, err := r.Verify(cmd.Context(), func(states int64) { view.Done.Store(states) })
	shown.Stop()
	return checked, firstError(err, r.Close())
}
