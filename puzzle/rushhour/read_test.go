package rushhour

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/everystate/everystate/puzzle"
)

var readCases = []struct {
	name, text string
	opts       puzzle.ReadOptions
	want       []string // board name, note, drawn start with " / " between rows
}{
	{"letters", "BBBCDE\nFGGCDE\nF.AADE\nHHI...\n.JI.KK\n.JLLMM", puzzle.ReadOptions{}, []string{
		": goal vehicle A, exit right in row 3; 13 vehicles on 6x6: BBBCDE / FGGCDE / F.AADE / HHI... / .JI.KK / .JLLMM"}},
	{"all empties and walls", "AA.o-_x#\nBBB.C...\n....C...\n", puzzle.ReadOptions{}, []string{
		": goal vehicle A, exit right in row 1; 3 vehicles on 3x8, 2 walls: AA....xx / BBB.C... / ....C..."}},
	{"line", "IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM", puzzle.ReadOptions{}, []string{
		": goal vehicle A, exit right in row 3; 12 vehicles on 6x6, 1 wall: IBBx.. / I..LDD / JAAL.. / J.KEEM / FFK..M / GGHHHM"}},
	{"lines one after another", "ooooooooooooAAoooooooooooooooooooooo\nooooCoooooCoAAooCoooooooooBBBooooooo", puzzle.ReadOptions{}, []string{
		": goal vehicle A, exit right in row 3; 1 vehicle on 6x6: ...... / ...... / AA.... / ...... / ...... / ......",
		": goal vehicle A, exit right in row 3; 3 vehicles on 6x6: ....C. / ....C. / AA..C. / ...... / ..BBB. / ......"}},
	{"line with size", "size: 2x5\n\nAA..C....C\n.....AABBC", puzzle.ReadOptions{}, []string{
		": goal vehicle A, exit right in row 1; 2 vehicles on 2x5: AA..C / ....C",
		": goal vehicle A, exit right in row 2; 3 vehicles on 2x5; single cells taken as horizontal: C: ..... / AABBC"}},
	{"one row", "AA.BB.", puzzle.ReadOptions{}, []string{
		": goal vehicle A, exit right in row 1; 2 vehicles on 1x6: AA.BB."}},
	{"one row of square length", "size: 1x4\nAA..", puzzle.ReadOptions{}, []string{
		": goal vehicle A, exit right in row 1; 1 vehicle on 1x4: AA.."}},
	{"one short line of given size", "size: 2x2\n\nAA..", puzzle.ReadOptions{}, []string{
		": goal vehicle A, exit right in row 1; 1 vehicle on 2x2: AA / .."}},
	{"the shortest line", "AA.BB....", puzzle.ReadOptions{}, []string{
		": goal vehicle A, exit right in row 1; 2 vehicles on 3x3: AA. / BB. / ..."}},
	{"a long line before a longer one", "size: 2x9\n\nAA................", puzzle.ReadOptions{}, []string{
		": goal vehicle A, exit right in row 1; 1 vehicle on 2x9: AA....... / ........."}},
	{"a row that begins like a database line", "22 / XX / ..", puzzle.ReadOptions{}, []string{
		": goal vehicle X, exit right in row 2; 2 vehicles on 3x2; moves name the vehicles A, B, C, ... in reading order of the start, X the goal vehicle: AA / XX / .."}},
	{"headers again for a later board", "metric: step\nname: a\n\nAA.\n...\n\nmetric: slide\nname: b\n\nAA.\n...\nmetric: slide\nAA.\n...\n", puzzle.ReadOptions{}, []string{
		"a: goal vehicle A, exit right in row 1; 1 vehicle on 2x3: AA. / ...",
		"b: goal vehicle A, exit right in row 1; 1 vehicle on 2x3: AA. / ...",
		": goal vehicle A, exit right in row 1; 1 vehicle on 2x3: AA. / ..."}},
	{"promised moves of another metric", "moves: 4\n\nAA.\n...", puzzle.ReadOptions{Metric: "slide"}, []string{
		": goal vehicle A, exit right in row 1; 1 vehicle on 2x3; the promised 4 moves are in steps and are not checked: AA. / ..."}},
	{"a name as long as can be", "name: " + strings.Repeat("é", 50) + "\nAA.\n...", puzzle.ReadOptions{}, []string{
		strings.Repeat("é", 50) + ": goal vehicle A, exit right in row 1; 1 vehicle on 2x3: AA. / ..."}},
	{"slashes", "AA.B / ...B\n\nAA../x...", puzzle.ReadOptions{}, []string{
		": goal vehicle A, exit right in row 1; 2 vehicles on 2x4: AA.B / ...B",
		": goal vehicle A, exit right in row 1; 1 vehicle on 2x4, 1 wall: AA.. / x..."}},
	{"database", "60 IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM 2332", puzzle.ReadOptions{}, []string{
		": goal vehicle A, exit right in row 3; 12 vehicles on 6x6, 1 wall; the promised 60 moves are in slides and are not checked: IBBx.. / I..LDD / JAAL.. / J.KEEM / FFK..M / GGHHHM"}},
	{"database in slides", "60 IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM 2332", puzzle.ReadOptions{Metric: "slide"}, []string{
		": goal vehicle A, exit right in row 3; 12 vehicles on 6x6, 1 wall: IBBx.. / I..LDD / JAAL.. / J.KEEM / FFK..M / GGHHHM"}},
	{"types", "333BCC / B22BCC / B.XXCC / 22B... / .BB.22 / .B2222", puzzle.ReadOptions{}, []string{
		": goal vehicle X, exit right in row 3; 13 vehicles on 6x6; moves name the vehicles A, B, C, ... in reading order of the start, X the goal vehicle: AAABCD / EFFBCD / E.XXCD / GGH... / .IH.JJ / .IKKLL"}},
	{"types without digits", "XX.BB\n...BB\n..x..", puzzle.ReadOptions{}, []string{
		": goal vehicle X, exit right in row 1; 3 vehicles on 3x5, 1 wall; moves name the vehicles A, B, C, ... in reading order of the start, X the goal vehicle: XX.AB / ...AB / ..x.."}},
	{"types, vertical goal of one cell", "exit: top\n\n22A\n..X", puzzle.ReadOptions{}, []string{
		": goal vehicle X, exit top in column 3; 3 vehicles on 2x3; moves name the vehicles A, B, C, ... in reading order of the start, X the goal vehicle: AAB / ..X"}},
	{"pairs", "[(17,18),(1,15),(2,9),(3,10),(4,11),(5,6),(12,19),(13,27),(24,26),(31,38),(33,34),(36,37),(40,41)]", puzzle.ReadOptions{}, []string{
		": goal vehicle A, exit right in row 3; 13 vehicles on 6x6: BCDEFF / BCDEGH / B.AAGH / ..IIIH / ..J.KK / LLJ.MM"}},
	{"pairs on lines", "[(17,18),\n (15, 1)]\n[(15,16)]", puzzle.ReadOptions{}, []string{
		": goal vehicle A, exit right in row 3; 2 vehicles on 6x6: B..... / B..... / B.AA.. / ...... / ...... / ......",
		": goal vehicle A, exit right in row 3; 1 vehicle on 6x6: ...... / ...... / AA.... / ...... / ...... / ......"}},
	{"extended", "notation: letters-extended\ngoal: a\n\nAAa\n0.a\n0.b", puzzle.ReadOptions{}, []string{
		": goal vehicle a, exit bottom in column 3; 4 vehicles on 3x3; single cells taken as horizontal: b: AAa / 0.a / 0.b"}},
	{"goal X beside A", "XX.A\n...A", puzzle.ReadOptions{}, []string{
		": goal vehicle X, exit right in row 1; 2 vehicles on 2x4: XX.A / ...A"}},
	{"goal A beside X among many letters", "AA.Y\nXX.Y", puzzle.ReadOptions{}, []string{
		": goal vehicle A, exit right in row 1; 3 vehicles on 2x4: AA.Y / XX.Y"}},
	{"goal X without A", "XX.Y\n...Y", puzzle.ReadOptions{}, []string{
		": goal vehicle X, exit right in row 1; 2 vehicles on 2x4: XX.Y / ...Y"}},
	{"goal R", "RR.B\n...B", puzzle.ReadOptions{}, []string{
		": goal vehicle R, exit right in row 1; 2 vehicles on 2x4: RR.B / ...B"}},
	{"goal by header, exit left", "goal: B\nexit: left\n\n.BB\nAA.", puzzle.ReadOptions{}, []string{
		": goal vehicle B, exit left in row 1; 2 vehicles on 2x3: .BB / AA."}},
	{"single cells", "vertical: C, D\nhorizontal: E\n\nAA.C\nD..E", puzzle.ReadOptions{}, []string{
		": goal vehicle A, exit right in row 1; 4 vehicles on 2x4; single cells taken as horizontal: E: AA.C / D..E"}},
	{"file with headers, comments and blocks", "\ufeff; two boards\r\npuzzle: Rush Hour\r\nmetric: slide\r\nname: first\r\n\r\nAA.  \r\n; inside\r\n..B\r\n\r\n\r\nname: second\r\nmetric: unit\r\nAAB\r\n..B\r\n\r\nAA.\r\n...\r\n", puzzle.ReadOptions{}, []string{
		"first: goal vehicle A, exit right in row 1; 2 vehicles on 2x3; single cells taken as horizontal: B: AA. / ..B",
		"second: goal vehicle A, exit right in row 1; 2 vehicles on 2x3: AAB / ..B",
		": goal vehicle A, exit right in row 1; 1 vehicle on 2x3: AA. / ..."}},
}

