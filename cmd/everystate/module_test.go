package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/coordinator/client"
)

// moduleFile returns the path of one of the modules of the tests of package wasm.
func moduleFile(t *testing.T, name string) string {
	t.Helper()
	return filepath.Join(moduleDir(t), "internal", "wasm", "testdata", name+".wasm")
}

const tilesBoard = "8 6 7\n2 5 4\n3 0 1\n"

// TestModule explores a puzzle of a module and of the family that is built in, and
// asks for all that can be asked when neither the module nor the board is there.
func TestModule(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	board := filepath.Join(dir, "eight.txt")
	writeFile(t, board, tilesBoard)
	module := filepath.Join(dir, "mine.wasm")
	bytes, err := os.ReadFile(moduleFile(t, "tiles"))
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, module, string(bytes))

	native := summaryOf(t, must(t, "explore", board, "--run", filepath.Join(dir, "native"), "--goal-distance", "--json", "-q"))
	made := filepath.Join(dir, "made")
	r := call("", "explore", "--puzzle", module, board, "--run", made, "--max-depth", "20", "--json", "-q")
	if r.code != exit.Incomplete {
		t.Fatalf("exit %d: %s", r.code, r.errs)
	}
	moved := filepath.Join(dir, "moved")
	for _, err := range []error{os.Remove(module), os.Remove(board), os.Rename(made, moved)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	got := summaryOf(t, must(t, "resume", moved, "--goal-distance", "--json", "-q"))
	if got.States != 181440 || got.States != native.States || got.Digest != native.Digest {
		t.Errorf("%d states with digest %s, want %d with %s", got.States, got.Digest, native.States, native.Digest)
	}
	for _, args := range [][]string{
		{"trace", "--first-goal"}, {"show", "1 2 3 / 4 5 6 / 7 8 0"}, {"hardest"}, {"verify"}, {"layers"},
	} {
		args = append([]string{args[0], moved}, args[1:]...)
		if out := must(t, args...); out == "" {
			t.Errorf("%q says nothing", args)
		}
	}
}

// TestModuleInBucket takes a run from one directory to another through a bucket.
func TestModuleInBucket(t *testing.T) {
	t.Parallel()
	bucket, dir := newBucketURL(t), t.TempDir()
	board := filepath.Join(dir, "jugs.txt")
	writeFile(t, board, "8 5 3 : 4\n")
	run := filepath.Join(dir, "jugs")
	if r := call("", "explore", "--puzzle", moduleFile(t, "jugs"), board, "--run", run, "--bucket", bucket, "--max-depth", "3", "-q"); r.code != exit.Incomplete {
		t.Fatalf("exit %d: %s", r.code, r.errs)
	}
	got := summaryOf(t, must(t, "resume", runURL(t, bucket, "jugs"), "--run", filepath.Join(dir, "again"), "--json", "-q"))
	if got.States != 16 || got.SolutionLength == nil || *got.SolutionLength != 6 {
		t.Errorf("%d states, a solution of %v moves; want 16 and 6", got.States, got.SolutionLength)
	}
}

// TestModuleOnCluster compares with one machine, and has a module fail there.
func TestModuleOnCluster(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	board, liar := filepath.Join(dir, "eight.txt"), filepath.Join(dir, "trap.txt")
	writeFile(t, board, tilesBoard)
	writeFile(t, liar, "trap\n")
	native := summaryOf(t, must(t, "explore", board, "--run", filepath.Join(dir, "native"), "--json", "-q"))
	at := startCoordinator(t)
	startWorker(t, at, t.TempDir())
	startWorker(t, at, t.TempDir())
	got := summaryOf(t, must(t, "submit", "--puzzle", moduleFile(t, "tiles"), board, "--coordinator", at, "--wait", "--json", "-q"))
	if got.Digest != native.Digest {
		t.Errorf("digest %s, want %s", got.Digest, native.Digest)
	}
	if out := must(t, "trace", at+"/eight-tile", "--first-goal"); !strings.Contains(out, "31") {
		t.Errorf("the trace is\n%s", out)
	}
	if out := must(t, "verify", at+"/eight-tile"); !strings.Contains(out, "181,440") {
		t.Errorf("verify says\n%s", out)
	}
	r := call("", "submit", "--puzzle", moduleFile(t, "liar"), liar, "--name", "liar", "--coordinator", at, "--max-states", "2000", "--wait", "-q")
	if r.code != exit.Puzzle || !strings.Contains(r.errs, "puzzle module sha256:") || !strings.Contains(r.errs, "es_successors traps: unreachable") {
		t.Errorf("submit --wait: exit %d, %s", r.code, r.errs)
	}
	if r := call("", "watch", at+"/liar", "-q"); r.code != exit.Puzzle || !strings.Contains(r.errs, "es_successors traps: unreachable") {
		t.Errorf("watch: exit %d, %s", r.code, r.errs)
	}
	until(t, at, func(runs []client.Status, _ []client.Worker) bool {
		for _, r := range runs {
			if r.Run == "liar" && r.State == client.Failed {
				if !strings.Contains(r.Failure, "puzzle module sha256:") || !strings.Contains(r.Failure, "es_successors traps: unreachable") {
					t.Errorf("the failure is %q", r.Failure)
				}
				return true
			}
		}
		return false
	})
}

