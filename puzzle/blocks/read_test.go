package blocks

import (
	"strings"
	"testing"

	"github.com/everystate/everystate/puzzle"
)

const classic = "BAAC\nBAAC\nDEEF\nDGHF\nI..J"

var readCases = []struct{ text, note string }{
	{classic, "no goal (a goal is a header like goal: A at r4c2); 10 pieces on 5x4, 2 empty; pieces of one shape are interchangeable but for A"},
	{"goal: A at 3,1\n\n" + classic, "goal A at r4c2; 10 pieces on 5x4, 2 empty; pieces of one shape are interchangeable but for A"},
	{"goal: A at 1,0\n\nAA# / .#./...", "line 1, column 12: piece A does not fit at r2c1: it meets a wall or the edge"},
	{"goal: A at 2,0\n\nAA# / .#./...", "goal A at r3c1; 1 piece on 3x3, 5 empty, 2 walls"},
	{"interchangeable: no\ngoal: b at 0,1\n\nab.", "goal b at r1c2; 2 pieces on 1x3, 1 empty; every piece is distinct"},
	{"goal: x at 0,1; z AT 0 , 0\n\nxyz", "goal x at r1c2; z at r1c1; 3 pieces on 1x3, 0 empty"},
	{"goal: x./.y\n\nxy/..", "goal B. / .C; 2 pieces on 2x2, 2 empty; pieces of one shape are interchangeable"},
	{"goal: .yx\n\nxy.", "goal .BC; 2 pieces on 1x3, 1 empty; pieces of one shape are interchangeable"},
	{"goal: .yA\n\nAy.", "goal .BA; 2 pieces on 1x3, 1 empty"},
	{"metric: move\nmoves: 81\n\n" + classic, "no goal (a goal is a header like goal: A at r4c2); 10 pieces on 5x4, 2 empty; pieces of one shape are interchangeable but for A"},
}

var errorCases = []struct{ text, want string }{
	{"", "no board: the text is empty or has only headers and comments"},
	{"...\n.#.", "line 1, column 1: the board has no piece: letters and digits are pieces"},
	{"AB\nBA", "line 2, column 2: piece A is not connected: its cells must share sides, and each piece needs its own letter"},
	{"AAB\nAAA\nBBB", "line 3, column 1: piece B is not connected: its cells must share sides, and each piece needs its own letter"},
	{"AA.\nB.", "line 2, column 1: row 2 has 2 cells where the rows above have 3"},
	{"A?", "line 1, column 2: \"?\" is not a cell: letters and digits are pieces, . is empty, # is a wall"},
	{"A\u00e4", "line 1, column 2: \"ä\" is not a cell: letters and digits are pieces, . is empty, # is a wall"},
	{"A\n\nB", "line 2, column 1: row 2 is empty: a file holds one board, whose rows have . for empty cells and # for walls"},
	{"A................", "line 1, column 17: 17 columns: a board has at most 16"},
	{"A/./././././././././././././././.", "line 1, column 33: more than 16 rows: a board has at most 16"},
	{"metric: fast\n\nA.", "line 1, column 9: unknown metric \"fast\": must be step, slide or move"},
	{"notation: letters\n\nA.", "line 1, column 11: unknown notation \"letters\": must be blocks"},
	{"interchangeable: maybe\n\nA.", "line 1, column 18: interchangeable: must be yes (pieces of equal shape are interchangeable) or no (every piece is distinct)"},
	{"exit: left\n\nA.", "line 1, column 1: unknown header \"exit\"; the headers are puzzle, name, metric, notation, goal, interchangeable, moves, states"},
	{"goal: A\n\nA.", "line 1, column 7: the goal is a picture of 1x1, but the board is 1x2; a place is like A at r4c2"},
	{"goal: A at\n\nA.", "line 1, column 7: cannot read the goal \"A at\": must be like A at r4c2 (row 4, column 2), several separated by ;"},
	{"goal: A at 0\n\nA.", "line 1, column 12: cannot read the place \"0\": must be like r4c2 (row 4, column 2), or row,column from 0, like 3,1"},
	{"goal: A at 0,2\n\nA.", "line 1, column 14: column \"2\" is not a number from 0 to 1"},
	{"goal: A at x,0\n\nA.", "line 1, column 12: row \"x\" is not a number from 0 to 0"},
	{"goal: B at 0,1\n\nA.", "line 1, column 7: the board has no piece \"B\""},
	{"goal: A at 0,2\n\nAA.#", "line 1, column 12: piece A does not fit at r1c3: it meets a wall or the edge"},
	{"goal: A at 0,1; A at 0,0\n\nA.", "line 1, column 17: piece A has two goals"},
	{"goal: A at 0,1; B at 0,1\n\nAB", "line 1, column 7: two pieces of the goal overlap at r1c2"},
	{"goal: A at 0,1; B\n\nAB", "line 1, column 17: cannot read the goal \"B\": must be like A at r4c2 (row 4, column 2), several separated by ;"},
	{"goal: ..\n\nA.", "line 1, column 7: the goal shows no piece: it is a picture of the board, or like A at r4c2"},
	{"goal: A./..\n\nA.", "line 1, column 7: the goal is a picture of 2x2, but the board is 1x2; a place is like A at r4c2"},
	{"goal: AB\n\nA.", "line 1, column 7: the goal shows piece B, but the board has no further piece of its shape"},
	{"goal: .A\n\nA#", "line 1, column 7: piece A of the goal lies on a wall"},
	{"goal: A#\n\nA.", "line 1, column 7: the goal has a wall at r1c2, but the board has none there"},
	{"goal: \n\nA.", "line 1, column 6: the goal is empty: must be like A at r4c2 (row 4, column 2), or a picture of the board"},
	{"moves: many\n\nA.", "line 1, column 8: moves \"many\" is not a number from 0 to 1073741824"},
	{"states: -1\n\nA.", "line 1, column 9: states \"-1\" is not a number from 0 to 4611686018427387904"},
	{"name: \x1b[31m\n\nA.", "line 1, column 7: a name must not contain control characters: U+001B"},
}

