package docs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/docs/lightsout"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/conformance"
	"github.com/everystate/everystate/puzzle/families"
)

// entry is what PUZZLES.md adds to the table of families.
var entry = families.Family{
	Name:    lightsout.Family,
	Summary: "lamps on a rectangle are switched with their neighbours until all are off",
	Formats: []families.Format{{Name: "rows", Example: "*.*\n.*."}},
	Metrics: []families.Metric{{Name: "press", Summary: "one lamp is pressed"}},
	Read:    lightsout.Read,
}

// wrong is the puzzle with the mistake that PUZZLES.md makes.
type wrong struct{ puzzle.Puzzle }

func (w wrong) Successors(states []uint64, out *puzzle.Edges) {
	from := len(out.Keys)
	w.Puzzle.Successors(states, out)
	for i := range out.Keys[from:] {
		out.Keys[from+i] &^= 1
	}
}

// TestPuzzles checks that the code of PUZZLES.md is the code that is compiled and
// tested, and that the suite says of a mistake what the page says.
func TestPuzzles(t *testing.T) {
	boards, err := entry.Read([]byte("*"), puzzle.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var findings []string
	for _, f := range conformance.Check(puzzle.Board{Puzzle: wrong{boards[0].Puzzle}}, conformance.Options{}).Findings {
		findings = append(findings, f.String())
	}
	body := readText(t, "PUZZLES.md")
	var code []string
	seen := map[string]bool{}
	for _, f := range fencesOf(body) {
		seen[f.kind] = true
		switch f.kind {
		case "go":
			code = append(code, f.text)
		case "go test":
			if !strings.Contains(readText(t, "lightsout/lightsout_test.go"), f.text+"\n") {
				t.Errorf("the test of the page is not that of lightsout_test.go:\n%s", f.text)
			}
		case "go entry":
			if !strings.Contains(readText(t, "puzzles_test.go"), "\nvar entry = "+f.text+"\n") {
				t.Errorf("the entry of the page is not that of puzzles_test.go:\n%s", f.text)
			}
		case "said":
			if !slices.Contains(findings, f.text) {
				t.Errorf("the page says\n%s\nand the suite\n%s", f.text, strings.Join(findings, "\n"))
			}
		case "murphi":
			if model := readText(t, "../puzzles/murphi/wolf-goat-cabbage.txt"); !strings.HasSuffix(model, "\n\n"+f.text+"\n") {
				t.Errorf("the model of the page is not that of wolf-goat-cabbage.txt:\n%s", f.text)
			}
		case "sh":
		default:
			t.Errorf("a block of kind %q", f.kind)
		}
	}
	if len(seen) != 6 {
		t.Errorf("blocks of the kinds %v", seen)
	}
	if got, want := strings.Join(code, "\n\n")+"\n", readText(t, "lightsout/lightsout.go"); got != want {
		t.Errorf("the code of the page is not lightsout.go:\n%s", got)
	}
	lines := slices.DeleteFunc(strings.Split(strings.Join(code, "\n"), "\n"), func(line string) bool { return line == "" })
	if len(lines) >= 100 {
		t.Errorf("the code of the page has %d lines, the page says under a hundred", len(lines))
	}
}

func readText(t *testing.T, name string) string {
	t.Helper()
	body, err := os.ReadFile(filepath.FromSlash(name))
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(body), "\r", "")
}
