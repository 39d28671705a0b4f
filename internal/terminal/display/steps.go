package display

import (
	"fmt"
	"sync"

	"github.com/everystate/everystate/internal/terminal/bars"
	"github.com/everystate/everystate/internal/terminal/paint"
)

// Steps is the view of a command that does one thing after another.
type Steps struct {
	Phase string // for programs
	Title string // for people
	Run   string // as on the command line
	Paint paint.Paint

	mu   sync.Mutex
	what string
	part float64
}

// At says what is being done, and which part of the whole is done, from 0 to 1.
func (v *Steps) At(what string, part float64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.what, v.part = what, part
}

// Tell is At for what is one thing.
func (v *Steps) Tell(part float64) error {
	v.At("", part)
	return nil
}

func (v *Steps) now() (what string, percent int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.what, int64(100 * min(max(v.part, 0), 1))
}

// Frame draws one gauge.
func (v *Steps) Frame(width int) []string {
	what, percent := v.now()
	lines := [][2]string{{"", v.Title}, {"done", fmt.Sprintf("%s %3d%%", bars.Gauge(percent, 100, 24), percent)}}
	if what != "" {
		lines = append(lines, [2]string{"now", what})
	}
	return frame(lines, width, v.Paint)
}

// Line returns the same for programs.
func (v *Steps) Line() string {
	what, percent := v.now()
	if what != "" {
		what = fmt.Sprintf(" doing=%q", what)
	}
	return fmt.Sprintf("progress phase=%s percent=%d%s run=%q", v.Phase, percent, what, v.Run)
}
