//go:build unix

package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	faultsVariable = "EVERYSTATE_FAULTS" // set to have the tests run
	seedVariable   = "EVERYSTATE_SEED"   // of what is random
)

// The exit codes of docs/CLI.md.
const (
	complete   = 0
	failed     = 1
	usage      = 2
	incomplete = 3
	killed     = 130
)

// processTimeMax is when a process is taken to hang. SIGQUIT then makes it print where.
const processTimeMax = 90 * time.Second

// binary is the program, built once for all tests.
var binary string

func TestMain(m *testing.M) { os.Exit(withProgram(m.Run)) }

// withProgram calls run while the program is there to be tested.
func withProgram(run func() int) int {
	if os.Getenv(faultsVariable) == "" {
		return run()
	}
	// Not below a folder that only this user may enter: one test runs as another user.
	dir, err := os.MkdirTemp("", "everystate-faults-")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir) //nolint:errcheck // It is a temporary directory.
	binary = filepath.Join(dir, "everystate")
	build := exec.CommandContext(context.Background(), "go", "build", "-o", binary, "github.com/everystate/everystate/cmd/everystate")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v\n%s", err, out)
		return 1
	}
	return run()
}

// onlyWhenAsked skips the test unless faults were asked for.
func onlyWhenAsked(t *testing.T) {
	t.Helper()
	if os.Getenv(faultsVariable) == "" {
		t.Skip("takes long: make faults runs it")
	}
}

// random returns a source of randomness, and logs how to reproduce it.
func random(t *testing.T) *rand.Rand {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv(seedVariable); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("%s: %v", seedVariable, err)
		}
	}
	t.Logf("%s=%d", seedVariable, seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// between returns a time between two times.
func between(r *rand.Rand, least, most time.Duration) time.Duration {
	return least + time.Duration(r.Int64N(int64(most-least)))
}

// board returns the path of a board that comes with the program.
func board(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", "..", "puzzles", "rushhour", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// A process is the running program.
type process struct {
	cmd       *exec.Cmd
	out, errs bytes.Buffer
	done      chan struct{} // closed when it has ended
	hangs     context.CancelFunc
}

// ended is the outcome of a process.
type ended struct {
	args      []string
	out, errs string
	code      int // -1 if a signal ended it
	signal    syscall.Signal
}

func (e *ended) String() string {
	how := fmt.Sprintf("exit code %d", e.code)
	if e.code < 0 {
		how = e.signal.String()
	}
	return fmt.Sprintf("everystate %s\n%s%s%s", strings.Join(e.args, " "), e.out, e.errs, how)
}

// start starts the program, as another user if as is not nil.
func start(t *testing.T, as *syscall.Credential, args ...string) *process {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), processTimeMax)
	p := &process{cmd: exec.CommandContext(ctx, binary, args...), done: make(chan struct{}), hangs: cancel}
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.errs
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: as}
	p.cmd.Cancel = func() error { return p.cmd.Process.Signal(syscall.SIGQUIT) }
	p.cmd.WaitDelay = 5 * time.Second
	if err := p.cmd.Start(); err != nil {
		cancel()
		t.Fatal(err)
	}
	go func() {
		// The state of the process has all that matters of the error.
		_ = p.cmd.Wait()
		close(p.done)
	}()
	return p
}

// wait waits until the process has ended. A hang fails the test.
func (p *process) wait(t *testing.T) *ended {
	t.Helper()
	<-p.done
	p.hangs()
	e := &ended{args: p.cmd.Args[1:], out: p.out.String(), errs: p.errs.String(), code: p.cmd.ProcessState.ExitCode()}
	if status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		e.signal = status.Signal()
	}
	if strings.Contains(e.errs, "SIGQUIT: quit") || e.signal == syscall.SIGQUIT {
		t.Fatalf("it hung for %v:\n%v", processTimeMax, e)
	}
	for _, trace := range []string{"panic:", "goroutine ", "fatal error:", "internal error"} {
		if strings.Contains(e.errs, trace) {
			t.Fatalf("it broke down:\n%v", e)
		}
	}
	return e
}

// within waits at most d for the process to end, and reports whether it did.
func (p *process) within(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.done:
		return true
	case <-timer.C:
		return false
	}
}

// signal sends a signal. That the process may have ended is not an error.
func (p *process) signal(t *testing.T, sig syscall.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
}

// everystate runs the program to its end.
func everystate(t *testing.T, args ...string) *ended {
	t.Helper()
	return start(t, nil, args...).wait(t)
}

// explore returns the arguments of a quiet exploration.
func explore(file, dir string, more ...string) []string {
	return append([]string{"explore", file, "--run", dir, "--quiet", "--json"}, more...)
}

// complaint returns the last line on standard error: what is behind the name of the
// program, or in the object that --json has it print. It is empty if the line is of
// neither kind, or has another code than the process ended with.
func (e *ended) complaint() string {
	lines := strings.Split(strings.TrimSuffix(e.errs, "\n"), "\n")
	line := lines[len(lines)-1]
	if text, ok := strings.CutPrefix(line, "everystate: "); ok {
		return text
	}
	var said struct {
		Code    int
		Message string
		Where   struct{ Input string }
	}
	if json.Unmarshal([]byte(line), &said) != nil || said.Code != e.code {
		return ""
	}
	if said.Where.Input != "" {
		return said.Where.Input + ": " + said.Message
	}
	return said.Message
}

// refused holds a process to have ended with this code and one line of complaint
// with these words.
func refused(t *testing.T, e *ended, code int, words ...string) {
	t.Helper()
	said := e.complaint()
	ok := e.code == code && e.out == "" && strings.Count(e.errs, "\n") == 1 && said != ""
	for _, word := range words {
		ok = ok && strings.Contains(said, word)
	}
	if !ok {
		t.Errorf("want exit code %d and one line with %q:\n%v", code, words, e)
	}
}

// digestOf returns the digest of a process that has completed its run.
func digestOf(t *testing.T, e *ended) string {
	t.Helper()
	var answer struct {
		Digest   string
		Complete bool
	}
	if e.code != complete || json.Unmarshal([]byte(e.out), &answer) != nil || !answer.Complete || answer.Digest == "" {
		t.Fatalf("not complete:\n%v", e)
	}
	return answer.Digest
}

// undisturbed returns the digest of a run to which nothing happens.
func undisturbed(t *testing.T, file string, more ...string) string {
	t.Helper()
	return digestOf(t, everystate(t, explore(file, filepath.Join(t.TempDir(), "undisturbed"), more...)...))
}

// sound holds a run to be sound in every byte.
func sound(t *testing.T, dir string) {
	t.Helper()
	if e := everystate(t, "verify", dir, "--json", "--quiet"); e.code != complete || !strings.Contains(e.out, `"sound":true`) {
		t.Fatalf("not sound:\n%v", e)
	}
}

// anyEngine are flags that must not change what a run finds.
func anyEngine(r *rand.Rand) []string {
	return []string{
		"--workers", strconv.Itoa(1 + r.IntN(3)),
		"--memory", []string{"32MiB", "64MiB", "256MiB", "1GiB"}[r.IntN(4)],
	}
}
