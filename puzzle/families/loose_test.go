package families

import (
	"fmt"
	"strings"
	"testing"

	"github.com/everystate/everystate/puzzle"
)

// TestReadLoosely has boards as other programs and people write them.
func TestReadLoosely(t *testing.T) {
	const eight, car = "8 6 7\n2 5 4\n3 0 1", "AA.B\n...B"
	for _, c := range []struct{ text, same, how string }{
		{"8,6,7/2,5,4/3,0,1", eight, "without commas and brackets"},
		{"[[8, 6, 7],\n [2, 5, 4],\n [3, 0, 1]]", eight, "without commas and brackets"},
		{"((8,6,7),(2,5,4),(3,0,1))", eight, "without commas and brackets"},
		{"{{8,6,7},{2,5,4},{3,0,1}};", eight, "without commas and brackets"},
		{"[8,6,7,2,5,4,3,0,1]", eight, "without commas and brackets"},
		{"867254301", eight, "digit by digit"},
		{"867/254/301", eight, "digit by digit"},
		{"867\n254\n301", eight, "digit by digit"},
		{"F21C\n856B\n49A7\n3ED0", "15 2 1 12\n8 5 6 11\n4 9 10 7\n3 14 13 0", "digit by digit"},
		{"+---+---+---+\n| 8 | 6 | 7 |\n+---+---+---+\n| 2 | 5 | 4 |\n+---+---+---+\n| 3 |   | 1 |\n+---+---+---+", eight, "without its frame"},
		{"┌───┐\n│867│\n│254│\n│301│\n└───┘", eight, "without its frame, digit by digit"},
		{"+----+\n|AA.B>\n|...B|\n+----+", car, "without its frame"},
		{"------\n|AA.B\n|...B|\n------", car, "without its frame"},
		{"name: x\n\nA A . B\n.\t. . B\n", "name: x\n\n" + car, "without the blanks between its cells"},
		{"[['A', 'A', '.', 'B'], ['.', '.', '.', 'B']]", car, "without commas and brackets, without the blanks between its cells"},
		{"[\"AA.B\", \"...B\"]", car, "without commas and brackets"},
		{"aa.b\n...b", car, "in capitals"},
		{"aa.b / ...b", car, "in capitals"},
		{"aaob\n.o.b", "", ""}, // is o a vehicle?
		{"xx.a\n...a", "xx.a\n...a", ""},
		{"R U2 F\u2019 R", "R U2 F' R", "with straight quotes and plain blanks"},
		{"RU2F'R", "R U2 F' R", "turn by turn"},
		{"R U2'F'R", "R U2 F' R", "turn by turn"},
		{"(R U)3", "R U R U R U", "with its groups of turns written out"},
		{"(RU')2' F", "U R' U R' F", "with its groups of turns written out"},
		{"(R U2)\u2019", "U2 R'", "with straight quotes and plain blanks, with its groups of turns written out"},
		{"((R U)2 F)2", "R U R U F R U R U F", "with its groups of turns written out"},
		{"(R)3 (U2)2 F3", "R' F'", "with its groups of turns written out"},
		{"[R, U]", "R U R' U'", "with its groups of turns written out"},
		{"[R U: F2]2", "R U F2 U' R' R U F2 U' R'", "with its groups of turns written out"},
		{"(R U)9999", "(R U)9999", ""},
		{"(((R U)99)99)99", "(((R U)99)99)99", ""},
		{"['R', 'U2', \"F'\", 'R']", "R U2 F' R", "without commas and brackets"},
		{"<?xml version='1.0'?><SokobanLevels><LevelCollection><Level Id='One' Width='6'><L>######</L><L>#@$.##</L><L>######</L></Level></LevelCollection></SokobanLevels>",
			"Title: One\n######\n#@$.##\n######", "as an XML collection of levels"},
		{"<?xml version='1.0' encoding='ISO-8859-1'?><SokobanLevels><Title>\xe9t\xe9</Title><LevelCollection><Level Id='\xe9'><L>######</L><L>#@$.##</L><L>######</L></Level></LevelCollection></SokobanLevels>",
			"Title: é\n######\n#@$.##\n######", "as an XML collection of levels"},
		{"8\t6\t7\r\n2\t5\t4\r\n3\t\t1\r\n", eight, "tab by tab"},
		{"\t8\t6\t7\n\t2\t5\t4\n\t3\t\t1", eight, "tab by tab"},
		{"8\t6\t7\n2\t5\t4\n1\t3\t", "8 6 7\n2 5 4\n1 3 0", "tab by tab"},
		{"8,6,7\n2,5,4\n3,,1", eight, "without commas and brackets"},
		{"[[8,6,7],[2,5,4],[,3,1]]", "8 6 7\n2 5 4\n0 3 1", "without commas and brackets"},
		{"| 8 | 6 | 7 |\n|---|----|---|\n| 2 | 5 | 4 |\n| 3 |   | 1 |", eight, "without its frame"},
		{eight, eight, ""},
	} {
		boards, err := ReadLoosely([]byte(c.text), puzzle.ReadOptions{})
		want, wrong := Read([]byte(c.same), puzzle.ReadOptions{})
		if (err == nil) != (wrong == nil) {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if err != nil {
			continue
		}
		if len(boards) != 1 || len(want) != 1 {
			t.Errorf("%q: %d boards", c.text, len(boards))
			continue
		}
		warning := ""
		if c.how != "" {
			warning = "read " + c.how
		}
		if boards[0].Text != want[0].Text || boards[0].Name != want[0].Name || boards[0].Warning != warning {
			t.Errorf("%q: %q, %s", c.text, boards[0].Text, boards[0].Warning)
		}
	}
}

// TestBrokenCollection has XML that is no collection of levels.
func TestBrokenCollection(t *testing.T) {
	for text, want := range map[string]string{
		"<SokobanLevels><LevelCollection><Level Id='1'><L>###": "line 1, column 53: not an XML collection of levels: unexpected EOF",
		"<a>\n<b/></a>": "line 2, column 9: not an XML collection of levels: it has no element Level",
	} {
		if _, err := ReadLoosely([]byte(text), puzzle.ReadOptions{}); err == nil || err.Error() != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestDidYouMean has texts that only a family that must be named can read.
func TestDidYouMean(t *testing.T) {
	for text, want := range map[string]string{
		"BAAC/BAAC/DEEF/DGHF/I..J":                 "; did you mean --puzzle blocks?",
		"BAAC\nBAAC\nDEEF\nDGHF\nI..J":             "; did you mean --puzzle blocks?",
		"AA.B\n...Ä":                               "is not a cell",
		"puzzle: rush-hour\n\nBAAC/BAAC/DEEF/DGHF": "cannot reach row 2, column 2",
		"#####\n#@$.\n#####":                       "the level is not closed",
		"F2 L\u2032 D2":                            `read with straight quotes and plain blanks: line 1, column 4: "L'" is not a turn`,
		"F2L'D2R'":                                 `read turn by turn: line 1, column 4: "L'" is not a turn`,
		"[[1,2,3],[4,5,6],[7,0,9]]":                `line 3, column 5: "9" is not a tile`,
		"[(17,18),(1,15":                           "the pairs notation expects",
	} {
		_, err := ReadLoosely([]byte(text), puzzle.ReadOptions{})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(want, "mean") && strings.Contains(err.Error(), "mean") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestReadWith gives headers that are not in the text.
func TestReadWith(t *testing.T) {
	klotski := "; mine\nGoal: A at 0,1\n\nBAAC\nBAAC\nDEEF\nDGHF\nI..J"
	boards, err := ReadWith([]byte("\uFEFF"+klotski), []Header{{"puzzle", "blocks"}, {"goal", "A at 3,1"}}, puzzle.ReadOptions{})
	if err != nil || !strings.Contains(boards[0].Text, "A at 3,1") {
		t.Errorf("%v, %v", boards, err)
	}
	for _, c := range []struct {
		text, want string
		headers    []Header
	}{
		{klotski, `--goal Q at 3,1: the board has no piece "Q"`, []Header{{"puzzle", "blocks"}, {"goal", "Q at 3,1"}}},
		{"1 2\n3 3", "line 2, column 3: tile 3 appears a second time: it is already in line 2, column 1", []Header{{"puzzle", "tiles"}, {"size", "2x2"}}},
		{"1 2\n3 0", `--goal "1 2\n3 0": must be one line`, []Header{{"goal", "1 2\n3 0"}}},
	} {
		if _, err := ReadWith([]byte(c.text), c.headers, puzzle.ReadOptions{}); err == nil || err.Error() != c.want {
			t.Errorf("%q: %v", c.text, err)
		}
	}
}

// TestLinesOfFailures has puzzles that fail, whose errors have lines of the text
// without headers that were added to it.
func TestLinesOfFailures(t *testing.T) {
	const game = "title Again\n\nOBJECTS\nBackground\nblack\n\nPlayer\nwhite\n\nWall\ngrey\n\nTarget\nblue\n\nCrate\norange\n\nLEGEND\n. = Background\nP = Player\n* = Crate\n\nSOUNDS\n\n" +
		"COLLISIONLAYERS\nBackground\nPlayer, Crate, Wall, Target\n\nRULES\n[ Wall ] -> [ Target ] again\n[ Crate ] -> [ Wall ] again\n" +
		"late [ Target ] -> [ Crate ]\n\nWINCONDITIONS\nNo Player\n\nLEVELS\n\nP*.\n"
	for _, c := range []struct {
		text, want string
		headers    []Header
	}{
		{"var a: 0..5;\nstartstate a := 0 end\nrule a := a + 9 end", "line 3, column 8: rule rule-1: 9 is not", []Header{{"puzzle", "murphi"}, {"name", "mine"}}},
		{game, "line 31: ", []Header{{"puzzle", "puzzlescript"}, {"level", "1"}}},
	} {
		for n := range len(c.headers) + 2 {
			var board puzzle.Board
			what := "stored"
			boards, err := ReadWith([]byte(c.text), c.headers[:min(n, len(c.headers))], puzzle.ReadOptions{})
			if err == nil {
				board = boards[0]
			}
			if n > len(c.headers) && err == nil {
				board, err = ReadStored(board.Text, 0)
			} else {
				what = fmt.Sprintf("%d headers", n)
			}
			if err != nil {
				t.Fatal(err)
			}
			board.Puzzle.Successors(board.Puzzle.Starts(), &puzzle.Edges{})
			if err := puzzle.Err(board.Puzzle); err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%s, %s: %v, want %s", board.Family, what, err, c.want)
			}
		}
	}
	// Lines of headers that the author wrote count.
	boards, err := ReadWith([]byte("name: mine\n\nvar a: 0..5;\nstartstate a := 0 end\nrule a := a + 9 end"), []Header{{"puzzle", "murphi"}}, puzzle.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	boards[0].Puzzle.Successors(boards[0].Puzzle.Starts(), &puzzle.Edges{})
	if err := puzzle.Err(boards[0].Puzzle); err == nil || !strings.HasPrefix(err.Error(), "line 5, ") {
		t.Errorf("with headers of its own: %v", err)
	}
}

func FuzzReadLoosely(f *testing.F) {
	for _, text := range []string{"[[1,2],[3,0]]", "+--+\n|1 |\n+--+", "RU2'R", "<Level><L>#", "a\n|\n'"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		boards, err := ReadLoosely([]byte(text), puzzle.ReadOptions{})
		if err != nil {
			return
		}
		for _, b := range boards {
			if again, err := ReadStored(b.Text, 0); err != nil || again.Text != b.Text {
				t.Fatalf("%q is stored as %q: %v", text, b.Text, err)
			}
		}
	})
}
