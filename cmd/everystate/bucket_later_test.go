package main

import (
	"path/filepath"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/coordinator/client"
)

// TestResumeLater resumes a run on a coordinator that began before the run came into the
// bucket, with another limit: what else was asked of it still holds.
func TestResumeLater(t *testing.T) {
	t.Parallel()
	bkt := newBucketURL(t)
	addr, _ := startCoordinatorOn(t, bkt)
	startWorker(t, addr, t.TempDir())
	for _, run := range []string{"early", "late"} {
		board := puzzleFile(t, "small-4x4.txt")
		if r := call("", "explore", board, "--run", filepath.Join(t.TempDir(), run), "--bucket", bkt, "--goal-distance", "--max-depth", "3", "-q"); r.code != exit.Incomplete {
			t.Fatalf("exit %d\n%s%s", r.code, r.out, r.errs)
		}
		s := summaryOf(t, must(t, "resume", addr+"/"+run, "--max-depth", "1000", "--wait", "--json", "-q"))
		if !s.Complete || len(s.GoalDistanceLayers) == 0 {
			t.Errorf("%s: %+v", run, s)
		}
	}
	if r := call("", "resume", addr+"/nowhere"); r.code != exit.Usage {
		t.Errorf("a run that is nowhere: exit %d, %s", r.code, r.errs)
	}
}

// TestResumeAfterOthers resumes a run that somebody else asked for goal distances of after a
// coordinator had found it in the bucket: these are computed, whatever limit is given.
func TestResumeAfterOthers(t *testing.T) {
	t.Parallel()
	bkt, dir := newBucketURL(t), filepath.Join(t.TempDir(), "asked")
	if r := call("", "explore", puzzleFile(t, "small-4x4.txt"), "--run", dir, "--bucket", bkt, "--max-depth", "2", "-q"); r.code != exit.Incomplete {
		t.Fatalf("exit %d\n%s%s", r.code, r.out, r.errs)
	}
	addr, _ := startCoordinatorOn(t, bkt)
	startWorker(t, addr, t.TempDir())
	until(t, addr, func([]client.Status, []client.Worker) bool {
		return call("", "status", addr+"/asked").code != exit.Usage
	})
	if r := call("", "resume", dir, "--goal-distance", "--max-depth", "4", "-q"); r.code != exit.Incomplete {
		t.Fatalf("exit %d\n%s%s", r.code, r.out, r.errs)
	}
	if s := summaryOf(t, must(t, "resume", addr+"/asked", "--max-depth", "1000", "--wait", "--json", "-q")); !s.Complete || len(s.GoalDistanceLayers) == 0 {
		t.Errorf("%+v", s)
	}
}

// TestResumeKeepsLimits resumes a run on a coordinator that was cancelled before it reached
// its limit: it stops there. Resumed again, it continues without.
func TestResumeKeepsLimits(t *testing.T) {
	t.Parallel()
	addr := startCoordinator(t)
	must(t, "submit", puzzleFile(t, "small-4x4.txt"), "--coordinator", addr, "--name", "limited", "--max-depth", "3")
	must(t, "cancel", addr+"/limited")
	startWorker(t, addr, t.TempDir())
	r := call("", "resume", addr+"/limited", "--wait", "--json", "-q")
	if s := summaryOf(t, r.out); r.code != exit.Incomplete || s.Complete || s.Depth != 3 {
		t.Errorf("exit %d, %+v", r.code, s)
	}
	if s := summaryOf(t, must(t, "resume", addr+"/limited", "--wait", "--json", "-q")); !s.Complete {
		t.Errorf("%+v", s)
	}
}
