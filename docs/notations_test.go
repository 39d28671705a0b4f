package docs

import (
	"os"
	"strings"
	"testing"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
)

// NOTATIONS.md shows boards and what is said of them: a block "board", then a
// block "read" with a line a board or an error, and maybe one "moves" with the
// moves of the start.
func TestNotations(t *testing.T) {
	body, err := os.ReadFile("NOTATIONS.md")
	if err != nil {
		t.Fatal(err)
	}
	page := strings.ReplaceAll(string(body), "\r", "")
	var text string
	var boards []puzzle.Board
	pending, seen := false, 0
	for _, f := range fencesOf(page) {
		switch f.kind {
		case "board":
			if pending {
				t.Errorf("nothing is said of\n%s", text)
			}
			text, pending = f.text, true
			seen++
		case "read", "read --metric step":
			_, metric, _ := strings.Cut(f.kind, "--metric ")
			var got string
			boards, got = said(text, metric)
			if got != f.text {
				t.Errorf("%s\n got %s\nwant %s", text, got, f.text)
			}
			pending = false
		case "moves":
			if len(boards) != 1 {
				t.Errorf("moves of %d boards", len(boards))
				continue
			}
			if got := movesOf(boards[0].Puzzle); got != f.text {
				t.Errorf("%s\n got moves %s\nwant %s", text, got, f.text)
			}
		default:
			t.Errorf("a block of kind %q", f.kind)
		}
	}
	if pending || seen < 20 {
		t.Errorf("%d boards, the last one without its answer: %v", seen, pending)
	}
	checkNames(t, page)
}

// checkNames checks that the page names every family, notation, metric and alias.
func checkNames(t *testing.T, page string) {
	t.Helper()
	for _, family := range families.All() {
		names := append([]string{family.Name}, family.Aliases...)
		for _, f := range family.Formats {
			names = append(names, f.Name)
		}
		for _, m := range family.Metrics {
			names = append(append(names, m.Name), m.Aliases...)
		}
		for _, name := range names {
			if !strings.Contains(page, "`"+name+"`") {
				t.Errorf("NOTATIONS.md does not name %s of %s", name, family.Name)
			}
		}
	}
}

// said returns the boards of a text and what explore says of them.
func said(text, metric string) ([]puzzle.Board, string) {
	boards, err := families.Read([]byte(text), puzzle.ReadOptions{Metric: metric})
	if err != nil {
		return nil, err.Error()
	}
	var lines []string
	for _, b := range boards {
		line := b.Note
		if b.Name != "" {
			line = b.Name + ": " + line
		}
		lines = append(lines, line)
	}
	return boards, strings.Join(lines, "\n")
}

// movesOf lists the moves of the start.
func movesOf(p puzzle.Puzzle) string {
	var edges puzzle.Edges
	p.Successors(p.Starts(), &edges)
	var names []string
	for _, m := range edges.Moves {
		names = append(names, p.FormatMove(m))
	}
	return strings.Join(names, " ")
}

// fence is a block of a page between lines of three backticks.
type fence struct{ kind, text string }

func fencesOf(page string) []fence {
	var fences []fence
	for i, part := range strings.Split("\n"+page, "\n```") {
		if i%2 == 0 {
			continue
		}
		kind, text, _ := strings.Cut(part, "\n")
		fences = append(fences, fence{kind, text})
	}
	return fences
}
