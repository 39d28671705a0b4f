package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
)

// A damaged run is listed with its reason and repaired, whatever is lost.
func TestRepairCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := filepath.Join(dir, "run")
	must(t, "explore", puzzleFile(t, "small-5x5.txt"), "--run", run, "--quiet", "--goal-distance")
	want := digestOf(t, run)
	if out := must(t, "repair", run, "-q"); !strings.Contains(out, "nothing to repair") {
		t.Errorf("%s", out)
	}
	tables, err := filepath.Glob(filepath.Join(run, "db", "*.sst"))
	if err != nil || len(tables) == 0 {
		t.Fatal(tables, err)
	}
	for _, damage := range []func() error{
		func() error { return os.Truncate(tables[0], 100) },
		func() error { return os.RemoveAll(filepath.Join(run, "db")) },
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		if out := must(t, "list", dir, "--json"); !strings.Contains(out, `"problem":"`) {
			t.Errorf("listed as %s", out)
		}
		if r := call("", "verify", "-q", run); r.code != exit.Failed || strings.Contains(r.errs, "there is no run") {
			t.Errorf("exit %d, %s", r.code, r.errs)
		}
		if out := must(t, "repair", run, "-q", "--json"); !strings.Contains(out, want) || strings.Contains(out, `"recomputed_layers":0`) {
			t.Errorf("%s", out)
		}
		if out := must(t, "verify", run, "-q"); !strings.Contains(out, "is sound") || digestOf(t, run) != want {
			t.Errorf("digest %s, want %s\n%s", digestOf(t, run), want, out)
		}
	}
	if r := call("", "repair", filepath.Join(dir, "none")); r.code != exit.Usage {
		t.Errorf("no run: exit %d, %s", r.code, r.errs)
	}
}

// digestOf returns the digest of a complete run.
func digestOf(t *testing.T, run string) string {
	t.Helper()
	return summaryOf(t, must(t, "resume", run, "--json", "-q")).Digest
}
