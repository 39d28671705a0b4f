package sweep

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/sweep/database"
	"github.com/everystate/everystate/internal/sweep/forecast"
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

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
