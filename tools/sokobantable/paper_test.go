package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/internal/solve/sokoban"
)

// TestPaper compares a level of one push with what a paper might say of it.
func TestPaper(t *testing.T) {
	collection := filepath.Join(t.TempDir(), "levels.slc")
	text := "<?xml version='1.0' encoding='ISO-8859-1'?><SokobanLevels><LevelCollection><Level Id='One'><L>######</L><L>#@$.##</L><L>######</L></Level></LevelCollection></SokobanLevels>"
	if err := os.WriteFile(collection, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	one := 1
	levels, err := readCollection(collection, []level{{ID: "sokoban-kids-001/push", SolutionLength: &one}})
	if err != nil || len(levels) != 1 {
		t.Fatalf("%d levels, %v", len(levels), err)
	}
	for _, c := range []struct {
		nodes  int64
		levels []level
		limit  int64
		want   string
	}{
		{1, levels, 100, "| Baby-1 | 1 | 1 |  | 1 |  | 1 | 1 | 1 |  | 1 |  | 1 |  | 1 |\n"},
		{2, levels, 100, "| 1 | 1 | 2 | 1 | 0 | 1 |\n"},
		{1, levels, 100, "| 1 | 1 | 1 | 1 | 1 | 1 |\n"},
		{0, levels, 100, "version 1: 1 nodes in total, 0 in the paper"},
		{1, nil, 100, "the paper has 1 levels, the collection 0"},
		{1, []level{{ID: "kids-001", Input: "#######\n#@ $ .#\n#######"}}, 1, "kids-001: version 1 solves it in the paper, but not here"},
	} {
		table := &table{Context: t.Context(), nodesMax: c.limit, algorithms: map[string]solve.Algorithm{}}
		for _, a := range sokoban.Algorithms() {
			table.algorithms[a.Name] = a
		}
		err := table.paper([]paperLevel{{Level: 1, First: &paperRow{Pushes: &one, Nodes: &c.nodes}}}, c.levels)
		got := table.text.String()
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%d nodes in the paper: %s", c.nodes, got)
		}
	}
}

// TestPaperNumbers reads the file of the paper's numbers.
func TestPaperNumbers(t *testing.T) {
	rows, err := readPaper("paper.json")
	if err != nil || len(rows) != 61 || *rows[0].First.Nodes != 186476 || *rows[0].version(3).Nodes != 38 || rows[60].version(0).Nodes != nil {
		t.Errorf("%d levels, %v", len(rows), err)
	}
}

// TestReplace puts a table between marks, which must be there.
func TestReplace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.md")
	m := paperMarks()
	for text, want := range map[string]string{
		"before\n" + m.begin + "old\n" + m.end + "after\n": "before\n" + m.begin + "\nnew\n" + m.end + "after\n",
		"before\n" + m.begin + "old\n":                     "",
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		err := m.replace(file, "new\n")
		got, _ := os.ReadFile(file)
		if (err == nil) != (want != "") || err == nil && string(got) != want {
			t.Errorf("%q became %q, %v", text, got, err)
		}
	}
}
