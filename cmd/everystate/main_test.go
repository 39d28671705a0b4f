package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/runs"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	"github.com/everystate/everystate/internal/test/testmain"
	"github.com/everystate/everystate/internal/wasm/kept"
)

// beProgram makes the test binary the program itself, for tests that need a
// process of their own.
const beProgram = "EVERYSTATE_TEST_BE_PROGRAM"

// modulesVar names the directory in which the tests, and the programs that they start,
// keep compiled modules.
const modulesVar = "EVERYSTATE_TEST_MODULES"

func TestMain(m *testing.M) {
	kept.In(os.Getenv(modulesVar))
	if os.Getenv(beProgram) != "" {
		os.Exit(run(append([]string{"everystate"}, os.Args[1:]...), os.Stdin, os.Stdout, os.Stderr))
	}
	// The tests say where the coordinator is, and how to call it.
	for _, name := range []string{runs.CoordinatorVar, shell.CAVar, shell.CertVar, shell.KeyVar, shell.ServerNameVar, shell.TokenFileVar, shell.TokenVar} {
		if err := os.Unsetenv(name); err != nil {
			panic(err)
		}
	}
	os.Exit(withModules(func() int { return testmain.Waiting(m) }))
}

// withModules runs the tests with a directory of their own for compiled modules.
func withModules(run func() int) int {
	dir, err := os.MkdirTemp("", "everystate-modules-")
	if err != nil {
		panic(err)
	}
	defer func() {
		if err := os.RemoveAll(dir); err != nil {
			panic(err)
		}
	}()
	if err := os.Setenv(modulesVar, dir); err != nil {
		panic(err)
	}
	kept.In(dir)
	return run()
}

// result is what the program has said.
type result struct {
	out, errs string
	code      int
}

// call runs the program in this process.
func call(stdin string, args ...string) result {
	return callWith(strings.NewReader(stdin), args...)
}

func callWith(stdin io.Reader, args ...string) result {
	var out, errs bytes.Buffer
	code := run(append([]string{"everystate"}, args...), stdin, &out, &errs)
	return result{out.String(), waits.ReplaceAllString(errs.String(), ""), code}
}

// waits is what a command says while it waits for a coordinator. On a busy machine any
// command may have to wait for more than a second.
var waits = regexp.MustCompile(`(?m)^waiting="for .*the coordinator at .*"\n`)

// must is call for what has to end well.
func must(t *testing.T, args ...string) string {
	t.Helper()
	r := call("", args...)
	if r.code != exit.Complete {
		t.Fatalf("%q: exit %d\n%s%s", args, r.code, r.out, r.errs)
	}
	return r.out
}

// puzzleFile returns the path of one of the boards that come with the program,
// from wherever the test is.
func puzzleFile(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(moduleDir(t), "puzzles", "rushhour", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// moduleDir returns the top of the module. It has to be asked for before the
// test goes elsewhere.
func moduleDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
