package blocks

import (
	"testing"

	"github.com/everystate/everystate/puzzle"
)

const classic = "BAAC\nBAAC\nDEEF\nDGHF\nI..J"

var readCases = []struct{ text, note string }{
	{classic, "no goal: every state is explored and none is a goal (a goal is a header like goal: A at 3,1); 10 pieces on 5x4, 2 empty; pieces of one shape are interchangeable but for A"},
	{"goal: A at 3,1\n\n" + classic, "goal A at 3,1; 10 pieces on 5x4, 2 empty; pieces of one shape are interchangeable but for A"},
	{"goal: A at 1,0\n\nAA# / .#./...", "line 1, column 12: piece A does not fit at 1,0: a wall or the edge is in its way"},
	{"goal: A at 2,0\n\nAA# / .#./...", "goal A at 2,0; 1 piece on 3x3, 5 empty, 2 walls"},
	{"interchangeable: no\ngoal: b at 0,1\n\nab.", "goal b at 0,1; 2 pieces on 1x3, 1 empty; every piece is distinct"},
	{"goal: x at 0,1; z AT 0 , 0\n\nxyz", "goal x at 0,1; z at 0,0; 3 pieces on 1x3, 0 empty"},
	{"goal: x./.y\n\nxy/..", "goal B. / .C; 2 pieces on 2x2, 2 empty; pieces of one shape are interchangeable"},
	{"goal: .yx\n\nxy.", "goal .BC; 2 pieces on 1x3, 1 empty; pieces of one shape are interchangeable"},
	{"goal: .yA\n\nAy.", "goal .BA; 2 pieces on 1x3, 1 empty"},
	{"metric: move\nmoves: 81\n\n" + classic, "no goal: every state is explored and none is a goal (a goal is a header like goal: A at 3,1); 10 pieces on 5x4, 2 empty; pieces of one shape are interchangeable but for A"},
}

var errorCases = []struct{ text, want string }{
	{"", ""},
}

func TestRead(t *testing.T) {
	for _, c := range readCases {
		boards, err := Read([]byte(c.text), puzzle.ReadOptions{})
		got := ""
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
