package explore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/coordinator/client"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/proof"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/terminal/display"
)

// verifyJSON is described in docs/JSON.md.
type verifyJSON struct {
	engine.Verified
	Complete *proof.Result `json:"complete,omitempty"`
	All      *bool         `json:"all_states,omitempty"`
	Sound    bool          `json:"sound"`
	Problem  *string       `json:"problem"`
	Run      string        `json:"run"`
}

// verify holds the flags of the command.
type verify struct {
	runs.Effort
	json        bool
	scratch     string
	complete    bool
	certificate string             // where to write it, empty for nowhere
	held        *proof.Certificate // to compare the run with, nil for none
}

// VerifyCommand is `everystate verify`.
func VerifyCommand(env *shell.Env) *cobra.Command {
	var f verify
	cmd := &cobra.Command{
		Use:   "verify RUN|CERTIFICATE [RUN]",
		Short: "Check everything that a run has stored",
		Long: `Verify reads everything that a run has stored. It checks the checksums of all files
and blocks, the counts and the digest of every layer, and that every state's
predecessor is one layer up and that the recorded move leads from it to the state.

With --complete it also proves that the run is exhaustive: every successor of every
state was found, each state is in exactly one layer, and depths and goal distances
agree with those of all neighbours. The proof shares no code with the search
(docs/ARCHITECTURE.md). States that do not fit in half of --memory are kept in
temporary files, up to a hundred bytes per state. If interrupted, the same command
continues. --certificate records what was proved; "verify CERTIFICATE" checks that a
run, by default the one that it names, is still the one that was proved complete.

A run on a coordinator, HOST:PORT/NAME, is first fetched into a temporary directory,
below --scratch if given, which takes about as much space as the run takes on its
workers. Nothing is left behind. With --complete it stays where it is: each worker
checks the states that it keeps. A run that keeps a table is proved on this machine;
if workers divide the table, its layers are made again here, in memory.`,
		Example: `  everystate verify jam-93
  everystate verify jam-93 --certificate jam-93.cert
  everystate verify jam-93.cert
  everystate verify 10.0.0.1:7000/jam-93 --scratch /mnt/large`,
		Args:              shell.Between(1, 2, "RUN, or CERTIFICATE [RUN]"),
		ValidArgsFunction: runs.CompleteName,
		RunE: func(cmd *cobra.Command, args []string) error {
			arg, err := f.hold(cmd, args)
			if err != nil {
				return err
			}
			return runVerify(env, cmd, &f, arg)
		},
	}
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON object (docs/JSON.md)")
	cmd.Flags().BoolVar(&f.complete, "complete", false, "prove that no state is missing or in a wrong layer, and that goal distances are right")
	cmd.Flags().StringVar(&f.certificate, "certificate", "", "write what --complete proves to `FILE`; implies --complete")
	cmd.Flags().Var((*shell.Directory)(&f.scratch), "scratch", "temporary files go below `DIR`: a run fetched from a coordinator (default: the system's temporary directory), and with --complete what is sorted (default: the run)")
	f.Flags(cmd.Flags())
	return cmd
}

// hold returns the run to verify. If the first argument is a certificate, the run is
// compared with it.
func (f *verify) hold(cmd *cobra.Command, args []string) (arg string, err error) {
	if f.certificate != "" {
		f.complete = true
		if err := shell.Writable(f.certificate); err != nil {
			return "", err
		}
	}
	text, err := certificateIn(args[0])
	switch {
	case err != nil:
		return "", err
	case text == nil && len(args) > 1:
		return "", exit.Usagef(cmd, "%s is not a certificate, and verify takes one run", args[0])
	case text == nil:
		return args[0], nil
	}
	c, err := proof.ReadCertificate(text)
	if err != nil {
		return "", exit.Errorf(exit.Failed, "%s %v", args[0], err)
	}
	f.held = &c
	if len(args) > 1 {
		return args[1], nil
	}
	return c.Run, nil
}

// certificateIn returns the text of a file that begins like a certificate, or nil.
func certificateIn(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil, nil //nolint:nilerr // The name of a run need not be a file's.
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(file, proof.CertificateBytesMax+1))
	if err = cmp.Or(err, file.Close()); err != nil || !proof.IsCertificate(text) {
		return nil, err
	}
	return text, nil
}

