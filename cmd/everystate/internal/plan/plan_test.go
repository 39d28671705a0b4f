package plan

import (
	"sync/atomic"
	"testing"
)

// TestProgress: a line of progress has the form that docs/CLI.md promises.
func TestProgress(t *testing.T) {
	t.Parallel()
	var stepped atomic.Int64
	stepped.Store(60)
	w := walking{&stepped, 100, "Deep 8x8"}
	if got, want := w.Line(), `progress phase=plan percent=60 board="Deep 8x8"`; got != want {
		t.Errorf("%s; want %s", got, want)
	}
}
