package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/cmd/everystate/internal/boards"
	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
)

// TestContract holds `explore --json` to the names and types that programs rely
// on.
func TestContract(t *testing.T) {
	t.Parallel()
	file := puzzleFile(t, "small-4x4.txt")
	dir := t.TempDir()
	names := strings.Fields("puzzle name metric states generated duplicates layers depth goal_states solution_length " +
		"hardest goal_distance_layers unsolvable_states digest seconds states_per_second peak_memory_bytes disk_bytes run complete")
	for _, test := range []struct {
		args  []string
		types map[string]string // where they are not as without goal distances
	}{
		{nil, map[string]string{}},
		{[]string{"--goal-distance"}, map[string]string{"hardest": "object", "goal_distance_layers": "array", "unsolvable_states": "number"}},
	} {
		out := must(t, append([]string{"explore", file, "--run", dir, "--json", "--quiet"}, test.args...)...)
		if got := keysOf(t, out); !slices.Equal(got, names) {
			t.Errorf("fields are\n%q, want\n%q", got, names)
		}
		var fields map[string]any
		if err := json.Unmarshal([]byte(out), &fields); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{
			"puzzle": "string", "name": "string", "metric": "string", "digest": "string", "run": "string",
			"layers": "array", "complete": "bool", "hardest": "null", "goal_distance_layers": "null", "unsolvable_states": "null",
		}
		for name, value := range fields {
			expected := "number"
			if kind, ok := want[name]; ok {
				expected = kind
			}
			if kind, ok := test.types[name]; ok {
				expected = kind
			}
			if got := kindOf(value); got != expected {
				t.Errorf("%q: %s is of type %s, want %s", test.args, name, got, expected)
			}
		}
		if hardest, ok := fields["hardest"].(map[string]any); ok {
			if kindOf(hardest["distance"]) != "number" || kindOf(hardest["count"]) != "number" || kindOf(hardest["example"]) != "string" || len(hardest) != 3 {
				t.Errorf("hardest is %v", hardest)
			}
		}
		if strings.Count(out, "\n") != 1 || !strings.HasSuffix(out, "}\n") {
			t.Errorf("not one line: %q", out)
		}
	}
}

// keysOf returns the names of an object in their order.
func keysOf(t *testing.T, text string) []string {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(text))
	if _, err := dec.Token(); err != nil {
		t.Fatal(err)
	}
	var keys []string
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key.(string))
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			t.Fatal(err)
		}
	}
	return keys
}

func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case float64:
		return "number"
	case bool:
		return "bool"
	case []any:
		return "array"
	}
	return "object"
}

func TestStandardInput(t *testing.T) { //nolint:paralleltest // It has a working directory of its own.
	t.Chdir(t.TempDir())
	for _, test := range []struct {
		stdin, errs string
		code        int
	}{
		{"AA.B\n...B\n....\n", "", 0},
		{"", `{"code":2,"message":"no board: the input is empty or has only headers and comments","where":{"input":"standard input"}}` + "\n", 2},
		{"AA.B\n...\n", `{"code":2,"message":"row 2 has 3 cells where the rows above have 4","where":{"input":"standard input","line":2,"column":1}}` + "\n", 2},
		{"exit: up\n\nAA.\n", "", 2},
		{strings.Repeat(";", 17<<20), `{"code":2,"message":"the input is larger than 16 MiB","where":{"input":"standard input"}}` + "\n", 2},
	} {
		r := call(test.stdin, "explore", "-", "--json", "--quiet")
		if r.code != test.code || test.errs != "" && r.errs != test.errs || strings.Count(r.errs, "\n") > 1 {
			t.Errorf("%.20q: exit %d, %s", test.stdin, r.code, r.errs)
		}
	}
}

// TestLevelKeepsItsNumber chooses boards without names of a file.
func TestLevelKeepsItsNumber(t *testing.T) { //nolint:paralleltest // It has a working directory of its own.
	t.Chdir(t.TempDir())
	writeFile(t, "two.txt", "AA.B\n...B\n\nAA..\n....\n")
	for _, level := range []string{"1", "2"} {
		must(t, "explore", "two.txt", "--level", level, "-q")
		must(t, "layers", "two-"+level)
	}
	if out := must(t, "solve", "two.txt", "--level", "2", "-q"); !strings.HasPrefix(out, "two-2: ") {
		t.Errorf("solve says %s", out)
	}
}

// TestMistakeInNamesake explores a board with a mistake whose file is called as a run is.
func TestMistakeInNamesake(t *testing.T) { //nolint:paralleltest // It has a working directory of its own.
	t.Chdir(t.TempDir())
	writeFile(t, "level1", "AA..\n....\n")
	must(t, "explore", "level1", "-q")
	writeFile(t, "level1", "AA..\n..?.\n")
	if r := call("", "explore", "level1"); r.code != exit.Usage || !strings.HasPrefix(r.errs, "everystate: level1:2:3: ") {
		t.Errorf("exit %d, %s", r.code, r.errs)
	}
	if err := os.Remove("level1"); err != nil {
		t.Fatal(err)
	}
	if r := call("", "explore", "level1"); r.code != exit.Usage || !strings.Contains(r.errs, "level1 is a run, not a board") {
		t.Errorf("without the file: exit %d, %s", r.code, r.errs)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Jam 93": "jam-93", "Jam 93, downwards": "jam-93-downwards", "../../etc": "etc", "": "", "...": "",
		"a/b\\c": "a-b-c", "Größe": "größe", "v1.2_x": "v1.2_x", "-x-": "x", "日本": "日本",
		"L'âne rouge": "l-âne-rouge", "L'A\u0302ne": "l-âne", "华容道": "华容道", "a\u202eb\xffc": "a-b-c", strings.Repeat("道", 99): strings.Repeat("道", boards.FileNameBytesMax/3),
		strings.Repeat("long ", 100): strings.Repeat("long-", 15) + "long-",
	} {
		got := boards.FileName(name)
		if name != "" && strings.HasPrefix(name, "long") {
			if len(got) > boards.FileNameBytesMax {
				t.Errorf("%d bytes", len(got))
			}
			continue
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

func TestQuote(t *testing.T) {
	t.Parallel()
	for arg, want := range map[string]string{
		"runs/jam-93": "runs/jam-93", "my run": "'my run'", "": "''", "it's": `'it'\''s'`, "$HOME": "'$HOME'",
	} {
		if got := shell.Quote(arg); got != want {
			t.Errorf("%q: got %s, want %s", arg, got, want)
		}
	}
}

func TestProgramName(t *testing.T) {
	t.Parallel()
	for called, want := range map[string]string{
		"everystate": "everystate", "./bin/everystate": "./bin/everystate",
		"/tmp/go-build123/b001/exe/everystate": "go run ./cmd/everystate", "/a b/everystate": "'/a b/everystate'",
	} {
		if got := shell.ProgramName(called); got != want {
			t.Errorf("%q: got %s, want %s", called, got, want)
		}
	}
}
