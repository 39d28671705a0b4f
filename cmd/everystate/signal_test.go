package main

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
)

// TestInterrupt stops an exploration that takes long, as Ctrl-C does.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no signals")
	}
	if testing.Short() {
		t.Skip("takes seconds")
	}
	dir := filepath.Join(t.TempDir(), "huge run")
	cmd := exec.CommandContext(t.Context(), os.Args[0],
		"explore", puzzleFile(t, "huge-8x8.txt"), "--run", dir, "--workers", "1", "--memory", "64MiB", "--goal-distance")
	cmd.Env = append(os.Environ(), beProgram+"=1")
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for in := bufio.NewScanner(pipe); in.Scan(); {
		lines = append(lines, in.Text())
		if strings.HasPrefix(in.Text(), "progress ") && len(lines) == 1 {
			if err := cmd.Process.Signal(os.Interrupt); err != nil {
				t.Fatal(err)
			}
		}
	}
	err = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exit.Incomplete {
		t.Errorf("exit %d, %v", code, err)
	}
	hint := "resume with: everystate resume '" + dir + "' --goal-distance --workers 1 --memory 64MiB"
	if len(lines) != 3 || !strings.HasPrefix(lines[0], "progress phase=forward depth=") ||
		!strings.HasPrefix(lines[1], "stopped; saved everything up to depth ") || lines[2] != hint {
		t.Fatalf("it says\n%s\nwant\nprogress ...\nstopped; ...\n%s", strings.Join(lines, "\n"), hint)
	}
	// It goes on from there.
	r := call("", "resume", dir, "--max-states", "1", "--json", "--quiet")
	if r.code != exit.Incomplete || !strings.Contains(r.out, `"complete":false`) {
		t.Errorf("resume: exit %d\n%s%s", r.code, r.out, r.errs)
	}
}

// TestInterruptWhileReading interrupts a command that waits for standard input: the
// first interrupt ends it.
func TestInterruptWhileReading(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no signals")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], "play", "--plain", puzzleFile(t, "jam-93.txt"))
	cmd.Env = append(os.Environ(), beProgram+"=1")
	in, errIn := cmd.StdinPipe()
	out, errOut := cmd.StdoutPipe()
	errs := new(strings.Builder)
	cmd.Stderr = errs
	if err := errors.Join(errIn, errOut, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }() // the program is gone by then
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "moves:") {
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
	}
	err := cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exit.Incomplete || errs.String() != "everystate: stopped\n" {
		t.Errorf("exit %d, %v: %q", code, err, errs)
	}
}
