package runs

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"sync/atomic"

	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/terminal/display"
)

// Prepare calls open, which opens or creates a run with some options. If the run keeps a
// table whose ranks are built first, that is shown, and stops with ctx.
func Prepare(ctx context.Context, env *shell.Env, name string, quiet bool, opts engine.Options, open func(engine.Options) (*engine.Run, error)) (*engine.Run, error) {
	view := preparing{name: name, done: new(atomic.Uint64)}
	shown := display.None()
	began := false
	stop := func() {
		shown.Stop()
		began, shown = false, display.None()
	}
	// It may be called after the run was opened, by what needs the ranks first.
	opts.Preparing = func(done float64) bool {
		view.done.Store(math.Float64bits(done))
		switch {
		case done >= 1:
			stop()
		case !began:
			began, shown = true, env.Show(quiet, view)
		}
		return ctx.Err() == nil
	}
	r, err := open(opts)
	stop()
	return r, err
}

// OpenDir opens the run in a directory as Prepare does.
func OpenDir(ctx context.Context, env *shell.Env, dir string, quiet bool, opts engine.Options) (*engine.Run, error) {
	return Prepare(ctx, env, filepath.Base(dir), quiet, opts, func(opts engine.Options) (*engine.Run, error) {
		return engine.Open(dir, opts)
	})
}

// preparing shows how far the ranks of a table are built.
type preparing struct {
	name string
	done *atomic.Uint64 // the bits of the share
}

func (p preparing) percent() int { return int(100 * math.Float64frombits(p.done.Load())) }

// Frame implements display.View.
func (p preparing) Frame(width int) []string {
	return []string{display.Clip(fmt.Sprintf("%s: grouping symmetric states, %d %%", p.name, p.percent()), width-1)}
}

// Line implements display.View.
func (p preparing) Line() string {
	return fmt.Sprintf("board=%s grouped=%d%%", strconv.Quote(p.name), p.percent())
}
