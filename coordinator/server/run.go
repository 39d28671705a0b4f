package server

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/everystate/everystate/coordinator/asked"
	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	"github.com/everystate/everystate/store"
)

const runsDir = "runs"

// errNotBegun reports a run's directory without a spec.
var errNotBegun = errors.New("the run was never started")

// run is a run that the coordinator knows.
type run struct {
	server  *Server
	name    string
	fs      vfs.FS
	dir     string
	store   *store.Store    // for the journal only
	log     journal.Entries // the journal
	spec    history.Spec
	history history.History // while the run is not being worked on
	names   history.Names   // of the workers, by core.WorkerID
	control control
	backup  *backup // nil if the run is in no bucket
	job     job     // the work to do for it

	// While the run is being worked on, or is about to be:
	since   core.Ticks // since when, apart from control.WorkedMillis
	claim   core.Claim
	looked  core.Ticks // when the log was last read for it
	pace    core.Pace
	givenUp map[history.WorkerID]bool // keepers that are no longer waited for
	beyond  uint32                    // the greatest epoch that a worker knew of; sessions begin after it
}

// control is what clients have asked of a run, and its outcome, copied to the bucket.
type control = journal.Control

// makeRun makes a new run, in place of what is left of one that was not made to its end. It
// has begun when its journal has, and then it is known what was asked of it.
func makeRun(server *Server, dir, name string, spec history.Spec, want history.Want) (*run, error) {
	if err := server.opts.FS.RemoveAll(dir); err != nil {
		return nil, err
	}
	st, err := store.Open(dir, store.Options{FS: server.opts.FS, CacheBytes: 1 << 20})
	if err != nil {
		return nil, errors.Join(err, server.opts.FS.RemoveAll(dir))
	}
	r := &run{server: server, name: name, fs: server.opts.FS, dir: dir, store: st, spec: spec}
	r.history.SetKeep(spec.Keep)
	history.SetDivided(&r.history, spec.Store == history.DividedTable)
	r.control = control{Submitted: time.Now().UTC(), State: history.Queued, Want: want}
	r.job = newJob(r)
	if err := errors.Join(r.saveControl(), r.append(journal.Begin(spec)...), r.job.read()); err != nil {
		return nil, errors.Join(err, st.Close(), r.fs.RemoveAll(dir))
	}
	return r, nil
}

// importRun makes a run whose log is in a bucket.
func importRun(server *Server, dir, name string, log journal.Entries, c control) (*run, error) {
	st, err := store.Open(dir, store.Options{FS: server.opts.FS, CacheBytes: 1 << 20})
	if err != nil {
		return nil, err
	}
	r := &run{server: server, name: name, fs: server.opts.FS, dir: dir, store: st, control: c}
	if err := errors.Join(r.saveControl(), r.replaceTail(0, log)); err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return r, nil
}

// openRun opens an existing run.
func openRun(server *Server, dir string) (*run, error) {
	st, err := store.Open(dir, store.Options{FS: server.opts.FS, CacheBytes: 1 << 20})
	if err != nil {
		return nil, err
	}
	r := &run{server: server, name: filepath.Base(dir), fs: server.opts.FS, dir: dir, store: st}
	if err := r.read(); err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return r, nil
}

// reopen opens the journal of a run again after its disk has failed, for example because
// it was full. What is on disk counts, as after a crash. The run is not being worked on.
func (r *run) reopen() error {
	st, err := store.Open(r.dir, store.Options{FS: r.fs, CacheBytes: 1 << 20})
	if err != nil {
		return err
	}
	r.store, r.log = st, nil
	if b := r.backup; b != nil {
		b.ready, b.known = false, nil // the copy followed the journal as it was before
	}
	return r.readJournal()
}

// readJournal reads the journal from disk and replays it into the history.
func (r *run) readJournal() error {
	err := r.store.Journal(func(entry []byte) error {
		r.log = append(r.log, slices.Clone(entry))
		return nil
	})
	if err != nil {
		return err
	}
	return r.replay()
}

func (r *run) read() (err error) {
	if err := r.readJournal(); err != nil {
		return err
	}
	var lost string
	if r.control, lost, err = asked.Read(r.fs, r.dir); lost != "" {
		r.server.log.Error("the state and limits of a run are lost: it is paused without limits; resume it with the limits it had", "run", r.name, "error", lost)
	}
	r.control.State = core.Reopened(r.control.State)
	return err
}

// append appends entries to the journal, durably, all or none of them.
func (r *run) append(entries ...[]byte) error {
	if err := store.AppendEntries(r.store, entries, true); err != nil {
		return err
	}
	r.log = append(r.log, entries...)
	return nil
}

// replaceTail replaces the entries of the journal from number n on with those of a log,
// and replays the history.
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

// replay rebuilds the history from the journal.
func (r *run) replay() error {
	spec, past, err := journal.Read(r.log)
	if err != nil {
		return err
	}
	if spec.Partitions == 0 {
		return errNotBegun
	}
	r.spec, r.history = spec, past
	r.names.Adopt(&r.history)
	if r.job == nil {
		r.job = newJob(r)
	}
	return r.job.read()
}

func (r *run) saveControl() error {
	r.control.Unsent = r.server.bucket != nil && !r.control.Elsewhere
	if body, err := r.control.Body(); err == nil && r.backup != nil && !r.control.Elsewhere {
		r.backup.noteControl(body)
	}
	return asked.Write(r.fs, r.dir, r.control)
}

// sent notes that the bucket has what is asked of the run.
func (r *run) sent() {
	r.control.Unsent, r.control.Bucket = false, r.backup.url
	if err := asked.Write(r.fs, r.dir, r.control); err != nil {
		r.server.log.Error("cannot write the control file", "run", r.name, "error", err)
	}
}

// noteControl saves what a client has asked for, which is in force already.
func (r *run) noteControl() error {
	if err := r.saveControl(); err != nil {
		return fmt.Errorf("run %s is %v, but only until the coordinator restarts: %w", r.name, r.control.State, err)
	}
	return nil
}
