package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/worker/server"
)

// runsDir is where runs live unless told otherwise.
const runsDir = "runs"

// findRun returns the directory of the run that an argument names: a directory,
// or the name of one below runs/.
func findRun(arg string) (string, error) {
	for _, dir := range []string{arg, filepath.Join(runsDir, arg)} {
		if isRun(dir) {
			return dir, nil
		}
	}
	if info, err := os.Stat(arg); err == nil && !info.IsDir() {
		return "", failf(exitUsage, "%s is a file, not a run: `everystate explore` makes a run of a board", arg)
	}
	known := runNames()
	if len(known) == 0 {
		return "", failf(exitUsage, "there is no run %q, and none in %s/ either: `everystate explore` makes one", arg, runsDir)
	}
	return "", failf(exitUsage, "there is no run %q: %s/ holds %s", arg, runsDir, enumerate(known))
}

func isRun(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, "db"))
	return err == nil && info.IsDir()
}

// runNames lists the runs in runs/.
func runNames() []string {
	entries, err := os.ReadDir(runsDir)
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if isRun(filepath.Join(runsDir, e.Name())) {
			names = append(names, e.Name())
		}
	}
	return names
}

// enumerate lists names, but not too many.
func enumerate(names []string) string {
	const most = 8
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", ..."
	}
	return strings.Join(names, ", ")
}

// completeRun completes a RUN argument in the shell.
func completeRun(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return runNames(), cobra.ShellCompDirectiveDefault
}

// A runView is a run that is asked and reported on: in a directory, or on a
// coordinator.
type runView interface {
	// Dir returns what the run is called on the command line.
	Dir() string
	Board() puzzle.Board
	History() *history.History
	Space() *query.Space
	Summary(ctx context.Context) (engine.Summary, error)
	Close() error
}

// ask opens a run for questions, calls f, and closes it.
func ask(ctx context.Context, env *app, arg string, f func(r runView) error) (err error) {
	r, err := openView(ctx, env, arg)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, r.Close()) }()
	return explain(env, r.Dir(), f(r))
}

// openView opens a run for questions.
func openView(ctx context.Context, env *app, arg string) (runView, error) {
	if at, ok := remoteName(arg); ok {
		return openRemote(ctx, env, at)
	}
	dir, err := findRun(arg)
	if err != nil {
		return nil, err
	}
	r, err := engine.Open(dir, engine.Options{ReadOnly: true})
	if err != nil {
		return nil, explain(env, dir, err)
	}
	return r, nil
}

// explain puts an error of a run into words that say what to do.
func explain(env *app, dir string, err error) error {
	if !store.IsCorruption(err) {
		err = remoteError(err)
	}
	var exit *exitError
	var fault *engine.FaultError
	because := func(code int, format string, args ...any) error {
		return &exitError{code: code, text: fmt.Sprintf(format, args...), cause: err}
	}
	if said := explainBucket(env, dir, err); said != nil {
		return said
	}
	switch {
	case err == nil || errors.As(err, &exit):
		return err
	case errors.Is(err, server.ErrRefused):
		return because(exitUsage, "%v", err)
	case errors.Is(err, store.ErrLocked):
		return because(exitFailed, "another process is using %s", dir)
	case errors.Is(err, store.ErrNotExist):
		return because(exitUsage, "there is no run in %s", dir)
	case errors.Is(err, engine.ErrForeign):
		return because(exitUsage, "%v", err)
	case errors.Is(err, engine.ErrOtherPuzzle):
		return because(exitUsage, "%s holds the run of another puzzle: name another directory with --run DIR", dir)
	case store.IsDiskFull(err):
		return because(exitFailed, "the disk that holds %s is full (%v): free some space, then give the same command again", dir, err)
	case store.IsCorruption(err), errors.As(err, &fault):
		return because(exitFailed, "%s is damaged: %v", dir, err)
	}
	return err
}
