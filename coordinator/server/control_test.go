package server

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/coordinator/deletions"
	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/store"
	"github.com/everystate/everystate/store/bucket"
)

// controls are what clients ask of a run, and what it is before and afterwards; Unknown
// means that there is none.
var controls = map[string]struct {
	before, after history.State
	do            everystatev1.Control
	behind        bool // the run is not the first in the queue
}{
	"submit":        {history.Unknown, history.Queued, everystatev1.Control_CONTROL_UNSPECIFIED, false},
	"pause":         {history.Queued, history.Paused, everystatev1.Control_CONTROL_PAUSE, false},
	"pause queued":  {history.Queued, history.Paused, everystatev1.Control_CONTROL_PAUSE, true},
	"cancel":        {history.Queued, history.Cancelled, everystatev1.Control_CONTROL_CANCEL, false},
	"resume":        {history.Paused, history.Queued, everystatev1.Control_CONTROL_RESUME, false},
	"delete":        {history.Queued, history.Unknown, everystatev1.Control_CONTROL_DELETE, false},
	"delete queued": {history.Queued, history.Unknown, everystatev1.Control_CONTROL_DELETE, true},
	"delete paused": {history.Paused, history.Unknown, everystatev1.Control_CONTROL_DELETE, true},
}

var toySpec = &everystatev1.RunSpec{Family: "rush-hour", Text: toyText, Partitions: 1}

// serverOn is a coordinator that has started with a disk; nobody drives it.
func serverOn(t *testing.T, disk vfs.FS) *runService {
	t.Helper()
	opts := Options{Data: "/data", FS: disk, SettleMillis: -1}
	opts.EnsureDefaults()
	s := newCoordinator(opts, "test")
	s.spawn = func(func(context.Context)) {}
	if err := s.load(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.close() }) // its disk may be full
	return &runService{Server: s}
}

// ask asks for a control, or submits the run if there is none.
func (s *runService) ask(run string, do everystatev1.Control) error {
	var err error
	if do == everystatev1.Control_CONTROL_UNSPECIFIED {
		_, err = s.SubmitRun(context.Background(), &everystatev1.SubmitRunRequest{Run: run, Spec: toySpec})
	} else {
		_, err = s.ControlRun(context.Background(), &everystatev1.ControlRunRequest{Run: run, Control: do})
	}
	return err
}

// stateOf returns the state of a run, Queued also if it is explored already.
func (s *runService) stateOf(run string) history.State {
	switch r := s.runs[run]; {
	case r == nil:
		return history.Unknown
	case r.control.State == history.Running:
		return history.Queued
	default:
		return r.control.State
	}
}

// prepared returns a coordinator on a disk with the run as it is before a control. A
// worker may keep records of it.
func prepared(t *testing.T, disk vfs.FS, name string) *runService {
	t.Helper()
	s, c := serverOn(t, disk), controls[name]
	first := []string{}
	if c.behind {
		first = append(first, "first")
	}
	if c.before != history.Unknown {
		first = append(first, "run")
	}
	for _, run := range first {
		if err := s.ask(run, everystatev1.Control_CONTROL_UNSPECIFIED); err != nil {
			t.Fatal(err)
		}
	}
	if r := s.runs["run"]; r != nil {
		if err := r.commitPlaced(); err != nil {
			t.Fatal(err)
		}
	}
	if c.before == history.Paused {
		if err := s.ask("run", everystatev1.Control_CONTROL_PAUSE); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// TestControlsOutliveAKill kills a coordinator, or takes its power away, at each operation
// of its disk during a control. When it starts again, the run is as it was before or as it
// was asked to be, and the latter if the client was told so. Asking again does the rest.
func TestControlsOutliveAKill(t *testing.T) {
	t.Parallel()
	for name, c := range controls {
		for kept, unsynced := range map[string]int{"killed": 100, "without power": 0} {
			t.Run(path.Join(name, kept), func(t *testing.T) {
				t.Parallel()
				for n, over := int64(1), false; !over; n++ {
					disk := vfs.NewCrashableMem()
					var ops atomic.Int64
					var left atomic.Pointer[vfs.MemFS]
					s := prepared(t, errorfs.Wrap(disk, errorfs.InjectorFunc(func(op errorfs.Op) error {
						if op.Kind.ReadOrWrite() == errorfs.OpIsWrite && ops.Add(1) == n {
							left.Store(disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: unsynced, RNG: rand.New(rand.NewPCG(1, 1))}))
						}
						return nil
					})), name)
					ops.Store(0)
					left.Store(nil)
					if err := s.ask("run", c.do); err != nil {
						t.Fatal(err)
					}
					after := left.Load()
					if over = after == nil; over {
						after = disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: unsynced, RNG: rand.New(rand.NewPCG(1, 1))})
					}
					again := serverOn(t, after)
					is := again.stateOf("run")
					if is != c.after && (over || is != c.before && !(c.after == history.Unknown && is == history.Cancelled)) {
						t.Errorf("killed at operation %d: the run is %v, was %v, and was to be %v", n, is, c.before, c.after)
					}
					if who := again.deleted.Pending("run"); who != "" && is != history.Unknown {
						t.Errorf("killed at operation %d: the run is %v although %s removes it", n, is, who)
					}
					if len(again.damaged) > 0 {
						t.Errorf("killed at operation %d: %v", n, again.damaged)
					}
					if err := again.ask("run", c.do); err != nil && !(is == c.after && c.after == history.Unknown) {
						t.Errorf("killed at operation %d, and asked again: %v", n, err)
					}
					if is := again.stateOf("run"); is != c.after {
						t.Errorf("killed at operation %d, and asked again: the run is %v", n, is)
					}
				}
			})
		}
	}
}

