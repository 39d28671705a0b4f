package web

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/table/stored"
	"github.com/everystate/everystate/store"
)

// errNotOnlyRun reports a directory that holds more than a run.
var errNotOnlyRun = errors.New("is not part of the run, so nothing was removed")

// removeRun deletes the run in a directory, and the directory. It refuses a directory that
// holds no run, one that another process uses (store.ErrLocked), and one that holds other
// files, too (errNotOnlyRun).
func removeRun(dir string) (err error) {
	if !engine.IsRun(dir) {
		return fmt.Errorf("%s: %w", dir, store.ErrNotExist)
	}
	lock, err := store.LockDir(dir, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	own := []string{"db", "lock", "seal", "scratch", "origin", "status.json", "bucket.json"} // docs/FORMAT.md
	for _, e := range entries {
		// Files are replaced by way of NAME.new, and the last seal is kept as seal.old.
		name := strings.TrimSuffix(strings.TrimSuffix(e.Name(), ".new"), ".old")
		if !slices.Contains(own, name) && !stored.Named(name) {
			return fmt.Errorf("%s: %s %w", dir, e.Name(), errNotOnlyRun)
		}
	}
	return os.RemoveAll(dir)
}
