package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
)

// TestForeignDirectory gives commands of sweeps a run, and those of runs a sweep: each
// refuses, and leaves the directory as it was.
func TestForeignDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run, complete, sweep := filepath.Join(dir, "run"), filepath.Join(dir, "complete"), filepath.Join(dir, "sweep")
	board := puzzleFile(t, "jam-93.txt")
	call("", "explore", board, "--run", run, "--max-depth", "5", "--quiet")
	must(t, "explore", board, "--run", complete, "--quiet")
	must(t, "sweep", "rushhour", "--size", "4x4", "--data", sweep, "--quiet")
	bucket := "file://" + filepath.ToSlash(dir) + "/bucket"
	must(t, "checkpoint", complete, "--bucket", bucket, "--quiet")
	before := everyFile(t, dir)
	for _, args := range [][]string{
		{"db", "top", run}, {"db", "count", complete}, {"db", "export", run}, {"db", "grade", complete}, {"db", "merge", run, sweep},
		{"db", "merge", sweep, complete}, {"sweep", "resume", run},
		{"sweep", "rushhour", "--size", "4x4", "--data", run}, {"sweep", "rushhour", "--size", "4x4", "--data", complete},
		{"explore", board, "--run", sweep}, {"resume", sweep}, {"layers", sweep}, {"verify", sweep}, {"repair", sweep}, {"restore", bucket + "/complete", sweep},
	} {
		r := call("", args...)
		if r.code != exit.Usage || strings.Count(r.errs, "\n") != 1 {
			t.Errorf("%q: exit %d\n%s%s", args, r.code, r.out, r.errs)
		}
		if after := everyFile(t, dir); after != before {
			t.Fatalf("%q: was\n%s\nis\n%s", args, before, after)
		}
	}
	must(t, "verify", complete)
	must(t, "db", "top", sweep)
}

// everyFile lists all files of a directory with what is in them.
func everyFile(t *testing.T, dir string) string {
	t.Helper()
	var list strings.Builder
	if err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, path))
		list.WriteString(path + " " + string(text))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return list.String()
}
