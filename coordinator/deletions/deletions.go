// Package deletions remembers which workers may still keep records of deleted runs, and
// removes these runs from a bucket. It must never forget a worker before that worker has
// reported that it keeps none, present or not, nor remove another run from a bucket. Its
// caller guards it.
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

// absent begins the key of a run under which workers are noted that are not there. No run is
// called so, and earlier versions, which do not know of it, forget these workers.
const absent = "."

// GiveUp has the names of deleted runs no longer wait for workers that are gone, which must
// remove what they keep before they are there again: see Owed.
func (d *Deletions) GiveUp(gone func(worker string) bool) error {
	was, changed := maps.Clone(d.of), false
	for run, workers := range was {
		if strings.HasPrefix(run, absent) {
			continue
		}
		for _, worker := range workers {
			if worker == TheBucket || !gone(worker) {
				continue
			}
			changed = true
			d.drop(run, worker)
			if !slices.Contains(d.of[absent+run], worker) {
				d.of[absent+run] = append(slices.Clone(d.of[absent+run]), worker)
			}
		}
	}
	if !changed {
		return nil
	}
	return d.saveOr(was)
}

// drop forgets a worker of a run, in memory.
func (d *Deletions) drop(run, worker string) {
	i := slices.Index(d.of[run], worker)
	if d.of[run] = slices.Delete(slices.Clone(d.of[run]), i, i+1); len(d.of[run]) == 0 {
		delete(d.of, run)
	}
}

// saveOr saves what has changed, and tells so; if that fails, it is as it was.
func (d *Deletions) saveOr(was map[string][]string) error {
	if err := d.save(); err != nil {
		d.of = was
		return err
	}
	close(d.Changed)
	d.Changed = make(chan struct{})
	return nil
}

// Owed returns the runs that a worker which was given up must remove, of those that it
// reports to keep. Until it has, a run of such a name that it is given would be taken for the
// deleted one.
func (d *Deletions) Owed(worker string, kept []string) (remove []string) {
	for _, run := range kept {
		if slices.Contains(d.of[absent+run], worker) {
			remove = append(remove, run)
		}
	}
	return remove
}

// Pending returns who still keeps records of a deleted run, or nothing. Its name is free then.
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
		case slices.Contains(kept, strings.TrimPrefix(run, absent)):
			remove = append(remove, strings.TrimPrefix(run, absent))
		default:
			changed = true
			d.drop(run, worker)
		}
	}
	sort.Strings(remove)
	remove = slices.Compact(remove)
	if changed {
		err = d.saveOr(was)
	}
	if err == nil && worker == TheBucket {
		err = d.tidy()
	}
	return remove, err
}
