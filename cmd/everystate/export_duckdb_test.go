package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// duckdb asks DuckDB, which shares no code with what writes the files, and returns
// the rows of each answer.
func duckdb(t *testing.T, questions ...string) [][][]any {
	t.Helper()
	folder := filepath.Join(moduleDir(t), "tools", "duckdb")
	if _, err := os.Stat(filepath.Join(folder, "node_modules")); err != nil {
		t.Fatal("DuckDB is not there: npm ci in tools/duckdb")
	}
	cmd := exec.CommandContext(t.Context(), "node", append([]string{"ask.mjs"}, questions...)...)
	cmd.Dir = folder
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var answers [][][]any
	for line := range strings.Lines(string(out)) {
		var rows [][]any
		if err := json.Unmarshal([]byte(line), &rows); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		answers = append(answers, rows)
	}
	if len(answers) != len(questions) {
		t.Fatalf("%d answers to %d questions: %s", len(answers), len(questions), out)
	}
	return answers
}

// TestExportReadByDuckDB reads Parquet files with another program: the rows are
// those of CSV in the same order, the columns have their types, and it is known
// that they are sorted and compressed. EVERYSTATE_DUCKDB=1 asks for it.
func TestExportReadByDuckDB(t *testing.T) {
	t.Parallel()
	if os.Getenv("EVERYSTATE_DUCKDB") != "1" {
		t.Skip("EVERYSTATE_DUCKDB=1 reads exports with DuckDB")
	}
	dir := t.TempDir()
	run := filepath.Join(dir, "run")
	must(t, "explore", puzzleFile(t, "jam-93.txt"), "--run", run, "--goal-distance", "--quiet")
	file := func(name string) string { return filepath.Join(dir, name) }
	must(t, "export", run, "-o", file("states.parquet"), "--text")
	must(t, "export", run, "-o", file("states.csv"))
	must(t, "export", run, "-o", file("edges.parquet"), "--edges")
	must(t, "export", run, "-o", file("edges.csv"), "--format", "csv", "--edges")
	name := func(name string) string { return "'" + strings.ReplaceAll(file(name), "'", "''") + "'" }
	states, csv, edges, edgesCSV := name("states.parquet"), name("states.csv"), name("edges.parquet"), name("edges.csv")
	numbered := func(columns, from string) string {
		return fmt.Sprintf("SELECT row_number() OVER () AS row, %s FROM %s", columns, from)
	}
	answers := duckdb(t,
		"SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM "+states+")",
		"SELECT count(*), max(depth), max(goal_distance), count(*) FILTER (goal), count(DISTINCT key), count(DISTINCT state) FROM "+states,
		// The same rows in the same order.
		fmt.Sprintf("SELECT count(*) FROM (%s) p JOIN (%s) c ON p.row = c.row AND p.state = c.state AND p.depth = c.depth AND p.goal_distance = c.goal_distance AND p.move IS NOT DISTINCT FROM c.move AND p.predecessor IS NOT DISTINCT FROM c.predecessor",
			numbered("*", states), numbered("*", "read_csv("+csv+", header = true, all_varchar = false)")),
		"SELECT DISTINCT compression FROM parquet_metadata("+states+")",
		"SELECT count(*) FROM (SELECT depth, lag(depth) OVER () AS before FROM "+states+") WHERE depth < before",
		"SELECT decode(key), decode(value) FROM parquet_kv_metadata("+states+") WHERE decode(key) IN ('everystate.states', 'everystate.metric') ORDER BY 1",
		"SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM "+edges+")",
		fmt.Sprintf("SELECT (SELECT count(*) FROM %s) - (SELECT count(*) FROM read_csv(%s, header = true))", edges, edgesCSV),
		// Every transition leads from a state to a state that is at most one deeper.
		fmt.Sprintf("SELECT count(*), count(*) FILTER (t.depth > f.depth + 1), count(*) FILTER (e.depth <> f.depth) FROM %s e JOIN %s f ON e.\"from\" = f.key JOIN %s t ON e.\"to\" = t.key", edges, states, states),
		"SELECT count(*) FROM "+edges,
	)
	text := func(i int) string { return fmt.Sprint(answers[i]) }
	for i, want := range []string{
		"[[depth INTEGER] [goal_distance INTEGER] [key UBIGINT] [move_id INTEGER] [move VARCHAR] [goal BOOLEAN] [partition INTEGER] [state VARCHAR] [predecessor VARCHAR]]",
		"[[24132 114 93 1023 24132 24132]]",
		"[[24132]]",
		"[[ZSTD]]",
		"[[0]]",
		"[[everystate.metric step] [everystate.states 24132]]",
		"[[depth INTEGER] [from UBIGINT] [move_id INTEGER] [move VARCHAR] [to UBIGINT]]",
		"[[0]]",
	} {
		if text(i) != want {
			t.Errorf("question %d: %s, want %s", i, text(i), want)
		}
	}
	if all := answers[9][0][0]; !slices.Equal(answers[8][0], []any{all, "0", "0"}) {
		t.Errorf("transitions: %v of %v", answers[8][0], all)
	}
}
