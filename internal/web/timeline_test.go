package web

import (
	"bytes"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/everystate/everystate/coordinator/history"
)

// TestTimeline records a long run: a bounded number of moments, in order, from the
// beginning to the end, without the time in which it was not explored.
func TestTimeline(t *testing.T) {
	t.Parallel()
	r := newRecorder(&history.History{})
	now := time.Unix(1000, 0)
	const moments = 5000
	for i := range moments {
		if i == moments/2 {
			now = now.Add(30 * 24 * time.Hour) // it was paused
		}
		r.record(now, &Run{States: int64(i), MemoryBytes: 7, DiskBytes: int64(2 * i)})
		r.record(now, &Run{States: -1}) // just now
		now = now.Add(time.Second)
	}
	n := len(r.Seconds)
	if n > momentsMax || n < momentsMax/4 || len(r.States) != n || len(r.Memory) != n || len(r.Disk) != n {
		t.Fatalf("%d moments, %d, %d, %d", n, len(r.States), len(r.Memory), len(r.Disk))
	}
	if !slices.IsSorted(r.Seconds) || !slices.IsSorted(r.States) || r.States[0] != 0 || r.States[n-1] < moments*9/10 {
		t.Errorf("from %v to %v", r.States[0], r.States[n-1])
	}
	if end := r.Seconds[n-1]; end < moments*0.9 || end > moments*1.1 {
		t.Errorf("it took %v s, want about %d", end, moments)
	}
}

// TestListOfRuns has what the list shows of a run, and deletes it.
func TestListOfRuns(t *testing.T) {
	t.Parallel()
	s, run := explored(t)
	if run.Directory == "" || !slices.Contains(run.Can, Delete) {
		t.Errorf("directory %q, it can %v", run.Directory, run.Can)
	}
	line := want[Timeline](t, s, http.MethodGet, "/api/runs/small/timeline", nil)
	last := len(line.Seconds) - 1
	if last < 1 || line.States[last] != run.States+run.GoalPhase || line.Disk[last] <= 0 {
		t.Errorf("the timeline ends with %+v, the run has %d states", line, run.States)
	}
	code, body := ask(t, s, http.MethodGet, "/api/runs/small/thumbnail", nil)
	if code != http.StatusOK || !bytes.HasPrefix(body, []byte("<svg")) {
		t.Errorf("the thumbnail: %d, %.100s", code, body)
	}
	if code, _ := ask(t, s, http.MethodGet, "/api/runs/none/thumbnail", nil); code != http.StatusNotFound {
		t.Errorf("of no run: %d", code)
	}
	if code, body := ask(t, s, http.MethodPost, "/api/runs/small/delete", struct{}{}); code != http.StatusOK {
		t.Fatalf("delete: %d, %s", code, body)
	}
	if runs := want[[]Run](t, s, http.MethodGet, "/api/runs", nil); len(runs) != 0 {
		t.Errorf("there are still %v", runs)
	}
	if code, _ := ask(t, s, http.MethodPost, "/api/runs/small/delete", struct{}{}); code != http.StatusNotFound {
		t.Errorf("once more: %d", code)
	}
}
