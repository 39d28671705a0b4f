package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/store"
)

type panicWriter struct{}

func (panicWriter) Write([]byte) (int, error) { panic("out of order") }

func TestPanic(t *testing.T) {
	t.Parallel()
	var errs bytes.Buffer
	code := run([]string{"everystate", "puzzles"}, strings.NewReader(""), panicWriter{}, &errs)
	want := "everystate: internal error: out of order (a bug in everystate, not in your input; EVERYSTATE_DEBUG=1 shows where)\n"
	if code != exit.Failed || errs.String() != want {
		t.Errorf("exit %d, %s", code, errs.String())
	}
}

type badWriter struct{ err error }

func (w badWriter) Write([]byte) (int, error) { return 0, w.err }

func TestOutputFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, "explore", puzzleFile(t, "small-5x5.txt"), "--run", dir, "--json", "--quiet")
	for _, args := range [][]string{{"export", dir}, {"layers", dir}, {"list", filepath.Dir(dir)}, {"show", dir, "--help"}} {
		var errs bytes.Buffer
		code := run(append([]string{"everystate"}, args...), strings.NewReader(""), badWriter{syscall.ENOSPC}, &errs)
		if want := "everystate: write standard output: no space left on device\n"; code != exit.Failed || !strings.HasSuffix(errs.String(), "no space left on device\n") || strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("full: %q: exit %d, %q, want about %q", args, code, errs.String(), want)
		}
		errs.Reset()
		code = run(append([]string{"everystate"}, args...), strings.NewReader(""), badWriter{syscall.EPIPE}, &errs)
		if code != exit.Complete || errs.Len() > 0 {
			t.Errorf("broken pipe: %q: exit %d, %q", args, code, errs.String())
		}
	}
}

// eachWrite keeps what is written, write by write, until it is full.
type eachWrite struct {
	writes []string
	most   int
}

func (w *eachWrite) Write(p []byte) (int, error) {
	if len(w.writes) == w.most {
		return 0, syscall.ENOSPC
	}
	w.writes = append(w.writes, string(p))
	return len(p), nil
}

// TestAnswersAtOnce has answers written when they are there, and the rest given up when
// nobody can read them.
func TestAnswersAtOnce(t *testing.T) {
	t.Parallel()
	solve := []string{"solve", puzzleFile(t, "small-4x4.txt"), puzzleFile(t, "small-5x5.txt"), puzzleFile(t, "jam-93.txt"), "--workers", "1"}
	for _, args := range [][]string{solve, append(slices.Clone(solve), "--json"), {"plan", solve[1], solve[2], solve[3], "--json", "--quiet"}} {
		for most := 0; most <= 3; most++ {
			out, errs := &eachWrite{most: most}, new(bytes.Buffer)
			code := run(append([]string{"everystate"}, args...), strings.NewReader(""), out, errs)
			if full := most < 3; len(out.writes) != most || (code == exit.Complete) == full || full != strings.Contains(errs.String(), "no space left on device") {
				t.Errorf("%q, %d writes of %d: exit %d, %s", args, len(out.writes), most, code, errs)
			}
			for _, w := range out.writes {
				if strings.Count(w, "\n") != 1 {
					t.Errorf("%q: wrote %q", args, w)
				}
			}
		}
	}
}

func TestLocked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := puzzleFile(t, "small-4x4.txt")
	must(t, "explore", file, "--run", dir, "--json", "--quiet")
	lock, err := store.LockDir(dir, true)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("everystate: another process is using %s\n", dir)
	for _, args := range [][]string{{"explore", file, "--run", dir}, {"resume", dir}, {"layers", dir}, {"hardest", dir}, {"verify", dir}} {
		if r := call("", args...); r.code != exit.Failed || r.errs != want || r.out != "" {
			t.Errorf("%q: exit %d\n%s%s", args, r.code, r.out, r.errs)
		}
	}
	if out := must(t, "list", filepath.Dir(dir)); !strings.Contains(out, "running") {
		t.Errorf("list says\n%s", out)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
}

// TestDamage flips a bit in every file of a run.
func TestDamage(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	must(t, "explore", puzzleFile(t, "small-5x5.txt"), "--run", dir, "--json", "--quiet", "--goal-distance")
	files, err := filepath.Glob(filepath.Join(dir, "db", "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range files {
		sound, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if len(sound) == 0 {
			continue
		}
		damaged := bytes.Clone(sound)
		damaged[len(damaged)/2] ^= 4
		writeFile(t, file, string(damaged))
		r := call("", "verify", dir)
		if r.code != exit.Failed || !strings.Contains(r.errs, "is damaged: "+dir) || !strings.Contains(r.errs, "; recover it with: everystate repair "+dir) || !strings.Contains(r.errs, filepath.Base(file)) || strings.Count(r.errs, "\n") != 1 {
			t.Errorf("%s: exit %d\n%s%s", file, r.code, r.out, r.errs)
		}
		writeFile(t, file, string(sound))
	}
	if out := must(t, "verify", dir); !strings.Contains(out, "is sound") {
		t.Errorf("after all was put right:\n%s", out)
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	env := &shell.Env{Name: "everystate"}
	text, code := exit.Of(runs.Explain(env, "runs/x", fmt.Errorf("write: %w", syscall.ENOSPC)))
	want := "the disk that holds runs/x is full (write: no space left on device): free some space, then repeat the command"
	if text != want || code != exit.Failed {
		t.Errorf("exit %d, %s", code, text)
	}
	denied := &os.PathError{Op: "unlinkat", Path: filepath.Join("runs", "x", "scratch"), Err: syscall.EACCES}
	if text, code := exit.Of(runs.Explain(env, "runs/x", fmt.Errorf("open: %w", denied))); text != "cannot write to runs/x: permission denied" || code != exit.Failed {
		t.Errorf("exit %d, %s", code, text)
	}
	other := errors.New("other")
	if got := runs.Explain(env, "runs/x", other); !errors.Is(got, other) {
		t.Errorf("got %v", got)
	}
}
