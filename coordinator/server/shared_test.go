package server

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/everystate/everystate/coordinator/history"
	"github.com/everystate/everystate/coordinator/journal"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
	"github.com/everystate/everystate/proto/wire"
	"github.com/everystate/everystate/store/bucket"
)

// keeps does what is due for a run in the bucket.
func (s *runService) keeps(t *testing.T) {
	t.Helper()
	r := s.runs["run"]
	s.startBackup(r)
	for more := true; more && !r.backup.conflict; {
		var err error
		if more, err = r.backup.keepLogStep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// begins begins the run's first session, and commits a layer at its worker.
func (s *runService) begins(t *testing.T) *run {
	t.Helper()
	r := s.runs["run"]
	if err := s.beginSession(r); err != nil {
		t.Fatal(err)
	}
	if err := r.commitPlaced(); err != nil {
		t.Fatal(err)
	}
	return r
}

// resumes resumes the run with a limit, or with those it has if it is 0.
func (s *runService) resumes(t *testing.T, states uint64) {
	t.Helper()
	req := &everystatev1.ControlRunRequest{Run: "run", Control: everystatev1.Control_CONTROL_RESUME}
	if states > 0 {
		req.Want = &everystatev1.Want{MaxStates: states}
	}
	if _, err := s.ControlRun(t.Context(), req); err != nil {
		t.Fatal(err)
	}
}

// askedIn returns what a bucket says is asked of the run.
func askedIn(t *testing.T, in *bucket.Bucket) control {
	t.Helper()
	c, known, err := journal.ControlOf(t.Context(), in.Run("run"))
	if err != nil || !known {
		t.Fatal(known, err)
	}
	return c
}

// two returns two coordinators with one bucket, in which the first has a run with a limit of
// seven states, and what is on the first one's disk.
func two(t *testing.T) (in *bucket.Bucket, first, second *runService, disk *vfs.MemFS) {
	t.Helper()
	in, disk = bucketIn(t), vfs.NewCrashableMem()
	first, second = serverOn(t, disk), serverOn(t, vfs.NewMem())
	first.bucket, second.bucket = in, in
	if _, err := first.SubmitRun(t.Context(), &everystatev1.SubmitRunRequest{Run: "run", Spec: toySpec, Want: &everystatev1.Want{MaxStates: 7}}); err != nil {
		t.Fatal(err)
	}
	first.keeps(t)
	if err := second.importOne(t.Context(), "run", false); err != nil {
		t.Fatal(err)
	}
	second.keeps(t)
	return in, first, second, disk
}

// TestRestartKeepsWhatIsAsked starts a coordinator again after another one was asked for more.
// Its own limits of before do not replace what is in the bucket.
func TestRestartKeepsWhatIsAsked(t *testing.T) {
	t.Parallel()
	in, _, second, disk := two(t)
	second.resumes(t, 60)
	second.keeps(t)
	again := serverOn(t, disk.CrashClone(vfs.CrashCloneCfg{}))
	again.bucket = in
	again.keeps(t)
	if got := askedIn(t, in).Want.MaxStates; got != 60 {
		t.Errorf("the bucket has a limit of %d states", got)
	}
	if got := again.runs["run"].control.Want.MaxStates; got != 60 {
		t.Errorf("the coordinator has a limit of %d states", got)
	}
}

// TestLatestLimitsCount resumes a run by turns on two coordinators that have both worked on it.
func TestLatestLimitsCount(t *testing.T) {
	t.Parallel()
	in, first, second, _ := two(t)
	second.resumes(t, 60)
	second.keeps(t)
	for _, s := range []*runService{first, second} {
		s.deactivate(history.Paused, "")
		s.keeps(t)
	}
	first.resumes(t, 90)
	first.keeps(t)
	first.deactivate(history.Paused, "")
	first.keeps(t)
	second.resumes(t, 0)
	second.keeps(t)
	if got := askedIn(t, in).Want.MaxStates; got != 90 {
		t.Errorf("the bucket has a limit of %d states", got)
	}
}

// TestPauseKeepsLimits pauses a run where it was only found. Its limits stay.
func TestPauseKeepsLimits(t *testing.T) {
	t.Parallel()
	in, first, second, _ := two(t)
	first.resumes(t, 60)
	first.keeps(t)
	if err := second.ask("run", everystatev1.Control_CONTROL_PAUSE); err != nil {
		t.Fatal(err)
	}
	second.keeps(t)
	if c := askedIn(t, in); c.Want.MaxStates != 60 || c.State != history.Paused {
		t.Errorf("the bucket has a limit of %d states, %v", c.Want.MaxStates, c.State)
	}
}

// TestAdoptWhatWasFound starts a coordinator with --adopt that has found a run before.
func TestAdoptWhatWasFound(t *testing.T) {
	t.Parallel()
	_, _, second, _ := two(t)
	if err := second.tryImport(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c := second.runs["run"].control; c.State != history.Paused || !c.Elsewhere {
		t.Errorf("not to be adopted: %v", c.State)
	}
	second.opts.Adopt = true
	if err := second.tryImport(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c := second.runs["run"].control; c.State != history.Queued || c.Elsewhere || c.Want.MaxStates != 7 {
		t.Errorf("%v, with a limit of %d", c.State, c.Want.MaxStates)
	}
}

// TestFoundRunIsNotWritten removes a run from the bucket that a coordinator has found there.
// The coordinator writes nothing of it, and can delete it without anybody's workers.
func TestFoundRunIsNotWritten(t *testing.T) {
	t.Parallel()
	in, first, second, _ := two(t)
	r := first.begins(t) // at a worker that only first knows
	first.keeps(t)
	found := second.runs["run"]
	found.lookAgain()
	second.keeps(t)
	if len(found.log) != len(r.log) {
		t.Fatalf("%d entries, not %d", len(found.log), len(r.log))
	}
	if _, err := in.Run("run").Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	found.lookAgain()
	second.keeps(t)
	if log, err := in.Run("run").Log(t.Context(), 0); err != nil || len(log) > 0 {
		t.Errorf("%d entries are back, %v", len(log), err)
	}
	if err := second.ask("run", everystatev1.Control_CONTROL_DELETE); err != nil {
		t.Fatal(err)
	}
	if who := second.deleted.Pending("run"); who != "(the bucket)" {
		t.Errorf("it waits for %q", who)
	}
}

// TestDamageOfFoundRun hears that a worker's store of a complete run is damaged, at a
// coordinator that has only found the run. One that adopts runs takes it up and keeps it in the
// bucket; another one leaves it alone.
func TestDamageOfFoundRun(t *testing.T) {
	t.Parallel()
	for _, adopt := range []bool{false, true} {
		in, first, second, _ := two(t)
		first.begins(t)
		first.deactivate(history.Stopped, "")
		first.keeps(t)
		second.opts.Adopt = adopt
		found := second.runs["run"]
		found.lookAgain()
		second.keeps(t)
		if c := found.control; c.State != history.Stopped || !c.Elsewhere {
			t.Fatalf("it is %v", c.State)
		}
		m := &member{name: "w"}
		second.members["w"] = m
		takeDamage(second.Server, m, &everystatev1.SynchronizeRequest{Worker: "w", Damaged: []*everystatev1.Damage{{Run: "run", What: "torn"}}})
		if second.activateNext(); (second.active == found) != adopt {
			t.Errorf("adopts: %t, and it is %v", adopt, found.control.State)
		}
		second.keeps(t)
		if err := second.beginSession(found); err != nil {
			t.Fatal(err)
		}
		second.keeps(t)
		log, err := in.Run("run").Log(t.Context(), 0)
		if written := len(log) == len(found.log); err != nil || written != adopt {
			t.Errorf("adopts: %t, and the bucket has %d of %d entries, %v", adopt, len(log), len(found.log), err)
		}
	}
}

// TestRunAfterDeletion begins a run under the name of one that is still being deleted. It is
// another one, even if it is alike.
func TestRunAfterDeletion(t *testing.T) {
	t.Parallel()
	in, first, _, _ := two(t)
	first.begins(t)
	first.keeps(t)
	if err := first.ask("run", everystatev1.Control_CONTROL_DELETE); err != nil {
		t.Fatal(err)
	}
	remove := func() bool {
		done, _, err := first.tryRemove(t.Context(), "run")
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	if remove() {
		t.Fatal("its worker may still write")
	}
	other := serverOn(t, vfs.NewMem())
	other.bucket = in
	if err := other.ask("run", everystatev1.Control_CONTROL_UNSPECIFIED); err != nil {
		t.Fatal(err)
	}
	other.keeps(t)
	if !remove() {
		t.Error("the new run is taken for the old one")
	}
	if log, err := in.Run("run").Log(context.Background(), 0); err != nil || len(log) == 0 {
		t.Errorf("the new run is gone: %v", err)
	}
}

// TestQueuedAfterDeletion queues a run under the name of one that is still being deleted, by a
// coordinator that starts again meanwhile. It is another one, although its log has nothing yet
// but the same board.
func TestQueuedAfterDeletion(t *testing.T) {
	t.Parallel()
	for _, by := range []string{"this coordinator", "somebody else"} {
		t.Run(by+" removes it", func(t *testing.T) {
			t.Parallel()
			in, first, _, disk := two(t)
			first.begins(t)
			first.keeps(t)
			if err := first.ask("run", everystatev1.Control_CONTROL_DELETE); err != nil {
				t.Fatal(err)
			}
			var err error
			if by == "this coordinator" {
				_, _, err = first.tryRemove(t.Context(), "run")
			} else {
				_, err = in.Run("run").Delete(t.Context())
			}
			if log, notRead := in.Run("run").Log(t.Context(), 0); err != nil || notRead != nil || len(log) > 0 {
				t.Fatal(len(log), err, notRead)
			}
			other := serverOn(t, vfs.NewMem())
			other.bucket = in
			if err := other.ask("run", everystatev1.Control_CONTROL_UNSPECIFIED); err != nil {
				t.Fatal(err)
			}
			other.keeps(t)
			again := serverOn(t, disk.CrashClone(vfs.CrashCloneCfg{}))
			again.bucket = in
			if _, _, err := again.tryRemove(t.Context(), "run"); err != nil {
				t.Fatal(err)
			}
			if log, err := in.Run("run").Log(t.Context(), 0); err != nil || len(log) == 0 {
				t.Errorf("the new run is gone: %v", err)
			}
		})
	}
}

// TestRemovedFromBucket removes a run that has come to its end from the bucket, and starts its
// coordinator again. The run stays as it is, and is written again only once it is resumed.
func TestRemovedFromBucket(t *testing.T) {
	t.Parallel()
	in, first, _, disk := two(t)
	first.begins(t)
	first.deactivate(history.Stopped, "")
	first.keeps(t)
	if _, err := in.Run("run").Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
	again := serverOn(t, disk.CrashClone(vfs.CrashCloneCfg{}))
	again.bucket = in
	logged := func() int {
		t.Helper()
		again.keeps(t)
		log, err := in.Run("run").Log(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		return len(log)
	}
	if n := logged(); n > 0 {
		t.Errorf("%d entries are back", n)
	}
	if st := again.status(again.runs["run"]); !strings.Contains(st.GetBucketTrouble(), "removed") || again.stateOf("run") != history.Stopped {
		t.Errorf("%v: %q", again.stateOf("run"), st.GetBucketTrouble())
	}
	again.runs["run"].backup.busy = false // the goroutine that keeps the log has ended
	again.resumes(t, 0)
	if n, all := logged(), len(again.runs["run"].log); n != all {
		t.Errorf("%d entries of %d", n, all)
	}
	if st := again.status(again.runs["run"]); st.GetBucketTrouble() != "" {
		t.Errorf("it was resumed: %q", st.GetBucketTrouble())
	}
}

// TestNameOfLostWorkers deletes a run while a worker that keeps some of it is away. Its name is
// free once the worker is given up, also for a coordinator that starts again. When the worker
// returns, it removes what it has before it counts as being there.
func TestNameOfLostWorkers(t *testing.T) {
	t.Parallel()
	disk := vfs.NewCrashableMem()
	s := serverOn(t, disk)
	submit := everystatev1.Control_CONTROL_UNSPECIFIED
	if err := s.ask("run", submit); err != nil {
		t.Fatal(err)
	}
	if err := s.runs["run"].commitPlaced(); err != nil {
		t.Fatal(err)
	}
	if err := s.ask("run", everystatev1.Control_CONTROL_DELETE); err != nil {
		t.Fatal(err)
	}
	worker := s.deleted.Pending("run")
	s.started = time.Now().Add(time.Hour) // others may still call
	s.expire()
	if err := s.ask("run", submit); status.Code(err) != codes.FailedPrecondition || !strings.Contains(err.Error(), worker) {
		t.Errorf("its name is free although %s may be there: %v", worker, err)
	}
	s.started = time.Now().Add(-time.Hour)
	s.expire()
	if err := s.ask("run", submit); err != nil {
		t.Errorf("its name is not free: %v", err)
	}
	again := serverOn(t, disk.CrashClone(vfs.CrashCloneCfg{}))
	if is := again.stateOf("run"); is != history.Queued {
		t.Errorf("after a restart the run is %v", is)
	}
	for _, kept := range [][]string{{"other", "run"}, {"other"}, {"other", "run"}} {
		res, err := (&sessionService{Server: again.Server}).Synchronize(t.Context(), &everystatev1.SynchronizeRequest{
			Worker: worker, Incarnation: 1, Address: "h:1", KeptRuns: kept, WireVersion: wire.Version,
		})
		if err != nil {
			t.Fatal(err)
		}
		removes := len(kept) == 2 && len(again.members) == 0
		if got := res.GetDeletedRuns(); removes != slices.Equal(got, []string{"run"}) || !removes && len(got) > 0 {
			t.Errorf("it keeps %q and is to remove %q", kept, got)
		}
		if there := again.roster.Of(worker).Present; there == removes {
			t.Errorf("it keeps %q and is there: %t", kept, there)
		}
	}
}

// TestDamageRemoved removes a run that cannot be read from the bucket. Its name is free.
func TestDamageRemoved(t *testing.T) {
	t.Parallel()
	s := serverOn(t, vfs.NewMem())
	s.bucket = bucketIn(t)
	s.damaged["run"] = "damaged"
	if err := s.ask("run", everystatev1.Control_CONTROL_UNSPECIFIED); err != nil {
		t.Error(err)
	}
}

// TestOtherLayersInBucket has a run that is to keep its frontier under the name of one in the
// bucket that keeps all. It is refused; one that is to keep all takes over what is there.
func TestOtherLayersInBucket(t *testing.T) {
	t.Parallel()
	in, _, _, _ := two(t)
	for _, frontier := range []bool{true, false} {
		other := serverOn(t, vfs.NewMem())
		other.bucket = in
		spec, err := other.readSpec(toySpec)
		if err != nil {
			t.Fatal(err)
		}
		spec.Keep.Frontier = frontier
		r, err := makeRun(other.Server, "/data/runs/run", "run", spec, history.Want{})
		if err != nil {
			t.Fatal(err)
		}
		other.runs["run"] = r
		other.keeps(t)
		if c := r.control; (c.State == history.Failed) != frontier || frontier && !strings.Contains(c.Failure, "it has --keep all") {
			t.Errorf("keeps its frontier: %t: %v: %s", frontier, c.State, c.Failure)
		}
	}
}
