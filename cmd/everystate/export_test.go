package main

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/engine"
)

// TestExport asks the run about every row of its export.
func TestExport(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	must(t, "explore", puzzleFile(t, "small-5x5.txt"), "--run", dir, "--json", "--quiet", "--goal-distance")
	out := t.TempDir()
	file := filepath.Join(out, "states.csv")
	must(t, "export", dir, "-o", file)
	must(t, "export", dir, "-o", filepath.Join(out, "states.jsonl"))
	if got := must(t, "export", dir); got != readFileText(t, file) {
		t.Error("the file and standard output are not the same")
	}
	if entries, err := os.ReadDir(out); err != nil || len(entries) != 2 {
		t.Errorf("something was left behind: %v, %v", entries, err)
	}
	rows, err := csv.NewReader(strings.NewReader(readFileText(t, file))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if head := "state,depth,predecessor,move,goal_distance"; strings.Join(rows[0], ",") != head {
		t.Errorf("the head is %q, want %q", rows[0], head)
	}
	checkRows(t, dir, rows[1:])
	if got := jsonRows(t, filepath.Join(out, "states.jsonl")); !slices.EqualFunc(got, rows[1:], slices.Equal) {
		t.Error("JSON Lines and CSV do not say the same")
	}
}

func checkRows(t *testing.T, dir string, rows [][]string) {
	t.Helper()
	r, err := engine.Open(dir, engine.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}()
	space, puzzle := r.Space(), r.Board().Puzzle
	seen := make(map[string]bool)
	for _, row := range rows {
		seen[row[0]] = true
		key, err := puzzle.Parse(row[0])
		if err != nil {
			t.Fatal(err)
		}
		path, err := space.FromStart(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		place, err := space.Locate(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{row[0], strconv.Itoa(place.Depth), "", "", strconv.Itoa(place.GoalDistance)}
		if n := len(path.Moves); n > 0 {
			want[2] = strings.ReplaceAll(puzzle.Format(path.States[n-1]), "\n", " / ")
			want[3] = puzzle.FormatMove(path.Moves[n-1])
		}
		if !slices.Equal(row, want) {
			t.Errorf("got %q, want %q", row, want)
		}
	}
	const states = 151
	if len(seen) != states || len(rows) != states {
		t.Errorf("%d rows of %d states, want %d", len(rows), len(seen), states)
	}
}

// jsonRows reads JSON Lines in the form of CSV.
func jsonRows(t *testing.T, file string) [][]string {
	t.Helper()
	var rows [][]string
	lines := bufio.NewScanner(strings.NewReader(readFileText(t, file)))
	for lines.Scan() {
		var row struct {
			State        string  `json:"state"`
			Depth        int     `json:"depth"`
			Predecessor  *string `json:"predecessor"`
			Move         *string `json:"move"`
			GoalDistance *int    `json:"goal_distance"`
		}
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		fields := []string{row.State, strconv.Itoa(row.Depth), "", "", ""}
		if row.Predecessor != nil {
			fields[2], fields[3] = *row.Predecessor, *row.Move
		}
		if row.GoalDistance != nil {
			fields[4] = strconv.Itoa(*row.GoalDistance)
		}
		rows = append(rows, fields)
	}
	return rows
}

func readFileText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
