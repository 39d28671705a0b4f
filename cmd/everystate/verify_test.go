package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// A run that was stopped before its first layer proves nothing.
func TestVerifyEmpty(t *testing.T) {
	t.Parallel()
	boards, err := families.Read([]byte("AA.B/...B/...."), puzzle.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "run")
	r, err := engine.Create(dir, boards[0], engine.Options{MemoryBytes: engine.MemoryMin, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	must(t, "verify", dir, "-q")
	if r := call("", "verify", dir, "-q", "--complete"); r.code != exit.Incomplete || !strings.Contains(r.errs, "nothing to prove: everystate resume "+dir) || r.out != "" {
		t.Errorf("exit %d, %s%s", r.code, r.out, r.errs)
	}
}

// A certificate is written, held against its run, and refused by another.
func TestCertificate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run, other, cert := filepath.Join(dir, "run"), filepath.Join(dir, "other"), filepath.Join(dir, "cert")
	must(t, "explore", puzzleFile(t, "small-5x5.txt"), "--run", run, "--quiet", "--goal-distance")
	if r := call("", "explore", puzzleFile(t, "small-5x5.txt"), "--run", other, "--quiet", "--max-depth", "2"); r.code != exit.Incomplete {
		t.Fatalf("exit %d, %s", r.code, r.errs)
	}
	out := must(t, "verify", run, "--certificate", cert, "-q")
	for _, want := range []string{"is sound", "no state is missing, none is in two layers", "goal distances agree with those of all neighbours"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not said:\n%s", want, out)
		}
	}
	for _, args := range [][]string{{cert}, {cert, run}} {
		if out := must(t, append([]string{"verify", "-q"}, args...)...); !strings.Contains(out, "is for these layers") {
			t.Errorf("%q:\n%s", args, out)
		}
	}
	if out := must(t, "verify", other, "--complete", "-q"); !strings.Contains(out, "no state is missing up to depth 2, where the run stopped, none") {
		t.Errorf("an unfinished run:\n%s", out)
	}
	for dir, want := range map[string]string{run: `"all_states":true`, other: `"all_states":false`} {
		if out := must(t, "verify", dir, "--complete", "--json", "-q"); !strings.Contains(out, want) {
			t.Errorf("%s is missing: %s", want, out)
		}
	}
	r := call("", "verify", "-q", cert, other)
	if r.code != exit.Failed || !strings.Contains(r.errs, "does not match the certificate: complete false, the certificate has true") {
		t.Errorf("exit %d, %s", r.code, r.errs)
	}
	var f fakeCoordinator
	f.open(t, other)
	at := f.serve(t) + "/here"
	for _, args := range [][]string{{cert, at}, {cert, at, "--complete"}} {
		if r := call("", append([]string{"verify", "-q"}, args...)...); r.code != exit.Failed || !strings.Contains(r.errs, "does not match the certificate") {
			t.Errorf("%q: exit %d, %s", args, r.code, r.errs)
		}
	}
	if r := call("", "verify", "-q", run, other); r.code != exit.Usage {
		t.Errorf("two runs: exit %d, %s", r.code, r.errs)
	}
	if out := must(t, "verify", "-q", "--json", "--complete", run); !strings.Contains(out, `"complete":{"states":`) {
		t.Errorf("%s", out)
	}
	text, err := os.ReadFile(cert)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(cert, []byte(strings.Replace(string(text), "states: ", "states: 1", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if r := call("", "verify", "-q", cert); r.code != exit.Failed || !strings.Contains(r.errs, "has been changed") {
		t.Errorf("exit %d, %s", r.code, r.errs)
	}
}

// TestVerifyTableWithoutLayers verifies a run that will divide a table among workers, when
// there are none yet.
func TestVerifyTableWithoutLayers(t *testing.T) {
	t.Parallel()
	run := startCoordinator(t) + "/pancakes"
	must(t, "submit", "../../puzzles/permutation/pancake-8.txt", "--coordinator", strings.TrimSuffix(run, "/pancakes"), "--name", "pancakes", "--store", "table")
	if out := must(t, "verify", run); !strings.HasPrefix(out, run+" is sound\n") || !strings.Contains(out, "the layers were made again from the workers' table\nlayers  0,") {
		t.Errorf("verify says %s", out)
	}
}
