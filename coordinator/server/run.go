package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/internal/wasm"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/store"
)

const (
	runsDir     = "runs"
	controlFile = "control.json"
)

// errNotBegun reports a run's directory without a spec.
var errNotBegun = errors.New("the run was never started")

// run is a run that the coordinator knows.
type run struct {
	name    string
	fs      vfs.FS
	dir     string
	store   *store.Store    // of the journal alone
	log     journal.Entries // the journal
	spec    history.Spec
	board   puzzle.Board
	history history.History // while core is nil
	names   table           // of the workers, by core.WorkerID
	control control
	backup  *backup // nil if the run is not in a bucket

	// While the run is being worked on:
	core        *core.Core // nil until everything is ready for it, and of a sweep
	sweep       *sweeping  // of a sweep in place of it
	totals      sweep.Totals
	session     bool      // has been begun
	began       time.Time // of the attempt
	moved       time.Time // when it last got on
	furthest    uint64    // states expanded and written in the attempt, at the most
	told        time.Time // when the last complaint was made
	waitFor     []history.WorkerID
	waitBackup  bool                      // before partitions are moved
	givenUp     map[history.WorkerID]bool // keepers that are waited for no more
	retries     int                       // since it last got on
	takeOvers   int                       // from another coordinator, tried since it was taken up
	retrying    bool                      // the next try is about to begin
	interrupted core.Failed               // what it is for
	trouble     string                    // why it is tried again
	committed   func()                    // to be called when the bucket has caught up
}

// control is what clients have asked of a run, and what became of that. A copy of
// it lies in the bucket.
type control = journal.Control

// past returns what has been committed.
func (r *run) past() *history.History {
	if r.core != nil {
		return r.core.History()
	}
	return &r.history
}

// makeRun makes a run that is to be worked on.
func makeRun(fs vfs.FS, dir, name string, spec history.Spec, want history.Want) (*run, error) {
	st, err := store.Open(dir, store.Options{FS: fs, CacheBytes: 1 << 20})
	if err != nil {
		return nil, err
	}
	r := &run{name: name, fs: fs, dir: dir, store: st, spec: spec}
	r.control = control{Submitted: time.Now().UTC(), State: history.Queued, Want: want}
	for _, entry := range journal.Begin(spec) {
		if err := r.append(entry); err != nil {
			return nil, errors.Join(err, st.Close())
		}
	}
	if err := errors.Join(r.readBoard(), r.saveControl()); err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return r, nil
}

// importRun makes a run of which a bucket has the log.
func importRun(fs vfs.FS, dir, name string, log journal.Entries, c control) (*run, error) {
	st, err := store.Open(dir, store.Options{FS: fs, CacheBytes: 1 << 20})
	if err != nil {
		return nil, err
	}
	r := &run{name: name, fs: fs, dir: dir, store: st, control: c}
	if err := errors.Join(r.replaceTail(0, log), r.readBoard(), r.saveControl()); err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return r, nil
}

// openRun opens a run that was made before.
func openRun(fs vfs.FS, dir string) (*run, error) {
	st, err := store.Open(dir, store.Options{FS: fs, CacheBytes: 1 << 20})
	if err != nil {
		return nil, err
	}
	r := &run{name: filepath.Base(dir), fs: fs, dir: dir, store: st}
	if err := r.read(); err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return r, nil
}

func (r *run) read() (err error) {
	err = r.store.Journal(func(entry []byte) error {
		r.log = append(r.log, slices.Clone(entry))
		return nil
	})
	if err != nil {
		return err
	}
	if err := r.replay(); err != nil {
		return err
	}
	if err := r.readBoard(); err != nil {
		return err
	}
	body, err := store.ReadFile(r.fs, filepath.Join(r.dir, controlFile))
	if err == nil {
		err = json.Unmarshal(body, &r.control)
	}
	if err != nil {
		r.control = control{State: history.Paused}
	}
	switch r.control.State {
	case history.Running, history.Waiting:
		r.control.State = history.Queued
	default:
	}
	return nil
}

// sweeps reports whether the run is a sweep.
func (r *run) sweeps() bool { return r.spec.Units > 0 }

// working reports whether everything is ready for the work on a run.
func (r *run) working() bool { return r.core != nil || r.sweep != nil }

func (r *run) readBoard() (err error) {
	if r.sweeps() {
		return nil
	}
	r.board, err = wasm.ReadStored(r.spec.Text, r.spec.Module)
	return err
}

// append appends an entry to the journal, durably.
func (r *run) append(entry []byte) error {
	if err := r.store.AppendJournal(entry, true); err != nil {
		return err
	}
	r.log = append(r.log, entry)
	return nil
}

// replaceTail replaces the entries of the journal from number n on by those of a
// log, and takes the history to be what they say.
func (r *run) replaceTail(n int, log journal.Entries) error {
	if err := r.store.TruncateJournal(uint64(n)); err != nil {
		return err
	}
	r.log = r.log[:n:n]
	for i, entry := range log {
		plain, err := journal.Plain(entry)
		if err != nil {
			return fmt.Errorf("log entry %d: %w", n+i, err)
		}
		if err := r.store.AppendJournal(plain, false); err != nil {
			return err
		}
		r.log = append(r.log, plain)
	}
	if err := r.store.Sync(); err != nil {
		return err
	}
	return r.replay()
}

// replay makes the history what the journal says.
func (r *run) replay() error {
	spec, past, err := journal.Read(r.log)
	if err != nil {
		return err
	}
	if spec.Partitions == 0 {
		return errNotBegun
	}
	r.spec, r.history = spec, past
	r.names.adopt(&r.history)
	if r.sweeps() {
		return r.addUp()
	}
	return nil
}

func (r *run) saveControl() error {
	body, err := json.MarshalIndent(r.control, "", "  ")
	if err != nil {
		return err
	}
	if r.backup != nil && !r.control.Elsewhere {
		r.backup.noteControl(body)
	}
	return store.ReplaceFile(r.fs, filepath.Join(r.dir, controlFile), append(body, '\n'))
}

// complete reports whether all that was asked for has been found.
func (r *run) complete() bool {
	h := r.past()
	if r.sweeps() {
		_, done := h.Units()
		return done == r.spec.Units
	}
	return h.Exhausted(r.control.Want.GoalDistance || len(h.Layers(history.Goal)) > 0)
}

// gotOn notes that a run has got on.
func (r *run) gotOn() {
	r.moved, r.furthest, r.retries, r.trouble = time.Now(), 0, 0, ""
}
