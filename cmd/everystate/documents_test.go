package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/test/effort"
)

// A block of commands in a document. One with a reason is not run, but what it calls
// of this program must be there: commands, arguments, flags.
//
// A reason stands in a comment before the block,
//
//	<!-- not run: it takes minutes -->
//
// and a block that shows what a command says is none: it begins with no command.
type commandBlock struct {
	line    int
	reason  string
	lines   []string
	console bool // lines of commands begin with "$ "
}

var (
	commandStart = regexp.MustCompile(`^(\$ |(\w+=\S+ )*(everystate|go|make|docker|kubectl|kustomize|openssl|printf|export|clang|systemctl|sudo|mkdir|cat|cd|curl|for|systemd-analyze|\.ci/run|promtool) )`)
	notRun       = regexp.MustCompile(`^<!-- not run: (.+) -->$`)
)

// commandBlocks returns the blocks of commands of a document.
func commandBlocks(text string) (blocks []commandBlock) {
	var reason, fence string
	var b *commandBlock
	blank, inFence := true, false
	finish := func() {
		if b != nil && len(b.lines) > 0 && commandStart.MatchString(b.lines[0]+" ") {
			b.console = strings.HasPrefix(b.lines[0], "$ ")
			blocks = append(blocks, *b)
		}
		b = nil
	}
	for i, line := range strings.Split(text, "\n") {
		switch {
		case inFence && strings.TrimSpace(line) == "```":
			if fence == "" || fence == "sh" || fence == "console" {
				finish()
			}
			b, inFence, reason = nil, false, ""
		case inFence:
			b.lines = append(b.lines, line)
		case strings.HasPrefix(line, "```"):
			finish()
			inFence, fence = true, strings.TrimPrefix(line, "```")
			b = &commandBlock{line: i + 2, reason: reason}
		case strings.HasPrefix(line, "    ") && (blank || b != nil):
			if b == nil {
				b = &commandBlock{line: i + 1, reason: reason}
			}
			b.lines = append(b.lines, strings.TrimPrefix(line, "    "))
		default:
			if b != nil && strings.TrimSpace(line) != "" {
				finish()
				reason = ""
			}
			if m := notRun.FindStringSubmatch(line); m != nil {
				reason = m[1]
			}
		}
		blank = strings.TrimSpace(line) == "" || notRun.MatchString(line)
	}
	finish()
	return blocks
}

// commands returns the commands of a block: a line each, with what goes on behind a
// backslash, and without what they say.
func (b *commandBlock) commands() (all []string) {
	joined := ""
	for _, line := range b.lines {
		if b.console && joined == "" {
			rest, ok := strings.CutPrefix(line, "$ ")
			if !ok {
				continue
			}
			line = rest
		}
		if rest, ok := strings.CutSuffix(line, "\\"); ok {
			joined += rest
			continue
		}
		all = append(all, joined+line)
		joined = ""
	}
	return all
}

// documents are those whose commands are run.
func documents(t *testing.T) (names []string) {
	t.Helper()
	names = []string{"README.md"}
	err := fs.WalkDir(os.DirFS("../.."), "docs", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(name, ".md") {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestDocuments runs every command in the documents, or, where it says why not, holds
// what it calls to be there.
func TestDocuments(t *testing.T) {
	t.Parallel()
	run, checked := 0, 0
	dir := t.TempDir()
	for _, name := range documents(t) {
		text, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil {
			t.Fatal(err)
		}
		blocks := commandBlocks(string(text))
		for i := range blocks {
			for _, c := range blocks[i].commands() {
				if err := parses(inside(dir, c)); err != nil {
					t.Errorf("%s:%d: %s: %v", name, blocks[i].line, c, err)
				}
			}
			if blocks[i].reason == "" {
				run++
			} else {
				checked++
			}
		}
		if slices.ContainsFunc(blocks, func(b commandBlock) bool { return b.reason == "" }) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				if testing.Short() {
					t.Skip("runs what the document says")
				}
				if long := []string{"docs/SWEEP.md", "docs/DATABASE.md", "docs/PYTHON.md"}; slices.Contains(long, name) || strings.HasPrefix(name, "docs/tutorials/") {
					effort.Needed(t, "takes seconds")
				}
				runDocument(t, name, blocks)
			})
		}
	}
	t.Logf("%d blocks are run, %d only looked at", run, checked)
	if run < 20 {
		t.Errorf("only %d blocks are run", run)
	}
}

