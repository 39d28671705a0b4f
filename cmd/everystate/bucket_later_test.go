package main

import (
	"path/filepath"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
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
