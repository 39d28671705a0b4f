package families

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/permutation"
)

func TestExamplesAndMetrics(t *testing.T) {
	for _, f := range All() {
		for _, format := range f.Formats {
			for _, m := range f.Metrics {
				for _, name := range append([]string{m.Name}, m.Aliases...) {
					boards, err := Read([]byte(format.Example), puzzle.ReadOptions{Metric: name, Notation: format.Name})
					if err != nil {
						t.Errorf("%s, %s, %s: %v", f.Name, format.Name, name, err)
						continue
					}
					if len(boards) != 1 || boards[0].Metric != m.Name || boards[0].Family != f.Name {
						t.Errorf("%s, %s, %s: got %+v", f.Name, format.Name, name, boards)
					}
				}
			}
		}
		for _, name := range append([]string{f.Name}, f.Aliases...) {
			example := f.Formats[0].Example
			for _, format := range f.Formats {
				if format.Name == name {
					example = format.Example
				}
			}
			example = strings.TrimPrefix(example, "puzzle: "+f.Name+"\n")
			if !strings.Contains(example, ":") {
				example = "\n" + example
			}
			if _, err := Read([]byte("puzzle: "+name+"\n"+example), puzzle.ReadOptions{}); err != nil {
				t.Errorf("puzzle: %s: %v", name, err)
			}
		}
	}
}

func TestReadStored(t *testing.T) {
	for _, f := range All() {
		boards, err := Read([]byte(f.Formats[0].Example), puzzle.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		board, err := ReadStored(boards[0].Text, 0)
		if err != nil || board.Text != boards[0].Text || board.Metric != boards[0].Metric {
			t.Errorf("%s: got %+v, %v", f.Name, board, err)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"puzzle: chess", `the stored puzzle cannot be read: line 1, column 9: unknown puzzle "chess"; the puzzles are ` + names()},
		{"puzzle: tiles\nmetric: tile\ngoal: 1 2 3 0\n\n0 1 2 3\n", "the stored puzzle cannot be read: an earlier version read it as a different board: explore it again"},
		{"60 IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM 2332\n60 IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM 2332\n", "the stored puzzle cannot be read: 2 boards"},
	} {
		if _, err := ReadStored(c.text, 0); err == nil || err.Error() != c.want {
			t.Errorf("%q: got %v, want %s", c.text, err, c.want)
		}
	}
}

// TestReadStoredLines has stored boards name the lines of their files, in which a line stands
// below headers and comments.
func TestReadStoredLines(t *testing.T) {
	const model = "var a: 0..3;\nstartstate a := 0; end;\nrule \"x\" true ==> a := a+4; end;\n"
	game := "OBJECTS\nBackground\nblack\n\nPlayer\nwhite\n\nLamp\nred\n\nLEGEND\n. = Background\nP = Player\n\nSOUNDS\n\n" +
		"COLLISIONLAYERS\nBackground\nPlayer\nLamp\n\nRULES\nstartloop\n[ no Lamp ] -> [ Lamp ]\n+ [ Lamp ] -> [ ]\nendloop\n\nWINCONDITIONS\n\nLEVELS\n\nP" + strings.Repeat(".", 13) + strings.Repeat("\n"+strings.Repeat(".", 14), 13) + "\n"
	for _, text := range []string{model, "\n\n" + model, "name: M\n; c\n\n\n" + model, "puzzle: puzzlescript\n\n" + game, "name: G\npuzzle: puzzlescript\n\n; c\n" + game} {
		for _, headers := range [][]Header{nil, {{"name", "other"}}} {
			boards, err := ReadWith([]byte(text), headers, puzzle.ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			stored, err := ReadStored(boards[0].Text, boards[0].Above)
			if err != nil || stored.Above != boards[0].Above {
				t.Fatal(stored.Above, err)
			}
			var all []string
			for _, b := range []puzzle.Board{boards[0], stored} {
				var out puzzle.Edges
				b.Puzzle.Successors(b.Puzzle.Starts(), &out)
				if err := puzzle.Err(b.Puzzle); err == nil {
					t.Fatalf("%s does not fail", text)
				}
				all = append(all, puzzle.Err(b.Puzzle).Error())
			}
			before, _, _ := strings.Cut(text, "a := a+4")
			if !strings.Contains(text, "a := a+4") {
				before, _, _ = strings.Cut(text, "+ [ Lamp")
			}
			want := fmt.Sprintf("line %d", 1+strings.Count(before, "\n"))
			if !strings.HasPrefix(all[0], want) || all[1] != all[0] {
				t.Errorf("%q: %q, want %s", text, all, want)
			}
		}
	}
}

func TestUnknownFamily(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"; a comment\npuzzle: chess\n\nAA..", `line 2, column 9: unknown puzzle "chess"; the puzzles are ` + names()},
		{"\ufeffpuzzle:chess\r\n", `line 1, column 11: unknown puzzle "chess"; the puzzles are ` + names()},
		{"\ufeff\n Puzzle :  checkers ", `line 2, column 12: unknown puzzle "checkers"; the puzzles are ` + names()},
	} {
		_, err := Read([]byte(c.text), puzzle.ReadOptions{})
		if err == nil || err.Error() != c.want {
			t.Errorf("%q: got %v, want %s", c.text, err, c.want)
		}
	}
}

