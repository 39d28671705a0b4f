package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
	"github.com/everystate/everystate/tools/measure"
	"github.com/everystate/everystate/tools/peers/models"
)

const program = "github.com/everystate/everystate/cmd/everystate"

// The rows of Everystate.
const (
	everystate1 = "everystate-1" // one worker
	everystate2 = "everystate"   // one worker per core: the default
)

// errUnfinished reports a process that ran out of time or memory.
var errUnfinished = errors.New("did not finish")

// memoryShare is how much of the machine's memory a process may take, in percent.
// Without a bound, the system might kill another process.
const memoryShare = 85

// toolShare is how much of the memory a tool is told it may take, in percent. The
// rest is for its other mappings.
const toolShare = 70

// comparison is what all boards share.
type comparison struct {
	options
	machine measure.Machine
	scratch string
	notes   io.Writer

	root   string       // of the module
	binary string       // of Everystate
	tools  []*toolThere // the installed ones
}

// toolThere is an installed tool, with its version.
type toolThere struct {
	tool
	version string
}

// A boardResult is what exploring a board's space took each tool.
type boardResult struct {
	name   string
	states int64
	rows   []*row
}

// A row is a tool on a board.
type row struct {
	tool    string
	build   float64 // seconds that it took to compile the model
	samples []sample
	err     error
}

// A sample is what one process used.
type sample struct {
	seconds              float64
	peakBytes, diskBytes int64
}

// prepare builds Everystate and finds the tools.
func (c *comparison) prepare(ctx context.Context) (err error) {
	if c.root, err = measure.Output(ctx, "go", "list", "-m", "-f", "{{.Dir}}"); err != nil {
		return err
	}
	c.binary = filepath.Join(c.scratch, "everystate.bin")
	if _, err := measure.Output(ctx, "go", "build", "-o", c.binary, program); err != nil {
		return err
	}
	told := map[*kind]bool{}
	for _, t := range comparedWith() {
		if !c.wants(t.name) || told[t.kind] {
			continue
		}
		if name := t.kind.missing(); name != "" {
			told[t.kind] = true
			fmt.Fprintf(c.notes, "%s is left out: %s is not installed: %s\n", t.name, name, t.kind.install)
			continue
		}
		version, err := measure.Output(ctx, t.kind.needs[0], t.kind.version...)
		if err != nil {
			return err
		}
		c.tools = append(c.tools, &toolThere{t, version})
	}
	return nil
}

func (c *comparison) wants(name string) bool {
	return len(c.options.tools) == 0 || slices.Contains(c.options.tools, name)
}

