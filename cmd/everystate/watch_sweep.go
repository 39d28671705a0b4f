package main

import (
	"context"
	"fmt"

	"github.com/everystate/everystate/coordinator/client"
)

// isSweep reports whether a run on a coordinator is a sweep.
func (a *app) isSweep(ctx context.Context, at remote) (is bool, err error) {
	err = a.withClient(at.addr, func(c *client.Client) error {
		s, _, err := c.Get(ctx, at.name)
		is = s.Spec.Units > 0
		return remoteError(err)
	})
	return is, err
}

// watchSweep waits for a sweep on a coordinator and says how it is then.
func (a *app) watchSweep(ctx context.Context, at remote, quiet, asJSON bool) error {
	return a.withClient(at.addr, func(c *client.Client) error {
		s, err := a.lookAtSweep(ctx, &sweeping{quiet: quiet}, c, at, true)
		switch {
		case err != nil:
			return err
		case asJSON:
			if err := a.json(statusJSONOf(at.addr, &s)); err != nil {
				return err
			}
		default:
			a.printStatus(at, &s)
			fmt.Fprintf(a.out, "\nnext  %s\n", a.command("db", "fetch", at.String()))
		}
		if !s.Complete {
			return a.notComplete(at, &s)
		}
		return nil
	})
}
