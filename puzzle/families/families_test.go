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

func TestUnknownFamily(t *testing.T) {
	_, err := Read([]byte("; a comment\npuzzle: chess\n\nAA.."), puzzle.ReadOptions{})
	want := `line 2: puzzle "chess" is not known: the puzzles are rush-hour`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
