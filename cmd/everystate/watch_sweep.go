package main

import (
	"context"
	"fmt"

	"github.com/everystate/everystate/coordinator/client"
)

// isSweep reports whether a run on a coordinator is a sweep.
func isSweep(ctx context.Context, env *app, at remote) (is bool, err error) {
	err = withClient(env, at.addr, func(c *client.Client) error {
		s, _, err := c.Get(ctx, at.name)
		is = s.Spec.Units > 0
		return remoteError(err)
	})
	return is, err
}

// watchSweep waits for a sweep on a coordinator and says how it is then.
func watchSweep(ctx context.Context, env *app, at remote, quiet, asJSON bool) error {
	return withClient(env, at.addr, func(c *client.Client) error {
		s, err := lookAtSweep(ctx, env, &sweeping{quiet: quiet}, c, at, true)
		switch {
		case err != nil:
			return err
		case asJSON:
			if err := env.json(statusJSONOf(at.addr, &s)); err != nil {
				return err
			}
		default:
			printStatus(env, at, &s)
			fmt.Fprintf(env.out, "\nnext  %s\n", env.command("db", "fetch", at.String()))
		}
		if !s.Complete {
			return notComplete(env, at, &s)
		}
		return nil
	})
}
