package display

import (
	"fmt"

	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/terminal/paint"
)

// Upload is the view of a run being uploaded to a bucket.
type Upload struct {
	Run, Bucket string
	Paint       paint.Paint
	// Progress returns the progress of the run.
	Progress func() engine.Progress
}

// Frame shows how much is left.
func (u *Upload) Frame(width int) []string {
	left := "reading what it has"
	if b := u.Progress().Bucket; b != nil {
		left = bucket(b)
	}
	return frame([][2]string{{"", u.Run + " to " + u.Bucket}, {"bucket", left}}, width, u.Paint)
}

// Line returns the same for programs.
func (u *Upload) Line() string {
	var b engine.BucketProgress
	if p := u.Progress().Bucket; p != nil {
		b = *p
	}
	return fmt.Sprintf("progress phase=checkpoint bucket_layers_behind=%d bucket_bytes_behind=%d run=%q bucket=%q", b.Layers, b.Bytes, u.Run, u.Bucket)
}
