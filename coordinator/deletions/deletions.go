// Package deletions remembers which workers may still keep records of runs that were
// deleted. It must never forget one before it has said that it keeps nothing. Its caller
// guards it.
package deletions

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/store"
)

// Deletions remembers, for each run that was deleted, which workers may still
// keep records of it. It is written to a file with each change: a worker may be
// away for long.
type Deletions struct {
	fs      vfs.FS
	path    string
	of      map[string][]string
	Changed chan struct{} // closed when somebody has removed a run
}

// Load reads what is remembered in a directory.
func Load(fs vfs.FS, dir string) (*Deletions, error) {
	d := &Deletions{fs: fs, path: filepath.Join(dir, "deleted.json"), of: make(map[string][]string), Changed: make(chan struct{})}
	body, err := store.ReadFile(fs, d.path)
	if errors.Is(err, os.ErrNotExist) {
		return d, nil
	}
	if err == nil {
		err = json.Unmarshal(body, &d.of)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", d.path, err)
	}
	return d, nil
}

func (d *Deletions) save() error {
	body, err := json.MarshalIndent(d.of, "", "  ")
	if err != nil {
		return err
	}
	return store.ReplaceFile(d.fs, d.path, append(body, '\n'))
}

// Add notes that a run is gone, and who may keep records of it.
func (d *Deletions) Add(run string, workers []string) error {
	if len(workers) == 0 {
		return nil
	}
	d.of[run] = slices.Clone(workers)
	return d.save()
}

// Pending says who still keeps records of a deleted run, or nothing.
func (d *Deletions) Pending(run string) string { return strings.Join(d.of[run], ", ") }

// TheBucket stands among the workers for the bucket.
const TheBucket = "(the bucket)"

// InBucket returns the deleted runs that are still in the bucket.
func (d *Deletions) InBucket() []string {
	var runs []string
	for run, workers := range d.of {
		if slices.Contains(workers, TheBucket) {
			runs = append(runs, run)
		}
	}
	sort.Strings(runs)
	return runs
}

// OnlyInBucket reports whether no worker keeps records of a deleted run any more,
// and the bucket does.
func (d *Deletions) OnlyInBucket(run string) bool {
	return len(d.of[run]) == 1 && d.of[run][0] == TheBucket
}

// Settle takes what a worker says it keeps, and returns what it must remove. With
// only, it is about these runs alone.
func (d *Deletions) Settle(worker string, kept []string, only ...string) (remove []string, err error) {
	changed := false
	for run, workers := range d.of {
		switch i := slices.Index(workers, worker); {
		case i < 0 || len(only) > 0 && !slices.Contains(only, run):
		case slices.Contains(kept, run):
			remove = append(remove, run)
		default:
			changed = true
			if d.of[run] = slices.Delete(workers, i, i+1); len(d.of[run]) == 0 {
				delete(d.of, run)
			}
		}
	}
	sort.Strings(remove)
	if changed {
		close(d.Changed)
		d.Changed = make(chan struct{})
		err = d.save()
	}
	return remove, err
}