func TestReadErrors(t *testing.T) {
	for _, c := range errorCases {
		if _, err := Read([]byte(c.text), puzzle.ReadOptions{}); err == nil || err.Error() != c.want {
			t.Errorf("%q:\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

func TestRead(t *testing.T) {
	for _, c := range readCases {
		boards, err := Read([]byte(c.text), puzzle.ReadOptions{})
		var got string
		if err != nil {
			got = err.Error()
		} else {
			got = boards[0].Note
		}
		if got != c.note {
			t.Errorf("%q:\n got %s\nwant %s", c.text, got, c.note)
		}
	}
}

// TestPlaces has places with rows and columns from 1 and, as files have them since the
// first version, from 0.
func TestPlaces(t *testing.T) {
	for named, counted := range map[string]string{"A at r4c2": "A at 3,1", "a AT R4 C2; D at r1c1": "a at 3,1; D at 0,0"} {
		board := strings.ToUpper(classic)
		if named[0] == 'a' {
			board = strings.ReplaceAll(board, "A", "a")
		}
		one, fault := Read([]byte("goal: "+named+"\n\n"+board), puzzle.ReadOptions{})
		other, wrong := Read([]byte("goal: "+counted+"\n\n"+board), puzzle.ReadOptions{})
		if fault != nil || wrong != nil || one[0].Text != other[0].Text || one[0].Note != other[0].Note {
			t.Errorf("%s: %v, %v", named, fault, wrong)
		}
	}
	for goal, want := range map[string]string{
		"A at r0c1": `row "0" is not a number from 1 to 5`,
		"A at r1c5": `column "5" is not a number from 1 to 4`,
		"A at rc":   `row "" is not a number from 1 to 5`,
		"A at r1c4": "piece A does not fit at r1c4",
	} {
		if _, err := Read([]byte("goal: "+goal+"\n\n"+classic), puzzle.ReadOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", goal, err)
		}
	}
}

func TestPromises(t *testing.T) {
	for _, c := range []struct {
		header, metric string
		moves          int
		note           string
	}{
		{"moves: 4\n", "", 4, "goal A at r1c2; 1 piece on 1x2, 1 empty"},
		{"moves: 4\nmetric: MOVE\n", "", 4, "goal A at r1c2; 1 piece on 1x2, 1 empty"},
		{"moves: 4\n", "slide", -1, "goal A at r1c2; 1 piece on 1x2, 1 empty; 4 moves promised in the metric step, not checked"},
		{"moves: 1\nmetric: move\n", "slide", -1, "goal A at r1c2; 1 piece on 1x2, 1 empty; 1 move promised in the metric move, not checked"},
	} {
		boards, err := Read([]byte(c.header+"states: 2\ngoal: A at 0,1\n\nA."), puzzle.ReadOptions{Metric: c.metric})
		if err != nil {
			t.Fatal(err)
		}
		if b := boards[0]; b.Expect != (puzzle.Expect{SolutionLength: c.moves, States: 2}) || b.Note != c.note {
			t.Errorf("%q, %q: %+v, %s", c.header, c.metric, b.Expect, b.Note)
		}
	}
}