func TestRead(t *testing.T) {
	for _, c := range readCases {
		t.Run(c.name, func(t *testing.T) {
			boards, err := Read([]byte(c.text), c.opts)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, b := range boards {
				start := strings.ReplaceAll(b.Puzzle.Format(b.Puzzle.Starts()), "\n", " / ")
				got = append(got, fmt.Sprintf("%s: %s: %s", b.Name, b.Note, start))
				if err := checkCanonical(b.Puzzle.(*game).setup, b.Puzzle); err != nil {
					t.Error(err)
				}
			}
			if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

var errorCases = []struct {
	text, notation, metric string
	want                   string
}{
	{"61 IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM", "", "", `line 1, column 40: database line: expected MOVES BOARD SIZE, found no SIZE`},
	{"  61 IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM x", "", "", `line 1, column 43: database line: expected MOVES BOARD SIZE, found "x" for SIZE`},
	{"93 333BCCB22BCCB.XXCC22B....BB.22.B2222", "", "", `line 1, column 40: database line: expected MOVES BOARD SIZE, found no SIZE`},
	{"93 333BCCB22BCCB.XXCC22B....BB.22.B2222 x", "", "", `line 1, column 41: database line: expected MOVES BOARD SIZE, found "x" for SIZE`},
	{"60 IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM 2332 x", "", "", `line 1, column 46: database line: expected MOVES BOARD SIZE, found "x" after them`},
	{"60 IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM 2332\n61 IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM", "", "", `line 2, column 40: database line: expected MOVES BOARD SIZE, found no SIZE`},
	{"60 AA..B..B 1 2\n", "", "", `line 1, column 15: database line: expected MOVES BOARD SIZE, found "2" after them`},
	{"2 2 . X X", "", "", `line 1, column 2: " " is not a cell: letters are vehicles, digits too in some notations, . o - _ are empty, x # are walls`},
	{".....\nÄÄ.\n.....", "", "", `line 2, column 1: "Ä" is not a cell: letters are vehicles, digits too in some notations, . o - _ are empty, x # are walls`},
	{"AA.AA\n..ÄÄ", "", "", `line 2, column 3: "Ä" is not a cell: letters are vehicles, digits too in some notations, . o - _ are empty, x # are walls`},
	{"ÄÄ", "", "", `line 1, column 1: "Ä" is not a cell: letters are vehicles, digits too in some notations, . o - _ are empty, x # are walls`},
	{"AA.\n.\x1b[31m.", "", "", `line 2, column 2: "\x1b" is not a cell: letters are vehicles, digits too in some notations, . o - _ are empty, x # are walls`},
	{"AA.B", "", "", `line 1, column 1: 4 cells: a board on one line must be square, 3x3 to 16x16, or have a header size: RxC`},
	{"A", "", "", `line 1, column 1: 1 cell: a board on one line must be square, 3x3 to 16x16, or have a header size: RxC`},
	{"AA...............", "", "", `line 1, column 1: 17 cells: a board on one line must be square, 3x3 to 16x16, or have a header size: RxC`},
	{"1 AA.B 5", "", "", `line 1, column 3: 4 cells: a board on one line must be square, 3x3 to 16x16, or have a header size: RxC`},
	{"metric: step\nmetric: slide\n\nAA.\n...", "", "", `line 2, column 1: header "metric" is given twice: it is already in line 1`},
	{"exit: left\n\n Exit: left\n\nAA.\n...", "", "", `line 3, column 2: header "exit" is given twice: it is already in line 1`},
	{"AA.\n...\nname: a\nmoves: 4\nname: b\nAA.\n...", "", "", `line 5, column 1: header "name" is given twice: it is already in line 3`},
	{"name: a\x1b[31mb\nAA.", "", "", `line 1, column 8: a name must not contain control characters: U+001B`},
	{"name: a\tb\nAA.", "", "", `line 1, column 8: a name must not contain control characters: U+0009`},
	{"name: é\u009b1m\nAA.", "", "", `line 1, column 9: a name must not contain control characters: U+009B`},
	{"name: a\u202eb\nAA.", "", "", `line 1, column 8: a name must not contain control characters: U+202E`},
	{"goal: \x1b\nAA.", "", "", `line 1, column 7: "\x1b" is not a vehicle: a vehicle is named by one letter`},
	{"name: " + strings.Repeat("n", 101), "", "", "line 1, column 7: a name of 101 bytes: at most 100 are allowed"},
	{strings.Repeat(strings.Repeat(".", 17)+"\n", 3), "", "", "line 1, column 17: 17 columns: a board has at most 16"},
	{strings.Repeat(strings.Repeat(".", 17)+"\n", 17), "", "", "line 17, column 1: 17 rows: a board has at most 16"},
	{"", "", "", "no board: the input is empty or has only headers and comments"},
	{"; only a comment\nname: x\n\n", "", "", "no board: the input is empty or has only headers and comments"},
	{"AA.\x00..", "", "", "line 1, column 4: byte 0x00: the input is not text"},
	{"AA.\n.\xff.", "", "", "line 2, column 2: byte 0xff: the input is not text"},
	{"AA..\n...\n", "", "", "line 2, column 1: row 2 has 3 cells where the rows above have 4"},
	{"AA..\n  .....\n", "", "", "line 2, column 3: row 2 has 5 cells where the rows above have 4"},
	{"AA.\n.?.", "", "", `line 2, column 2: "?" is not a cell: letters are vehicles, digits too in some notations, . o - _ are empty, x # are walls`},
	{"AA.\n.é", "", "", `line 2, column 2: "é" is not a cell: letters are vehicles, digits too in some notations, . o - _ are empty, x # are walls`},
	{"AA.\nB.a", "", "", `line 2, column 3: "a" is not a cell of the letters notation: vehicles are upper-case letters, . o - _ are empty, x # are walls`},
	{"AAB\n.BB", "", "", "line 2, column 2: vehicle B is not straight: it starts at row 1, column 3 and cannot reach row 2, column 2"},
	{"AACC\nCC..", "", "", "line 2, column 1: vehicle C is not straight: it starts at row 1, column 3 and cannot reach row 2, column 1"},
	{"AA.C\n....\n...C", "", "", "line 3, column 4: vehicle C has a gap: it starts at row 1, column 4 and cannot reach row 3, column 4"},
	{"CC.C\nAA..\n....", "", "", "line 1, column 4: vehicle C has a gap: it starts at row 1, column 1 and cannot reach row 1, column 4"},
	{"..BB\n....", "", "", `line 1, column 3: no goal vehicle: name it with a header "goal:", or call it X, A or R; the board has vehicles B`},
	{"....\n..x.", "", "", `no goal vehicle: name it with a header "goal:", or call it X, A or R; the board has no vehicles`},
	{"goal: Q\n\nAAB\n..B", "", "", "line 1, column 7: goal Q: there is no such vehicle; the board has vehicles AB"},
	{"goal: red\n\nAAB\n..B", "", "", `line 1, column 7: "red" is not a vehicle: a vehicle is named by one letter`},
	{"exit: top\n\nAA.\n...", "", "", "line 1, column 7: exit top is not on the line of goal vehicle A, which is horizontal: its exit is left or right"},
	{"exit: right\n\nA..\nA..", "", "", "line 1, column 7: exit right is not on the line of goal vehicle A, which is vertical: its exit is top or bottom"},
	{"exit: up\n\nAA.\n...", "", "", `line 1, column 7: unknown exit "up": must be left, right, top or bottom`},
	{"colour: red\n\nAA.", "", "", `line 1, column 1: unknown header "colour"; the headers are puzzle, name, metric, exit, goal, notation, size, vertical, horizontal, moves, states`},
	{"puzzle: sokoban\n\nAA.", "", "", `line 1, column 9: puzzle "sokoban" is not rush-hour`},
	{"metric: hops\n\nAA.", "", "", `line 1, column 9: unknown metric "hops": must be step (alias unit) or slide (alias move)`},
	{"AA.", "", "hops", `unknown metric "hops": must be step (alias unit) or slide (alias move)`},
	{"notation: morse\n\nAA.", "", "", `line 1, column 11: unknown notation "morse": must be letters, letters-extended, line, database, types or pairs`},
	{"AA.", "morse", "", `unknown notation "morse": must be letters, letters-extended, line, database, types or pairs`},
	{"size: 6\n\nAA.", "", "", `line 1, column 7: size "6": must be rows x columns, each from 1 to 16, as in 6x6`},
	{"size: 17x2\n\nAA.", "", "", `line 1, column 7: size "17x2": must be rows x columns, each from 1 to 16, as in 6x6`},
	{"size: 3x3\n\nAA.\n...", "", "", "line 3, column 1: the board is 2x3, but the size is 3x3"},
	{"size: 3x3\n\nAA......", "", "", "line 3, column 1: the board is 1x8, but the size is 3x3"},
	{"vertical: B\n\nAA.\n...", "", "", "line 1, column 11: B: there is no such vehicle; the board has vehicles A"},
	{"vertical: A\n\nAA.\n...", "", "", "line 1, column 11: vehicle A is horizontal: only single cells need a header for their direction"},
	{"vertical: B\nhorizontal: B\n\nAAB\n...", "", "", "line 2, column 13: vehicle B cannot be both vertical and horizontal"},
	{"vertical: B+\n\nAAB\n...", "", "", `line 1, column 12: "B+" is not a list of vehicles: must be letters separated by blanks`},
	{"moves: many\n\nAA.", "", "", `line 1, column 8: "many" is not a number from 0 to 9007199254740992`},
	{"60 IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM 99999999999999999999", "", "", `line 1, column 41: "99999999999999999999" is not a number from 0 to 9007199254740992`},
	{"60 IBBxooIooLDDJAALooJo 2332", "", "", "line 1, column 4: 20 cells: a board on one line must be square, 3x3 to 16x16, or have a header size: RxC"},
	{"AA.\n...", "database", "", `line 1, column 1: database line: expected MOVES BOARD SIZE, found "AA." for MOVES`},
	{"AA.\n...", "line", "", "line 1, column 1: 3 cells: a board on one line must be square, 3x3 to 16x16, or have a header size: RxC"},
	{strings.Repeat("A", 17) + "\n" + strings.Repeat(".", 17), "", "", "line 1, column 17: 17 columns: a board has at most 16"},
	{strings.Repeat("A", 17) + "\n" + strings.Repeat(".", 17), "letters", "", "line 1, column 17: 17 columns: a board has at most 16"},
	{strings.Repeat("..\n", 17), "", "", "line 17, column 1: 17 rows: a board has at most 16"},
	{strings.Repeat(".", 17) + "/" + strings.Repeat(".", 17), "", "", "line 1, column 17: 17 columns: a board has at most 16"},
	{strings.Repeat("./", 20), "", "", "line 1, column 1: 21 rows: a board has at most 16"},
	{strings.Repeat(".\n", boardsMax+2), "", "", "line 100002, column 1: more than 100000 boards in one input"},
	{strings.Repeat(".", 289), "", "", "line 1, column 1: 289 cells: a board on one line must be square, 3x3 to 16x16, or have a header size: RxC"},
	{"XX.2\n...2", "", "", "line 1, column 4: 2 is a horizontal vehicle of length 2, and only 1 of its cells are here"},
	{"XX.B\n22..", "", "", "line 1, column 4: B is a vertical vehicle of length 2, and only 1 of its cells are here"},
	{"22.XX\n...XX", "", "", "line 1, column 4: goal vehicle X is not straight: it extends right and down from here"},
	{"22.XX\nXX...", "", "", "line 2, column 1: a second goal vehicle X: a board has only one"},
	{"22.BB\n...BB", "", "", "line 1, column 1: no goal vehicle: the types notation calls it X"},
	{"22.Q\n...Q\nXX..", "", "", `line 1, column 4: "Q" is not a cell of the types notation: digits 1-9 are horizontal vehicles, A-P vertical ones, X is the goal vehicle, . o - _ are empty, x # are walls`},
	{"goal: B\n\n22.B\n...B\nXX..", "", "", "line 1, column 7: goal B: in the types notation the goal vehicle is X"},
	{"vertical: B\n\n22.B\n...B\nXX..", "", "", "line 1, column 11: in the types notation the symbol gives the direction of every vehicle but X"},
	{"[(17,18),(1,15)", "", "", `line 1, column 16: the pairs notation expects "]" here: [(rear,front),(rear,front),...]`},
	{"[(17 18)]", "", "", `line 1, column 6: the pairs notation expects "," here: [(rear,front),(rear,front),...]`},
	{"[(17,18),(1,7)]", "", "", "line 1, column 13: no cell number: cells are 1-6, 8-13, 15-20, 22-27, 29-34 and 36-41"},
	{"[(17,18),(1,999)]", "", "", "line 1, column 13: no cell number: cells are 1-6, 8-13, 15-20, 22-27, 29-34 and 36-41"},
	{"[(17,18),(1,1)]", "", "", "line 1, column 10: a vehicle of one cell: the pairs notation cannot express its direction"},
	{"[(17,18),(1,9)]", "", "", "line 1, column 10: cells 1 and 9 are not in one row or column"},
	{"[(17,18),\n(4,18)]", "", "", "line 2, column 1: two vehicles on cell 18"},
	{"[(1,2)]", "", "", "line 1, column 2: the first vehicle is the goal vehicle and lies in the row of the exit cell 20: cells 15 to 20"},
	{"exit: left\n\n[(17,18)]", "", "", "line 1, column 7: the exit of the pairs notation is cell 20, at the right"},
	{"[(17,18)] AA", "", "", `line 1, column 11: the pairs notation expects "[" here: [(rear,front),(rear,front),...]`},
	{"AA.\n...", "pairs", "", `line 1, column 1: the pairs notation expects "[" here: [(rear,front),(rear,front),...]`},
	{strings.Repeat("AA.......\n", boardsMax) + "AA.......", "line", "", "line 100001, column 1: more than 100000 boards in one input"},
	{strings.Repeat("\n", textBytesMax+1), "", "", "the input is larger than 16 MiB"},
}

func TestReadErrors(t *testing.T) {
	for _, c := range errorCases {
		text := c.text[:min(len(c.text), 60)]
		_, err := Read([]byte(c.text), puzzle.ReadOptions{Notation: c.notation, Metric: c.metric})
		if err == nil {
			t.Errorf("%q: no error, want %s", text, c.want)
			continue
		}
		var input *puzzle.InputError
		if !errors.As(err, &input) {
			t.Errorf("%q: %T is no InputError", text, err)
		}
		if got := err.Error(); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", text, got, c.want)
		}
	}
}

func TestExpect(t *testing.T) {
	const line = "60 IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM 2332"
	for _, c := range []struct {
		text, metric string
		want         puzzle.Expect
	}{
		{line, "", puzzle.Expect{SolutionLength: -1, States: 2332}},
		{line, "unit", puzzle.Expect{SolutionLength: -1, States: 2332}},
		{line, "move", puzzle.Expect{SolutionLength: 60, States: 2332}},
		{"metric: slide\n" + line, "", puzzle.Expect{SolutionLength: 60, States: 2332}},
		{"metric: slide\n" + line, "step", puzzle.Expect{SolutionLength: -1, States: 2332}},
		{"moves: 4\nstates: 5\n\nAA....", "", puzzle.Expect{SolutionLength: 4, States: 5}},
		{"moves: 4\nstates: 5\n\nAA....", "slide", puzzle.Expect{SolutionLength: -1, States: 5}},
		{"AA....", "", puzzle.ExpectNothing()},
	} {
		boards, err := Read([]byte(c.text), puzzle.ReadOptions{Metric: c.metric})
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
		} else if boards[0].Expect != c.want {
			t.Errorf("%q, %s: got %+v, want %+v", c.text, c.metric, boards[0].Expect, c.want)
		}
	}
}
