package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/spf13/cobra"

	"github.com/everystate/everystate/cmd/everystate/internal/exit"
	"github.com/everystate/everystate/cmd/everystate/internal/shell"
	everystatev1 "github.com/everystate/everystate/proto/gen/everystate/v1"
)

// schemas are those of docs/schema by name, made strict: a field that they do not
// name is a fault here, while whoever uses them bears fields of later versions.
type schemas struct {
	compiled map[string]*jsonschema.Schema
	fields   map[string]map[string]bool // of each schema, by path; true once an output had it
	samples  map[string]any
}

func readSchemas(t *testing.T) *schemas {
	t.Helper()
	s := &schemas{map[string]*jsonschema.Schema{}, map[string]map[string]bool{}, map[string]any{}}
	files, err := filepath.Glob("../../docs/schema/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d schemas: %v", len(files), err)
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".json")
		s.fields[name] = map[string]bool{}
		makeStrict(doc, "", s.fields[name])
		c := jsonschema.NewCompiler()
		if err := c.AddResource(name, doc); err != nil {
			t.Fatal(err)
		}
		if s.compiled[name], err = c.Compile(name); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// makeStrict lets no object of a schema have other fields than those that it names,
// and notes these.
func makeStrict(schema any, path string, fields map[string]bool) {
	node, ok := schema.(map[string]any)
	if !ok {
		return
	}
	makeStrict(node["items"], path, fields)
	if properties, ok := node["properties"].(map[string]any); ok {
		node["additionalProperties"] = false
		for name, p := range properties {
			fields[path+"."+name] = false
			makeStrict(p, path+"."+name, fields)
		}
	}
}

// check holds an output to a schema.
func (s *schemas) check(t *testing.T, schema, where string, output []byte) {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(output))
	if err != nil {
		t.Errorf("%s: %v", where, err)
		return
	}
	if s.compiled[schema] == nil {
		t.Errorf("%s: no schema %q", where, schema)
		return
	}
	if err := s.compiled[schema].Validate(value); err != nil {
		t.Errorf("%s: %v\n%s", where, err, output)
		return
	}
	s.samples[schema] = value
	s.note(schema, "", value)
}

func (s *schemas) note(schema, path string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for name, inner := range v {
			s.fields[schema][path+"."+name] = true
			s.note(schema, path+"."+name, inner)
		}
	case []any:
		for _, inner := range v {
			s.note(schema, path, inner)
		}
	}
}

// schemaOf returns the schema of a command's output, as docs/JSON.md has it.
func schemaOf(args []string) string {
	has := func(flag string) bool { return slices.Contains(args, flag) }
	remote := slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "ADDR") || strings.HasPrefix(a, "127.0.0.1:") })
	inBucket := slices.ContainsFunc(args, func(a string) bool {
		return strings.HasPrefix(a, "BUCKET/") || strings.HasPrefix(a, "file://") && strings.HasSuffix(a, "/small")
	})
	switch command := args[0]; command {
	case "explore", "watch", "restore":
		return "summary"
	case "resume", "submit":
		if remote && !has("--wait") {
			return "status"
		}
		return "summary"
	case "runs", "status", "pause", "cancel":
		return "status"
	case "show":
		if has("--depth") {
			return "show-depth"
		}
	case "list":
		if remote {
			return "status"
		}
	case "checkpoints":
		switch {
		case args[1] == "prune":
			return "checkpoints-prune"
		case remote:
			return "checkpoints-coordinator"
		case inBucket:
			return "checkpoints-run"
		}
		return "checkpoints-bucket"
	case "compare":
		return "solve"
	case "certs":
		return "written"
	case "puzzles":
		switch {
		case has("check"):
			return "puzzles-check"
		case has("new"):
			return "written"
		}
	case "sweep":
		if has("--dry-run") {
			return "sweep-dry-run"
		}
	case "db":
		switch {
		case args[1] == "count" || args[1] == "histogram" || args[1] == "compare" || args[1] == "grade":
			return "db-" + args[1]
		case args[1] == "fetch" || args[1] == "merge":
			return "sweep"
		case has("pack"):
			return "pack"
		}
		return "record"
	}
	return args[0]
}

// checkLines holds the lines of an output that are JSON to the schema of the command.
func (s *schemas) checkLines(t *testing.T, args []string, out string) int {
	t.Helper()
	n := 0
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "{") {
			s.check(t, schemaOf(args), strings.Join(args, " "), []byte(line))
			n++
		}
	}
	return n
}

