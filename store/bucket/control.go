package bucket

import (
	"context"
	"fmt"
)

// Control returns the body last set by SetControl, or ErrNotExist. Since a run can do
// without it, a damaged one also counts as missing: the error is ErrNotExist and
// describes the damage.
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

// SetControl replaces the control object, of at most EntryBytesMax bytes. Of several
// concurrent calls the last one wins; a reader gets one body as a whole.
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