func runVerify(env *shell.Env, cmd *cobra.Command, f *verify, arg string) error {
	opts, err := f.Options(cmd, 0)
	if err != nil {
		return err
	}
	at, away := runs.RemoteName(arg)
	name := at.String()
	check := func() (verified, error) { return verifyRemote(env, cmd, at, f, opts) }
	if !away {
		if cmd.Flags().Changed("scratch") && !f.complete {
			return exit.Usagef(cmd, "--scratch works only for runs on a coordinator and with --complete: a directory is checked in place")
		}
		if name, err = runs.Find(arg); err != nil {
			return err
		}
		check = func() (verified, error) { return verifyIn(env, cmd, name, name, f, opts) }
	}
	checked, err := check()
	empty := err == nil && f.complete && checked.Layers == 0
	if empty {
		err = exit.Errorf(exit.Incomplete, "%s has no layers yet, so there is nothing to prove: %s", name, env.Command("resume", name))
	}
	err = runs.Explain(env, name, err)
	text, code := exit.Of(err)
	if unfinished := code == exit.Incomplete && !empty; f.json && cmd.Context().Err() == nil && !unfinished {
		out := verifyJSON{Verified: checked.Verified, Complete: checked.complete, Sound: err == nil || empty, Run: name}
		if err != nil {
			out.Problem = &text
		} else {
			out.All = &checked.all
		}
		return cmp.Or(err, env.JSON(out))
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(env.Out, "%s is sound\n\n", name)
	files := "unchanged since the run was closed"
	switch {
	case checked.divided:
		files = "not compared: the layers were made again from the workers' table"
	case away && checked.inPlace:
		files = "not compared: each worker read the blocks that it keeps"
	case away:
		files = "not compared: the run was fetched from its workers block by block"
	case !checked.Sealed:
		files = "not compared: the run was not closed cleanly, for example because it was killed"
	}
	fmt.Fprintf(env.Out, "files   %s\n", files)
	fmt.Fprintf(env.Out, "layers  %s, with the counts and digests that were committed\n", quantity.Count(int64(checked.Layers)))
	if n := checked.Dropped; n > 0 {
		fmt.Fprintf(env.Out, "dropped %s, not checked: the run keeps only its frontier\n", quantity.Counted(int64(n), "layer"))
	}
	fmt.Fprintf(env.Out, "states  %s, all valid, in blocks with correct checksums\n", quantity.Count(checked.States))
	fmt.Fprintf(env.Out, "links   %s, each a legal move from a state one layer up\n", quantity.Count(checked.Links))
	if c := checked.complete; c != nil {
		where := ""
		if !checked.all {
			where = fmt.Sprintf(" up to depth %d, where the run stopped", checked.depth)
		}
		fmt.Fprintf(env.Out, "proved  %s successors checked: no state is missing%s, none is in two layers\n", quantity.Count(c.Successors), where)
	}
	if c := checked.complete; c != nil && c.Distances > 0 {
		fmt.Fprintf(env.Out, "proved  %s goal distances agree with those of all neighbours\n", quantity.Count(c.Distances))
	}
	if f.held != nil {
		fmt.Fprintf(env.Out, "proved  earlier, by %s: the certificate is for these layers\n", f.held.Version)
	}
	return nil
}

// verified is the result of a verification.
type verified struct {
	engine.Verified
	complete *proof.Result // nil unless asked for
	all      bool          // every reachable state has been found
	depth    int           // of the last layer
	inPlace  bool          // by the workers that keep the run
	divided  bool          // from a table that the workers divide
}

// reached returns an empty result about a run with that history.
func reached(h *history.History) verified {
	return verified{all: h.End(history.Forward) != nil, depth: len(h.Layers(history.Forward)) - 1}
}

// verifyIn verifies the run in a directory; name is its name for people.
func verifyIn(env *shell.Env, cmd *cobra.Command, dir, name string, f *verify, opts engine.Options) (verified, error) {
	opts.ReadOnly = true
	r, err := runs.OpenDir(cmd.Context(), env, dir, f.Quiet, opts)
	if err != nil {
		return verified{}, err
	}
	checked, err := verifyOpen(env, cmd, r, name, f)
	return checked, cmp.Or(err, r.Close())
}

func verifyOpen(env *shell.Env, cmd *cobra.Command, r *engine.Run, name string, f *verify) (checked verified, err error) {
	checked = reached(r.History())
	if f.held != nil {
		if err := r.Holds(f.held); err != nil {
			return checked, err
		}
	}
	view := verification(env, name, r.History())
	once := view.States
	if f.complete {
		view.States += proof.Work(r.History())
	}
	shown := env.Show(f.Quiet, view)
	defer shown.Stop()
	look := r.Verify
	if f.complete {
		look = func(ctx context.Context, done func(states int64)) (engine.Verified, error) {
			return engine.VerifyStored(ctx, r, done)
		}
	}
	checked.Verified, err = look(cmd.Context(), func(states int64) { view.Done.Store(states) })
	if err != nil || !f.complete {
		return checked, err
	}
	res, err := r.VerifyComplete(cmd.Context(), f.scratch, env.Build.String(), func(states int64) { view.Done.Store(once + states) })
	if err != nil {
		return checked, err
	}
	checked.complete = &res
	if f.certificate == "" {
		return checked, nil
	}
	c := r.Certify("everystate "+env.Build.String(), res)
	c.Run = name
	return checked, f.write(c)
}

// write writes a certificate.
func (f *verify) write(c proof.Certificate) error {
	return shell.WriteWhole(f.certificate, func(o *shell.Output) error {
		_, err := o.Write(c.Text())
		return cmp.Or(o.Flush(), err)
	})
}

func verification(env *shell.Env, name string, h *history.History) *display.Verification {
	return &display.Verification{Run: name, Paint: env.ErrTerm.Paint(), States: h.States(history.Forward) + h.States(history.Goal)}
}

// verifyRemote has a run proved by its workers, or fetches it and verifies the copy. It
// leaves no files behind.
func verifyRemote(env *shell.Env, cmd *cobra.Command, at runs.Remote, f *verify, opts engine.Options) (checked verified, err error) {
	r, err := runs.OpenRemote(cmd.Context(), env, at)
	if err != nil {
		return verified{}, err
	}
	if r.Spec().Store == history.DividedTable {
		checked, err = verifyDivided(env, cmd, r, f, opts)
		return checked, cmp.Or(err, r.Close())
	}
	if f.complete && r.Spec().Store == history.Layers { // else workers have no records to prove
		if checked, err = f.inPlace(env, cmd, r); !errors.Is(err, client.ErrCannotProve) {
			return checked, cmp.Or(err, r.Close())
		}
	}
	dir, err := shell.TempDir("--scratch", f.scratch, "everystate-verify-*")
	if err != nil {
		return verified{}, cmp.Or(err, r.Close())
	}
	defer func() { err = cmp.Or(err, os.RemoveAll(dir)) }()
	if err := cmp.Or(fetch(env, cmd, r, dir, f.Quiet, opts), r.Close()); err != nil {
		return verified{}, err
	}
	checked, err = verifyIn(env, cmd, dir, at.String(), f, opts)
	// The files are our own: their being whole says nothing about the workers'.
	checked.Sealed = false
	return checked, scratchFull(dir, err)
}

// fetch copies a run on a coordinator to a run directory.
func fetch(env *shell.Env, cmd *cobra.Command, r *runs.RemoteRun, dir string, quiet bool, opts engine.Options) error {
	view := verification(env, r.Dir(), r.History())
	view.Doing = display.Fetching
	shown := env.Show(quiet, view)
	err := engine.Rebuild(cmd.Context(), dir, r.Journal(), r, opts, view.Done.Store)
	shown.Stop()
	var space *engine.SpaceError
	if errors.As(err, &space) {
		return exit.Errorf(exit.Failed, "%s has %s free, and %s needs about %s: name a directory on a larger disk with --scratch DIR",
			filepath.Dir(dir), quantity.Bytes(space.FreeBytes), r.Dir(), quantity.Bytes(space.NeedBytes))
	}
	return scratchFull(dir, err)
}

// scratchFull names the disk that is full.
func scratchFull(dir string, err error) error {
	if engine.IsDiskFull(err) {
		return exit.Errorf(exit.Failed, "the disk that holds %s is full: name a directory on a larger one with --scratch DIR", filepath.Dir(dir))
	}
	return err
}
