package sokoban_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/test/puzzletest"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/sokoban"
)

func mustRead(tb testing.TB, text string) puzzle.Board {
	tb.Helper()
	boards, err := sokoban.Read([]byte(text), puzzle.ReadOptions{})
	if err != nil || len(boards) != 1 {
		tb.Fatalf("%d boards, %v:\n%s", len(boards), err, text)
	}
	return boards[0]
}

const small = "######\n# @$.#\n######"

func TestNotations(t *testing.T) {
	want := mustRead(t, small)
	if want.Text != "puzzle: sokoban\nmetric: push\n\n"+small+"\n" || want.Metric != "push" || want.Family != "sokoban" || want.Note != "1 box on 4 cells" {
		t.Errorf("got %+v", want)
	}
	for _, text := range []string{
		"puzzle: xsb\r\n\r\n######\r\n# @$.#\r\n######\r\n",
		"\ufeff######\n#-@$.#\n######",
		"######\n#_pbo#\n######",
		"6#|#-@$.#|6#",
		"6#\n#1-@1$.#\n6#",
		"6#/#-@$.#/6#",
		"###### / # @$.# / ######",
		"######   a level\n# @$.#   by nobody\n######",
		"; a comment\nmetric: pushes\nprune: no\n\n" + small,
	} {
		if got := mustRead(t, text); got.Text != want.Text {
			t.Errorf("%q is\n%s", text, got.Text)
		}
	}
	// What the player cannot get to stays where it is.
	if b := mustRead(t, "#########\n# @$.#*$#\n#########"); !strings.Contains(b.Text, "# @$.#*$#") ||
		b.Note != "1 box on 4 cells; boxes and targets beyond the player's reach left out: 2" {
		t.Errorf("got %s\n%s", b.Note, b.Text)
	}
	if b := mustRead(t, "######\n#P bB#\n######"); !strings.Contains(b.Text, "\n#+ $*#\n") {
		t.Errorf("got\n%s", b.Text)
	}
}

func TestCollections(t *testing.T) {
	const level = "\n#####\n#@$.#\n#####\n"
	for text, want := range map[string]string{
		level:                               "",
		level + level:                       ",",
		"; 1\n" + level + "\n; 2\n" + level: "1,2",
		"First\n" + level + "\nSecond one\n" + level:                                             "First,Second one",
		level[1:] + "First\n\n" + level[1:] + "Second":                                           "First,Second",
		level + "Title: A\nAuthor: B\n" + level + "Title: C\n":                                   "A,C",
		level + "\nTitle: A\nAuthor: B\n" + level + "\nTitle: C\n":                               "A,C",
		"Title: A" + level + "\nTitle: B" + level:                                                "A,B",
		"Title: A\n" + level + "\nTitle: B\n" + level:                                            "A,B",
		"Title: All\n\n" + level + "Title: A\n" + level + "Title: B\n":                           "A,B",
		level + "Title: A\nComment:\n#####\n#@ not a level\nComment-End:\n" + level:              "A,",
		level + "\nSolution\nrrRRlluuDD\n" + level:                                               ",Solution",
		"; Source: nobody\npuzzle: sokoban\n\nname: A\nmoves: 1\n" + level + "name: B\n" + level: "A,B",
		"puzzle: sokoban\nauthor: me\n" + level + "puzzle: sokoban\n" + level:                    ",",
		"text\x1b[2J\n" + level:                                                                  "",
		"\xe9t\xe9\n" + level:                                                                    "",
	} {
		boards, err := sokoban.Read([]byte(text), puzzle.ReadOptions{})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		var names []string
		for _, b := range boards {
			names = append(names, b.Name)
		}
		if got := strings.Join(names, ","); got != want {
			t.Errorf("%q: got names %q, want %q", text, got, want)
		}
	}
}

