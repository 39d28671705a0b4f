package display

import (
	"fmt"
	"sync/atomic"

	"github.com/everystate/everystate/cmd/everystate/internal/terminal/bars"
	"github.com/everystate/everystate/cmd/everystate/internal/terminal/paint"
)

// Packing is the view of a run that is written as a file to play on.
type Packing struct {
	Run   string // as on the command line
	Paint paint.Paint

	done atomic.Int64 // in thousandths
}

// Tell says how much is done, from 0 to 1.
func (v *Packing) Tell(part float64) error {
	v.done.Store(int64(1000 * part))
	return nil
}

// Frame draws one gauge.
func (v *Packing) Frame(width int) []string {
	done := v.done.Load()
	return frame([][2]string{{"", "packing " + v.Run}, {"done", fmt.Sprintf("%s %3d%%", bars.Gauge(done, 1000, 24), done/10)}}, width, v.Paint)
}

// Line returns the same for programs.
func (v *Packing) Line() string {
	return fmt.Sprintf("progress phase=pack percent=%d run=%q", v.done.Load()/10, v.Run)
}
