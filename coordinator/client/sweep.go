package client

import (
	"context"
	"fmt"

	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/internal/sweep"
)

// Sweep calls rules with the rules of a sweep, and then f with what each
// completed unit found, in the order in which they were done.
func (c *Client) Sweep(ctx context.Context, name string, rules func(text string) error, f func(unit int, found *sweep.Findings) error) error {
	r := &Run{client: c, name: name}
	if err := r.Refresh(ctx); err != nil {
		return err
	}
	if r.spec.Units == 0 {
		return &Error{text: fmt.Sprintf("%s/%s is not a sweep", c.addr, name), kind: ErrRefused}
	}
	if err := rules(r.spec.Text); err != nil {
		return err
	}
	return journal.Findings(r.entries, func(unit uint32, found []byte) error {
		findings, err := sweep.DecodeFindings(int(unit), found)
		if err != nil {
			return fmt.Errorf("%s/%s: %w", c.addr, name, err)
		}
		return f(int(unit), &findings)
	})
}