// recognised reports whether boards of a family are told by their looks. Others
// need a header.
func recognised(f *Family) bool { return f.Looks != nil || f.Name == All()[0].Name }

// TestRecognise has texts without a header that says which family they are of.
func TestRecognise(t *testing.T) {
	for _, f := range All() {
		for _, format := range f.Formats {
			if got := recognise([]byte(format.Example)); got.Name != f.Name && !strings.HasPrefix(format.Example, "puzzle: "+f.Name) {
				t.Errorf("%s of %s is taken for %s", format.Name, f.Name, got.Name)
			}
		}
	}
	for text, want := range map[string]string{
		"goal: 0 1 / 2 3\n\n3 2\n1 0":                                             "tiles",
		"name: x\nname: x\n\nAA.":                                                 "rush-hour",
		"; 1\n\n####\n#@$.#\n####\n\n; 2\n":                                       "sokoban",
		"Author: x\n\n 1\n####\n#@$.#\n####\nAuthor: x\n\n2 3\n####\n#+$ #\n####": "sokoban",
		"\x00": "rush-hour",
		"":     "rush-hour",
	} {
		if got := recognise([]byte(text)); got.Name != want {
			t.Errorf("%q is taken for %s", text, got.Name)
		}
	}
}

// TestRecogniseShipped takes the header off the shipped puzzles.
func TestRecogniseShipped(t *testing.T) {
	files, err := filepath.Glob("../../puzzles/*/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		boards, err := Read(text, puzzle.ReadOptions{})
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		want, ok := ByName(boards[0].Family)
		var rest []string
		for _, line := range strings.Split(string(text), "\n") {
			if !strings.HasPrefix(line, "puzzle:") {
				rest = append(rest, line)
			}
		}
		if got := recognise([]byte(strings.Join(rest, "\n"))); !ok || recognised(&want) && got.Name != want.Name {
			t.Errorf("%s of %s is taken for %s without its header", file, want.Name, got.Name)
		}
	}
}

// TestRecogniseTruth has the boards of testdata/truth, as they are typed.
func TestRecogniseTruth(t *testing.T) {
	files, err := filepath.Glob("../../testdata/truth/*.json")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var records []struct {
			ID, Input, Format string
			Box               []int
		}
		if err := json.Unmarshal(text, &records); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, r := range records {
			want, ok := ByName(r.Format)
			if !ok {
				t.Errorf("%s: %s is the name of no family", r.ID, r.Format)
				continue
			}
			input := r.Input + "\n"
			if len(r.Box) == 2 {
				input = fmt.Sprintf("box: %dx%d\n\n%s", r.Box[0], r.Box[1], input)
			}
			// One turn may be anything, and none is nothing.
			if want.Name == permutation.PocketCube && len(strings.Fields(input)) < 2 {
				continue
			}
			if got := recognise([]byte(input)); recognised(&want) && got.Name != want.Name {
				t.Errorf("%s: %q is taken for %s", r.ID, input, got.Name)
			}
			seen[want.Name] = true
		}
	}
	for _, f := range All() {
		if !seen[f.Name] {
			t.Errorf("there is no record of %s", f.Name)
		}
	}
}