func TestExpect(t *testing.T) {
	text := []byte("puzzle: sokoban\nmetric: move\n\nmoves: 1\nstates: 3\n#####\n#@$.#\n#####\n")
	for _, c := range []struct {
		metric string
		want   puzzle.Expect
		note   string
	}{
		{"", puzzle.Expect{SolutionLength: 1, States: 3}, "1 box on 3 cells; moves are player steps"},
		{"push", puzzle.ExpectNothing(), "1 box on 3 cells; the promise is in the metric move and is not checked"},
		{"pull", puzzle.ExpectNothing(), "1 box on 3 cells; backwards from 1 solved state: depth is the fewest pushes to one; the promise is in the metric move and is not checked"},
	} {
		boards, err := sokoban.Read(text, puzzle.ReadOptions{Metric: c.metric})
		if err != nil || boards[0].Expect != c.want || boards[0].Note != c.note {
			t.Errorf("%s: got %+v, %v", c.metric, boards, err)
		}
	}
}

func TestReadErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "no level: the input has no rows with walls #",
		"nothing here":           "no level: the input has no rows with walls #",
		"#####\n# $.#\n#####":    "line 1, column 1: no player: a level has one @, or + on a target",
		"\n#####\n#@$+#\n#####":  "line 3, column 4: a second player: the first is in line 3",
		"#####\n#@ .#\n#####":    "line 1, column 1: 0 boxes and 1 target within the player's reach: must be equally many",
		"######\n#@$$.#\n######": "line 1, column 1: 2 boxes and 1 target within the player's reach: must be equally many",
		"#####\n#@  #\n#####":    "line 1, column 1: no box: a level has at least one $ and one target .",
		"#####\n#@$.\n#####":     "line 2, column 4: the level is not closed: the player can leave here, going right; walls are #",
		"#####\n#@$.#\n## ##":    "line 3, column 3: the level is not closed: the player can leave here, going down; walls are #",
		"###\n#@$.#\n#####":      "line 2, column 4: the level is not closed: the player can leave here, going up; walls are #",
		"#####\n@$. #\n#####":    "line 2, column 1: the level is not closed: the player can leave here, going left; walls are #",
		"5#\n#@$.4-#\n5#":        "line 2, column 6: the level is not closed: the player can leave here, going up; walls are #",
		"#####\n#@$x#\n#####":    "line 2, column 4: \"x\" is not part of a level: # is a wall, @ the player, $ a box, . a target, * a box on a target, + the player on one, and - or a blank is floor",
		"#####\n#@$.#\n#####\n\n#####\n#@$ #\n#####": "line 5, column 1: 1 box and 0 targets within the player's reach: must be equally many",
		"5#|#@$.#|5#|3":        "line 1, column 13: a number without a symbol after it: 3# is three walls",
		"5#|#@$.#3|5#":         "line 1, column 10: a number without a symbol after it: 3# is three walls",
		"#####\n0#@$.#\n#####": "line 2, column 2: a run of no squares: a number before a symbol is at least 1",
		"99999#":               "line 1, column 5: a run of more than 16384 squares",
		"9999#|9999#":          "line 1, column 11: a level of more than 16384 squares",
		"40#|#@$.36-#|" + strings.Repeat("#38-#|", 20) + "40#": "line 1, column 1: the player can reach more than 503 cells, the maximum",
		"puzzle: sokoban\nmetrc: push\n\n" + small:             `line 2, column 1: unknown header "metrc"; the headers are puzzle, metric, prune, name, moves, states, and title, author and the like`,
		"metric: slide\n\n" + small:                            `line 1, column 9: unknown metric "slide": must be push (alias pushes), move (aliases moves and step) or backward-push (alias pull)`,
		"prune: some\n\n" + small:                              `line 1, column 8: unknown prune "some": must be no, dead, freeze or yes, which is both`,
		small + "\nmetric: push\n":                             "line 4, column 1: header metric after the first level: it applies to all levels and must come before them",
		"puzzle: sokoban\nmoves: x\n" + small:                  `line 2, column 8: moves "x" is not a number from 0 to 1073741824`,
		"puzzle: sokoban\nmoves: 1\nmoves: 1\n" + small:        `line 3, column 1: header "moves" is given twice: it is already in line 2`,
		"name: a\x1bb\n" + small:                               `line 1, column 7: name "a\x1bb": must be 1 to 100 bytes without control characters`,
	} {
		_, err := sokoban.Read([]byte(text), puzzle.ReadOptions{})
		if err == nil || err.Error() != want {
			t.Errorf("%q:\n got %v\nwant %s", text, err, want)
		}
	}
	for opts, want := range map[puzzle.ReadOptions]string{
		{Metric: "slide"}:   `unknown metric "slide": must be push (alias pushes), move (aliases moves and step) or backward-push (alias pull)`,
		{Notation: "pairs"}: `unknown notation "pairs": must be xsb, sok, rle`,
	} {
		if _, err := sokoban.Read([]byte(small), opts); err == nil || err.Error() != want {
			t.Errorf("%+v: got %v\nwant %s", opts, err, want)
		}
	}
}