// board compares the tools on the first board of a file.
func (c *comparison) board(ctx context.Context, file string) (*boardResult, error) {
	if _, err := os.Stat(file); err != nil && !filepath.IsAbs(file) {
		file = filepath.Join(c.root, file)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	boards, err := families.Read(text, puzzle.ReadOptions{})
	if err != nil {
		return nil, err
	}
	board := boards[0]
	model, err := models.Of(board)
	if err != nil {
		return nil, err
	}
	// A file may hold several boards; this is one of them.
	input := filepath.Join(c.scratch, "board.txt")
	if err := os.WriteFile(input, []byte(board.Text), 0o644); err != nil {
		return nil, err
	}
	b := &boardResult{name: strings.TrimSuffix(filepath.Base(file), ".txt")}
	everystate := []*row{{tool: everystate2}}
	if c.wants(everystate1) {
		everystate = append([]*row{{tool: everystate1}}, everystate...)
	}
	b.rows = everystate
	for round := range c.rounds {
		for _, r := range everystate {
			if err := c.explore(ctx, b, r, input); err != nil {
				return nil, err
			}
			c.note(b, r, round)
		}
		for i, t := range c.tools {
			if round == 0 {
				r := &row{tool: t.name}
				b.rows = append(b.rows, r)
				r.build, r.err = c.compile(ctx, t, b, model)
			}
			r := b.rows[len(everystate)+i]
			if r.err == nil {
				r.err = c.check(ctx, t, b, r)
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			c.note(b, r, round)
		}
	}
	return b, nil
}

func (c *comparison) note(b *boardResult, r *row, round int) {
	var text string
	if r.err != nil {
		text, _, _ = strings.Cut(r.err.Error(), "\n")
	} else {
		text = measure.Seconds(r.samples[round].seconds) + " s"
	}
	fmt.Fprintf(c.notes, "%s round %d of %d: %s: %s\n", b.name, round+1, c.rounds, r.tool, text)
}

// explore runs Everystate on a board.
func (c *comparison) explore(ctx context.Context, b *boardResult, r *row, input string) (err error) {
	dir := filepath.Join(c.scratch, "run")
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	args := []string{"explore", input, "--run", dir, "--json", "--quiet"}
	if r.tool == everystate1 {
		args = append(args, "--workers", "1")
	}
	s, out, err := c.timed(ctx, c.scratch, append([]string{c.binary}, args...))
	if err != nil {
		return err
	}
	var found struct {
		States int64 `json:"states"`
	}
	if err := json.Unmarshal([]byte(out), &found); err != nil {
		return err
	}
	if b.states != 0 && b.states != found.States {
		return fmt.Errorf("everystate has found %d states and then %d", b.states, found.States)
	}
	b.states = found.States
	if s.diskBytes, err = measure.DiskBytes(dir); err != nil {
		return err
	}
	r.samples = append(r.samples, s)
	return nil
}

// compile compiles the model with a tool.
func (c *comparison) compile(ctx context.Context, t *toolThere, b *boardResult, m models.Model) (seconds float64, err error) {
	dir := filepath.Join(c.scratch, b.name, t.name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return 0, err
	}
	if err := os.WriteFile(filepath.Join(dir, t.kind.source), []byte(t.kind.text(m, b.name)), 0o644); err != nil {
		return 0, err
	}
	began := time.Now()
	for _, args := range t.kind.compile(t.flags, b.states, c.machine.MemoryBytes/100*toolShare) {
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return 0, fmt.Errorf("%q: %w\n%s", args, err, out)
		}
	}
	return time.Since(began).Seconds(), nil
}

// check runs what a tool has compiled, and compares its findings.
func (c *comparison) check(ctx context.Context, t *toolThere, b *boardResult, r *row) error {
	dir := filepath.Join(c.scratch, b.name, t.name)
	args := []string{filepath.Join(dir, "explore")}
	if t.args != nil {
		args = append(args, t.args(b.states)...)
	}
	s, out, err := c.timed(ctx, dir, args)
	if err != nil {
		return err
	}
	if err := t.kind.check(out, b.states); err != nil {
		return err
	}
	r.samples = append(r.samples, s)
	return nil
}

// timed runs a process to its end, within bounds on its time and memory.
func (c *comparison) timed(ctx context.Context, dir string, args []string) (s sample, text string, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	bounded := []string{"-c", fmt.Sprintf(`ulimit -v %d; exec "$0" "$@"`, c.machine.MemoryBytes>>10*memoryShare/100)}
	cmd := exec.CommandContext(ctx, "/bin/sh", append(bounded, args...)...)
	// A tool that shares memory between processes releases it when interrupted, but
	// not when killed.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
	began := time.Now()
	err = cmd.Run()
	s.seconds = time.Since(began).Seconds()
	said := out.String() + errs.String()
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return s, "", fmt.Errorf("%w in %v", errUnfinished, c.limit)
	case err != nil && outOfMemory(said, cmd.ProcessState):
		return s, "", fmt.Errorf("%w in %d %% of the memory", errUnfinished, memoryShare)
	case err != nil:
		return s, "", fmt.Errorf("%q: %w\n%s", args, err, said)
	}
	s.peakBytes = measure.PeakBytes(cmd.ProcessState)
	return s, out.String(), nil
}

// outOfMemory reports whether a process failed for lack of memory: it printed that,
// or the system killed it.
func outOfMemory(said string, p *os.ProcessState) bool {
	if strings.Contains(strings.ToLower(said), "out of memory") || strings.Contains(said, "annot allocate memory") {
		return true
	}
	status, ok := p.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}
