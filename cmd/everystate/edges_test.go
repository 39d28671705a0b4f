package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
)

// TestCheckTakesJSON has check read what solve --json wrote, of a board with a
// solution and of one without.
func TestCheckTakesJSON(t *testing.T) {
	t.Parallel()
	solved := filepath.Join(t.TempDir(), "s.json")
	writeFile(t, solved, must(t, "solve", "1 2 / 0 3", "--json", "-q"))
	if out := must(t, "check", "1 2 / 0 3", solved); !strings.Contains(out, "a solution in") {
		t.Errorf("%s", out)
	}
	if r := call("", "check", "8 6 7 / 2 5 4 / 3 0 1", solved); r.code != exit.Failed {
		t.Errorf("%+v", r)
	}
	unsolved := call("", "solve", "2 1 / 3 0", "--json", "-q")
	if r := call(unsolved.out, "check", "2 1 / 3 0", "-"); r.code != exit.Usage || !strings.Contains(r.errs, "this JSON has no moves") {
		t.Errorf("%+v", r)
	}
	if r := call(`{"moves": 7}`, "check", "2 1 / 3 0", "-"); r.code != exit.Usage || !strings.Contains(r.errs, "neither moves nor what solve --json prints") {
		t.Errorf("%+v", r)
	}
}
