package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/puzzle/families"
)

// template writes the template of a kind into a new directory, away from this
// repository, and returns the directory and the two commands that are to come next.
func template(t *testing.T, kind string) (dir string, next [2]string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "mine")
	out := must(t, "puzzles", "new", kind, dir)
	_, commands, ok := strings.Cut(out, "\nnext  ")
	lines := strings.Split(strings.TrimSpace(commands), "\n")
	if !ok || len(lines) != 2 {
		t.Fatalf("%s: two commands are to come next:\n%s", kind, out)
	}
	return dir, [2]string{lines[0], strings.TrimSpace(lines[1])}
}

// runLine runs a command that the program has named, which may be one of this program.
func runLine(t *testing.T, line string) string {
	t.Helper()
	if rest, own := strings.CutPrefix(line, "everystate "); own {
		return must(t, strings.Fields(rest)...)
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
	cmd.Env = append(os.Environ(), "GOPROXY=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", line, err, out)
	}
	return string(out)
}

// TestNewModule builds the templates of modules by the commands that are named, and
// explores them: in all languages they are one puzzle.
func TestNewModule(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds modules: a minute if nothing of it is in the cache")
	}
	for _, kind := range []string{"go", "c", "rust"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			dir, next := template(t, kind)
			if tool := strings.Fields(next[0])[0]; kind != "go" && !builds(t, tool, kind) {
				t.Skipf("%s cannot make WebAssembly here", tool)
			}
			runLine(t, next[0])
			if said := runLine(t, next[1]); !strings.Contains(said, "all 10 states examined: no faults found") {
				t.Errorf("check says %s", said)
			}
			got := summaryOf(t, must(t, "explore", "--puzzle", filepath.Join(dir, "river.wasm"), filepath.Join(dir, "river.txt"),
				"--run", filepath.Join(dir, "run"), "--goal-distance", "--json", "-q"))
			if want := []int64{1, 1, 1, 2, 2, 1, 1, 1}; !slices.Equal(got.Layers, want) || !slices.Equal(got.GoalDistanceLayers, want) {
				t.Errorf("layers %v, goal distances %v, want %v", got.Layers, got.GoalDistanceLayers, want)
			}
		})
	}
}

// builds reports whether a compiler is there, with its target.
func builds(t *testing.T, tool, language string) bool {
	t.Helper()
	args, source := []string{"--target=wasm32", "-nostdlib", "-Wl,--no-entry"}, "void f(void) {}\n"
	if language == "rust" {
		args, source = []string{"--target", "wasm32-unknown-unknown", "--crate-type", "cdylib"}, "pub fn f() {}\n"
	}
	file := filepath.Join(t.TempDir(), "probe."+map[string]string{"c": "c", "rust": "rs"}[language])
	writeFile(t, file, source)
	_, err := exec.LookPath(tool)
	return err == nil && exec.CommandContext(t.Context(), tool, append(args, "-o", file+".wasm", file)...).Run() == nil
}

// TestNewBoard explores the templates that files describe.
func TestNewBoard(t *testing.T) {
	t.Parallel()
	kinds := make([]string, 0, 16)
	for _, f := range families.All() {
		kinds = append(kinds, f.Name)
	}
	for _, kind := range kinds {
		dir, next := template(t, kind)
		file := filepath.Join(dir, kind+".txt")
		if want := [2]string{"everystate explore " + file, "everystate play " + file}; next != want {
			t.Errorf("%s: next is %q, want %q", kind, next, want)
		}
		if out := must(t, "puzzles", "show", file); !strings.Contains(out, "("+kind+", ") {
			t.Errorf("%s is read as %s", kind, out)
		}
	}
	for kind, want := range map[string]string{
		"puzzlescript": "level 1: 15 moves", "permutation": "solved in 5 moves",
		"rush-hour": "solved in 15 moves", "peg": "solved in 8 moves", "murphi": "solved in 8 moves", "sokoban": "solved in ",
	} {
		dir, _ := template(t, kind)
		if out := must(t, "solve", filepath.Join(dir, kind+".txt")); !strings.Contains(out, want) {
			t.Errorf("%s: solve says %s, want %s", kind, out, want)
		}
	}
}

// TestNewRefuses leaves alone what is there, and names the kinds there are.
func TestNewRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "puzzlescript.txt")
	must(t, "puzzles", "new", "puzzlescript", dir) // which is empty
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ kind, dir, want string }{
		{"puzzlescript", dir, "is not empty"},
		{"c", file, "is not a directory"},
		{"pascal", filepath.Join(dir, "p"), `there is no template for "pascal": the kinds are go, c, rust, rush-hour, puzzlescript, `},
		{"puzlescript", filepath.Join(dir, "p"), "did you mean puzzlescript?"},
	} {
		if r := call("", "puzzles", "new", test.kind, test.dir); r.code != exit.Usage || !strings.Contains(r.errs, test.want) {
			t.Errorf("%s in %s: exit %d, %s", test.kind, test.dir, r.code, r.errs)
		}
	}
	after, err := os.ReadFile(file)
	if _, absent := os.Stat(filepath.Join(dir, "p")); err != nil || !bytes.Equal(after, before) || !os.IsNotExist(absent) {
		t.Error("something was written by what was refused")
	}
}
