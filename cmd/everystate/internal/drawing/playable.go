package drawing

import (
	"context"
	"errors"
	"io"
	"path/filepath"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/portrait"
	"github.com/everystate/everystate/internal/query"
	"github.com/everystate/everystate/internal/web/playable"
)

// writePlayable writes a run as a playable file.
func writePlayable(ctx context.Context, env *shell.Env, f *reporting, r runs.View) error {
	if err := playable.Check(r.Space()); err != nil {
		return explainPlayable(env, r, err)
	}
	view, shown := steps(env, f.quiet, "pack", "packing ", r.Dir())
	err := f.write(env, func(w io.Writer) error {
		return playable.Write(ctx, r.Space(), playable.Options{
			Run: filepath.Base(r.Dir()), Title: portrait.Name(r), Version: env.Build.String(), Progress: view.Tell,
		}, w)
	})
	shown.Stop()
	return explainPlayable(env, r, err)
}

// explainPlayable explains why a run has no playable file.
func explainPlayable(env *shell.Env, r runs.View, err error) error {
	dir := r.Dir()
	var large *playable.TooLargeError
	switch {
	case errors.As(err, &large), errors.Is(err, playable.ErrBackward):
		return exit.Errorf(exit.Usage, "%s: %v", dir, err)
	case errors.Is(err, playable.ErrIncomplete):
		return exit.Errorf(exit.Incomplete, "%s is not complete: %s", dir, runs.More(env, r, "--goal-distance"))
	case errors.Is(err, query.ErrNoGoal):
		return exit.Errorf(exit.NotFound, "%s: no goal can be reached, so there is nothing to play", dir)
	case errors.Is(err, query.ErrNoDistances):
		return runs.NoDistances(env, r)
	}
	return err
}
