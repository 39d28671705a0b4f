package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/internal/engine"
)

// TestCheckTakesJSON has check read what solve --json wrote, of a board with a
// solution and of one without.
func TestCheckTakesJSON(t *testing.T) {
	t.Parallel()
	solved := filepath.Join(t.TempDir(), "s.json")
	writeFile(t, solved, must(t, "solve", "1 2 / 0 3", "--json", "-q"))
	if out := must(t, "check", "1 2 / 0 3", solved); !strings.Contains(out, "a solution in") {
		t.Errorf("%s", out)
	}
	if r := call("", "check", "8 6 7 / 2 5 4 / 3 0 1", solved); r.code != exit.Failed {
		t.Errorf("%+v", r)
	}
	unsolved := call("", "solve", "2 1 / 3 0", "--json", "-q")
	if r := call(unsolved.out, "check", "2 1 / 3 0", "-"); r.code != exit.Usage || !strings.Contains(r.errs, "this JSON has no moves") {
		t.Errorf("%+v", r)
	}
	if r := call(`{"moves": 7}`, "check", "2 1 / 3 0", "-"); r.code != exit.Usage || !strings.Contains(r.errs, `"moves" must be a string`) {
		t.Errorf("%+v", r)
	}
}

// TestCheckTakesText has check read what solve and trace print for people.
func TestCheckTakesText(t *testing.T) {
	t.Parallel()
	const tiles, level = "1 2 / 0 3", "#######\n#@$  .#\n#  $ .#\n#######"
	dir := filepath.Join(t.TempDir(), "run")
	must(t, "explore", tiles, "--goal-distance", "--run", dir, "-q")
	for _, c := range []struct{ board, text string }{
		{tiles, must(t, "solve", tiles, "-q")},
		{"1 2 / 3 0", must(t, "solve", "1 2 / 3 0", "-q")},
		{tiles, must(t, "solve", "1 2 / 3 0", tiles, "-q")},
		{tiles, must(t, "trace", dir, "--first-goal")},
		{level, must(t, "solve", level, "-q")},
		{level, must(t, "solve", level, "-q", "--metric", "move", "--algorithm", "soko-astar-move")},
		{level, must(t, "solve", level, "-q", "--form", "lurd")},
		{level, must(t, "solve", level, "-q", "--form", "rows")},
	} {
		if r := call(c.text, "check", c.board, "-"); r.code != exit.Complete || !strings.Contains(r.out, "a solution in") {
			t.Errorf("%s\n%+v", c.text, r)
		}
	}
	for text, want := range map[string]string{
		call("", "solve", "2 1 / 3 0", "-q").out:               "this text has no moves: ",
		call("", "solve", tiles, "2 1 / 3 0", "-q").out + "\n": "none of these 2 answers is about ",
	} {
		if r := call(text, "check", "1 0 / 3 2", "-"); r.code != exit.Usage || !strings.Contains(r.errs, want) {
			t.Errorf("%s\n%+v", text, r)
		}
	}
}

// TestStatesInOneLine has JSON and exports join the rows of a state in one way, which
// arguments take, as they do the line breaks of earlier JSON.
func TestStatesInOneLine(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	out := must(t, "explore", "AA.B / ...B / .... / ....", "--goal-distance", "--run", dir, "-q", "--json")
	var hardest struct {
		States []string `json:"states"`
	}
	if err := json.Unmarshal([]byte(must(t, "hardest", dir, "-n", "1", "--json")), &hardest); err != nil {
		t.Fatal(err)
	}
	state := hardest.States[0]
	for name, text := range map[string]string{
		"explore": out,
		"export":  must(t, "export", dir),
		"show":    must(t, "show", dir, state, "--json"),
		"earlier": must(t, "show", dir, strings.ReplaceAll(state, " / ", "\n"), "--json"),
		"trace":   must(t, "trace", dir, "--hardest", "--json"),
	} {
		if !strings.Contains(state, " / ") || !strings.Contains(text, state) || strings.Contains(text, `\n`) {
			t.Errorf("%s does not have %s: %s", name, state, text)
		}
	}
}

// TestNamesOfAnyScript explores boards whose names are not in English letters.
//
//nolint:paralleltest // It has a working directory of its own.
func TestNamesOfAnyScript(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, want := range map[string]string{"L'âne rouge": "l-âne-rouge", "华容道": "华容道", "L'A\u0302ne": "l-âne"} {
		writeFile(t, "b.txt", "name: "+name+"\nAA.B\n...B\n....\n....\n")
		must(t, "explore", "b.txt", "-q")
		bucket := "file://" + filepath.ToSlash(t.TempDir())
		must(t, "checkpoint", want, "--bucket", bucket, "-q")
		must(t, "restore", bucket+"/"+want, filepath.Join(t.TempDir(), "restored"), "-q")
		if out := must(t, "checkpoints", bucket); !strings.Contains(out, want) {
			t.Errorf("%s is not listed: %s", want, out)
		}
	}
}

