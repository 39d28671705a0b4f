// Package runs opens the runs that arguments name, in directories, in buckets and on
// coordinators, continues them, and reports on them, for all commands alike.
//
// Explain, here, turns an error of a run into one for the user. The package must
// never decide how a run is explored.
package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/boards"
	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/frontier"
	"github.com/everystate/everystate/internal/proof"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/internal/sweep/database"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// SweepsDir is the directory below which sweeps keep their databases.
const SweepsDir = "sweeps"

// IsFile reports whether an argument is a file with boards, or a board itself,
// rather than a run.
func IsFile(arg string) bool {
	if _, remote := RemoteName(arg); remote {
		return false
	}
	if info, err := os.Stat(arg); err == nil {
		return !info.IsDir()
	}
	if arg == "-" || boards.LooksLikeBoard(arg) {
		return true
	}
	if engine.IsRun(filepath.Join(Dir, arg)) {
		return false
	}
	_, err := families.Read([]byte(arg), puzzle.ReadOptions{}) // a board in one line
	return err == nil
}

// Dir is where runs live unless told otherwise.
const Dir = "runs"

// Find returns the directory of the run that an argument names: a path, or the name
// of a directory below runs/.
func Find(arg string) (string, error) {
	for _, dir := range []string{arg, filepath.Join(Dir, arg)} {
		if engine.IsRun(dir) {
			return dir, nil
		}
	}
	if info, err := os.Stat(arg); err == nil && !info.IsDir() {
		return "", exit.Errorf(exit.Usage, "%s is a file, not a run: explore it first with `everystate explore`", arg)
	}
	for _, dir := range []string{arg, filepath.Join(SweepsDir, arg)} {
		if database.Is(dir) {
			return "", exit.Errorf(exit.Usage, "%s is a sweep, not a run: everystate db shows what it found", dir)
		}
	}
	known := Names()
	if len(known) == 0 {
		return "", exit.Errorf(exit.Usage, "there is no run %q, and no run in %s/: make one with `everystate explore`", arg, Dir)
	}
	return "", exit.Errorf(exit.Usage, "there is no run %q: %s/ holds %s", arg, Dir, Enumerate(known))
}

// Names returns the names of the runs in runs/.
func Names() []string {
	entries, err := os.ReadDir(Dir)
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if engine.IsRun(filepath.Join(Dir, e.Name())) {
			names = append(names, e.Name())
		}
	}
	return names
}

// Enumerate joins names, but not too many.
func Enumerate(names []string) string {
	const most = 8
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", ..."
	}
	return strings.Join(names, ", ")
}

// CompleteName completes a RUN argument in the shell.
func CompleteName(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return Names(), cobra.ShellCompDirectiveDefault
}

// A View is a run to query and report on, in a directory or on a coordinator.
type View interface {
	// Dir returns the run's name on the command line.
	Dir() string
	Board() puzzle.Board
	History() *history.History
	Space() *query.Space
	Summary(ctx context.Context) (engine.Summary, error)
	Close() error
}

// Ask opens a run for queries, calls f, and closes it.
func Ask(ctx context.Context, env *shell.Env, arg string, f func(r View) error) (err error) {
	r, err := Open(ctx, env, arg)
	if err != nil {
		return err
	}
	defer func() { err = cmp.Or(err, r.Close()) }()
	return Explain(env, r.Dir(), f(r))
}

// Open opens a run for queries.
func Open(ctx context.Context, env *shell.Env, arg string) (View, error) {
	return openFor(ctx, env, arg, false, engine.Options{})
}

// openFor is Open with options for a run in a directory.
func openFor(ctx context.Context, env *shell.Env, arg string, quiet bool, opts engine.Options) (View, error) {
	if at, ok := RemoteName(arg); ok {
		return OpenRemote(ctx, env, at)
	}
	dir, err := Find(arg)
	if err != nil {
		return nil, err
	}
	opts.ReadOnly = true
	r, err := OpenDir(ctx, env, dir, quiet || !env.ErrTerm.Redraws(), opts)
	if err != nil {
		return nil, Explain(env, dir, err)
	}
	return r, nil
}

// OtherBoard returns the message that a run, in a directory or a bucket, is of a
// different board than the one given.
func OtherBoard(run string) string {
	text := run + " already holds a run of a different board or in another metric: choose another directory with --run DIR, or remove the old run"
	if engine.IsRun(run) {
		text += ": rm -r " + shell.Quote(run)
	}
	return text
}

// changes reports whether an error is about making, renaming or removing a file of a run.
func changes(dir string, err error) bool {
	var path *os.PathError
	if !errors.As(err, &path) || filepath.Dir(path.Path) != filepath.Clean(dir) {
		return false
	}
	return slices.Contains([]string{"unlinkat", "unlink", "remove", "mkdir", "rename"}, path.Op)
}

// Explain turns an error of a run into one that says what to do.
func Explain(env *shell.Env, dir string, err error) error {
	if !engine.IsCorruption(err) {
		err = RemoteError(err)
	}
	var told *exit.Error
	var fault *engine.FaultError
	var mismatch *proof.MismatchError
	var tooLarge *engine.TableMemoryError
	var failure *puzzle.FailureError
	because := func(code int, format string, args ...any) error {
		return &exit.Error{Code: code, Text: fmt.Sprintf(format, args...), Cause: err}
	}
	if said := explainBucket(env, dir, err); said != nil {
		return said
	}
	switch {
	case err == nil || errors.As(err, &told):
		return err
	case errors.Is(err, engine.ErrLocked):
		return because(exit.Failed, "another process is using %s", dir)
	case errors.Is(err, engine.ErrNotExist):
		return because(exit.Usage, "there is no run in %s", dir)
	case errors.Is(err, engine.ErrForeign):
		return because(exit.Usage, "%v", err)
	case errors.Is(err, engine.ErrOtherPuzzle):
		return because(exit.Usage, "%s", OtherBoard(dir))
	case errors.Is(err, engine.ErrNoTable), errors.Is(err, engine.ErrTableInBucket), errors.Is(err, engine.ErrKeptOtherwise), errors.Is(err, engine.ErrGoalsInLayers),
		errors.As(err, &tooLarge),
		frontier.IsRefusal(err), query.IsDropped(err):
		return because(exit.Usage, "%v", err)
	case engine.IsDiskFull(err):
		// Temporary files may be elsewhere.
		holds := dir
		if file := new(os.PathError); errors.As(err, &file) && !strings.HasPrefix(file.Path, dir+string(filepath.Separator)) {
			holds = filepath.Dir(file.Path)
		}
		return because(exit.Failed, "the disk that holds %s is full (%v): free some space, then repeat the command", holds, err)
	case errors.Is(err, os.ErrPermission) && changes(dir, err):
		return because(exit.Failed, "cannot write to %s: permission denied", dir)
	case errors.As(err, &mismatch):
		return because(exit.Failed, "%s %v", dir, mismatch)
	case engine.IsCorruption(err), errors.As(err, &fault):
		what := strings.ReplaceAll(err.Error(), "corrupted: ", "")
		if engine.IsRun(dir) {
			what += "; recover it with: " + env.Command("repair", dir)
		}
		return because(exit.Failed, "%s is damaged: %s", dir, what)
	case errors.As(err, &failure):
		switch text, code := exit.Of(failure.Err); code {
		case exit.Failed:
			return because(code, "%s cannot go on: %s", dir, mend(text))
		case exit.Puzzle:
			return because(code, "%s", mend(text))
		}
	}
	return err
}