// TestModuleFails checks that a module that does what it must not ends the run, and
// the program with its own exit code.
func TestModuleFails(t *testing.T) {
	t.Parallel()
	module, run := moduleFile(t, "liar"), filepath.Join(t.TempDir(), "r")
	for _, test := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"explore", "--puzzle", module, "trap", "--run", run, "-q"}, exit.Puzzle,
			"everystate: puzzle module liar.wasm: es_successors traps: unreachable; it would fail again if resumed: correct the module, then explore the puzzle in a new run\n"},
		{[]string{"layers", run}, exit.Complete, "not complete: puzzle module liar.wasm: es_successors traps: unreachable; it would fail again"},
		{[]string{"resume", run, "-q"}, exit.Puzzle, "es_successors traps: unreachable; it would fail again if resumed: correct the module"},
		{[]string{"explore", "--puzzle", module, "undo", "--run", run + "2", "-q"}, exit.Puzzle, "es_undo does not lead back"},
		{[]string{"explore", "--puzzle", filepath.Join(run, "none.wasm"), "trap"}, exit.Usage, "none.wasm: no such file"},
		{[]string{"explore", "--puzzle", module, ""}, exit.Usage, "a board is the name of a lie"},
		{[]string{"explore", "--puzzle", module, "trap", "--notation", "rows"}, exit.Usage, "--notation works only with built-in puzzles"},
		{[]string{"puzzles", "check", module, "unequal"}, exit.Puzzle, "equal states have unequal keys"},
		{[]string{"puzzles", "check", module, "mark"}, exit.Complete, ""},
		{[]string{"puzzles", "check", module}, exit.Usage, "a board is the name of a lie"},
	} {
		r := call("", test.args...)
		if r.code != test.code || !strings.Contains(r.out+r.errs, test.want) {
			t.Errorf("%q: exit %d, want %d, and said\n%s", test.args, r.code, test.code, r.errs)
		}
	}
	if out := must(t, "puzzles", "check", moduleFile(t, "jugs"), "8 5 3 : 4"); !strings.Contains(out, "all 16 states examined: no faults found") {
		t.Errorf("check says %s", out)
	}
}

// TestModuleOfOtherKinds explores a puzzle with several starts and with keys of
// several words on one machine, back from a bucket and on a cluster.
func TestModuleOfOtherKinds(t *testing.T) {
	t.Parallel()
	const side = 40
	dir, bucket := t.TempDir(), newBucketURL(t)
	at := startCoordinator(t)
	startWorker(t, at, t.TempDir())
	startWorker(t, at, t.TempDir())
	file := filepath.Join(dir, "square.txt")
	writeFile(t, file, fmt.Sprint(side))
	ask := []string{"--puzzle", moduleFile(t, "wide"), file, "--goal-distance", "--json", "-q"}
	want := summaryOf(t, must(t, append([]string{"explore", "--run", filepath.Join(dir, "here")}, ask...)...))

	// The nearest of the starts is as far as the rows and columns say.
	var layers, goals [2 * side]int64
	for row := range side {
		for col := range side {
			layers[min(row+col, 2*(side-1)-row-col, row+max(col-side/2, side/2-col))]++
			goals[max(row-side/2, side/2-row)+max(col-side/3, side/3-col)]++
		}
	}
	if n := len(want.Layers); !slices.Equal(want.Layers, layers[:n]) || layers[n] != 0 {
		t.Errorf("layers are %v, want %v", want.Layers, layers)
	}
	if n := len(want.GoalDistanceLayers); !slices.Equal(want.GoalDistanceLayers, goals[:n]) || goals[n] != 0 {
		t.Errorf("goal distances are %v, want %v", want.GoalDistanceLayers, goals)
	}

	made := []string{"explore", "--puzzle", moduleFile(t, "wide"), file, "--run", filepath.Join(dir, "made"), "--bucket", bucket, "--max-depth", "4", "-q"}
	if r := call("", made...); r.code != exit.Incomplete {
		t.Fatalf("exit %d: %s", r.code, r.errs)
	}
	resumed := must(t, "resume", runURL(t, bucket, "made"), "--run", filepath.Join(dir, "again"), "--goal-distance", "--json", "-q")
	submitted := must(t, append([]string{"submit", "--coordinator", at, "--wait"}, ask...)...)
	for how, out := range map[string]string{"resumed from a bucket": resumed, "on a cluster": submitted} {
		if got := summaryOf(t, out); got.Digest != want.Digest || got.States != side*side {
			t.Errorf("%s: %d states with digest %s, want %s", how, got.States, got.Digest, want.Digest)
		}
	}
	must(t, "verify", filepath.Join(dir, "again"))
}