// TestDefinitions recognises definitions of other programs, comments and all.
func TestDefinitions(t *testing.T) {
	for _, text := range []string{
		"# $ @ . # a level of Sokoban it is not\n# ####\n#@$. #\n\nName One\nSet A 2 1\n\nSolved\nA\n1 2\nEnd\nMove U\nA\n2 1\nEnd\n",
		"puzzle: tws\n\nSet A 2 1\nSolved\nA\n1 2\nEnd\nMove U\nA\n2 1\nEnd\n",
		`{"orbits": [{"orbitName": "A", "numPieces": 2, "numOrientations": 1}],
		 "defaultPattern": {"A": {"pieces": [0, 1]}}, "moves": {"U": {"A": {"permutation": [1, 0]}}}}`,
	} {
		boards, err := Read([]byte(text), puzzle.ReadOptions{})
		if err != nil || boards[0].Family != permutation.Family || boards[0].Metric != "htm" {
			t.Errorf("%q: %v, %v", text, boards, err)
		}
	}
	if _, err := Read([]byte("2 1 / 3 0"), puzzle.ReadOptions{Moves: "U"}); err == nil {
		t.Error("moves of tiles are chosen")
	}
}

// TestPegs recognises the Tower of Hanoi by its header, though its states look like tiles.
func TestPegs(t *testing.T) {
	t.Parallel()
	const want = `line 3, column 3: peg "0" is not a number from 1 to 3`
	if _, err := Read([]byte("pegs: 3\n\n1 0 1\n"), puzzle.ReadOptions{}); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestLevelOfBrokenFile: a level can be read though another one of its file cannot.
func TestLevelOfBrokenFile(t *testing.T) {
	for _, c := range []struct{ first, broken, last, want string }{
		{"#####\n#@$.#\n#####\nTitle: first\n\n", "#####\n#.$.#\n#####\nTitle: broken\n\n", "#####\n#.$@#\n#####\nTitle: last\n", "line 6"},
		{"name: first\nAA..\n....\n....\n....\n\n", "name: broken\nAA.B\n..BB\n....\n....\n\n", "name: last\nAA.B\n...B\n....\n....\n", "line 9"},
		{"ooooooooooooAAoooooooooooooooooooooo\n", "ooooooooooooAAoBooBooooooooooooooooo\n", "ooooooooooooAAoBoooooBoooooooooooooo\n", "line 2"},
	} {
		text := c.first + c.broken + c.last
		whole, err := Read([]byte(c.first+c.last), puzzle.ReadOptions{})
		if err != nil || len(whole) != 2 {
			t.Fatalf("%s%s: %d boards, %v", c.first, c.last, len(whole), err)
		}
		levels := map[string]*puzzle.Board{"1": &whole[0], "3": &whole[1], "2": nil, "all": nil, "": nil}
		if whole[0].Name != "" {
			levels["first"], levels["last"], levels["broken"] = &whole[0], &whole[1], nil
		}
		for level, want := range levels {
			boards, err := Read([]byte(text), puzzle.ReadOptions{Level: level})
			switch {
			case want == nil:
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("level %q of\n%s\ngot %v, want %q in it", level, text, err, c.want)
				}
			case err != nil || len(boards) != 1 || boards[0].Text != want.Text || boards[0].Fault != nil:
				t.Errorf("level %q of\n%s\ngot %d boards, %v", level, text, len(boards), err)
			}
		}
	}
}
