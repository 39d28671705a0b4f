package bucket

import (
	"context"
	"fmt"
)

// Control returns what SetControl was last given, or ErrNotExist.
func (r *Run) Control(ctx context.Context) ([]byte, error) {
	if r.bad != nil {
		return nil, r.bad
	}
	return r.readFrame(ctx, controlKey, controlMagic, 0)
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
