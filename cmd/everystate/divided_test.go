package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/coordinator/client"
)

const dividedBoard = "../../puzzles/permutation/pancake-8.txt"

// dividedRun submits a run that divides a table among two workers, as far as the arguments
// say, and returns its name, and its bucket's URL.
func dividedRun(t *testing.T, code int, args ...string) (at, inBucket string) {
	t.Helper()
	bkt := newBucketURL(t)
	addr, _ := startCoordinatorOn(t, bkt)
	for range 2 {
		startWorker(t, addr, t.TempDir())
	}
	until(t, addr, func(_ []client.Status, workers []client.Worker) bool { return len(workers) == 2 })
	args = append([]string{"submit", dividedBoard, "--coordinator", addr, "--name", "pancakes", "--store", "table", "--wait", "-q"}, args...)
	if r := call("", args...); r.code != code {
		t.Fatalf("exit %d, want %d: %s", r.code, code, r.errs)
	}
	at = addr + "/pancakes"
	must(t, "checkpoint", at, "-q")
	return at, runURL(t, bkt, "pancakes")
}

// layersIn returns what is said of the layers of a run, but for their sizes and times.
func layersIn(t *testing.T, run string) []map[string]any {
	t.Helper()
	var layers []map[string]any
	for line := range strings.Lines(must(t, "layers", run, "--json")) {
		var l map[string]any
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatal(err)
		}
		for _, differs := range []string{"bytes", "seconds", "run"} {
			delete(l, differs)
		}
		layers = append(layers, l)
	}
	return layers
}

// A run that divides a table among workers is restored, from the workers and from the bucket,
// as one that keeps every layer: it can be verified and continued, and have goal distances.
func TestRestoreDivided(t *testing.T) {
	t.Parallel()
	at, inBucket := dividedRun(t, exit.Incomplete, "--max-depth", "6")
	dir := t.TempDir()
	whole, part := filepath.Join(dir, "whole"), filepath.Join(dir, "part")
	wholly := summaryOf(t, must(t, "explore", dividedBoard, "--run", whole, "--store", "layers", "--goal-distance", "--json", "-q"))
	r := call("", "explore", dividedBoard, "--run", part, "--store", "layers", "--max-depth", "6", "--json", "-q")
	if r.code != exit.Incomplete {
		t.Fatalf("exit %d: %s", r.code, r.errs)
	}
	partly := summaryOf(t, r.out)
	same := func(run, like string) {
		t.Helper()
		if got, want := layersIn(t, run), layersIn(t, like); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v\nwant %v", run, got, want)
		}
	}
	for name, from := range map[string]string{"workers": at, "bucket": inBucket} {
		run := filepath.Join(dir, name)
		for range 2 { // the second finds everything there
			if out := must(t, "restore", from, run, "-q"); !strings.Contains(out, run+" now has 16,334 states to depth 6, from "+from) {
				t.Errorf("restore says %s", out)
			}
		}
		must(t, "verify", run, "--complete", "-q")
		same(run, part)
		if s := summaryOf(t, must(t, "restore", from, run, "--json", "-q")); s.Digest != partly.Digest {
			t.Errorf("digest %s, want %s", s.Digest, partly.Digest)
		}
		early := filepath.Join(dir, name+"-early")
		if out := must(t, "restore", from, early, "--at", "4", "-q"); !strings.Contains(out, "to depth 4") {
			t.Errorf("restore --at says %s", out)
		}
		must(t, "verify", early, "-q")
		must(t, "restore", from, early, "-q") // goes on with the layers below
		same(early, part)
		if s := summaryOf(t, must(t, "resume", early, "--goal-distance", "--json", "-q")); s.Digest != wholly.Digest {
			t.Errorf("digest %s, want %s", s.Digest, wholly.Digest)
		}
		must(t, "verify", early, "--complete", "-q")
		same(early, whole)
	}
	must(t, "resume", at, "--max-depth", "20", "--wait", "-q")
	must(t, "restore", at, filepath.Join(dir, "workers"), "-q") // which has the first layers
	must(t, "verify", filepath.Join(dir, "workers"), "-q")
	must(t, "resume", filepath.Join(dir, "workers"), "--goal-distance", "-q")
	same(filepath.Join(dir, "workers"), whole)
	if r := call("", "restore", at, filepath.Join(dir, "part"), "-q"); r.code != exit.Usage || !strings.Contains(r.errs, "holds a different run than "+at) {
		t.Errorf("into another run: exit %d, %s", r.code, r.errs)
	}
	if r := call("", "restore", at, filepath.Join(dir, "x"), "--at", "99", "-q"); r.code != exit.Usage || !strings.Contains(r.errs, "--at 99: "+at+" has layers to depth 9") {
		t.Errorf("beyond the last layer: exit %d, %s", r.code, r.errs)
	}
}

// A directory does not continue a run that divides a table, and says what else there is.
func TestDividedOnCluster(t *testing.T) {
	t.Parallel()
	at, inBucket := dividedRun(t, 0)
	dir := filepath.Join(t.TempDir(), "pancakes")
	for _, args := range [][]string{{"resume", inBucket, "--run", dir}, {"explore", dividedBoard, "--run", dir, "--bucket", strings.TrimSuffix(inBucket, "/pancakes")}} {
		if r := call("", args...); r.code != exit.Usage || !strings.Contains(r.errs, "everystate restore "+inBucket+" "+dir) {
			t.Errorf("%q: exit %d, %s", args, r.code, r.errs)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%q makes a directory", args)
		}
	}
	must(t, "restore", at, dir, "-q")
	for _, args := range [][]string{{"resume", dir, "--bucket", strings.TrimSuffix(inBucket, "/pancakes")}, {"checkpoint", dir, "--bucket", strings.TrimSuffix(inBucket, "/pancakes")}} {
		if r := call("", args...); r.code != exit.Usage || !strings.Contains(r.errs, "can be continued on a cluster only") {
			t.Errorf("%q: exit %d, %s", args, r.code, r.errs)
		}
	}
	must(t, "verify", dir, "-q")
}

// A run that divides a table is proved complete where the command is, from the table. The
// certificate is for the restored run too.
func TestProveDivided(t *testing.T) {
	t.Parallel()
	at, _ := dividedRun(t, 0)
	dir := t.TempDir()
	run, cert, scratch := filepath.Join(dir, "run"), filepath.Join(dir, "cert"), filepath.Join(dir, "scratch")
	if err := os.Mkdir(scratch, 0o755); err != nil {
		t.Fatal(err)
	}
	out := must(t, "verify", at, "--certificate", cert, "--scratch", scratch, "-q")
	for _, want := range []string{at + " is sound\n", "the layers were made again from the workers' table", "proved  282,240 successors checked"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not said:\n%s", want, out)
		}
	}
	if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
		t.Errorf("%d files are left: %v", len(left), err)
	}
	must(t, "restore", at, run, "-q")
	for _, args := range [][]string{{cert}, {cert, at, "--complete"}, {cert, run}} {
		if out := must(t, append([]string{"verify", "-q"}, args...)...); !strings.Contains(out, "the certificate is for these layers") {
			t.Errorf("%q: %s", args, out)
		}
	}
	must(t, "resume", run, "--goal-distance", "-q")
	if r := call("", "verify", "-q", cert, run); r.code != exit.Failed || !strings.Contains(r.errs, "does not match the certificate") {
		t.Errorf("with goal distances: exit %d, %s", r.code, r.errs)
	}
}
