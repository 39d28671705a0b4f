package solve_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/everystate/everystate/internal/solve"
	"github.com/everystate/everystate/internal/solve/algorithms"
	"github.com/everystate/everystate/internal/solve/check"
	"github.com/everystate/everystate/internal/solve/heuristic"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
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

// statesMax is how large a space may be for each algorithm to be put to it: in short
// tests, in usual ones, and in thorough ones (make thorough).
var statesMax = map[string][3]int{
	"bfs":           {2_000, 5_000, 12_000_000},
	"bidirectional": {20_000, 50_000, 12_000_000},
	"astar":         {100, 1_000, 1_000_000},
	"idastar":       {50, 200, 20_000},
	"soko":          {300, 5_000, 1_000_000},
	"":              {100, 500, 20_000},
}

// patient are the algorithms that may not have an answer in time: those that see
// states again and again, and those that leave out what may hold the solution.
var patient = []string{"iddfs", "idastar", "beam", "plan", "soko-1", "soko-2", "soko-3", "soko-4", "soko-5", "soko-astar-fast", "soko-astar-move", "fess"}

// mode says which of statesMax counts.
func mode() int {
	switch {
	case os.Getenv("EVERYSTATE_THOROUGH") != "":
		return 2
	case testing.Short():
		return 0
	}
	return 1
}

// mostFor returns how many states a space may have for an algorithm.
func mostFor(name string) int {
	most, ok := statesMax[name]
	if !ok {
		most = statesMax[""]
	}
	return most[mode()]
}

// tally counts what came of an algorithm.
type tally struct {
	solved, unsolvable, gaveUp int
	took                       time.Duration
}

// TestTruth puts every record that fits to every algorithm that can, with the
// heuristic that solve uses. Optimal ones find the known length, and so agree with
// each other; the others find a solution; where there is none, all prove it.
func TestTruth(t *testing.T) {
	t.Parallel()
	tallies, families := map[string]*tally{}, map[string]map[string]bool{}
	for _, a := range algorithms.All() {
		tallies[a.Name] = &tally{}
	}
	for _, r := range records(t) {
		board, ok := r.board(t)
		if !ok {
			continue
		}
		h, err := heuristic.For(&board, "")
		if err != nil {
			t.Fatalf("%s: %v", r.ID, err)
		}
		names := check.NewNames(board.Puzzle)
		for _, a := range algorithms.All() {
			if !a.Suits(board.Family) || r.Reachable > mostFor(a.Name) {
				continue
			}
			problem := &solve.Problem{Board: board, Limits: solve.Limits{MemoryBytesMax: 4 << 30}}
			if slices.Contains(patient, a.Name) {
				problem.Limits = solve.Limits{NodesMax: 100_000, MemoryBytesMax: 1 << 30}
			}
			if a.Heuristic {
				problem.Heuristic = h
			}
			began := time.Now()
			result, err := a.Solve(t.Context(), problem)
			tallies[a.Name].took += time.Since(began)
			if errors.Is(err, solve.ErrUnsuited) {
				continue
			}
			if err != nil {
				t.Fatalf("%s: %s: %v", r.ID, a.Name, err)
			}
			if judge(t, &r, &a, names, board.Puzzle, &result, tallies[a.Name]) && a.Optimal {
				if families[board.Family] == nil {
					families[board.Family] = map[string]bool{}
				}
				families[board.Family][a.Name] = true
			}
		}
	}
	for _, a := range algorithms.All() {
		n := tallies[a.Name]
		// The Sokoban solvers have tests of their own for what cannot be solved.
		if n.solved < 10 || n.unsolvable == 0 && len(a.Families) == 0 {
			t.Errorf("%s: %d records solved, %d proved unsolvable: that is not a test", a.Name, n.solved, n.unsolvable)
		}
		t.Logf("%-16s %4d solved, %3d unsolvable, %3d not in time, %v", a.Name, n.solved, n.unsolvable, n.gaveUp, n.took.Round(time.Millisecond))
	}
	for family, optimal := range families {
		if len(optimal) < 2 {
			t.Errorf("%s: only %v has been right about its shortest solutions: with whom does it agree?", family, optimal)
		}
	}
	if len(families) < 9 {
		t.Errorf("%d families", len(families))
	}
}

// judge compares an answer with the record, and reports whether it is a solution.
func judge(t *testing.T, r *record, a *solve.Algorithm, names *check.Names, p puzzle.Puzzle, result *solve.Result, n *tally) bool {
	t.Helper()
	switch {
	case result.Outcome == solve.Unknown && slices.Contains(patient, a.Name):
		n.gaveUp++
	case result.Outcome == solve.Unknown:
		t.Errorf("%s: %s: gives up: %v", r.ID, a.Name, result.Stop)
	case (result.Outcome == solve.Unsolvable) != (r.SolutionLength == nil):
		t.Errorf("%s: %s: %v, want a solution: %v", r.ID, a.Name, result.Outcome, r.SolutionLength != nil)
	case result.Outcome == solve.Unsolvable:
		n.unsolvable++
	default:
		compare(t, r, a, names, p, result)
		n.solved++
		return true
	}
	return false
}

func compare(t *testing.T, r *record, a *solve.Algorithm, names *check.Names, p puzzle.Puzzle, result *solve.Result) {
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
		t.Errorf("%s: %s finds %d moves, fewest are %d", r.ID, a.Name, len(list), want)
	}
}

// records reads all truth.
func records(t *testing.T) []record {
	t.Helper()
	files, err := filepath.Glob("../../testdata/truth/*.json")
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
	if r.Complete != nil && !*r.Complete || r.Reachable == 0 || r.Reachable > max(mostFor("bfs"), mostFor("bidirectional")) {
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
