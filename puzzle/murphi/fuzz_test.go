package murphi

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/everystate/everystate/puzzle"
)

// FuzzRead reads any text as a model, and takes a few moves of what is one.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("../../puzzles/murphi/*.txt")
	if err != nil || len(files) == 0 {
		f.Fatalf("%d models, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
		f.Add(strings.NewReplacer("clear", "undefine", "enum", "scalarset(3)", "==>", "->").Replace(string(text)))
	}
	f.Add("var a: record x: array [boolean] of 0..1 end\nprocedure p(var r: 0..1); begin r := 1 - r end\nstartstate clear a end\nrule p(a.x[true]) end")
	f.Fuzz(func(t *testing.T, text string) {
		boards, err := Read([]byte(text), puzzle.ReadOptions{})
		if err != nil {
			return
		}
		p := boards[0].Puzzle
		state := p.Starts()[:p.Layout().Words()]
		for range 5 {
			if !p.Valid(state) {
				break // an invariant, which a run reports
			}
			if back, err := p.Parse(p.Format(state)); err != nil || p.Format(back) != p.Format(state) {
				t.Fatalf("%q is not read: %v", p.Format(state), err)
			}
			var out puzzle.Edges
			p.Successors(state, &out)
			if puzzle.Err(p) != nil || out.Len() == 0 {
				break
			}
			next := make([]uint64, len(state))
			if !p.Apply(next, state, out.Moves[0]) || p.Format(next) != p.Format(out.Keys[:len(state)]) {
				t.Fatalf("%s of %q leads elsewhere", p.FormatMove(out.Moves[0]), p.Format(state))
			}
			state = next
		}
	})
}