// TestControlsOnAFullDisk asks a coordinator whose disk is full. It says so, and tells no
// worker to remove anything. Once there is room, it does what it is asked.
func TestControlsOnAFullDisk(t *testing.T) {
	t.Parallel()
	for name, c := range controls {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var full atomic.Bool
			disk := vfs.NewCrashableMem()
			s := prepared(t, errorfs.Wrap(disk, errorfs.InjectorFunc(func(op errorfs.Op) error {
				if full.Load() && op.Kind == errorfs.OpCreate && strings.Contains(op.Path, ".json") {
					return syscall.ENOSPC
				}
				return nil
			})), name)
			full.Store(true)
			err := s.ask("run", c.do)
			if err == nil || !strings.Contains(err.Error(), "no space left") {
				t.Errorf("nobody is told: %v", err)
			}
			if who := s.deleted.Pending("run"); who != "" || c.after == history.Unknown && s.runs["run"] == nil {
				t.Errorf("the run is deleted all the same, by %q", who)
			}
			full.Store(false)
			if err := s.ask("run", c.do); err != nil {
				t.Errorf("there is room again: %v", err)
			}
			again := serverOn(t, disk.CrashClone(vfs.CrashCloneCfg{}))
			if is := again.stateOf("run"); is != c.after || len(again.damaged) > 0 {
				t.Errorf("after a restart the run is %v; %v", is, again.damaged)
			}
		})
	}
}

// TestDeletedInBucketOnAFullDisk removes a run from the bucket while the disk is full. It is
// tried again, so that the name is free once there is room.
func TestDeletedInBucketOnAFullDisk(t *testing.T) {
	t.Parallel()
	var full atomic.Bool
	s := serverOn(t, errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if full.Load() && op.Kind == errorfs.OpCreate {
			return syscall.ENOSPC
		}
		return nil
	})))
	s.bucket = bucketIn(t)
	if err := s.deleted.Add("run", []string{deletions.TheBucket}); err != nil {
		t.Fatal(err)
	}
	full.Store(true)
	if done, _, err := s.tryRemove(t.Context(), "run"); done || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("done %v: %v", done, err)
	}
	full.Store(false)
	if done, _, err := s.tryRemove(t.Context(), "run"); !done || err != nil || s.deleted.Pending("run") != "" {
		t.Errorf("there is room again: done %v: %v; pending %q", done, err, s.deleted.Pending("run"))
	}
}

// TestImportOutlivesAKill kills a coordinator, or takes its power away, at each operation of
// its disk while it takes a run from the bucket. When it starts again, it has not taken the
// run, or knows what was asked of it.
func TestImportOutlivesAKill(t *testing.T) {
	t.Parallel()
	in := bucketIn(t)
	spec, err := serverOn(t, vfs.NewMem()).readSpec(toySpec)
	if err != nil {
		t.Fatal(err)
	}
	for i, entry := range journal.Begin(spec) {
		if err := in.Run("run").Append(t.Context(), i, entry); err != nil {
			t.Fatal(err)
		}
	}
	kept := control{State: history.Running, Want: history.Want{MaxStates: 5}}
	if err := kept.Store(t.Context(), in.Run("run")); err != nil {
		t.Fatal(err)
	}
	for _, unsynced := range []int{100, 0} {
		for n, over := int64(1), false; !over; n++ {
			disk := vfs.NewCrashableMem()
			var ops atomic.Int64
			var left atomic.Pointer[vfs.MemFS]
			s := serverOn(t, errorfs.Wrap(disk, errorfs.InjectorFunc(func(op errorfs.Op) error {
				if op.Kind.ReadOrWrite() == errorfs.OpIsWrite && ops.Add(1) == n {
					left.Store(disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: unsynced, RNG: rand.New(rand.NewPCG(1, 1))}))
				}
				return nil
			})))
			s.bucket = in
			ops.Store(0)
			left.Store(nil)
			if err := s.importOne(t.Context(), "run", false); err != nil {
				t.Fatal(err)
			}
			after := left.Load()
			if over = after == nil; over {
				after = disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: unsynced, RNG: rand.New(rand.NewPCG(1, 1))})
			}
			again := serverOn(t, after)
			r := again.runs["run"]
			if r == nil && over || r != nil && (r.control.Want.MaxStates != kept.Want.MaxStates || !r.control.Elsewhere) || len(again.damaged) > 0 {
				t.Errorf("killed at operation %d: taken %v; %v", n, r != nil, again.damaged)
			}
		}
	}
}

