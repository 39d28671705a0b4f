package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
)

// TestPlayLines plays by lines: a hint is made, a move taken back, and the way that
// solving finds gone along.
func TestPlayLines(t *testing.T) {
	t.Parallel()
	file := puzzleFile(t, "small-4x4.txt")
	r := call("A+1 hint make\nundo\nE+1\nhint\nsolve\nn n n n n n n n\nfoo\nquit\n", "play", file)
	for _, want := range []string{"move 2, by", "move 1 of 2, by A+1", "move 2, by E+1", ", fewest; by astar", "solved", "foo is not a move here"} {
		if !strings.Contains(r.out, want) {
			t.Errorf("does not say %q:\n%s", want, r.out)
		}
	}
	if r.code != exit.Complete {
		t.Errorf("exit %d: %s", r.code, r.errs)
	}
}

// TestPlayRandom plays a game with a random rule, which no other command takes.
func TestPlayRandom(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, "puzzles", "new", "puzzlescript", "game")
	text := readFileText(t, filepath.Join("game", "puzzlescript.txt"))
	line := strings.Index(text, "\n[ > Player")
	if line < 0 {
		t.Fatal(text)
	}
	writeFile(t, "random.txt", text[:line+1]+"random "+text[line+1:])
	if r := call("", "explore", "random.txt"); r.code != exit.Usage || !strings.Contains(r.errs, "this rule is random: only deterministic games can be explored") {
		t.Errorf("explore: exit %d: %s", r.code, r.errs)
	}
	if r := call("right left\nnonsense\n", "play", "random.txt"); r.code != exit.Complete || !strings.Contains(r.out, "nonsense is not a move here") || !strings.Contains(r.out, "move 2, by left") {
		t.Errorf("play: exit %d: %s\n%s", r.code, r.errs, r.out)
	}
}

// TestPlayWays plays what solve and trace print, of every kind of move.
func TestPlayWays(t *testing.T) {
	dir := moduleDir(t)
	t.Chdir(t.TempDir())
	for _, args := range [][]string{
		{"puzzles/rushhour/bird.txt", "--algorithm", "plan"},
		{"puzzles/rushhour/jam-93.txt", "--metric", "slide"},
		{"puzzles/sokoban/rooms.txt"},
		{"puzzles/sokoban/boxoban.txt", "--metric", "move"},
		{"puzzles/hanoi/classic-8.txt"},
		{"puzzles/permutation/pocket-cube-htm.txt", "--algorithm", "bidirectional"},
		{"puzzles/blocks/dads-puzzler.txt", "--metric", "move"},
		{"puzzles/peg/plus.txt"},
		{"puzzles/tiles/3x3.txt", "--metric", "line"},
		{"puzzles/sudoku/six.txt"},
	} {
		args[0] = filepath.Join(dir, args[0])
		out := must(t, append([]string{"solve", "--json", "-q"}, args...)...)
		writeFile(t, "way.json", out)
		r := call("", "play", "way.json")
		if r.code != exit.Complete || !strings.Contains(r.out, "1. ") {
			t.Errorf("%q: exit %d\n%s%s", args, r.code, r.out, r.errs)
		}
	}
	must(t, "explore", filepath.Join(dir, "puzzles", "rushhour", "small-4x4.txt"), "-q")
	out := must(t, "trace", "small-4x4", "--json")
	if r := call(out, "play", "-"); r.code != exit.Complete || !strings.Contains(r.out, "9. ") {
		t.Errorf("a trace: exit %d\n%s%s", r.code, r.out, r.errs)
	}
	if r := call(`{"depth":3}`, "play", "-"); r.code != exit.Usage || !strings.Contains(r.errs, "has no board") {
		t.Errorf("other JSON: exit %d, %s", r.code, r.errs)
	}
}

// TestPlayTerminal plays in a real terminal, as far as tmux is one.
func TestPlayTerminal(t *testing.T) {
	if os.Getenv("EVERYSTATE_TMUX") == "" {
		t.Skip("needs tmux: make play-tmux")
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := moduleDir(t)
	t.Chdir(t.TempDir())
	must(t, "explore", filepath.Join(dir, "puzzles", "rushhour", "jam-93.txt"), "-q", "--goal-distance")
	session := func(args ...string) []string {
		return append([]string{"-L", "everystate-test", "-f", "/dev/null"}, args...)
	}
	tmux := func(args ...string) string {
		out, err := exec.CommandContext(t.Context(), "tmux", session(args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	tmux("new-session", "-d", "-x", "80", "-y", "24", "env", beProgram+"=1", program, "play", "jam-93")
	defer func() { _ = exec.Command("tmux", session("kill-server")...).Run() }() // It has ended, or does now.
	wait := func(what string) {
		t.Helper()
		for end := time.Now().Add(10 * time.Second); ; {
			screen := tmux("capture-pane", "-p", "-t", "0")
			if strings.Contains(screen, what) {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("the screen does not show %q:\n%s", what, screen)
			}
			<-time.After(50 * time.Millisecond)
		}
	}
	wait("goal distance 93")
	for _, step := range []struct{ keys, shows string }{
		{"B", "selected: B"},
		{"Down", "that piece cannot go down"},
		{"h", "hint: X-1 (93 moves"},
		{"Enter", "goal distance 92"},
		{"u", "goal distance 93"},
		{"s", "n steps along"},
		{"N", "move 25 of 93"},
		{"G", "solved"},
		{"g", "move 0 of 93"},
		{"Space", "move 2 of 93"},
		{"Space", "of 93"},
		{"?", "to the start, to the end"},
		{"x", "of 93"},
	} {
		tmux("send-keys", "-t", "0", step.keys)
		wait(step.shows)
	}
	colours := tmux("capture-pane", "-p", "-e", "-t", "0")
	if !strings.Contains(colours, "48;5;160m") {
		t.Errorf("the goal vehicle is not red:\n%q", colours)
	}
	tmux("send-keys", "-t", "0", "q")
	for end := time.Now().Add(10 * time.Second); exec.CommandContext(t.Context(), "tmux", session("has-session")...).Run() == nil; {
		if time.Now().After(end) {
			t.Fatal("q does not leave")
		}
		<-time.After(50 * time.Millisecond)
	}
}
