package bucket

import (
	"context"
	"fmt"
)

// Control returns what SetControl was last given, or ErrNotExist. A damaged one is as
// good as none, since a run goes on without: its error is ErrNotExist and says what
// the damage is.
func (r *Run) Control(ctx context.Context) ([]byte, error) {
	if r.bad != nil {
		return nil, r.bad
	}
	body, err := r.readFrame(ctx, controlKey, controlMagic, 0)
	if IsCorruption(err) {
		return nil, fmt.Errorf("%w: %w", ErrNotExist, err)
	}
	return body, err
}

// SetControl replaces the control object, of at most EntryBytesMax bytes. Of
// several at once the last one stays; a reader gets one of them as a whole.
func (r *Run) SetControl(ctx context.Context, body []byte) error {
	if r.bad != nil {
		return r.bad
	}
	if len(body) > EntryBytesMax {
		return fmt.Errorf("%s: a control object of %d bytes is more than %d", r.where(controlKey), len(body), EntryBytesMax)
	}
	err := write(ctx, r.bucket.backend, r.key(controlKey), encodeFrame(controlMagic, 0, body), true)
	return r.fail("write", controlKey, err)
}
