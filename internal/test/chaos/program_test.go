//go:build linux

package chaos

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
	"reflect"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const (
	chaosVariable  = "EVERYSTATE_CHAOS"        // set to have the tests run
	seedVariable   = "EVERYSTATE_CHAOS_SEED"   // of what is random
	faultsVariable = "EVERYSTATE_CHAOS_FAULTS" // how many
	onlyVariable   = "EVERYSTATE_CHAOS_ONLY"   // those with these words in their names
	boardVariable  = "EVERYSTATE_CHAOS_BOARD"  // which space
	dirVariable    = "EVERYSTATE_CHAOS_DIR"    // where directories are made
	roundsVariable = "EVERYSTATE_CHAOS_ROUNDS" // of a measurement
)

// commandTimeMax is when a command that answers a question is taken to hang.
const commandTimeMax = 20 * time.Second

// binary is the program, built once for all tests.
var binary string

func TestMain(m *testing.M) { os.Exit(withProgram(m.Run)) }

// withProgram calls run while the program is there to be tested.
func withProgram(run func() int) int {
	if os.Getenv(chaosVariable) == "" {
		return run()
	}
	dir, err := os.MkdirTemp("", "everystate-chaos-bin-")
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

// onlyWhenAsked skips the test unless chaos was asked for.
func onlyWhenAsked(t *testing.T) {
	t.Helper()
	if os.Getenv(chaosVariable) == "" {
		t.Skip("takes long: make chaos runs it")
	}
}

// number returns the value of an environment variable, or without if it is not set.
func number(t *testing.T, variable string, without uint64) uint64 {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return without
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}

// seedOf returns the random seed.
func seedOf(t *testing.T) uint64 {
	t.Helper()
	return number(t, seedVariable, uint64(time.Now().UnixNano()))
}

// between returns a time between two times.
func between(r *rand.Rand, least, most time.Duration) time.Duration {
	return least + time.Duration(r.Int64N(int64(most-least)))
}

// linger lets time pass: what processes do meanwhile cannot be waited for.
func linger(d time.Duration) { <-time.After(d) }

// board returns the path of the board to be explored.
func board(t *testing.T) string {
	t.Helper()
	name := os.Getenv(boardVariable)
	if name == "" {
		name = "large-8x8"
	}
	path, err := filepath.Abs(filepath.Join("..", "..", "..", "puzzles", "rushhour", name+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// process is the program running as a server. Its output is appended to a file.
type process struct {
	name   string
	file   string
	cmd    *exec.Cmd
	done   chan struct{} // closed when it has ended
	paused bool
}

// launch starts a server. wrap are words before the command, such as those that
// put it into a network namespace.
func launch(name, file string, wrap, env []string, args ...string) (*process, error) {
	out, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer out.Close() //nolint:errcheck // The process has its own.
	words := append(append(append([]string(nil), wrap...), binary), args...)
	cmd := exec.CommandContext(context.Background(), words[0], words[1:]...)
	cmd.Stdout, cmd.Stderr = out, out
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if _, err := fmt.Fprintf(out, "---- %s %s\n", time.Now().Format(clock), strings.Join(words, " ")); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{name: name, file: file, cmd: cmd, done: make(chan struct{})}
	go func() {
		// The state of the process has all that matters of the error.
		_ = cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// ended reports whether the process has ended.
func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// signal sends a signal. That the process may have ended is not an error.
func (p *process) signal(sig syscall.Signal) error {
	p.paused = sig == syscall.SIGSTOP || p.paused && sig != syscall.SIGCONT
	if err := p.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}

// kill kills the process and waits until it is gone.
func (p *process) kill() error {
	err := p.signal(syscall.SIGKILL)
	<-p.done
	return err
}

// answer is the outcome of a command.
type answer struct {
	args      []string
	out, errs string
	code      int // -1 if a signal ended it
}

func (a answer) String() string {
	return fmt.Sprintf("everystate %s\n%s%sexit code %d", strings.Join(a.args, " "), a.out, a.errs, a.code)
}

// ask runs a command to its end.
func ask(timeMax time.Duration, wrap, env []string, args ...string) answer {
	ctx, cancel := context.WithTimeout(context.Background(), timeMax)
	defer cancel()
	words := append(append(append([]string(nil), wrap...), binary), args...)
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		return answer{args, "", err.Error(), -1}
	}
	return answer{args, out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// findings are the results of a run that do not depend on who computes them, as in
// docs/JSON.md.
type findings struct {
	States     int64   `json:"states"`
	Generated  int64   `json:"generated"`
	Layers     []int64 `json:"layers"`
	GoalStates int64   `json:"goal_states"`
	Solution   *int    `json:"solution_length"`
	GoalLayers []int64 `json:"goal_distance_layers"`
	Unsolvable *int64  `json:"unsolvable_states"`
	Digest     string  `json:"digest"`
	Complete   bool    `json:"complete"`
}

// findingsOf parses the output of explore or watch.
func findingsOf(a answer) (findings, error) {
	var f findings
	if a.code != 0 {
		return f, fmt.Errorf("not complete:\n%v", a)
	}
	if err := json.Unmarshal([]byte(a.out), &f); err != nil {
		return f, fmt.Errorf("%w:\n%v", err, a)
	}
	if !f.Complete || f.Digest == "" {
		return f, fmt.Errorf("not complete:\n%v", a)
	}
	return f, nil
}

func (f findings) equal(g findings) bool { return reflect.DeepEqual(f, g) }

// found caches the results of undisturbed for all tests.
var found struct {
	sync.Mutex // guards the field below
	of         map[string]map[bool]findings
}

// undisturbed returns what an undisturbed run in one process finds, by whether goal
// distances are asked for.
func undisturbed(t *testing.T, file string) map[bool]findings {
	t.Helper()
	found.Lock()
	defer found.Unlock()
	if f := found.of[file]; f != nil {
		return f
	}
	f := make(map[bool]findings)
	for _, goal := range []bool{false, true} {
		args := []string{"explore", file, "--run", filepath.Join(t.TempDir(), "undisturbed"), "--memory", "512MiB", "--quiet", "--json"}
		if goal {
			args = append(args, "--goal-distance") // the same run, which continues
		}
		var err error
		if f[goal], err = findingsOf(ask(5*time.Minute, nil, nil, args...)); err != nil {
			t.Fatal(err)
		}
	}
	found.of = map[string]map[bool]findings{file: f}
	return f
}

// clock is the format of times, also in the servers' logs.
const clock = "15:04:05.000"

// diary is what was done and when.
type diary struct {
	mu    sync.Mutex // guards the field below
	lines []string
}

func (d *diary) note(t *testing.T, format string, args ...any) {
	t.Helper()
	line := time.Now().Format(clock) + " " + fmt.Sprintf(format, args...)
	t.Log(line)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, line)
}

func (d *diary) String() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Join(d.lines, "\n")
}

// tail returns the last lines of a file.
func tail(file string, lines int) string {
	body, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	before, _, _ := strings.Cut(string(body), traceAsked)
	all := strings.Split(strings.TrimSuffix(before, "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
