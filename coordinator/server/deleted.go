package server

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

	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/store"
)

// deletions remembers, for each run that was deleted, which workers may still
// keep records of it. It is written to a file with each change: a worker may be
// away for long.
type deletions struct {
	fs      vfs.FS
	path    string
	of      map[string][]string
	changed chan struct{} // closed when somebody has removed a run
}

func loadDeletions(fs vfs.FS, dir string) (*deletions, error) {
	d := &deletions{fs: fs, path: filepath.Join(dir, "deleted.json"), of: make(map[string][]string), changed: make(chan struct{})}
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

func (d *deletions) save() error {
	body, err := json.MarshalIndent(d.of, "", "  ")
	if err != nil {
		return err
	}
	return store.ReplaceFile(d.fs, d.path, append(body, '\n'))
}

// add notes that a run is gone, and who may keep records of it.
func (d *deletions) add(run string, workers []string) error {
	if len(workers) == 0 {
		return nil
	}
	d.of[run] = slices.Clone(workers)
	return d.save()
}

// pending says who still keeps records of a deleted run, or nothing.
func (d *deletions) pending(run string) string { return strings.Join(d.of[run], ", ") }

// theBucket stands among the workers for the bucket.
const theBucket = "(the bucket)"

// inBucket returns the deleted runs that are still in the bucket.
func (d *deletions) inBucket() []string {
	var runs []string
	for run, workers := range d.of {
		if slices.Contains(workers, theBucket) {
			runs = append(runs, run)
		}
	}
	sort.Strings(runs)
	return runs
}

// onlyInBucket reports whether no worker keeps records of a deleted run any more,
// and the bucket does.
func (d *deletions) onlyInBucket(run string) bool {
	return len(d.of[run]) == 1 && d.of[run][0] == theBucket
}

// settle takes what a worker says it keeps, and returns what it must remove. With
// only, it is about these runs alone.
func (d *deletions) settle(worker string, kept []string, only ...string) (remove []string, err error) {
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
		close(d.changed)
		d.changed = make(chan struct{})
		err = d.save()
	}
	return remove, err
}

// keptMax bounds the names in a request.
const keptMax = 1000

func checkKept(req *everystatev1.SynchronizeRequest) error {
	if len(req.GetKeptRuns()) > keptMax {
		return fmt.Errorf("kept runs: more than %d", keptMax)
	}
	return nil
}