// TestListForeign lists a directory with databases of other programs, which are not
// runs, and with a damaged run, which is one.
//
//nolint:paralleltest // It has a working directory of its own.
func TestListForeign(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, "explore", "AA.B / ...B / .... / ....", "--run", "all/mine", "-q")
	must(t, "explore", "AA.B / ...B / .... / ....", "--run", "all/damaged", "-q")
	files, err := filepath.Glob("all/damaged/db/MANIFEST*")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		if err := os.Remove(f); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll("all/dconf/db", 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, "all/dconf/db/local", "something")
	writeFile(t, "all/dconf/lock", "")
	out := must(t, "list", "all")
	if strings.Contains(out, "dconf") || !strings.Contains(out, "mine ") || !strings.Contains(out, "damaged ") {
		t.Errorf("%s", out)
	}
	if r := call("", "layers", "all/dconf"); r.code != exit.Usage || !strings.Contains(r.errs, "there is no run") {
		t.Errorf("%+v", r)
	}
}

// TestServeTwice serves at an address that is taken.
func TestServeTwice(t *testing.T) {
	t.Parallel()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lis.Close() }()
	at := lis.Addr().String()
	for _, args := range [][]string{{"serve", "--listen", at}, {"coordinator", "--data", t.TempDir(), "--listen", at}} {
		r := call("", args...)
		if r.code != exit.Failed || !strings.Contains(r.errs, "another program is serving there already") || !strings.Contains(r.errs, "--listen 127.0.0.1:0") {
			t.Errorf("%v: %+v", args, r)
		}
	}
}

// TestSolveOutput has solve write a file, in full, whatever the answer.
func TestSolveOutput(t *testing.T) {
	t.Parallel()
	at := func(name string) string { return filepath.Join(t.TempDir(), name) }
	text, lines, none := at("s.txt"), at("s.jsonl"), at("none.json")
	if out := must(t, "solve", "1 2 / 0 3", "-q", "-o", text) + must(t, "solve", "1 2 / 0 3", "-q", "-o", lines); out != "" {
		t.Errorf("printed %s", out)
	}
	if got := readFileText(t, text); !strings.Contains(got, "solved in") {
		t.Errorf("%s", got)
	}
	must(t, "check", "1 2 / 0 3", lines)
	if r := call("", "solve", "2 1 / 3 0", "-q", "-o", none); r.code != exit.NotFound || !strings.Contains(readFileText(t, none), `"result":"unsolvable"`) {
		t.Errorf("%+v: %s", r, readFileText(t, none))
	}
}

// TestFromGoals explores a level from its solved states: depth is the number of pushes
// to one, the deepest layer is the hardest, and every state can be solved. The hardest
// start takes as many pushes forwards, and the moves that are shown solve it.
func TestFromGoals(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "back")
	level := "#######\n#     #\n# $@  #\n#  #  #\n# $ ..#\n#######"
	var s engine.Summary
	if err := json.Unmarshal([]byte(must(t, "explore", level, "--from-goals", "--goal-distance", "--run", dir, "--json", "-q")), &s); err != nil {
		t.Fatal(err)
	}
	if s.UnsolvableStates == nil || *s.UnsolvableStates != 0 || s.Hardest == nil || s.Hardest.Distance != s.Depth || s.Hardest.Count != s.Layers[s.Depth] || s.Depth < 8 {
		t.Fatalf("%+v", s)
	}
	var hardest struct {
		Distance int      `json:"distance"`
		States   []string `json:"states"`
	}
	if err := json.Unmarshal([]byte(must(t, "hardest", dir, "-n", "1", "--json")), &hardest); err != nil {
		t.Fatal(err)
	}
	start := hardest.States[0]
	if out := must(t, "solve", start, "--algorithm", "bfs", "--json", "-q"); hardest.Distance != s.Depth || !strings.Contains(out, fmt.Sprintf(`"length":%d,`, s.Depth)) {
		t.Errorf("%+v, forwards %s", hardest, out)
	}
	var path struct {
		Moves string `json:"moves"`
	}
	if err := json.Unmarshal([]byte(must(t, "trace", dir, "--hardest", "--to-goal", "--json")), &path); err != nil || len(strings.Fields(path.Moves)) != 2*s.Depth {
		t.Fatalf("%+v, %v", path, err)
	}
	must(t, "check", start, path.Moves)
	rows, err := csv.NewReader(strings.NewReader(must(t, "export", dir))).ReadAll()
	if err != nil || len(rows) != int(s.States)+1 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, cells := range rows[1:] {
		if cells[1] != cells[4] {
			t.Fatalf("depth is not the goal distance: %q", cells)
		}
	}
	must(t, "verify", dir, "--complete", "-q")
	must(t, "report", dir, "-o", filepath.Join(t.TempDir(), "r.html"))
}
