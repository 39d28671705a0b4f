package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
)

// TestProofUnfinished asks for the proof of a run whose worker has left: nothing is wrong
// with the run, so nothing says that it is not sound.
func TestProofUnfinished(t *testing.T) {
	t.Parallel()
	addr := startCoordinator(t)
	worker := startWorker(t, addr, filepath.Join(t.TempDir(), "w"))
	run := addr + "/small"
	must(t, "submit", puzzleFile(t, "small-4x4.txt"), "--coordinator", addr, "--name", "small", "--wait", "-q")
	worker.end(t)
	for _, flags := range [][]string{nil, {"--json"}} {
		got := call("", append([]string{"verify", run, "--complete", "-q"}, flags...)...)
		if got.code != exit.Incomplete || got.out != "" || !strings.Contains(got.errs, "the proof of "+run+" is not finished: ") || !strings.Contains(got.errs, "the same command continues it") {
			t.Errorf("%v: exit %d, %q, %q", flags, got.code, got.out, got.errs)
		}
	}
}
