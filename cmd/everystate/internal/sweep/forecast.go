package sweep

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/database"
	"github.com/everystate/everystate/internal/sweep/forecast"
	"github.com/everystate/everystate/internal/sweep/kinds"
)

// aboutSeconds says how long something takes that was not measured.
func aboutSeconds(seconds float64) string {
	if seconds < 1 {
		return "less than a second"
	}
	return "about " + quantity.Seconds(seconds)
}

// forecastIn returns about how many seconds a sweep takes whose database is in a
// directory. To see how long the disk takes, a database is made beside it and removed.
func forecastIn(ctx context.Context, workers int, e sweep.Enumeration, dir string) (seconds float64, err error) {
	opts := forecast.Options{Workers: workers, Now: time.Now}
	beside := filepath.Dir(dir)
	for !isDirectory(beside) && beside != filepath.Dir(beside) {
		beside = filepath.Dir(beside)
	}
	// Where nothing can be written, the disk is left out.
	scratch, mkErr := os.MkdirTemp(beside, ".everystate-dry-run-*")
	if mkErr != nil {
		return forecast.Seconds(ctx, e, opts)
	}
	defer func() { err = cmp.Or(err, os.RemoveAll(scratch)) }()
	db, err := database.Create(scratch, e.Rules(), database.Options{})
	if err != nil {
		return 0, err
	}
	defer func() { err = cmp.Or(err, db.Close()) }()
	opts.Sink = db
	return forecast.Seconds(ctx, e, opts)
}

// announceStates is from how many states on a sweep says what comes before it begins.
const announceStates = 100_000_000

// announce says how much a large sweep is, and about how long it takes: a few units
// are tried and forgotten.
func announce(ctx context.Context, env *shell.Env, f *Sweeping, e sweep.Enumeration) error {
	if f.Quiet || kinds.Expected(e) < announceStates {
		return nil
	}
	seconds, err := forecast.Seconds(ctx, e, forecast.Options{Workers: f.Workers, Now: time.Now, Least: 1, Most: 3})
	if err != nil {
		return err
	}
	env.Complain(announcement(e, f.Workers, seconds))
	return nil
}

// announcement is what is said of a large sweep.
func announcement(e sweep.Enumeration, workers int, seconds float64) string {
	return fmt.Sprintf("%s with %s to go through: %s with %s on this machine (Ctrl-C stops it, and the same command resumes it; --dry-run only prints the estimate)",
		quantity.Counted(int64(e.Units()), "unit"), quantity.Counted(int64(kinds.Expected(e)), "state"), aboutSeconds(seconds), quantity.Counted(int64(workers), "worker"))
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
