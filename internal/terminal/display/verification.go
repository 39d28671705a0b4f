package display

import (
	"fmt"
	"sync/atomic"

	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/terminal/bars"
	"github.com/everystate/everystate/internal/terminal/paint"
)

// Doing is what is done with all states of a run.
type Doing uint8

// What is done.
const (
	Verifying Doing = iota
	Fetching
	Exporting
)

// Verification is the view of a run being checked, fetched or exported.
type Verification struct {
	Run   string // as on the command line
	Paint paint.Paint
	Doing Doing
	// States is the number of states.
	States int64
	// Done is how many have been checked.
	Done atomic.Int64
}

// Frame draws one gauge.
func (v *Verification) Frame(width int) []string {
	done, what := v.Done.Load(), [...]string{"verifying ", "fetching ", "exporting "}[v.Doing]
	return frame([][2]string{
		{"", what + v.Run},
		{"states", fmt.Sprintf("%s %3d%% of %s", bars.Gauge(done, v.States, 24), percent(done, v.States), quantity.Count(v.States))},
	}, width, v.Paint)
}

// Line returns the same for programs.
func (v *Verification) Line() string {
	phase := [...]string{"verify", "fetch", "export"}[v.Doing]
	return fmt.Sprintf("progress phase=%s states=%d of=%d run=%q", phase, v.Done.Load(), v.States, v.Run)
}
