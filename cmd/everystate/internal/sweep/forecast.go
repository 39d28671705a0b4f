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

// aboutSeconds formats an estimated time.
func aboutSeconds(seconds float64) string {
	if seconds < 1 {
		return "less than a second"
	}
	return "about " + quantity.Seconds(seconds)
}

// forecastIn estimates how many seconds a sweep takes whose database is in a
// directory. To measure the disk, it makes a database beside it and removes it.
func forecastIn(ctx context.Context, f *Sweeping, e sweep.Enumeration, dir string) (seconds float64, err error) {
	opts := forecast.Options{Workers: f.Workers, Part: f.part, Now: time.Now}
	beside := filepath.Dir(dir)
	for !isDirectory(beside) && beside != filepath.Dir(beside) {
		beside = filepath.Dir(beside)
	}
	// If nothing can be written there, the disk is left out.
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
	seconds, err := forecast.Seconds(ctx, e, forecast.Options{Workers: f.Workers, Now: time.Now, Least: 1, Most: 3})
	if err != nil {
		return err
	}
	env.Complain(aboutSeconds(seconds) + " with " + quantity.Counted(int64(f.Workers), "worker") + " on this machine")
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