func TestParse(t *testing.T) {
	p := mustRead(t, "######\n#  $.#\n# @  #\n######").Puzzle
	for _, text := range []string{
		"######\n#@ $.#\n#    #\n######",
		"  ######\n  #  $.#\n  #   @#\n  ######",
		"6#|#@-$.#|#4-#|6#",
		"###### / #  $.# / #@   # / ######",
	} {
		if key, err := p.Parse(text); err != nil || !slices.Equal(key, p.Starts()) {
			t.Errorf("%q: %x, %v", text, key, err)
		}
	}
	for text, want := range map[string]string{
		"":                               "no level: the text has no rows with walls #",
		small + "\n\n" + small:           "line 5, column 1: a second level: a state is one level",
		"######\n#  $.#\n######":         "line 1, column 1: no player: a level has one @, or + on a target",
		"######\n# @$.#\n######":         "line 1, column 1: the player can reach 4 cells, but in the puzzle 8: the walls must be those of the puzzle",
		"######\n#@ $.#\n##   #\n######": "line 3, column 3: the cells that the player can reach differ from the puzzle's, first here: the walls must be those of the puzzle",
		"######\n#@ $ #\n#   .#\n######": "line 2, column 5: here is no target, but the puzzle has one",
		"######\n#@$..#\n#   $#\n######": "line 2, column 4: here is a target, but the puzzle has none",
	} {
		if _, err := p.Parse(text); err == nil || err.Error() != want {
			t.Errorf("%q:\n got %v\nwant %s", text, err, want)
		}
	}
}

func TestMoves(t *testing.T) {
	text := "######\n#    #\n# @$.#\n#    #\n######"
	for metric, want := range map[string]string{
		"push":          "3,4 up, 3,4 down, 3,4 left, 3,4 right",
		"move":          "u, d, l, R",
		"backward-push": "3,4 right",
	} {
		boards, err := sokoban.Read([]byte(text), puzzle.ReadOptions{Metric: metric})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(movesOfStart(boards[0].Puzzle), ", "); got != want {
			t.Errorf("%s: got %s, want %s", metric, got, want)
		}
	}
}

// distances explores a space to its end and back from its goals.
func distances(p puzzle.Puzzle) *puzzletest.Space {
	s := puzzletest.Explore(p)
	s.ToGoal(p)
	return s
}

