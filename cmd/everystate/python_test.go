package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// codeBlock is a fenced block of a document in a language, with the block behind it,
// which is what it prints.
type codeBlock struct{ code, prints string }

func codeBlocks(text, language string) (blocks []codeBlock) {
	for {
		_, rest, ok := strings.Cut(text, "\n```"+language+"\n")
		if !ok {
			return blocks
		}
		code, rest, _ := strings.Cut(rest, "```\n")
		_, rest, _ = strings.Cut(rest, "\n```\n")
		prints, rest, _ := strings.Cut(rest, "```")
		blocks = append(blocks, codeBlock{code, prints})
		text = rest
	}
}

// TestPythonAndDuckDB runs the programs of docs/PYTHON.md on exports and compares what they
// print with what stands there: EVERYSTATE_PYTHON=python3 asks for the Python, which
// needs pandas, and EVERYSTATE_DUCKDB=1 for the SQL.
//
//nolint:paralleltest // It has a working directory of its own.
func TestPythonAndDuckDB(t *testing.T) {
	interpreter, asked := os.LookupEnv("EVERYSTATE_PYTHON")
	sql := os.Getenv("EVERYSTATE_DUCKDB") == "1"
	text, err := os.ReadFile("../../docs/PYTHON.md")
	if err != nil {
		t.Fatal(err)
	}
	python, queries := codeBlocks(string(text), "python"), codeBlocks(string(text), "sql")
	if len(python) < 4 || len(queries) < 2 {
		t.Fatalf("%d programs and %d queries in docs/PYTHON.md", len(python), len(queries))
	}
	if !asked && !sql {
		t.Skip("EVERYSTATE_PYTHON=python3 runs the Python of docs/PYTHON.md, EVERYSTATE_DUCKDB=1 its SQL")
	}
	board := puzzleFile(t, "jam-93.txt")
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	run := file("jam-93")
	summary := must(t, "explore", board, "--run", run, "--goal-distance", "--json", "--quiet")
	writeFile(t, file("summary.json"), summary)
	must(t, "export", run, "-o", file("states.csv"))
	must(t, "export", run, "-o", file("states.jsonl"))
	must(t, "export", run, "--text", "-o", file("states.parquet"))
	must(t, "export", run, "--edges", "-o", file("edges.parquet"))
	for _, b := range python {
		if !asked {
			break
		}
		cmd := exec.CommandContext(t.Context(), interpreter, "-c", b.code)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != b.prints {
			t.Errorf("%v\n%s\nprints\n%s", err, b.code, out)
		}
	}
	for _, q := range queries {
		if !sql {
			break
		}
		code := strings.NewReplacer("'states.parquet'", "'"+file("states.parquet")+"'", "'edges.parquet'", "'"+file("edges.parquet")+"'").Replace(q.code)
		var out strings.Builder
		for _, row := range duckdb(t, code)[0] {
			line, err := json.Marshal(row)
			if err != nil {
				t.Fatal(err)
			}
			out.WriteString(strings.ReplaceAll(string(line), ",", ", ") + "\n")
		}
		if out.String() != q.prints {
			t.Errorf("%s\nprints\n%s", q.code, out.String())
		}
	}
}
