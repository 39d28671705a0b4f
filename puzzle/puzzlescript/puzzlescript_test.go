package puzzlescript

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/test/puzzletest"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/puzzlescript/machine"
	"github.com/everystate/everystate/puzzle/sokoban"
	"github.com/everystate/everystate/puzzle/tiles"
)

func TestTruth(t *testing.T) {
	puzzletest.Truth(t, "puzzlescript.json", 35, Read, puzzletest.Usual())
}

func TestShipped(t *testing.T) {
	puzzletest.Shipped(t, "puzzlescript", Read, puzzletest.Usual())
}

// crates is a game in which crates are pushed, without its level and with some
// changes.
func crates(level string, changes ...string) string {
	text := `title Crates

OBJECTS
Background
black

Target
blue

Wall
grey

Player
white

Crate
orange

LEGEND
. = Background
# = Wall
P = Player
* = Crate
O = Target
@ = Crate and Target
+ = Player and Target

SOUNDS

COLLISIONLAYERS
Background
Target
Player, Wall, Crate

RULES
[ > Player | Crate ] -> [ > Player | > Crate ]

WINCONDITIONS
All Target on Crate

LEVELS

`
	return strings.NewReplacer(changes...).Replace(text) + level + "\n"
}

func mustRead(tb testing.TB, text string) puzzle.Board {
	tb.Helper()
	boards, err := Read([]byte(text), puzzle.ReadOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	return boards[0]
}

// TestSokoban compares levels with the same ones of the Sokoban family, of which
// nothing is shared.
func TestSokoban(t *testing.T) {
	for _, level := range []string{
		"#######\n#..O..#\n#.*.*.#\n#..P.O#\n#######",
		"..####..\n###..###\n#......#\n#.#*.#.#\n#O.P*.O#\n########",
		"#####...\n#.P.####\n#.*@*..#\n#.O..O.#\n###....#\n..######",
	} {
		script := mustRead(t, crates(level))
		text := strings.NewReplacer(".", " ", "*", "$", "P", "@", "O", ".", "@", "*").Replace(level)
		boards, err := sokoban.Read([]byte("puzzle: sokoban\nmetric: move\n\n"+text), puzzle.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		a, b := puzzletest.Explore(script.Puzzle), puzzletest.Explore(boards[0].Puzzle)
		if !slices.Equal(a.Layers, b.Layers) || a.Goals != b.Goals || a.Solution != b.Solution || a.Len() < 1000 {
			t.Errorf("%s\nlayers %v, %d goals, the first at %d; of Sokoban %v, %d, %d", level, a.Layers, a.Goals, a.Solution, b.Layers, b.Goals, b.Solution)
		}
	}
}

// TestTiles compares the shipped eight tiles with the family of sliding tiles.
func TestTiles(t *testing.T) {
	for _, r := range puzzletest.Records(t, "puzzlescript.json") {
		if r.ID != "puzzlescript-tiles" {
			continue
		}
		boards, err := tiles.Read([]byte("1 2 3\n4 5 6\n7 8 0"), puzzle.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		a, b := puzzletest.Explore(mustRead(t, r.Input).Puzzle), puzzletest.Explore(boards[0].Puzzle)
		if !slices.Equal(a.Layers, b.Layers) || a.Len() != 181_440 {
			t.Errorf("layers %v, of tiles %v", a.Layers, b.Layers)
		}
	}
}

// TestKeys takes each state that moves lead to from its level to its key and back.
// What can change must be in the key, so that the level is the same.
func TestKeys(t *testing.T) {
	for _, r := range puzzletest.Records(t, "puzzlescript.json") {
		l := mustRead(t, r.Input).Puzzle.(*level)
		s := puzzletest.ExploreLayers(l, 12)
		w := l.take()
		back := machine.New(l.program)
		for i := range s.Len() {
			l.fields.unpack(w.at, s.State(i))
			for id := range l.layout.Moves {
				if !l.step(w, id) {
					t.Fatal(l.Err())
				}
				if !l.fields.unpack(back, w.key[:l.layout.Words()]) || !slices.Equal(back.Cells(), w.after.Cells()) {
					t.Fatalf("%s: after %s from\n%s\nthe key stands for another level", r.ID, inputNames[id], l.Format(s.State(i)))
				}
			}
		}
	}
}

// TestNarrow has keys no larger than what can change.
func TestNarrow(t *testing.T) {
	for _, c := range []struct {
		level string
		bits  int
	}{
		{"#######\n#.....#\n#P#.###\n#######", 3}, // one of 7 cells
		{"########\n#P.*..O#\n########", 6},       // one of 6 cells each
		{"####\n#P*O\n####\n#**#\n####", 4},       // two that cannot be reached
	} {
		l := mustRead(t, crates(c.level)).Puzzle.(*level)
		if l.fields.bits != c.bits {
			t.Errorf("%s\ntakes %d bits, want %d", c.level, l.fields.bits, c.bits)
		}
	}
}

// TestCommands has games whose moves are commands.
func TestCommands(t *testing.T) {
	const room = "#####\n#P.O#\n#####"
	rule := "[ > Player | Crate ] -> [ > Player | > Crate ]"
	for _, c := range []struct {
		name, rules string
		layers      []int
		solution    int
	}{
		{"moves only", "", []int{1, 1, 1}, -1},
		{"cancel", "late [ Player Target ] -> cancel", []int{1, 1}, -1},
		{"restart", "late [ Player Target ] -> restart", []int{1, 1}, -1},
		{"win", "late [ Player Target ] -> win", []int{1, 1, 1}, 2},
		{"again", "late [ Player no Target ] -> again\nright [ stationary Player | ] -> [ > Player | ]", []int{1, 1}, -1},
		{"action", "[ action Player ] [ Target ] -> [ ] [ Player Target ]", []int{1, 2}, -1},
	} {
		board := mustRead(t, crates(room, rule, c.rules, "All Target on Crate", ""))
		s := puzzletest.Explore(board.Puzzle)
		if err := puzzle.Err(board.Puzzle); err != nil || !slices.Equal(s.Layers, c.layers) || s.Solution != c.solution {
			t.Errorf("%s: layers %v, solution %d, %v; want %v, %d", c.name, s.Layers, s.Solution, err, c.layers, c.solution)
		}
	}
}

// TestRefused has texts that are no puzzle, and what is said of them.
func TestRefused(t *testing.T) {
	room := "#####\n#P.O#\n#####"
	rule := "[ > Player | Crate ] -> [ > Player | > Crate ]"
	for _, c := range []struct{ text, want string }{
		{crates(room, rule, "random "+rule), "line 36: this rule is random: only deterministic games can be explored"},
		{crates(room, rule, "[ Player ] -> [ randomDir Player ]"), "line 36: this rule is random: only deterministic games can be explored"},
		{crates(room, "title Crates", "realtime_interval 0.5"), "realtime_interval: real-time games cannot be explored"},
		{crates(room, rule, "[ > Player | Crate ] -> checkpoint\n[ < Player | Crate ] -> restart"), "line 36: checkpoint: a game that also has the command restart cannot be explored: the checkpoint that it returns to is not part of a state"},
		{crates(room, rule, "[ > Player | Boulder ] -> [ > Player | > Boulder ]"), `line 36: Name "boulder", referred to in a rule, does not exist.`},
		{"level: 2\n" + crates(room), `there is no level "2": there is one`},
		{"level: 0\n" + crates(room), `line 1, column 8: level "0" is not a number from 1 to 1000`},
		{"metric: push\n" + crates(room), `line 1, column 9: unknown metric "push": must be move`},
		{"puzzle: puzzlescript\n", "no game: write its sections, from objects to levels"},
		{crates(""), "No levels found.  Add some levels!"},
		{"name: x\n\n" + crates("#####\n#P%O#\n#####"), `line 46: Key "%" not found. Do you need to add it to the legend, or define a new object?`},
	} {
		_, err := Read([]byte(c.text), puzzle.ReadOptions{})
		var input *puzzle.InputError
		if !errors.As(err, &input) || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// TestRandom plays a game in which a crate slips in any direction: the same move must
// lead to all that it can, and nowhere else.
func TestRandom(t *testing.T) {
	text := crates("#####\n#P*.#\n#...#\n#####", "[ > Player | > Crate ]", "[ > Player | randomDir Crate ]")
	boards, err := Read([]byte(text), puzzle.ReadOptions{Seed: "seed"})
	if err != nil {
		t.Fatal(err)
	}
	p := boards[0].Puzzle
	if _, err := p.(puzzle.Symmetric).Symmetries("on"); err == nil || !IsRandom(p) || IsRandom(mustRead(t, crates("#P*O#")).Puzzle) {
		t.Errorf("symmetries %v, random %v", err, IsRandom(p))
	}
	after := map[string]int{}
	for range 200 {
		next := p.Starts()
		p.Apply(next, p.Starts(), 3)
		after[p.Format(next)]++
	}
	for _, want := range []string{"#####\n#p*.#\n#...#\n#####", "#####\n#.p*#\n#...#\n#####", "#####\n#.p.#\n#.*.#\n#####"} {
		if after[want] < 20 {
			t.Errorf("%d of 200 moves lead to\n%s", after[want], want)
		}
	}
	if len(after) != 3 {
		t.Errorf("moves lead to %v", after)
	}
}

// TestLevels reads the levels of a game: all, or one.
func TestLevels(t *testing.T) {
	text := crates("message One\n\n#P*O#\n\nmessage Two\n\n#P*.O#\n")
	boards, err := Read([]byte(text), puzzle.ReadOptions{})
	if err != nil || len(boards) != 2 {
		t.Fatalf("%d boards, %v", len(boards), err)
	}
	if _, err := boards[0].Puzzle.Parse(strings.Repeat(".\n", 9)); err == nil || err.Error() != "the level is 1 high, not 9" {
		t.Errorf("a state of nine lines: %v", err)
	}
	for i, moves := range []int{1, 2} {
		one, err := Read([]byte(text), puzzle.ReadOptions{Level: strconv.Itoa(i + 1)})
		if err != nil || len(one) != 1 || one[0].Text != boards[i].Text {
			t.Errorf("level %d: %d boards, %v", i+1, len(one), err)
		}
		if s := puzzletest.Explore(boards[i].Puzzle); s.Solution != moves {
			t.Errorf("level %d is solved in %d moves, want %d", i+1, s.Solution, moves)
		}
	}
	for level, want := range map[string]string{
		"tw": "Crates, level 2", "ONE": "Crates, level 1", "all": "Crates, level 1 Crates, level 2",
		"three": `there is no level "three": there are 2: 1 (One), 2 (Two)`,
	} {
		boards, err := Read([]byte("level: 1\n"+text), puzzle.ReadOptions{Level: level})
		var got []string
		for _, b := range boards {
			got = append(got, b.Name)
		}
		if err != nil {
			got = append(got, err.Error())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("level %s: %q, want %q", level, got, want)
		}
	}
}

// TestNote describes levels in words that a player knows.
func TestNote(t *testing.T) {
	for _, c := range []struct{ room, want string }{
		{"#P*.O#", "level 1, 6x1, 4 bits per state"},
		{"#P.#", "level 1, 4x1, 1 bit per state"},
		{"#P#", "level 1, 3x1, 1 bit per state"},
	} {
		if b := mustRead(t, crates(c.room)); b.Note != c.want {
			t.Errorf("%s: got %q, want %q", c.room, b.Note, c.want)
		}
	}
}

// TestHostile has games that do not come to an end, which break down with the line
// of a rule.
func TestHostile(t *testing.T) {
	room := "P*" + strings.Repeat(".", 12) + strings.Repeat("\n"+strings.Repeat(".", 14), 13)
	rule := "[ > Player | Crate ] -> [ > Player | > Crate ]"
	for _, c := range []struct{ name, room, rules, want string }{
		{"endless again", "P*.", "[ Wall ] -> [ Target ] again\n[ Crate ] -> [ Wall ] again\nlate [ Target ] -> [ Crate ]", "the command again of this rule does not terminate"},
		{"many matches", room, "[ ] [ ] [ ] -> [ ] [ ] [ Crate ]", "line 36: this rule does not terminate: a move takes more than 1048576 steps"},
		{"loops", room, "startloop\n[ no Crate no Player ] -> [ Crate ]\n+ [ Crate ] -> [ ]\nendloop", "this rule does not terminate"},
	} {
		board := mustRead(t, crates(c.room, rule, c.rules, "All Target on Crate", "No Player"))
		var out puzzle.Edges
		board.Puzzle.Successors(board.Puzzle.Starts(), &out)
		if err := puzzle.Err(board.Puzzle); err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "line ") {
			t.Errorf("%s: got %v, want %s", c.name, err, c.want)
		}
	}
	var objects, layer []string
	for i := range 10_000 {
		objects = append(objects, fmt.Sprintf("thing%d\nblue\n", i))
		layer = append(layer, fmt.Sprintf("thing%d", i))
	}
	text := crates("#####\n#P.O#\n#####", "Crate\norange\n", "Crate\norange\n\n"+strings.Join(objects, "\n"), "Player, Wall, Crate", "Player, Wall, Crate\n"+strings.Join(layer, "\n"))
	if _, err := Read([]byte(text), puzzle.ReadOptions{}); err == nil || !strings.Contains(err.Error(), "at most 10000 are allowed") {
		t.Errorf("10,005 objects: got %v", err)
	}
	if _, err := Read([]byte(crates(strings.Repeat(strings.Repeat(".", 999)+"\n", 999))), puzzle.ReadOptions{}); err == nil || !strings.Contains(err.Error(), "is too large") {
		t.Errorf("a level of a million cells: got %v", err)
	}
	many := strings.Repeat("[ moving Player | moving Crate | moving Player | moving Crate | moving Player ] -> [ | | | | ]\n", 30)
	if _, err := Read([]byte(crates("P", rule, many)), puzzle.ReadOptions{}); err == nil || !strings.Contains(err.Error(), "this rule expands to too many rules") {
		t.Errorf("rules of many rules: got %v", err)
	}
}

// TestSprites draws the objects of a game as it says: pixels in named colours and
// those it mixes, holes, and a square where it has no pixels.
func TestSprites(t *testing.T) {
	board := mustRead(t, crates("#P*O#", "Player\nwhite\n", "Player\nwhite #0a5 transparent\n0.1.2\n.....\n.....\n.....\n....1\n"))
	picture := board.Puzzle.(puzzle.Pictured).Picture(board.Puzzle.Starts())
	if len(picture.Tiles) != 5 || len(picture.Tiles[0]) != 2 || len(picture.Pieces) != 2 {
		t.Fatalf("%d tiles, %d sprites on the first, %d pieces", len(picture.Tiles), len(picture.Tiles[0]), len(picture.Pieces))
	}
	wall := picture.Tiles[0][1]
	if wall[0] == 0 || wall[0] != wall[24] {
		t.Errorf("a wall without pixels is %x", *wall)
	}
	var want puzzle.Sprite
	want[0], want[2], want[24] = pixel("white"), puzzle.Opaque|0x00aa55, puzzle.Opaque|0x00aa55
	if player := picture.Pieces[0].Sprite; player == nil || *player != want {
		t.Errorf("the player is %x, want %x", player, want)
	}
}
