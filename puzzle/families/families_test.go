package families

import (
	"testing"

	"github.com/everystate/everystate/puzzle"
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
			if _, err := Read([]byte("puzzle: "+name+"\n\n"+f.Formats[0].Example), puzzle.ReadOptions{}); err != nil {
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
		board, err := ReadStored(boards[0].Text)
		if err != nil || board.Text != boards[0].Text || board.Metric != boards[0].Metric {
			t.Errorf("%s: got %+v, %v", f.Name, board, err)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"puzzle: chess", `the stored puzzle cannot be read: line 1, column 9: puzzle "chess" is not known: the puzzles are ` + names()},
		{"60 IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM 2332\n60 IBBxooIooLDDJAALooJoKEEMFFKooMGGHHHM 2332\n", "the stored puzzle cannot be read: 2 boards"},
	} {
		if _, err := ReadStored(c.text); err == nil || err.Error() != c.want {
			t.Errorf("%q: got %v, want %s", c.text, err, c.want)
		}
	}
}

func TestUnknownFamily(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"; a comment\npuzzle: chess\n\nAA..", `line 2, column 9: puzzle "chess" is not known: the puzzles are ` + names()},
		{"\ufeffpuzzle:chess\r\n", `line 1, column 11: puzzle "chess" is not known: the puzzles are ` + names()},
		{"\ufeff\n Puzzle :  sokoban ", `line 2, column 12: puzzle "sokoban" is not known: the puzzles are ` + names()},
	} {
		_, err := Read([]byte(c.text), puzzle.ReadOptions{})
		if err == nil || err.Error() != c.want {
			t.Errorf("%q: got %v, want %s", c.text, err, c.want)
		}
	}
}

// TestRecognise has texts without a header that says which family they are of.
func TestRecognise(t *testing.T) {
	for _, f := range All() {
		for _, format := range f.Formats {
			if got := recognise([]byte(format.Example)); got.Name != f.Name {
				t.Errorf("%s of %s is taken for %s", format.Name, f.Name, got.Name)
			}
		}
	}
	for text, want := range map[string]string{
		"goal: 0 1 / 2 3\n\n3 2\n1 0": "tiles",
		"name: x\nname: x\n\nAA.":     "rush-hour",
		"\x00":                        "rush-hour",
		"":                            "rush-hour",
	} {
		if got := recognise([]byte(text)); got.Name != want {
			t.Errorf("%q is taken for %s", text, got.Name)
		}
	}
}
