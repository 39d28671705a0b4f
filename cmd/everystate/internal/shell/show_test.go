package shell

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/everystate/everystate/internal/terminal/display"
)

// TestWaits shows what a call waits for after a second, but not beside progress.
func TestWaits(t *testing.T) {
	t.Parallel()
	const line = "waiting=\"for x\"\n"
	for _, test := range []struct {
		name        string
		quiet, busy bool
		wait        time.Duration
		want        string
	}{
		{"short", false, false, time.Second / 2, ""},
		{"long", false, false, 3 * time.Second / 2, line},
		{"quiet", true, false, 3 * time.Second / 2, ""},
		{"beside progress", false, true, 3 * time.Second / 2, ""},
	} {
		synctest.Test(t, func(t *testing.T) {
			var out strings.Builder
			env := &Env{Err: &out, Quiet: test.quiet}
			waits, shown := env.Waits(), display.None()
			if test.busy {
				shown = env.Show(false, &display.Steps{})
			}
			stop := waits("x")
			also := waits("y")    // one at a time
			time.Sleep(test.wait) //nolint:forbidigo // The clock of synctest.
			synctest.Wait()
			also()
			stop()
			shown.Stop()
			if out.String() != test.want {
				t.Errorf("%s: got %q, want %q", test.name, out.String(), test.want)
			}
		})
	}
}
