package explore

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/cmd/everystate/internal/terminal/display"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/quantity"
)

// verifyJSON is described in docs/JSON.md.
type verifyJSON struct {
	engine.Verified
	Sound   bool    `json:"sound"`
	Problem *string `json:"problem"`
	Run     string  `json:"run"`
}

// verify holds the flags of the command.
type verify struct {
	runs.Effort
	json    bool
	scratch string
}

// VerifyCommand is `everystate verify`.
func VerifyCommand(env *shell.Env) *cobra.Command {
	var f verify
	cmd := &cobra.Command{
		Use:   "verify RUN",
		Short: "Check everything that a run has stored",
		Long: `Verify reads everything that a run has stored: the checksums of all files and
blocks, the counts and the digest of every layer, and that every state's
predecessor is one layer up and its move leads from there to the state.

A run on a coordinator, HOST:PORT/NAME, is fetched into a temporary directory
first and checked there. That takes about as much room as the run has on its
workers, in the directory of --scratch, and nothing is left behind.`,
		Example: `  everystate verify jam-93
  everystate verify 10.0.0.1:7000/jam-93 --scratch /mnt/large`,
		Args:              shell.Exactly(1, "RUN"),
		ValidArgsFunction: runs.CompleteName,
		RunE:              func(cmd *cobra.Command, args []string) error { return runVerify(env, cmd, &f, args[0]) },
	}
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON object (docs/JSON.md)")
	cmd.Flags().StringVar(&f.scratch, "scratch", "", "fetch a run on a coordinator into a directory in `DIR`, removed afterwards (default the system's for temporary files)")
	f.Flags(cmd.Flags())
	return cmd
}

func runVerify(env *shell.Env, cmd *cobra.Command, f *verify, arg string) error {
	opts, err := f.Options(cmd, 0)
	if err != nil {
		return err
	}
	at, away := runs.RemoteName(arg)
	name := at.String()
	check := func() (engine.Verified, error) { return verifyRemote(env, cmd, at, f, opts) }
	if !away {
		if cmd.Flags().Changed("scratch") {
			return exit.Usagef(cmd, "--scratch is for runs on a coordinator: a directory is checked where it is")
		}
		if name, err = runs.Find(arg); err != nil {
			return err
		}
		check = func() (engine.Verified, error) { return verifyIn(env, cmd, name, name, f, opts) }
	}
	checked, err := check()
	err = runs.Explain(env, name, err)
	if f.json && cmd.Context().Err() == nil {
		out := verifyJSON{Verified: checked, Sound: err == nil, Run: name}
		if err != nil {
			text, _ := exit.Of(err)
			out.Problem = &text
		}
		return cmp.Or(err, env.JSON(out))
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(env.Out, "%s is sound\n\n", name)
	files := "every one is what it was when the run was closed"
	switch {
	case away:
		files = "not compared as a whole: the run was fetched from its workers block by block"
	case !checked.Sealed:
		files = "not compared as a whole: the run was not closed, as when its process is killed"
	}
	fmt.Fprintf(env.Out, "files   %s\n", files)
	fmt.Fprintf(env.Out, "layers  %s with the states and the digest that were committed\n", quantity.Count(int64(checked.Layers)))
	fmt.Fprintf(env.Out, "states  %s, each a state of the puzzle in a block with the right checksum\n", quantity.Count(checked.States))
	fmt.Fprintf(env.Out, "links   %s, each from a state one layer up by a legal move\n", quantity.Count(checked.Links))
	return nil
}

// verifyIn verifies the run in a directory, which people know by a name.
func verifyIn(env *shell.Env, cmd *cobra.Command, dir, name string, f *verify, opts engine.Options) (engine.Verified, error) {
	opts.ReadOnly = true
	r, err := engine.Open(dir, opts)
	if err != nil {
		return engine.Verified{}, err
	}
	view := verification(env, name, r.History())
	shown := env.Show(f.Quiet, view)
	checked, err := r.Verify(cmd.Context(), func(states int64) { view.Done.Store(states) })
	shown.Stop()
	return checked, cmp.Or(err, r.Close())
}

func verification(env *shell.Env, name string, h *history.History) *display.Verification {
	return &display.Verification{Run: name, Paint: env.ErrTerm.Paint(), States: h.States(history.Forward) + h.States(history.Goal)}
}

// verifyRemote fetches a run and verifies what it has got. Whatever happens, it
// leaves no file behind.
func verifyRemote(env *shell.Env, cmd *cobra.Command, at runs.Remote, f *verify, opts engine.Options) (checked engine.Verified, err error) {
	r, err := runs.OpenRemote(cmd.Context(), env, at)
	if err != nil {
		return engine.Verified{}, err
	}
	dir, err := os.MkdirTemp(f.scratch, "everystate-verify-*")
	if err != nil {
		return engine.Verified{}, cmp.Or(scratchError(f.scratch, err), r.Close())
	}
	defer func() { err = cmp.Or(err, os.RemoveAll(dir)) }()
	if err := cmp.Or(fetch(env, cmd, r, dir, f.Quiet, opts), r.Close()); err != nil {
		return engine.Verified{}, err
	}
	checked, err = verifyIn(env, cmd, dir, at.String(), f, opts)
	// The files are our own: that they are whole says nothing about the workers'.
	checked.Sealed = false
	return checked, scratchFull(dir, err)
}

// fetch makes a run directory of a run on a coordinator.
func fetch(env *shell.Env, cmd *cobra.Command, r *runs.RemoteRun, dir string, quiet bool, opts engine.Options) error {
	view := verification(env, r.Dir(), r.History())
	view.Fetching = true
	shown := env.Show(quiet, view)
	err := engine.Rebuild(cmd.Context(), dir, r.Journal(), r, opts, view.Done.Store)
	shown.Stop()
	var space *engine.SpaceError
	if errors.As(err, &space) {
		return exit.Errorf(exit.Failed, "%s has %s free, and to fetch %s takes about %s: name a directory on a larger disk with --scratch DIR",
			filepath.Dir(dir), quantity.Bytes(space.FreeBytes), r.Dir(), quantity.Bytes(space.NeedBytes))
	}
	return scratchFull(dir, err)
}

// scratchError says why there can be no directory in the scratch directory.
func scratchError(dir string, err error) error {
	var path *os.PathError
	if dir == "" || !errors.As(err, &path) {
		return err
	}
	return exit.Errorf(exit.Usage, "--scratch %s: %v", dir, path.Err)
}

// scratchFull says of which disk it is that there is no more room.
func scratchFull(dir string, err error) error {
	if engine.IsDiskFull(err) {
		return exit.Errorf(exit.Failed, "the disk that holds %s is full: name a directory on a larger one with --scratch DIR", filepath.Dir(dir))
	}
	return err
}
