package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
)

// TestPlayableReport has a run written as a page to play on, and one refused of which the
// page would lack something, with what to do about it.
func TestPlayableReport(t *testing.T) {
	t.Parallel()
	board, dir := puzzleFile(t, "small-4x4.txt"), filepath.Join(t.TempDir(), "run")
	refused := func(run string, code int, says string) {
		t.Helper()
		r := call("", "report", run, "--playable", "-o", filepath.Join(t.TempDir(), "never.html"))
		if r.code != code || !strings.Contains(r.errs, says) || strings.Count(r.errs, "\n") != 1 {
			t.Errorf("exit %d, want %d with %q:\n%s", r.code, code, says, r.errs)
		}
	}
	if r := call("", "explore", board, "--run", dir, "--max-states", "5", "-q"); r.code != exit.Incomplete {
		t.Fatalf("exit %d: %s", r.code, r.errs)
	}
	refused(dir, exit.Incomplete, "is not complete: ")
	must(t, "resume", dir, "-q")
	refused(dir, exit.Incomplete, "has no goal distances yet: ")
	must(t, "resume", dir, "--goal-distance", "-q")
	page := must(t, "report", dir, "--playable", "-q")
	if !strings.HasPrefix(page, "<!doctype html>") || !strings.Contains(page, "<title>Small 4x4</title>") {
		t.Errorf("the page is %.300s", page)
	}
	if again := must(t, "report", board, "--playable", "-q"); len(again) < len(page)/2 {
		t.Errorf("the page of the file has %d bytes, that of the run %d", len(again), len(page))
	}
	refused(puzzleFile(t, "classic-cards.txt"), exit.Usage, "--playable is a page of one board")
	if r := call("", "report", dir, "--playable", "-n", "3"); r.code != exit.Usage || !strings.Contains(r.errs, "-n works only without --playable") {
		t.Errorf("-n: exit %d, %s", r.code, r.errs)
	}
}
