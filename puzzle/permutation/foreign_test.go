package permutation

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/test/puzzletest"
	"github.com/everystate/everystate/internal/test/truth"
	"github.com/everystate/everystate/puzzle"
)

// foreignRecord is a definition of another program with the table that it made.
type foreignRecord struct {
	truth.Record
	Definition string `json:"definition"`
}

// foreignRecords reads the definitions of others, which are not shipped: from the
// folder EVERYSTATE_TRUTH, or shared/truth beside the repository.
func foreignRecords(t *testing.T) []foreignRecord {
	t.Helper()
	folder := os.Getenv("EVERYSTATE_TRUTH")
	if folder == "" {
		folder = "../../../shared/truth"
	}
	text, err := os.ReadFile(filepath.Join(folder, "tws.json"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("no tws.json in %s: EVERYSTATE_TRUTH names a folder with definitions and tables of twsearch", folder)
	}
	if err != nil {
		t.Fatal(err)
	}
	var records []foreignRecord
	if err := json.Unmarshal(text, &records); err != nil {
		t.Fatal(err)
	}
	return records
}

// TestTables compares spaces with the tables that twsearch made of them.
func TestTables(t *testing.T) {
	for _, r := range foreignRecords(t) {
		t.Run(r.ID, func(t *testing.T) {
			t.Parallel()
			metric := metricHalf
			if strings.HasPrefix(r.Metric, "quarter") {
				metric = metricQuart
			}
			boards, err := Read([]byte(r.Definition), puzzle.ReadOptions{Metric: metric})
			if err != nil {
				t.Fatal(err)
			}
			again, err := Read([]byte(boards[0].Text), puzzle.ReadOptions{})
			if err != nil || again[0].Text != boards[0].Text || again[0].Metric != metric {
				t.Errorf("the canonical text is read as another puzzle, %v:\n%s", err, boards[0].Text)
			}
			r.SolutionLength = new(int)
			puzzletest.Check(t, &r.Record, boards[0].Puzzle, puzzletest.Usual())
		})
	}
}

// star is one puzzle in three formats: a corner, two sets, an alias and a whole turn.
const (
	starText = `# a comment
Name Star
Set CORNERS 4 3
Set TIPS 3 1

Solved
CORNERS
1 2 3 4
0 0 ? 0
TIPS
1 1 2
End

Move U
CORNERS
3 1 2 4
1 2 0 0
End
Move x
CORNERS
2 3 4 1
TIPS
2 3 1
End
Move R
CORNERS
1 2 3 4
0 0 0 2
TIPS
2 1 3
End
MoveSequence S U R2'
`
	starJSON = `{
  "name": "Star",
  "orbits": [
    {"orbitName": "CORNERS", "numPieces": 4, "numOrientations": 3},
    {"orbitName": "TIPS", "numPieces": 3, "numOrientations": 1}
  ],
  "defaultPattern": {
    "CORNERS": {"pieces": [0, 1, 2, 3], "orientation": [0, 0, 0, 0], "orientationMod": [0, 0, 1, 0]},
    "TIPS": {"pieces": [0, 0, 1], "orientation": [0, 0, 0]}
  },
  "moves": {
    "U": {"CORNERS": {"permutation": [2, 0, 1, 3], "orientationDelta": [0, 1, 2, 0]}},
    "x": {"CORNERS": {"permutation": [1, 2, 3, 0]}, "TIPS": {"permutation": [1, 2, 0]}},
    "R": {"CORNERS": {"orientationDelta": [0, 0, 0, 2]}, "TIPS": {"permutation": [1, 0, 2]}}
  },
  "derivedMoves": {"S": "U R2'"}
}`
	starOwn = `puzzle: permutation
name: Star
metric: htm
sets: CORNERS TIPS
pieces: 1 2 3? 4 / 1 1 2
orientations: 3 3 3 3 1 1 1

move U: (1+1 2+2 3)
alias x: 2 3 4 1 6 7 5
move R: (4+2)(5,6)
move S: UR2’
`
)

// TestFormats reads one puzzle in all formats.
func TestFormats(t *testing.T) {
	text := mustRead(t, Read, starText)
	zero := strings.NewReplacer("Solved", "StartState", "1 2 3 4\n0 0 ?", "0 1 2 3\n0 0 ?", "1 1 2\n", "0 0 1\n").Replace(starText)
	if zero == starText {
		t.Fatal("nothing replaced")
	}
	for name, other := range map[string]string{"JSON": starJSON, "own": starOwn, "from 0": zero} {
		b := mustRead(t, Read, other)
		if b.Text != text.Text || b.Name != "Star" || b.Metric != metricHalf {
			t.Errorf("%s: %s, %s, got\n%s\nwant\n%s", name, b.Name, b.Metric, b.Text, text.Text)
		}
	}
	p := text.Puzzle
	puzzletest.Conform(t, p, 3, 30)
	// Others name sequences after all of their moves.
	const long = "STAR_U_Rp_U_Rp_Up_Rp_U_Rp_Up_Rp_U"
	if got := mustRead(t, Read, strings.ReplaceAll(starJSON, `"S"`, `"`+long+`"`)).Puzzle.FormatMove(7); got != long {
		t.Errorf("got move %s, want %s", got, long)
	}
	var names []string
	for id := range p.Layout().Moves {
		names = append(names, p.FormatMove(puzzle.Move(id)))
	}
	if got, want := strings.Join(names, " "), "U U' R R2 R3 R2' R' S S'"; got != want {
		t.Errorf("moves %s, want %s", got, want)
	}
}

// TestSecondNames reads moves that do the same as one before them, or nothing, as aliases:
// the moves are those of the definition without them, and the canonical text is read.
func TestSecondNames(t *testing.T) {
	const second = "Move V\nCORNERS\n3 1 2 4\n1 2 0 0\nEnd\nMove O\nEnd\nMoveSequence W U\nMoveSequence N U3\nMoveSequence S"
	text := strings.Replace(starText, "MoveSequence S", second, 1)
	json := strings.Replace(starJSON, `"x":`, `"V": {"CORNERS": {"permutation": [2, 0, 1, 3], "orientationDelta": [0, 1, 2, 0]}}, "O": {}, "x":`, 1)
	json = strings.Replace(json, `{"S":`, `{"W": "U", "N": "U3", "S":`, 1)
	for _, c := range []struct{ text, moves, plain string }{
		{text, "", ""}, {json, "", ""}, {text, "U V R W", "U R"}, {text, "V R", "U R"},
	} {
		boards, err := Read([]byte(c.text), puzzle.ReadOptions{Moves: c.moves})
		if err != nil {
			t.Fatal(err)
		}
		plain, err := Read([]byte(starText), puzzle.ReadOptions{Moves: c.plain})
		if err != nil {
			t.Fatal(err)
		}
		b := mustRead(t, Read, boards[0].Text)
		if b.Text != boards[0].Text {
			t.Errorf("%s\nis read again as\n%s", boards[0].Text, b.Text)
		}
		if got, want := b.Puzzle.Layout(), plain[0].Puzzle.Layout(); got != want {
			t.Errorf("%s: layout %+v, want %+v", c.moves, got, want)
		}
		if _, err := b.Puzzle.Parse("V R N W O"); err != nil {
			t.Error(err)
		}
	}
	if _, err := Read([]byte(text), puzzle.ReadOptions{Moves: "N"}); err == nil || err.Error() != "move N moves nothing" {
		t.Error(err)
	}
}

// TestChosen chooses moves, whose multiples keep the names that they had.
func TestChosen(t *testing.T) {
	for _, c := range []struct{ moves, metric, want string }{
		{"U,R2", "", "U U' R2 R2'"},
		{"R3", "", "R3"},
		{"R2", "move", "R2"},
		{"R x", "move", "R x"},
		{"U R", "qtm", "U U' R R'"},
		{"R2'", "", "R2' R2"},
	} {
		boards, err := Read([]byte(starText), puzzle.ReadOptions{Moves: c.moves, Metric: c.metric})
		if err != nil {
			t.Errorf("%s: %v", c.moves, err)
			continue
		}
		again := mustRead(t, Read, boards[0].Text)
		for _, p := range []puzzle.Puzzle{boards[0].Puzzle, again.Puzzle} {
			var names []string
			for id := range p.Layout().Moves {
				names = append(names, p.FormatMove(puzzle.Move(id)))
			}
			if got := strings.Join(names, " "); got != c.want {
				t.Errorf("%s, %s: moves %s, want %s", c.moves, c.metric, got, c.want)
			}
		}
	}
	boards, err := Read([]byte("states: 3\nmoves: 1\n\n"+starText), puzzle.ReadOptions{Moves: "U"})
	if err != nil || boards[0].Expect != puzzle.ExpectNothing() {
		t.Errorf("the file's promises are kept for other moves: %+v, %v", boards, err)
	}
	_, err = Read([]byte(starText), puzzle.ReadOptions{Moves: "U,Q"})
	if want := `unknown move "Q"; the moves are U R S`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestScramble reads states as the moves that lead there.
func TestScramble(t *testing.T) {
	p := mustRead(t, Read, strings.Replace(starText, "0 0 ? 0", "0 0 0 0", 1)).Puzzle
	id := func(name string) puzzle.Move {
		for id := range p.Layout().Moves {
			if p.FormatMove(puzzle.Move(id)) == name {
				return puzzle.Move(id)
			}
		}
		t.Fatalf("no move %s", name)
		return 0
	}
	for text, moves := range map[string][]string{
		"U R2'": {"U", "R2'"}, "UR2'": {"U", "R2'"}, "U R2’": {"U", "R2'"}, "[U, R]": {"U", "R", "U'", "R'"}, "[U: R]3": {"U", "R3", "U'"},
		"(U R)2'": {"R'", "U'", "R'", "U'"}, "S": {"U", "R2'"}, "U,R": {"U", "R"}, "U0": nil, "RUR'": {"R", "U", "R'"},
	} {
		state := slices.Clone(p.Starts())
		for _, name := range moves {
			if !p.Apply(state, state, id(name)) {
				t.Fatalf("%s is not legal", name)
			}
		}
		got, err := p.Parse(text)
		if err != nil || !slices.Equal(got, state) {
			t.Errorf("%s: got %v, %v, want %s", text, got, err, p.Format(state))
		}
	}
	const want = `line 1, column 3: "Q" is not a move of this puzzle: the moves are `
	if _, err := p.Parse("U Q"); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s...", err, want)
	}
}

// TestIgnored counts what is left of a puzzle of which pieces are ignored.
func TestIgnored(t *testing.T) {
	pocket := "pieces: 3 / 3\nsets: A B\norientations: 2\n\nmove a: (1 2+1 3)\nmove b: (1+1 2)\nmove c: (4 5 6+1)(1 2)\nmove d: (4 5)\n"
	for mask, want := range map[string]int{
		"":                             48 * 48,
		"only: A\n":                    48,
		"ignore: B\n":                  48,
		"only: A 1, B 1\n":             6 * 6,
		"ignore-turns: A, B\n":         6 * 6,
		"alike: A 1 2\n":               3 * 8 * 48,
		"ignore: A 1 2\n":              6 * 48,
		"only: A\nignore-turns: 3 2\n": 6 * 2,
	} {
		p := mustRead(t, Read, mask+pocket).Puzzle
		puzzletest.Conform(t, p, 1, 20)
		if got := len(puzzletest.Explore(p).States) / p.Layout().Words(); got != want {
			t.Errorf("%q: %d states, want %d", mask, got, want)
		}
	}
}

// TestBlocked blocks a piece: of the six arrangements of a ring of four with two
// alike, those are left that do not have it there.
func TestBlocked(t *testing.T) {
	text := "Set R 4 1\nSolved\nR\n1 2 3 3\nEnd\nMove A\nR\n2 3 4 1\nEnd\nMove B\nR\n2 1 3 4\nEnd\nIllegal R 3 2 1\n"
	p := mustRead(t, Read, text).Puzzle
	puzzletest.Conform(t, p, 1, 30)
	s := puzzletest.Explore(p)
	if len(s.States) != 6 {
		t.Errorf("%d states, want the 6 of 12 with piece 3 at place 3", len(s.States))
	}
	if _, err := p.Parse("3 3 1 2"); err == nil {
		t.Error("a blocked state is read")
	}
	if key, err := p.Parse("2 3 3 1"); err != nil || !p.Valid(key) {
		t.Errorf("a state is not read: %v", err)
	}
	for key := range uint64(12) {
		if free := !slices.Contains([]string{"1", "2"}, strings.Fields(p.Format([]uint64{key}))[2]); p.Valid([]uint64{key}) != free {
			t.Errorf("key %d, %s, is valid: %v", key, p.Format([]uint64{key}), !free)
		}
	}
}

func TestForeignErrors(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"Set TIPS 3 1", "Set TIPS 3", `line 4, column 1: "Set TIPS 3": write the name of the set, how many pieces it has and in how many ways each can lie, as in Set CORNERS 8 3`},
		{"Set TIPS 3 1", "Set TIPS 61 1", "line 4, column 5: 65 places with set TIPS: there are at most 64 in all"},
		{"Set TIPS 3 1", "Set TIPS 3 17", `line 4, column 12: orientations "17" is not a number from 1 to 16`},
		{"0 0 ? 0", "0 0 3 0", `line 9, column 5: orientation "3" is not a number from 0 to 2`},
		{"3 1 2 4\n", "3 1 3 4\n", "line 16, column 5: place 3 of set CORNERS is in the move twice"},
		{"3 1 2 4\n", "3 1 2\n", "line 16, column 1: 3 numbers, but set CORNERS has 4 places"},
		{"Move U", "Moves U", `line 14, column 1: "Moves" is not a statement: the statements are Name, Set, Solved, Move, MoveSequence, MoveAlias, Illegal`},
		{"TIPS\n2 3 1\nEnd", "TIPPS\n2 3 1\nEnd", `line 22, column 1: unknown set "TIPPS"; the sets are CORNERS, TIPS`},
		{"MoveSequence S U R2'", "MoveSequence S U Q", `line 32, column 18: move "Q" is not defined`},
		{"MoveSequence S U R2'", "MoveSequence S U S", `line 32, column 18: move "S" is defined in terms of itself`},
		{"MoveSequence S U R2'", "MoveSequence S U V\nMoveSequence V U Q", `line 33, column 18: move "Q" is not defined`},
		{"MoveSequence S U R2'", "Move S\nTIPS\n2 1 3", "line 32, column 1: no End: must follow what begins here"},
		{"MoveSequence S", "MoveSequence R", "line 32, column 14: move R is already defined in line 25"},
	} {
		text := strings.Replace(starText, c.old, c.new, 1)
		if _, err := Read([]byte(text), puzzle.ReadOptions{}); text == starText || err == nil || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.new, err, c.want)
		}
	}
	for _, c := range []struct{ old, new, want string }{
		{`"numPieces": 3`, `"numPieces": 70`, `line 5, column 40: numPieces "70" is not a number from 1 to 64`},
		{`[2, 0, 1, 3]`, `[2, 0, 0, 3]`, "line 12, column 45: place 0 of orbit CORNERS is in the move twice"},
		{`[2, 0, 1, 3]`, `[2, 0, 1]`, "line 12, column 38: permutation is not a list of 4 numbers"},
		{`"U R2'"}`, `"U R2'"`, "line 17, column 2: the JSON ends too early: a bracket is not closed"},
		{`"S": "U R2'"`, `"S": "[U R"`, "line 16, column 26: [ without : or , between two sequences, as in [R: U] or [R, U]"},
	} {
		text := strings.Replace(starJSON, c.old, c.new, 1)
		if _, err := Read([]byte(text), puzzle.ReadOptions{}); text == starJSON || err == nil || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.new, err, c.want)
		}
	}
}