// TestSubmitOnAFullDisk fills a coordinator's disk at each operation during a submit. The
// client is told, and nothing is left that the next start would have to open.
func TestSubmitOnAFullDisk(t *testing.T) {
	t.Parallel()
	for n, over := int64(1), false; !over; n++ {
		disk := vfs.NewMem()
		var ops atomic.Int64
		ops.Store(math.MinInt64)
		s := serverOn(t, errorfs.Wrap(disk, errorfs.InjectorFunc(func(op errorfs.Op) error {
			if (op.Kind == errorfs.OpCreate || op.Kind == errorfs.OpFileWrite || op.Kind == errorfs.OpMkdirAll) && ops.Add(1) >= n {
				return syscall.ENOSPC
			}
			return nil
		})))
		ops.Store(0)
		err := s.ask("run", everystatev1.Control_CONTROL_UNSPECIFIED)
		over = err == nil && ops.Load() < n
		left, listed := disk.List(filepath.Join(s.opts.Data, runsDir))
		if err != nil && (len(left) > 0 || listed != nil || !strings.Contains(err.Error(), "no space left")) {
			t.Errorf("full from operation %d on: %v; left %q: %v", n, err, left, listed)
		}
	}
}

// TestStrayFile starts a coordinator that finds a file among its runs.
func TestStrayFile(t *testing.T) {
	t.Parallel()
	disk := vfs.NewMem()
	runs := "/data/" + runsDir
	if err := errors.Join(store.MakeDir(disk, "/data"), store.MakeDir(disk, runs), store.ReplaceFile(disk, filepath.Join(runs, "stray"), nil)); err != nil {
		t.Fatal(err)
	}
	if s := serverOn(t, onDirs{disk}); len(s.runs) > 0 || len(s.damaged) > 0 {
		t.Errorf("%d runs, %v", len(s.runs), s.damaged)
	}
}

// onDirs refuses to open what is in a file, as an operating system does.
type onDirs struct{ vfs.FS }

func (d onDirs) Stat(name string) (vfs.FileInfo, error) {
	if up, err := d.FS.Stat(filepath.Dir(name)); err == nil && !up.IsDir() {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: syscall.ENOTDIR}
	}
	return d.FS.Stat(name)
}

// TestRewindKeepsSessions cuts a journal back to a log that was begun anew, as after somebody
// removed the run from the bucket. Workers know of the sessions that are dropped, and refuse
// earlier ones: the next session comes after them.
func TestRewindKeepsSessions(t *testing.T) {
	t.Parallel()
	s := serverOn(t, vfs.NewMem())
	s.bucket = bucketIn(t)
	if err := s.ask("run", everystatev1.Control_CONTROL_UNSPECIFIED); err != nil {
		t.Fatal(err)
	}
	r := s.runs["run"]
	for range 3 {
		if err := s.beginSession(r); err != nil {
			t.Fatal(err)
		}
	}
	known, id := r.history.LastEpoch(), r.history.Identity()
	if err := r.backup.follow(2); err != nil { // the puzzle, and the first session
		t.Fatal(err)
	}
	if err := r.backup.rewind(); err != nil {
		t.Fatal(err)
	}
	if err := s.beginSession(r); err != nil {
		t.Fatal(err)
	}
	if got := r.history.LastEpoch(); len(r.log) != 3 || got <= known || r.history.Identity() != id {
		t.Errorf("%d entries, session %d after %d, %v after %v", len(r.log), got, known, r.history.Identity(), id)
	}
}

