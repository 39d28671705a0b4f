package search_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
	"github.com/everystate/everystate/search"
	"github.com/everystate/everystate/search/algorithms"
	"github.com/everystate/everystate/search/check"
)

// record is a known space; testdata/truth/README.md says what the fields are.
type record struct {
	ID             string          `json:"id"`
	Input          string          `json:"input"`
	Format         string          `json:"format"`
	Metric         string          `json:"metric"`
	Reachable      int             `json:"reachable"`
	SolutionLength *int            `json:"solution_length"`
	Goal           json.RawMessage `json:"goal"`
	Box            json.RawMessage `json:"box"`
	Complete       *bool           `json:"complete"`
}

// statesMax is how large a space may be for each algorithm to search all of it.
var statesMax = map[string]int{"": 500, "bfs": 2500}

// TestTruth solves every record that fits with every algorithm that can. Optimal
// ones find the known length, the others a solution; where there is none, all
// prove it.
func TestTruth(t *testing.T) {
	t.Parallel()
	solved, unsolvable := map[string]int{}, map[string]int{}
	for _, r := range records(t) {
		board, ok := r.board(t)
		if !ok {
			continue
		}
		var names *check.Names
		for _, a := range algorithms.All() {
			most, ok := statesMax[a.Name]
			if !ok {
				most = statesMax[""]
			}
			if testing.Short() {
				most /= 10
			}
			if !a.Suits(board.Family) || r.Reachable > most {
				continue
			}
			result, err := a.Solve(t.Context(), &search.Problem{Board: board})
			if errors.Is(err, search.ErrUnsuited) {
				continue
			}
			if err != nil {
				t.Fatalf("%s: %s: %v", r.ID, a.Name, err)
			}
			if r.SolutionLength == nil {
				if result.Outcome != search.Unsolvable && result.Stop != search.StopPruned {
					t.Errorf("%s: %s: %v, want the proof that there is no solution", r.ID, a.Name, result.Outcome)
				}
				unsolvable[a.Name]++
				continue
			}
			if result.Outcome != search.Solved {
				if result.Stop != search.StopPruned {
					t.Errorf("%s: %s: %v", r.ID, a.Name, result.Outcome)
				}
				continue
			}
			if names == nil {
				names = check.NewNames(board.Puzzle)
			}
			compare(t, &r, &a, names, board.Puzzle, &result)
			solved[a.Name]++
		}
	}
	for _, a := range algorithms.All() {
		if len(a.Families) > 0 && a.Families[0] == "sokoban" {
			continue // it has a test of its own
		}
		if solved[a.Name] < 20 || unsolvable[a.Name] == 0 && a.Name != "bidirectional" {
			t.Errorf("%s: %d records solved, %d proved unsolvable: that is no test", a.Name, solved[a.Name], unsolvable[a.Name])
		}
		t.Logf("%-14s %d solved, %d unsolvable", a.Name, solved[a.Name], unsolvable[a.Name])
	}
}

func compare(t *testing.T, r *record, a *search.Algorithm, names *check.Names, p puzzle.Puzzle, result *search.Result) {
	t.Helper()
	list := make([]string, 0, len(result.Moves))
	for _, m := range result.Moves {
		list = append(list, p.FormatMove(m))
	}
	if err := names.Solves(result.Start, list); err != nil {
		t.Errorf("%s: %s: %v", r.ID, a.Name, err)
	}
	if a.Optimal && !result.Optimal {
		t.Errorf("%s: %s does not call its solution optimal", r.ID, a.Name)
	}
	switch want := *r.SolutionLength; {
	case len(list) < want, result.Optimal && len(list) != want:
		t.Errorf("%s: %s finds %d moves, the fewest are %d", r.ID, a.Name, len(list), want)
	}
}

// records reads all truth.
func records(t *testing.T) []record {
	t.Helper()
	files, err := filepath.Glob("../testdata/truth/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	var all []record
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var some []record
		if err := json.Unmarshal(text, &some); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, some...)
	}
	return all
}

// board reads the puzzle of a record whose space is known.
func (r *record) board(t *testing.T) (puzzle.Board, bool) {
	t.Helper()
	if r.Metric == "backward-push" { // which asks for no way: its starts are solved
		return puzzle.Board{}, false
	}
	if r.Complete != nil && !*r.Complete || r.Reachable == 0 || r.Reachable > statesMax["bfs"] {
		return puzzle.Board{}, false
	}
	var head strings.Builder
	head.WriteString("puzzle: " + r.Format + "\n")
	for name, value := range map[string]json.RawMessage{"goal": r.Goal, "box": r.Box} {
		head.WriteString(header(name, value))
	}
	boards, err := families.Read([]byte(head.String()+"\n"+r.Input), puzzle.ReadOptions{Metric: r.Metric})
	if err != nil || len(boards) != 1 {
		t.Fatalf("%s: %d boards, %v", r.ID, len(boards), err)
	}
	return boards[0], true
}

// header writes a field of a record as the header of a file.
func header(name string, value json.RawMessage) string {
	var text string
	var place struct {
		Piece    string `json:"piece"`
		Row, Col int
	}
	var pair []int
	switch {
	case len(value) == 0:
		return ""
	case json.Unmarshal(value, &text) == nil:
		return name + ": " + strings.ReplaceAll(text, "\n", " / ") + "\n"
	case json.Unmarshal(value, &pair) == nil && len(pair) == 2:
		return name + ": " + strconv.Itoa(pair[0]) + "x" + strconv.Itoa(pair[1]) + "\n"
	case json.Unmarshal(value, &place) == nil:
		return name + ": " + place.Piece + " at " + strconv.Itoa(place.Row) + "," + strconv.Itoa(place.Col) + "\n"
	}
	return ""
}
