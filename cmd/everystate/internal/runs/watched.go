package runs

import (
	"context"
	"sync"
	"time"

	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/estimate"
	"github.com/everystate/everystate/internal/terminal/display"
	"github.com/everystate/everystate/puzzle"
)

// Watched explores with a display, whose end is the number of states that the board
// states, else the puzzle's own, else an estimate that is made while a long exploration
// goes on. name is for people.
func Watched(ctx context.Context, env *shell.Env, r *engine.Run, want history.Want, quiet bool, name string, stated int64) (history.Reason, error) {
	h := r.History()
	view := &display.Exploration{
		Name: name, Run: r.Dir(), Paint: env.ErrTerm.Paint(),
		StatesBefore: h.States(history.Forward), Promised: stated, MaxStates: want.MaxStates, Progress: r.Progress,
	}
	guessing, stop := context.WithCancel(ctx)
	var wait sync.WaitGroup
	if stated <= 0 && !quiet && h.End(history.Forward) == nil {
		p := r.Board().Puzzle
		if view.Promised = ownSize(p); view.Promised == 0 {
			wait.Go(func() { view.Likely.Store(likelyStates(guessing, p, estimateAfter)) })
		}
	}
	shown := env.Show(quiet, view)
	reason, err := r.Explore(ctx, want)
	stop()
	shown.Stop()
	wait.Wait()
	return reason, err
}

// estimateAfter is how long an exploration goes on before its size is estimated, which
// takes a core for a second or two, and later for ten.
const estimateAfter = 5 * time.Second

// ownSize returns the number of states that a puzzle knows, 0 if it does not.
func ownSize(p puzzle.Puzzle) int64 {
	if size := estimate.SizeOf(p); size.Exact && size.States.IsInt64() {
		return size.States.Int64()
	}
	return 0
}

// likelyStates waits, and estimates the number of states of a puzzle; if the estimate has
// not converged, it waits longer, and takes the time that plan takes. It returns 0 if that
// is not good enough for an end of the progress either.
func likelyStates(ctx context.Context, p puzzle.Puzzle, wait time.Duration) int64 {
	for _, try := range []struct {
		wait          time.Duration
		states, steps int
	}{{wait, 200_000, 3_000_000}, {3 * wait, 1_000_000, 20_000_000}} {
		timer := time.NewTimer(try.wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return 0
		case <-timer.C:
		}
		const most = 1 << 62
		e, err := estimate.Of(ctx, p, estimate.Options{States: try.states, Steps: int64(try.steps), Workers: 1})
		switch {
		case err != nil:
			return 0
		case e.States >= most:
		case e.Exact() || e.Converged || try.wait > wait && withinTwofold(e):
			return int64(e.States)
		}
	}
	return 0
}

// withinTwofold reports whether an estimate is at most about twice too high or too low, as
// far as its walks agree.
func withinTwofold(e *estimate.Estimate) bool { return e.High <= 4*e.Low }