// TestSchemas holds every output of --json in the transcripts, and of the commands
// that these do not have, to its schema in docs/schema; and the schemas to say
// nothing that no command prints.
func TestSchemas(t *testing.T) {
	t.Parallel()
	s := readSchemas(t)
	files, err := filepath.Glob("testdata/*.*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var args []string
		for line := range strings.Lines(string(text)) {
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				args = words(strings.TrimSpace(command))
			} else if len(args) > 0 && (slices.Contains(args, "--json") || slices.Contains(args, "jsonl")) {
				s.checkLines(t, args, line)
				if fault, ok := strings.CutPrefix(line, "! {"); ok {
					s.check(t, "error", strings.Join(args, " "), []byte("{"+fault))
				}
			}
		}
	}
	for _, args := range commandsWithJSON(t) {
		r := call("", args...)
		if slices.Contains(args, "pack") {
			s.check(t, "pack", strings.Join(args, " "), []byte(r.out))
		} else if n := s.checkLines(t, args, r.out); n == 0 {
			t.Errorf("%s: no JSON, exit %d, %s", strings.Join(args, " "), r.code, r.errs)
		}
	}
	s.checkErrors(t)
	s.checkUse(t)
	for name, sample := range s.samples {
		s.checkFaults(t, name, sample)
	}
}

// checkErrors holds what is told of errors and warnings to its schema.
func (s *schemas) checkErrors(t *testing.T) {
	t.Helper()
	for _, test := range []struct {
		args  []string
		codes []int  // of the lines of standard error
		where string // of the last, as JSON
	}{
		{[]string{"solve", "nosuch.txt", "--json"}, []int{exit.Usage}, `{"input":"nosuch.txt"}`},
		{[]string{"solve", "nosuch.txt", "AA.B\n...\n", "--json"}, []int{exit.Usage, exit.Usage}, `{"input":"argument","line":2,"column":1}`},
		{[]string{"solve", "[[1,2],[0,3]]", "--json", "-q"}, []int{exit.Complete}, `{"input":"argument"}`},
		{[]string{"explore", "--json", "--nosuch"}, []int{exit.Usage}, `null`},
		{[]string{"layers", "nosuch", "--json=true"}, []int{exit.Usage}, `null`},
	} {
		r := call("", test.args...)
		lines := strings.Split(strings.TrimSuffix(r.errs, "\n"), "\n")
		if len(lines) != len(test.codes) {
			t.Errorf("%q says %s", test.args, r.errs)
			continue
		}
		for i, line := range lines {
			s.check(t, "error", strings.Join(test.args, " "), []byte(line))
			if !strings.HasPrefix(line, fmt.Sprintf(`{"code":%d,`, test.codes[i])) || strings.Contains(line, "everystate: ") {
				t.Errorf("%q says %s", test.args, line)
			}
		}
		if !strings.HasSuffix(lines[len(lines)-1], `"where":`+test.where+"}") {
			t.Errorf("%q is at %s, not %s", test.args, lines[len(lines)-1], test.where)
		}
		if test.codes[0] != exit.Complete && (r.code != test.codes[0] || r.out != "") {
			t.Errorf("%q: exit %d, %s", test.args, r.code, r.out)
		}
	}
	if r := call("", "solve", "--", "--json"); strings.HasPrefix(r.errs, "{") {
		t.Errorf("a board of that name: %s", r.errs)
	}
}

