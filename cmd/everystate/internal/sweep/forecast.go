package sweep

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/platform/processor"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/database"
	"github.com/everystate/everystate/internal/sweep/forecast"
	"github.com/everystate/everystate/internal/sweep/kinds"
	"github.com/everystate/everystate/internal/terminal/display"
)

// aboutSeconds formats an estimated time.
func aboutSeconds(seconds float64) string {
	if seconds < 1 {
		return "less than a second"
	}
	return "about " + quantity.Seconds(seconds)
}

// aboutTime describes an estimate.
func aboutTime(e forecast.Estimate, workers int) string {
	text := aboutSeconds(e.Alone) + " with " + quantity.Counted(int64(workers), "worker") + " on this machine"
	if e.Alone >= 1 && e.Busy > busyFactor*e.Alone {
		text += ", or " + quantity.Seconds(e.Busy) + " while it is as busy as now"
	}
	return text
}

// busyFactor is how much longer than on a quiet machine a sweep must take for that to be
// printed.
const busyFactor = 1.25

// forecastOptions returns how to estimate the time of a sweep.
func forecastOptions(f *Sweeping) forecast.Options {
	return forecast.Options{
		Workers: f.Workers, Part: f.part, Now: time.Now,
		Thread: processor.Thread, Process: processor.Process, Processors: runtime.GOMAXPROCS(0),
	}
}

// timing shows that units are being timed, which takes as long as it takes.
type timing struct{ began time.Time }

func (t timing) seconds() int { return int(time.Since(t.began).Seconds()) }

// Frame implements display.View.
func (t timing) Frame(width int) []string {
	return []string{display.Clip(fmt.Sprintf("timing some units, %d s", t.seconds()), width-1)}
}

// Line implements display.View.
func (t timing) Line() string { return fmt.Sprintf("progress phase=forecast seconds=%d", t.seconds()) }

// forecastIn estimates how long a sweep takes whose database is in a
// directory. To measure the disk, it makes a database beside it and removes it.
func forecastIn(ctx context.Context, f *Sweeping, e sweep.Enumeration, dir string) (estimate forecast.Estimate, err error) {
	opts := forecastOptions(f)
	beside := filepath.Dir(dir)
	for !isDirectory(beside) && beside != filepath.Dir(beside) {
		beside = filepath.Dir(beside)
	}
	// If nothing can be written there, the disk is left out.
	scratch, mkErr := os.MkdirTemp(beside, ".everystate-dry-run-*")
	if mkErr != nil {
		return forecast.Of(ctx, e, opts)
	}
	defer func() { err = cmp.Or(err, os.RemoveAll(scratch)) }()
	db, err := database.Create(scratch, e.Rules(), database.Options{})
	if err != nil {
		return estimate, err
	}
	defer func() { err = cmp.Or(err, db.Close()) }()
	opts.Sink = db
	return forecast.Of(ctx, e, opts)
}

// announceStates is the number of states from which a sweep announces its size before
// it begins.
const announceStates = 100_000_000

// announce prints the size of a large sweep at once, and then about how long it takes,
// estimated from a few units whose results are dropped.
func announce(ctx context.Context, env *shell.Env, f *Sweeping, e sweep.Enumeration) error {
	if f.Quiet || kinds.Expected(e) < announceStates {
		return nil
	}
	env.Complain(announcement(e))
	opts := forecastOptions(f)
	opts.Least, opts.Most = 1, 3
	estimate, err := forecast.Of(ctx, e, opts)
	if err != nil {
		return err
	}
	env.Complain(aboutTime(estimate, f.Workers))
	return nil
}

// announcement describes the size of a sweep.
func announcement(e sweep.Enumeration) string {
	return fmt.Sprintf("%s of work with %s (Ctrl-C stops it, and the same command resumes it; --dry-run only prints the estimate); estimating the time ...",
		quantity.Counted(int64(e.Units()), "unit"), quantity.Counted(int64(kinds.Expected(e)), "state"))
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
