package runs

import (
	"context"
	"errors"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/terminal/display"
)

// FetchStored makes a run directory from a run in a bucket, or resumes making it.
func FetchStored(ctx context.Context, env *shell.Env, stored *engine.Stored, dir string, quiet bool, opts engine.Options) error {
	url := stored.Run.URL()
	return explainFetch(env, dir, url, fetch(ctx, env, url, stored.Entries, stored, dir, quiet, opts))
}

// FetchRemote makes a run directory from entries of the journal of a run on a coordinator, or
// resumes making it.
func FetchRemote(ctx context.Context, env *shell.Env, r *RemoteRun, entries journal.Entries, dir string, quiet bool) error {
	from := &remoteLayers{run: r}
	err := fetch(ctx, env, r.Dir(), entries, from, dir, quiet, engine.Options{})
	switch fault := new(engine.FaultError); {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		err = ctx.Err() // a call that was cut off may say something else
	case from.failed != nil && errors.Is(err, from.failed), errors.As(err, &fault):
		return Explain(env, r.Dir(), err)
	}
	return explainFetch(env, dir, r.Dir(), err)
}

func fetch(ctx context.Context, env *shell.Env, name string, entries journal.Entries, from engine.LayerSource, dir string, quiet bool, opts engine.Options) error {
	_, past, err := journal.Read(entries)
	if err != nil {
		return err
	}
	view := &display.Verification{
		Run: name, Paint: env.ErrTerm.Paint(), Doing: display.Fetching,
		States: past.States(history.Forward) + past.States(history.Goal),
	}
	shown := env.Show(quiet, view)
	err = engine.Rebuild(ctx, dir, entries, from, opts, view.Done.Store)
	shown.Stop()
	return err
}

// remoteLayers are the layers of a run on a coordinator.
type remoteLayers struct {
	run    *RemoteRun
	failed error // the last failure to read a layer
}

func (r *remoteLayers) Layer(ctx context.Context, l history.Layer, f func(part uint32, block []byte) error) error {
	r.failed = r.run.Layer(ctx, l, f)
	return r.failed
}

// explainFetch turns an error of fetching a run into one that says what to do.
func explainFetch(env *shell.Env, dir, from string, err error) error {
	var space *engine.SpaceError
	switch {
	case errors.As(err, &space):
		return exit.Errorf(exit.Failed, "%s has %s free, and %s needs about %s: name a directory on a larger disk",
			dir, quantity.Bytes(space.FreeBytes), from, quantity.Bytes(space.NeedBytes))
	case errors.Is(err, engine.ErrOtherRun):
		return exit.Errorf(exit.Usage, "%s holds a different run than %s, or one that has diverged from it: name another directory", dir, from)
	case errors.Is(err, context.Canceled):
		return exit.Errorf(exit.Incomplete, "stopped; the same command continues to fetch %s", from)
	}
	return Explain(env, dir, err)
}