// commandsWithJSON are those whose output no transcript has.
func commandsWithJSON(t *testing.T) [][]string {
	t.Helper()
	dir, board := t.TempDir(), filepath.Join("testdata", "boards", "small.txt")
	at := func(name string) string { return filepath.Join(dir, name) }
	bkt := newBucketURL(t)
	must(t, "explore", board, "--run", at("small"), "--bucket", bkt, "-q")
	must(t, "sweep", "rushhour", "--size", "4x4", "--data", at("swept"), "-q")
	writeFile(t, at("reference.txt"), "07 BBoFAAoFECCCEoDD 35\n09 AAoooooooooooooo 4\n")
	must(t, "sweep", "rushhour", "--size", "4x4", "--walls", "1", "--all", "--data", at("walls"), "-q")
	must(t, "db", "grade", at("walls"), "-q")
	must(t, "sweep", "blocks", "goal: A at 1,0\n\nC.D\nAAB\n", "--metric", "move", "--data", at("blocks"), "-q")
	must(t, "explore", board, "--run", at("unread"), "-q")
	if err := errors.Join(os.RemoveAll(filepath.Join(at("unread"), "db")), os.Mkdir(filepath.Join(at("unread"), "db"), 0o700)); err != nil {
		t.Fatal(err)
	}
	old := newBucketURL(t)
	must(t, "explore", board, "--run", filepath.Join(t.TempDir(), "small"), "--bucket", old, "-q")
	makeOld(t, strings.TrimPrefix(old, "file://"))
	must(t, "explore", "4 pegs 3 discs", "--symmetry", "on", "--run", at("hanoi"), "-q")
	must(t, "explore", "########\n#@ $ . #\n########", "--goal-distance", "--run", at("dead"), "-q")
	kept := newBucketURL(t)
	must(t, "explore", board, "--run", at("kept"), "--bucket", kept, "-q")
	fake := statuses()
	fake.runs = append(fake.runs, &everystatev1.RunStatus{
		Run: "sweep", Spec: &everystatev1.RunSpec{Family: "rush-hour", Units: 9}, UnitsDone: 4, UnitsLeased: 2, Records: 7, Digest: make([]byte, 16),
		Shares: []*everystatev1.UnitShare{{Worker: "a", UnitsDone: 3, States: 40}, {Worker: "b", UnitsDone: 1, States: 10, UnitsLost: 2}},
		State:  everystatev1.RunState_RUN_STATE_RUNNING, Phase: everystatev1.Phase_PHASE_FORWARD,
	})
	addr := fake.serve(t)
	if r := call("", "explore", "var a: 0..3;\nstartstate a := 0; end;\nrule true ==> a := a+1; end;", "--run", at("failed"), "-q"); r.code != exit.Failed {
		t.Fatalf("exit %d: %s", r.code, r.errs)
	}
	return [][]string{
		{"explore", "#######\n#.   .#\n# $ $ #\n#  @  #\n#     #\n#######", "--prune", "--max-depth", "2", "--json", "-q", "--run", at("pruned")},
		{"layers", at("pruned"), "--json"},
		{"show", at("dead"), "########\n#    +$#\n########", "--json"},
		{"explore", filepath.Join("..", "..", "puzzles", "peg", "english-merged.txt"), "--max-depth", "2", "--json", "-q", "--run", at("merged")},
		{"layers", at("merged"), "--json"},
		{"list", dir, "--json"},
		{"verify", at("merged"), "--complete", "--json", "-q"},
		{"hardest", at("hanoi"), "--json", "-q"},
		{"explore", "puzzle: permutation\npieces: 3\n\nmove A: (1 2)\nmove B: (2 3)", "--run", at("three"), "--json", "-q"},
		{"hardest", at("three"), "--solved", "1", "--json", "-q"},
		{"repair", at("merged"), "--json", "-q"},
		{"repair", at("unread"), "--json", "-q"},
		{"runs", addr, "--json"},
		{"pause", addr + "/next", "--json"},
		{"cancel", addr + "/next", "--json"},
		{"delete", addr + "/next", "--yes", "--json"},
		{"delete", kept + "/kept", "--yes", "--json"},
		{"health", addr, "--json"},
		{"health", "127.0.0.1:1", "--timeout", "1ms", "--json"},
		{"puzzles", "check", moduleFile(t, "jugs"), "8 5 3 : 4", "--json"},
		{"puzzles", "check", moduleFile(t, "liar"), "batch", "--json"},
		{"puzzles", "new", "tiles", at("new"), "--json"},
		{"certs", at("certs"), "--json"},
		{"db", "grade", at("walls"), "--json"},
		{"plan", board, "--json"},
		{"plan", "1 2 3 4 / 5 6 7 8 / 9 10 11 0", "--json", "--states", "5000"},
		{"plan", "####### / #@ $. # / #######", "--json"},
		{"solve", "2 1 / 3 0", "--json"},
		{"plan", filepath.Join("..", "..", "puzzles", "rushhour", "medium-8x8.txt"), "--json"},
		{"doctor", "--data", dir, "--json"},
		{"version", "--json"},
		{"checkpoints", bkt, "--json"},
		{"checkpoints", bkt + "/small", "--json"},
		{"checkpoints", addr, "--json"},
		{"restore", bkt + "/small", at("restored"), "--json"},
		{"checkpoints", old + "/small", "--json"},
		{"checkpoints", "prune", old, "--older-than", "1d", "--yes", "--json"},
		{"sweep", "rushhour", "--size", "4x4", "--dry-run", "--json"},
		{"sweep", "resume", at("swept"), "--json", "-q"},
		{"db", "merge", at("merged-sweep"), at("swept"), "--json"},
		{"sweep", "resume", at("blocks"), "--json", "-q"},
		{"db", "top", at("blocks"), "--json"},
		{"db", "top", at("walls"), "--json", "-n", "1"},
		{"db", "compare", at("swept"), at("reference.txt"), "--json"},
		{"db", "export", at("swept"), "--format", "pack", "-n", "3"},
		{"db", "export", at("walls"), "--format", "pack", "-n", "1"},
		{"db", "export", at("blocks"), "--format", "pack", "-n", "1"},
		{"generate", "rush-hour", "--size", "4x4", "--evaluations", "400", "--restart", "100", "--method", "climb", "--json", "-q"},
		{"solve", "######\n#@ $.#\n######", "--json"},
	}
}

