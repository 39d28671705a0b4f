package main

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
)

// unpack unpacks an archive of runs into a directory.
func unpack(t *testing.T, archive, dir string) {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // read only
	zipped, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for in := tar.NewReader(zipped); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil || !filepath.IsLocal(h.Name) {
			t.Fatalf("%s: %v", h.Name, err)
		}
		path := filepath.Join(dir, filepath.FromSlash(h.Name))
		if h.FileInfo().IsDir() {
			if err := os.MkdirAll(path, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		body, err := io.ReadAll(in)
		if err == nil {
			err = os.WriteFile(path, body, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestEarlierRuns reads runs that programs of the past have written, and goes on
// with them (testdata/runs/README.md).
func TestEarlierRuns(t *testing.T) {
	t.Parallel()
	archives, err := filepath.Glob("../../testdata/runs/*.tar.gz")
	if err != nil || len(archives) == 0 {
		t.Fatalf("%d archives, %v", len(archives), err)
	}
	fresh := filepath.Join(t.TempDir(), "fresh")
	want := must(t, "explore", puzzleFile(t, "small-5x5.txt"), "--run", fresh, "--goal-distance", "--json", "--quiet")
	for _, archive := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(archive), ".tar.gz"), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			unpack(t, archive, dir)
			complete, stopped := filepath.Join(dir, "complete"), filepath.Join(dir, "stopped")
			for _, run := range []string{complete, stopped} {
				must(t, "verify", run, "--quiet")
			}
			for _, question := range []string{"hardest", "layers"} {
				if got, want := must(t, question, complete, "--json"), must(t, question, fresh, "--json"); withoutRun(t, got) != withoutRun(t, want) {
					t.Errorf("%s:\n%s\n%s", question, got, want)
				}
			}
			must(t, "resume", stopped, "--goal-distance", "--quiet")
			must(t, "verify", stopped, "--quiet")
			for _, run := range []string{complete, stopped} {
				got := must(t, "resume", run, "--json", "--quiet")
				if field(t, got, "digest") != field(t, want, "digest") || field(t, got, "states") != field(t, want, "states") {
					t.Errorf("%s\n%s", got, want)
				}
			}
		})
	}
}

// field returns a field of a JSON object, as JSON.
func field(t *testing.T, object, name string) string {
	t.Helper()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(object), &fields); err != nil || fields[name] == nil {
		t.Fatalf("no %s: %v\n%s", name, err, object)
	}
	return string(fields[name])
}

// withoutRun is an answer without what run it is of.
func withoutRun(t *testing.T, object string) string {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal([]byte(object), &fields); err != nil {
		t.Fatalf("%v\n%s", err, object)
	}
	delete(fields, "run")
	text, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestEarlierSweep goes on with a sweep that a program of the past has begun, which
// visited everything (testdata/sweeps/README.md): it ends with the digest that it had
// then, and with the records of a sweep of today.
func TestEarlierSweep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	unpack(t, filepath.Join(moduleDir(t), "testdata", "sweeps", "81fa007.tar.gz"), dir)
	old := filepath.Join(dir, "v1")
	if r := call("", "sweep", "rushhour", "--size", "5x5", "--data", old); r.code != exit.Usage || !strings.Contains(r.errs, "is a sweep with different rules: it does not have visits: reduced-") {
		t.Errorf("a reduced sweep there: exit %d: %s", r.code, r.errs)
	}
	had := len(linesOf(call("", "db", "export", old).out))
	s := sweepOf(t, "resume", old)
	if had < 100 || had >= 1730 || s.Digest != "356da93809fa063e5ea085a964c9fda2" || s.Records != 1730 || s.Clusters != 130299 || s.Passed != 0 || !s.Complete {
		t.Errorf("it had %d records, and resumed it says %+v", had, s)
	}
	if today := sweepOf(t, "rushhour", "--size", "5x5", "--data", filepath.Join(dir, "today")); today.OfRecords != s.OfRecords || today.Passed == 0 {
		t.Errorf("today: %+v, of before: %+v", today, s)
	}
}
