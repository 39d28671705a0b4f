package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/internal/engine"
)

// TestDefinitions explores a definition of a puzzle in all formats.
func TestDefinitions(t *testing.T) {
	const file = "../../puzzles/permutation/loopover-3x3.txt"
	folder := t.TempDir()
	look := func(name string, args ...string) engine.Summary {
		t.Helper()
		return summaryOf(t, must(t, append([]string{"explore", "--json", "-q", "--run", filepath.Join(folder, name)}, args...)...))
	}
	want := look("own", file)
	if want.States != 181_440 {
		t.Errorf("%d states", want.States)
	}
	for _, format := range []string{"tws", "kpuzzle"} {
		path := filepath.Join(folder, "loopover."+format)
		if err := os.WriteFile(path, []byte(must(t, "puzzles", "show", file, "--as", format)), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := look(format, path); got.Digest != want.Digest || got.States != want.States {
			t.Errorf("as %s: %d states, digest %s, want %s", format, got.States, got.Digest, want.Digest)
		}
	}
	if s := look("some", file, "--moves", "1R,1D"); s.States >= want.States || s.States < 2 {
		t.Errorf("with two moves: %d states", s.States)
	}
	if out := must(t, "puzzles", "show", file); !strings.Contains(out, "group   of order 181,440") || !strings.Contains(out, "states  181,440\n") {
		t.Errorf("shown as\n%s", out)
	}
	if out := must(t, "plan", "../../puzzles/permutation/rubiks-cube.txt", "-q", "--states", "100", "--steps", "1000"); !strings.Contains(out, "43,252,003,274,489,856,000, exactly") {
		t.Errorf("planned as\n%s", out)
	}
	for want, args := range map[string][]string{
		"--as is for definitions of moves":             {"puzzles", "show", "2 1 / 3 0", "--as", "tws"},
		"--as gap: must be one of tws, kpuzzle, moves": {"puzzles", "show", file, "--as", "gap"},
		`unknown move "Q"; the moves are`:              {"explore", file, "--moves", "Q"},
		`unknown move "X"; the moves are`:              {"solve", file, "--moves", "X"},
		"has fixed moves":                              {"explore", "2 1 / 3 0", "--moves", "Q"},
	} {
		if r := call("", args...); r.code != exit.Usage || !strings.Contains(r.errs, want) {
			t.Errorf("%q: exit %d, %s", args, r.code, r.errs)
		}
	}
}
