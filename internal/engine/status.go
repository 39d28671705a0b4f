package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/store"
)

// statusFile summarizes a run for processes that cannot open it because it is being
// written. It is a copy: the journal is the record of truth.
const statusFile = "status.json"

// Status describes a run as List reports it.
type Status struct {
	Summary
	// Running is set if a process is working on the run now.
	Running bool `json:"running"`
	// Problem is why the run cannot be read, empty if it can.
	Problem string `json:"problem,omitempty"`
	// Failure is Run.Failure.
	Failure string `json:"failure,omitempty"`
	// Changed is when the status was written.
	Changed time.Time `json:"changed"`
}

// writeStatus replaces the status file. It is not synced: if a power cut loses it,
// it is written again.
func (r *Run) writeStatus() error {
	if r.opts.FS != nil {
		return nil
	}
	return saveStatus(r, r.dir)
}

// saveStatus replaces the status file in a directory.
func saveStatus(r *Run, dir string) error {
	s := r.counts()
	s.Run = dir
	s.DiskBytes = diskBytes(r)
	body, err := json.Marshal(Status{Summary: s, Failure: r.failure, Changed: time.Now().UTC().Truncate(time.Second)})
	if err != nil {
		return fmt.Errorf("status: %w", err)
	}
	path := filepath.Join(dir, statusFile)
	if err := store.RewriteFile(path, append(body, '\n')); err != nil {
		return fmt.Errorf("status: %w", err)
	}
	return nil
}

func readStatus(dir string) (Status, error) {
	var s Status
	body, err := store.ReadFile(vfs.Default, filepath.Join(dir, statusFile))
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(body, &s); err != nil {
		return s, fmt.Errorf("%s: %w", filepath.Join(dir, statusFile), err)
	}
	return s, nil
}

// List returns the runs in a directory, in order of name. It does not disturb runs
// that are being written, and reports what it cannot read as a Problem.
func List(dir string) ([]Status, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s: no such directory", dir)
	}
	if err != nil {
		return nil, err
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].Name() < entries[j].Name() })
	var all []Status
	for _, e := range entries {
		if path := filepath.Join(dir, e.Name()); IsRun(path) {
			all = append(all, statusOf(path))
		}
	}
	return all, nil
}

// IsRun reports whether a directory holds a run, whole or damaged. A directory db
// alone does not make a run: other programs have one, too. With a lock it does if it
// holds files of the store.
func IsRun(dir string) bool {
	if info, err := os.Stat(filepath.Join(dir, "db")); err != nil || !info.IsDir() {
		return lacksDB(dir)
	}
	return marked(vfs.Default, dir) || store.Holds(vfs.Default, dir) && store.Keeps(filepath.Join(dir, "db"))
}

// marked reports whether a directory has a file that only runs have.
func marked(fs vfs.FS, dir string) bool {
	return slices.ContainsFunc([]string{"seal", originFile, statusFile}, func(name string) bool {
		_, err := fs.Stat(fs.PathJoin(dir, name))
		return err == nil
	})
}

// lacksDB reports whether a directory holds a run that has lost its db: the files that
// imply one are still there.
func lacksDB(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "db"))
	return errors.Is(err, os.ErrNotExist) && (store.IsCorruption(exists(dir, nil)) || readOrigin(dir) != nil)
}

// StatusOf returns the status of the run in a directory, as List does.
func StatusOf(dir string) Status { return statusOf(dir) }

// statusOf reads the run itself if possible, else its status file.
func statusOf(dir string) Status {
	r, err := Open(dir, Options{ReadOnly: true})
	if err == nil {
		s := Status{Summary: r.counts(), Failure: r.failure}
		s.DiskBytes = diskBytes(r)
		s.PeakMemoryBytes = r.peakBefore
		if written, err := readStatus(dir); err == nil {
			s.Changed = written.Changed
		}
		if err := r.Close(); err != nil {
			s.Problem = err.Error()
		}
		return s
	}
	s, serr := readStatus(dir)
	s.Run = dir
	switch {
	case errors.Is(err, store.ErrLocked):
		s.Running = true
	default:
		s.Problem = err.Error()
	}
	if serr != nil && s.Problem == "" {
		s.Problem = "its status is not yet known"
	}
	return s
}
