package display

import (
	"fmt"
	"sync/atomic"

	"github.com/everystate/everystate/cmd/everystate/internal/terminal/bars"
	"github.com/everystate/everystate/cmd/everystate/internal/terminal/paint"
	"github.com/everystate/everystate/internal/quantity"
)

// Verification is the view of a run that is checked.
type Verification struct {
	Run   string // as on the command line
	Paint paint.Paint
	// Fetching says that the run is being fetched, before it is checked.
	Fetching bool
	// States is how many states there are to check.
	States int64
	// Done is how many have been.
	Done atomic.Int64
}

// Frame draws one gauge.
func (v *Verification) Frame(width int) []string {
	done, what := v.Done.Load(), "verifying "
	if v.Fetching {
		what = "fetching "
	}
	return frame([][2]string{
		{"", what + v.Run},
		{"states", fmt.Sprintf("%s %3d%% of %s", bars.Gauge(done, v.States, 24), percent(done, v.States), quantity.Count(v.States))},
	}, width, v.Paint)
}

// Line returns the same for programs.
func (v *Verification) Line() string {
	phase := "verify"
	if v.Fetching {
		phase = "fetch"
	}
	return fmt.Sprintf("progress phase=%s states=%d of=%d run=%q", phase, v.Done.Load(), v.States, v.Run)
}