// TestPruned checks that pruning loses no state that can be solved, and that it
// leaves out what it says.
func TestPruned(t *testing.T) {
	for _, c := range puzzletest.Records(t, truthFile) {
		if c.Metric == "backward-push" || !c.Whole() || *c.Reachable > 1500 {
			continue
		}
		full := distances(mustRead(t, "metric: "+c.Metric+"\n\n"+c.Input).Puzzle)
		for _, prune := range []string{"dead", "freeze", "yes"} {
			s := distances(mustRead(t, fmt.Sprintf("metric: %s\nprune: %s\n\n%s", c.Metric, prune, c.Input)).Puzzle)
			if s.Goals != full.Goals || s.Solution != full.Solution || !slices.Equal(s.GoalLayers, full.GoalLayers) {
				t.Errorf("%s, prune %s: %d goals at %d, distances %v; unpruned %d at %d, %v", c.ID, prune,
					s.Goals, s.Solution, s.GoalLayers, full.Goals, full.Solution, full.GoalLayers)
			}
			if s.Len()-s.Dead != full.Len()-full.Dead || s.Len() > full.Len() {
				t.Errorf("%s, prune %s: %d states, %d of them lost; unpruned %d and %d", c.ID, prune,
					s.Len(), s.Dead, full.Len(), full.Dead)
			}
		}
	}
	// In a corner or beside another box at the top a box is stuck.
	const room = "#######\n#.   .#\n# $ $ #\n#  @  #\n#     #\n#######"
	states := map[string]int{}
	for _, prune := range []string{"no", "dead", "freeze", "yes"} {
		b := mustRead(t, "prune: "+prune+"\n\n"+room)
		states[prune] = puzzletest.Explore(b.Puzzle).Len()
		if pruned := strings.Contains(b.Note, "; pruned: "); pruned != (prune != "no") || pruned != strings.Contains(b.Text, "\nprune: "+prune+"\n") {
			t.Errorf("prune %s: %s\n%s", prune, b.Note, b.Text)
		}
	}
	if states["yes"] >= states["dead"] || states["yes"] > states["freeze"] || states["freeze"] >= states["no"] || states["dead"] >= states["no"] {
		t.Errorf("states %v", states)
	}
}

// TestFrozen names the pushes that are left out because they freeze a box: beside
// another at a wall, or between dead cells. Two on their targets may be frozen.
func TestFrozen(t *testing.T) {
	for text, want := range map[string]string{
		"######\n#.$ .#\n#  $ #\n#  @ #\n######":      "3,4 up, 3,4 down",
		"#######\n#  *. #\n#   $ #\n#   @ #\n#######": "3,5 down, 3,5 right",
	} {
		kept := movesOfStart(mustRead(t, "prune: freeze\n\n"+text).Puzzle)
		var out []string
		for _, name := range movesOfStart(mustRead(t, text).Puzzle) {
			if !slices.Contains(kept, name) {
				out = append(out, name)
			}
		}
		if got := strings.Join(out, ", "); got != want {
			t.Errorf("left out are %s, want %s:\n%s", got, want, text)
		}
	}
}

func movesOfStart(p puzzle.Puzzle) []string {
	var edges puzzle.Edges
	p.Successors(p.Starts(), &edges)
	var names []string
	for _, m := range edges.Moves {
		names = append(names, p.FormatMove(m))
	}
	return names
}

func TestPicture(t *testing.T) {
	b := mustRead(t, " ####\n##  #\n#+*$##\n#  # \n####")
	p := b.Puzzle.(puzzle.Pictured).Picture(b.Puzzle.Starts())
	if p.Rows != 5 || p.Cols != 6 || len(p.Pieces) != 3 {
		t.Fatalf("got %+v", p)
	}
	if player := p.Pieces[2]; player.Kind != puzzle.PiecePlayer || player.Cells[0] != (puzzle.Cell{Row: 1, Col: 2}) && player.Cells[0] != (puzzle.Cell{Row: 2, Col: 1}) {
		t.Errorf("player %+v", player)
	}
	var ground []string
	for row := range p.Rows {
		line := ""
		for _, g := range p.Ground[row*p.Cols : (row+1)*p.Cols] {
			line += string("_ #.o"[g])
		}
		ground = append(ground, line)
	}
	if got, want := strings.Join(ground, "\n"), " #### \n##__# \n#..-##\n#__#  \n####  "; got != strings.ReplaceAll(want, "-", "_") {
		t.Errorf("ground\n%s", got)
	}
}
