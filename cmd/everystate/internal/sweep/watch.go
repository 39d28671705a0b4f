package sweep

import (
	"context"
	"fmt"

	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/coordinator/client"
)

// IsSweep reports whether a run on a coordinator is a sweep.
func IsSweep(ctx context.Context, env *shell.Env, at runs.Remote) (is bool, err error) {
	err = runs.WithClient(env, at.Addr, func(c *client.Client) error {
		s, _, err := c.Get(ctx, at.Name)
		is = s.Spec.Units > 0
		return runs.RemoteError(err)
	})
	return is, err
}

// WatchSweep waits for a sweep on a coordinator and reports its status.
func WatchSweep(ctx context.Context, env *shell.Env, at runs.Remote, quiet, asJSON bool) error {
	return runs.WithClient(env, at.Addr, func(c *client.Client) error {
		s, err := pollSweep(ctx, env, &Sweeping{Quiet: quiet}, c, at, true)
		switch {
		case err != nil:
			return err
		case asJSON:
			if err := env.JSON(runs.StatusJSONOf(at.Addr, &s)); err != nil {
				return err
			}
		default:
			runs.PrintStatus(env, at, &s)
			fmt.Fprintf(env.Out, "\nnext  %s\n", env.Command("db", "fetch", at.String()))
		}
		if !s.Complete {
			return runs.NotComplete(env, at, &s)
		}
		return nil
	})
}