// TestLookAtRunOfOthers asks a coordinator to compare the objects of a run that it has only
// found in the bucket. It does so then, and at no other time.
func TestLookAtRunOfOthers(t *testing.T) {
	t.Parallel()
	s := serverOn(t, vfs.NewMem())
	s.bucket, s.started = bucketIn(t), time.Now().Add(-time.Hour)
	spec, err := s.readSpec(toySpec)
	if err != nil {
		t.Fatal(err)
	}
	if err := take(s.Server, "run", journal.Begin(spec), control{Elsewhere: true}, false); err != nil {
		t.Fatal(err)
	}
	b := s.runs["run"].backup
	b.ready = true
	if lookAtBuckets(s.Server); b.scrubbed.Busy {
		t.Error("it is another coordinator's to look at")
	}
	b.scrubbed.Asked = true
	if lookAtBuckets(s.Server); !b.scrubbed.Busy {
		t.Error("nobody looks, and who asked waits for ever")
	}
}

// TestDurableWithItsLimits keeps a run that has just been submitted in a bucket, step by
// step. When it is said to be there, another coordinator finds it with its limits.
func TestDurableWithItsLimits(t *testing.T) {
	t.Parallel()
	s := serverOn(t, vfs.NewMem())
	s.bucket = bucketIn(t)
	if err := s.ask("run", everystatev1.Control_CONTROL_UNSPECIFIED); err != nil {
		t.Fatal(err)
	}
	r := s.runs["run"]
	for step := range 10 {
		if st := s.status(r); st.GetDurableEntries() == st.GetJournalEntries() {
			if _, err := s.bucket.Run("run").Control(t.Context()); err != nil {
				t.Errorf("after %d steps: %v", step, err)
			}
			return
		}
		if _, err := r.backup.keepLogStep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	t.Error("it is never there")
}

// TestResumeAsAskedElsewhere resumes a run that a coordinator has found in the bucket before
// its limits were there. It goes as far as it should.
func TestResumeAsAskedElsewhere(t *testing.T) {
	t.Parallel()
	shared := bucketIn(t)
	first, second := serverOn(t, vfs.NewMem()), serverOn(t, vfs.NewMem())
	first.bucket, second.bucket = shared, shared
	limits := &everystatev1.Want{MaxStates: 7}
	if _, err := first.SubmitRun(t.Context(), &everystatev1.SubmitRunRequest{Run: "run", Spec: toySpec, Want: limits}); err != nil {
		t.Fatal(err)
	}
	here := first.runs["run"].backup
	for here.copy.Logged() == 0 {
		if _, err := here.keepLogStep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := second.importOne(t.Context(), "run", false); err != nil {
		t.Fatal(err)
	}
	if got := second.runs["run"].control.Want.MaxStates; got != 0 {
		t.Fatalf("the limits are there too early: %d", got)
	}
	if _, err := here.keepLogStep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := second.ask("run", everystatev1.Control_CONTROL_RESUME); err != nil {
		t.Fatal(err)
	}
	if got := second.runs["run"].control.Want.MaxStates; got != 7 {
		t.Errorf("it goes on to %d states", got)
	}

	// What is asked here counts from now on.
	if _, err := second.ControlRun(t.Context(), &everystatev1.ControlRunRequest{Run: "run", Control: everystatev1.Control_CONTROL_RESUME, Want: &everystatev1.Want{MaxStates: 9}}); err != nil {
		t.Fatal(err)
	}
	if err := second.ask("run", everystatev1.Control_CONTROL_RESUME); err != nil {
		t.Fatal(err)
	}
	if got := second.runs["run"].control.Want.MaxStates; got != 9 {
		t.Errorf("it goes on to %d states", got)
	}
}

// bucketIn returns an empty bucket.
func bucketIn(t *testing.T) *bucket.Bucket {
	t.Helper()
	in, err := bucket.Open(t.Context(), (&url.URL{Scheme: "file", Path: filepath.ToSlash(t.TempDir())}).String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	})
	return in
}

// commitPlaced commits that a worker keeps the run.
func (r *run) commitPlaced() error {
	return r.append(journal.Placement(history.Placement{Workers: []string{"w"}, Homes: []history.WorkerID{0}}))
}

// TestSubmitOtherPartitions submits a run again, with another number of partitions: the client
// is not told that the name is a different board's.
func TestSubmitOtherPartitions(t *testing.T) {
	t.Parallel()
	s := serverOn(t, vfs.NewMem())
	submit := func(partitions uint32) error {
		_, err := s.SubmitRun(t.Context(), &everystatev1.SubmitRunRequest{Run: "run", Spec: &everystatev1.RunSpec{Family: "rush-hour", Text: toyText, Partitions: partitions}})
		return err
	}
	if err := submit(1); err != nil {
		t.Fatal(err)
	}
	if err := submit(2); status.Code(err) != codes.FailedPrecondition || !strings.Contains(err.Error(), "run run has 1 partitions, which cannot be changed") {
		t.Errorf("with another number: %v", err)
	}
}