// inside is a command with the directory that documents use for examples below dir: what
// lies in that of the machine must not matter.
func inside(dir, command string) string {
	return strings.ReplaceAll(command, "/tmp/es", filepath.Join(dir, "es"))
}

// documentTimeMax is how long the commands of one document may take.
const documentTimeMax = 4 * time.Minute

// runDocument runs the blocks of a document one after the other in a directory of
// their own, in which the repository's boards and sources can be seen.
func runDocument(t *testing.T, name string, blocks []commandBlock) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir, bin := t.TempDir(), t.TempDir()
	for _, shown := range []string{"puzzles", "puzzle", "internal", "docs", "deploy", "testdata"} {
		if err := os.Symlink(filepath.Join(root, shown), filepath.Join(dir, shown)); err != nil {
			t.Fatal(err)
		}
	}
	program, err := filepath.Abs(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	port := freePort(t)
	// A coordinator that is not told where to listen must not meet one that this
	// machine has.
	shim := fmt.Sprintf("#!/bin/bash\nif [ \"$1\" = coordinator ] && [[ \" $* \" != *\" --listen \"* ]]; then set -- \"$@\" --listen 127.0.0.1:%d; fi\n%s=1 exec %q \"$@\"\n", port, beProgram, program)
	if err := os.WriteFile(filepath.Join(bin, "everystate"), []byte(shim), 0o755); err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	script.WriteString("set -euo pipefail\n")
	for i := range blocks {
		if blocks[i].reason != "" {
			continue
		}
		for _, c := range blocks[i].commands() {
			c = strings.ReplaceAll(c, "go run ./cmd/everystate", "everystate")
			c = strings.ReplaceAll(c, "127.0.0.1:7000", "127.0.0.1:"+strconv.Itoa(port))
			c = inside(dir, c)
			fmt.Fprintf(&script, "echo %s\n%s\n", quoteShell(fmt.Sprintf("== %s:%d: %s", name, blocks[i].line, c)), c)
			if strings.Contains(c, "everystate coordinator") && strings.Contains(c, "&") {
				// Whether it has certificates or not.
				fmt.Fprintf(&script, "for _ in $(seq 100); do (: < /dev/tcp/127.0.0.1/%d) 2>/dev/null && break; sleep 0.1; done\n", port)
			}
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), documentTimeMax)
	defer cancel()
	out, err := os.Create(filepath.Join(bin, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close() //nolint:errcheck // it was written by others
	cmd := exec.CommandContext(ctx, "bash", "-c", script.String())
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, out, out
	cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+dir)
	inGroup(cmd)
	err = cmd.Run()
	if kill := killGroup(cmd); kill != nil && !errors.Is(kill, syscall.ESRCH) {
		t.Error(kill)
	}
	said, readErr := os.ReadFile(out.Name())
	if err != nil || readErr != nil {
		t.Errorf("%v, %v\n%s", err, readErr, said)
		return
	}
	compareShown(t, name, blocks, string(said))
}

// compareShown holds what a document shows of the outputs of commands against what they
// have printed: the lines shown are among those printed, in order, but for "..." and for
// numbers in lines that depend on the machine.
func compareShown(t *testing.T, name string, blocks []commandBlock, said string) {
	t.Helper()
	outputs := strings.Split("\n"+said, fmt.Sprintf("\n== %s:", name))[1:]
	next := 0
	for i := range blocks {
		if blocks[i].reason != "" {
			continue
		}
		for _, shown := range blocks[i].shown() {
			if next == len(outputs) {
				t.Fatalf("%s:%d: no output of this block", name, blocks[i].line)
			}
			printed := strings.Split(outputs[next], "\n")[1:]
			next++
			for _, line := range shown {
				want := machineless(line)
				at := slices.IndexFunc(printed, func(p string) bool { return machineless(p) == want })
				if at < 0 {
					t.Errorf("%s:%d: the commands do not print, or not in this order: %s", name, blocks[i].line, line)
					continue
				}
				printed = printed[at+1:]
			}
		}
	}
}

// shown returns the lines that a block shows behind each of its commands.
func (b *commandBlock) shown() (all [][]string) {
	behind := false // a line that goes on
	for _, line := range b.lines {
		if !b.console {
			if !behind {
				all = append(all, nil)
			}
			behind = strings.HasSuffix(line, "\\")
			continue
		}
		switch {
		case behind:
			behind = strings.HasSuffix(line, "\\")
		case strings.HasPrefix(line, "$ "):
			all = append(all, nil)
			behind = strings.HasSuffix(line, "\\")
		case len(all) > 0 && strings.TrimSpace(line) != "" && strings.Trim(line, " .") != "":
			all[len(all)-1] = append(all[len(all)-1], line)
		}
	}
	return all
}

var (
	ofMachine = regexp.MustCompile(`\d (s|ms|min|h|KiB|MiB|GiB|MB|GB|TB)\b|\bvm-|/s\b|states per|idle|digest of|127\.0\.0\.1`)
	aNumber   = regexp.MustCompile(`\d[\d,.]*`)
)

// machineless returns a line without the numbers that may depend on the machine, and with
// single spaces.
func machineless(line string) string {
	line = strings.Join(strings.Fields(line), " ")
	if ofMachine.MatchString(line) {
		line = aNumber.ReplaceAllString(line, "#")
	}
	return line
}

func freePort(t *testing.T) int {
	t.Helper()
	lis, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer lis.Close() //nolint:errcheck // nothing was sent
	return lis.Addr().(*net.TCPAddr).Port
}

func quoteShell(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// parses holds the calls of this program in a line to be of commands, with arguments
// and flags, that there are.
func parses(line string) error {
	for _, words := range calls(line) {
		root := rootCommand(&shell.Env{}, &profile{})
		cmd, rest, err := root.Find(words)
		if err != nil {
			return err
		}
		if slices.Contains(rest, "--help") || cmd.DisableFlagParsing {
			continue
		}
		if err := cmd.ParseFlags(rest); err != nil {
			return err
		}
		args := cmd.Flags().Args()
		if slices.ContainsFunc(args, func(a string) bool { return strings.HasSuffix(a, "...") }) {
			continue // stands for any
		}
		if err := cmd.ValidateArgs(args); err != nil {
			return err
		}
	}
	return nil
}

// calls splits a line as a shell does, as far as documents need it, and returns the
// words behind each "everystate".
func calls(line string) (all [][]string) {
	var words []string
	var word strings.Builder
	var quote rune
	started := false
	end := func() {
		if started {
			words = append(words, word.String())
		}
		word.Reset()
		started = false
	}
	flush := func() {
		end()
		for len(words) > 0 && strings.Contains(words[0], "=") && !strings.HasPrefix(words[0], "-") {
			words = words[1:]
		}
		if len(words) > 0 && words[0] == "everystate" {
			all = append(all, words[1:])
		}
		words = nil
	}
scan:
	for i, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, started = r, true
		case r == '#' && !started && (i == 0 || line[i-1] == ' '):
			break scan
		case r == '|' || r == ';' || r == '&':
			flush()
		case r == '>' || r == '<':
			end()
			// What follows is a file, and nothing comes behind it here.
			break scan
		case r == ' ':
			end()
		default:
			word.WriteRune(r)
			started = true
		}
	}
	flush()
	return all
}

func TestCommandBlocks(t *testing.T) {
	t.Parallel()
	const text = "Text\n\n```\n$ everystate list \\\n    runs\nsaid\n$ everystate version # why\n```\n\n<!-- not run: slow -->\n\n    everystate explore 'a b' --max-depth 3 | everystate nonsense > x\n\n```\nsaid only\n```\n\n- a\n    indented\n"
	blocks := commandBlocks(text)
	if len(blocks) != 2 || blocks[1].reason != "slow" || blocks[0].reason != "" {
		t.Fatalf("%+v", blocks)
	}
	if got := strings.Join(blocks[0].commands(), "|"); got != "everystate list     runs|everystate version # why" {
		t.Errorf("%q", got)
	}
	if err := parses(blocks[0].commands()[0]); err != nil {
		t.Error(err)
	}
	if got := fmt.Sprintf("%q", calls(blocks[1].lines[0])); got != `[["explore" "a b" "--max-depth" "3"] ["nonsense"]]` {
		t.Error(got)
	}
	for _, bad := range []string{"everystate nonsense", "everystate explore x --nonsense", "everystate show", "A=b everystate layers"} {
		if parses(bad) == nil {
			t.Errorf("%s passes", bad)
		}
	}
}
