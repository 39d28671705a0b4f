// Package deletions remembers which workers may still keep records of deleted runs, and
// removes these runs from a bucket. It must never forget a worker before that worker has
// reported that it keeps none, nor remove another run from a bucket. Its caller guards it.
package deletions

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/store"
)

// Deletions remembers, for each deleted run, which workers may still keep records of it.
// It is written to a file at each change, since a worker may be away for long.
type Deletions struct {
	fs      vfs.FS
	path    string
	of      map[string][]string
	Changed chan struct{} // closed when a worker or the bucket has removed a run
	emptied sync.Map      // the runs that were removed from the bucket, where their workers may still write
}

// Load reads the deletions stored in a directory, and removes what an interrupted one has
// left of its run in the directory runs.
func Load(fs vfs.FS, dir, runs string) (*Deletions, error) {
	d := &Deletions{fs: fs, path: filepath.Join(dir, "deleted.json"), of: make(map[string][]string), Changed: make(chan struct{})}
	body, err := store.ReadFile(fs, d.path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		err = nil
	case err == nil:
		if err := json.Unmarshal(body, &d.of); err != nil {
			return nil, fmt.Errorf("%s is damaged: %w: restore it from a backup, or remove it and delete again any deleted runs that are still in the bucket", d.path, err)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", d.path, err)
	}
	for run := range d.of {
		if _, err := fs.Stat(filepath.Join(runs, run)); err == nil {
			if err := d.Bury(run, filepath.Join(runs, run)); err != nil {
				return nil, err
			}
		}
	}
	err = d.tidy()
	return d, err
}

func (d *Deletions) save() error {
	body, err := json.MarshalIndent(d.of, "", "  ")
	if err != nil {
		return err
	}
	return store.ReplaceFile(d.fs, d.path, append(body, '\n'))
}

// Add notes that a run was deleted, and which workers may keep records of it.
func (d *Deletions) Add(run string, workers []string) error {
	if len(workers) == 0 {
		return nil
	}
	d.of[run] = slices.Clone(workers)
	d.emptied.Delete(run)
	err := d.save()
	if err != nil {
		delete(d.of, run) // no worker must be told to remove what is not deleted
	}
	return err
}

// Pending returns who still keeps records of a deleted run, or nothing.
func (d *Deletions) Pending(run string) string { return strings.Join(d.of[run], ", ") }

// TheBucket represents the bucket among the workers.
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

// OnlyInBucket reports whether only the bucket still has records of a deleted run.
func (d *Deletions) OnlyInBucket(run string) bool {
	return len(d.of[run]) == 1 && d.of[run][0] == TheBucket
}

// Settle takes the runs that a worker reports to keep, and returns those it must remove.
// If only is given, other runs are not considered. Nobody is forgotten before that is on
// disk: the next start would take a later run of this name for the deleted one.
func (d *Deletions) Settle(worker string, kept []string, only ...string) (remove []string, err error) {
	was, changed := maps.Clone(d.of), false
	for run, workers := range was {
		switch i := slices.Index(workers, worker); {
		case i < 0 || len(only) > 0 && !slices.Contains(only, run):
		case slices.Contains(kept, run):
			remove = append(remove, run)
		default:
			changed = true
			if d.of[run] = slices.Delete(slices.Clone(workers), i, i+1); len(d.of[run]) == 0 {
				delete(d.of, run)
			}
		}
	}
	sort.Strings(remove)
	if changed {
		if err = d.save(); err != nil {
			d.of = was
		} else {
			close(d.Changed)
			d.Changed = make(chan struct{})
		}
	}
	if err == nil && worker == TheBucket {
		err = d.tidy()
	}
	return remove, err
}
