package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/everystate/everystate/coordinator/core"
	"github.com/everystate/everystate/coordinator/journal"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
	"github.com/everystate/everystate/store"
)

const (
	runsDir     = "runs"
	controlFile = "control.json"
)

// nameMax bounds the names of runs, which are names of directories too.
const nameMax = 128

// validName reports whether a run may have this name.
func validName(name string) bool {
	return len(name) <= nameMax && regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]*$`).MatchString(name)
}

// errNotBegun reports a run's directory without a spec.
var errNotBegun = errors.New("the run was never begun")

// run is a run that the coordinator knows.
type run struct {
	name    string
	dir     string
	store   *store.Store // of the journal alone
	entries uint64       // in the journal
	spec    core.Spec
	board   puzzle.Board
	history core.History // while core is nil
	control control

	// While the run is being worked on:
	core    *core.Core
	began   time.Time // of the attempt
	moved   time.Time // when it last got on
	told    time.Time // when the last complaint was made
	waitFor []core.WorkerID
	retries int // of the layer under way
}

// control is what clients have asked of a run, and what became of that. It is
// no part of the record of truth: without it a run would be paused.
type control struct {
	// Submitted orders the queue.
	Submitted time.Time             `json:"submitted"`
	State     everystatev1.RunState `json:"state"`
	Want      core.Want             `json:"want"`
	Failure   string                `json:"failure,omitempty"`
}

// past returns what has been committed.
func (r *run) past() *core.History {
	if r.core != nil {
		return r.core.History()
	}
	return &r.history
}

// makeRun makes a run that is to be worked on.
func makeRun(dir, name string, spec core.Spec, want core.Want) (*run, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	st, err := store.Open(dir, store.Options{CacheBytes: 1 << 20})
	if err != nil {
		return nil, err
	}
	if err := st.AppendJournal(journal.Spec(spec), true); err != nil {
		return nil, errors.Join(err, st.Close())
	}
	r := &run{name: name, dir: dir, store: st, entries: 1, spec: spec}
	r.control = control{Submitted: time.Now().UTC(), State: everystatev1.RunState_RUN_STATE_QUEUED, Want: want}
	if err := errors.Join(r.readBoard(), r.saveControl()); err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return r, nil
}

// openRun opens a run that was made before.
func openRun(dir string) (*run, error) {
	st, err := store.Open(dir, store.Options{CacheBytes: 1 << 20})
	if err != nil {
		return nil, err
	}
	r := &run{name: filepath.Base(dir), dir: dir, store: st}
	if err := r.read(); err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return r, nil
}

func (r *run) read() (err error) {
	if r.spec, r.history, err = journal.Read(r.store); err != nil {
		return err
	}
	if r.spec.Partitions == 0 {
		return errNotBegun
	}
	if err := r.store.Journal(func([]byte) error { r.entries++; return nil }); err != nil {
		return err
	}
	if err := r.readBoard(); err != nil {
		return err
	}
	body, err := os.ReadFile(filepath.Join(r.dir, controlFile))
	if err == nil {
		err = json.Unmarshal(body, &r.control)
	}
	if err != nil {
		r.control = control{State: everystatev1.RunState_RUN_STATE_PAUSED, Want: core.Want{MaxDepth: -1}}
	}
	switch r.control.State {
	case everystatev1.RunState_RUN_STATE_RUNNING, everystatev1.RunState_RUN_STATE_WAITING:
		r.control.State = everystatev1.RunState_RUN_STATE_QUEUED
	default:
	}
	return nil
}

func (r *run) readBoard() error {
	boards, err := families.Read([]byte(r.spec.Text), puzzle.ReadOptions{})
	if err == nil && len(boards) != 1 {
		err = fmt.Errorf("%d boards", len(boards))
	}
	if err != nil {
		return fmt.Errorf("the stored puzzle cannot be read: %w", err)
	}
	r.board = boards[0]
	return nil
}

// append appends an entry to the journal, durably.
func (r *run) append(entry []byte) error {
	if err := r.store.AppendJournal(entry, true); err != nil {
		return err
	}
	r.entries++
	return nil
}

func (r *run) saveControl() error {
	body, err := json.MarshalIndent(r.control, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(r.dir, controlFile)
	if err := os.WriteFile(path+".new", append(body, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// complete reports whether all that was asked for has been found.
func (r *run) complete() bool {
	h := r.past()
	return h.Exhausted(r.control.Want.GoalDistance || len(h.Layers(core.Goal)) > 0)
}