// makeOld takes a layer's object out of a bucket, and makes the others a week old.
func makeOld(t *testing.T, bucket string) {
	t.Helper()
	taken, then := false, time.Now().AddDate(0, 0, -7)
	err := filepath.WalkDir(bucket, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if !taken && strings.Contains(name, "layers") {
			taken = true
			return os.Remove(name)
		}
		return os.Chtimes(name, then, then)
	})
	if err != nil || !taken {
		t.Fatal("no layer was taken", err)
	}
}

// checkUse holds every schema to be used, and every field of it to be printed and
// described.
func (s *schemas) checkUse(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile("../../docs/JSON.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(s.compiled)) {
		if s.samples[name] == nil {
			t.Errorf("docs/schema/%s.json: no command prints it", name)
		}
		if !strings.Contains(string(text), "](schema/"+name+".json)") {
			t.Errorf("docs/JSON.md does not name schema/%s.json", name)
		}
		for path, seen := range s.fields[name] {
			if !seen {
				t.Errorf("docs/schema/%s.json: no command prints %s", name, path)
			}
			if field := path[strings.LastIndex(path, ".")+1:]; !strings.Contains(string(text), "`"+field+"`") {
				t.Errorf("docs/JSON.md has no %s, which docs/schema/%s.json has", field, name)
			}
		}
	}
}

// checkFaults shows that a schema can fail: by a field too many, one too few unless it
// may be absent, and one of another type.
func (s *schemas) checkFaults(t *testing.T, name string, sample any) {
	t.Helper()
	fails := func(what string, change func(object map[string]any)) {
		object := maps.Clone(sample.(map[string]any)) //nolint:errcheck // A sample that is not an object panics.
		change(object)
		if err := s.compiled[name].Validate(object); err == nil {
			t.Errorf("docs/schema/%s.json allows %s", name, what)
		}
	}
	fails("a field that it does not name", func(o map[string]any) { o["nonsense"] = json.Number("1") })
	for field := range sample.(map[string]any) { //nolint:errcheck // As above.
		fails("an object for "+field, func(o map[string]any) { o[field] = map[string]any{"nonsense": true} })
		if slices.Contains(s.compiled[name].Required, field) {
			fails("no "+field, func(o map[string]any) { delete(o, field) })
		}
	}
}

// TestJSONEverywhere holds every command that prints a result to take --json. The others
// write a file or a picture, play, serve, or have subcommands.
func TestJSONEverywhere(t *testing.T) {
	t.Parallel()
	without := map[string]bool{}
	for _, name := range strings.Fields("everystate everystate_export everystate_draw everystate_report everystate_serve everystate_db everystate_db_draw " +
		"everystate_db_export everystate_sweep everystate_coordinator everystate_worker everystate_play everystate_help everystate_credentials " +
		"everystate_man everystate_completion everystate_completion_bash everystate_completion_fish everystate_completion_powershell everystate_completion_zsh") {
		without[strings.ReplaceAll(name, "_", " ")] = true
	}
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		if path := c.CommandPath(); (c.Flags().Lookup("json") == nil) != without[path] {
			t.Errorf("%s: --json is missing, or no longer missing", path)
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(rootCommand(&shell.Env{Name: "everystate"}, &profile{}))
}
