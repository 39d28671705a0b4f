package puzzlescript

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/test/puzzletest"
	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/puzzlescript/machine"
)

// FuzzRead reads any text as a game and compiles its first level. The keys of the first
// states must hold all that can change, be valid, and be read from their texts;
// symmetries must map moves to moves.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("../../puzzles/puzzlescript/*.txt")
	if err != nil || len(files) == 0 {
		f.Fatalf("%d games, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
		f.Add(strings.NewReplacer("late [", "[", "[ > ", "[ ", "|", "| ... |").Replace(string(text)))
		f.Add(strings.NewReplacer("> [ > ", "> [ randomDir ").Replace(string(text)))
		f.Add(strings.NewReplacer("> ", "", "| ", "| > ", "-> [", "-> again [").Replace(string(text)))
	}
	f.Add(crates("#####\n#.*O#\n#.P.#\n#.*O#\n#####", "RULES\n", "RULES\n[ Crate | Crate ] -> [ | Wall ]\nlate [ Target Crate ] -> win\n"))
	f.Fuzz(func(t *testing.T, text string) {
		boards, err := Read([]byte(text), puzzle.ReadOptions{Level: "1", Seed: "seed"})
		if err != nil {
			return
		}
		l := boards[0].Puzzle.(*level)
		if l.source.Width*l.source.Height > 1000 {
			return
		}
		states, _ := puzzletest.First(l, 10)
		w, back := l.take(), machine.New(l.program)
		words := l.layout.Words()
		for state := range slices.Chunk(states, words) {
			if puzzle.Err(l) != nil {
				return // the line of a rule, which a run reports
			}
			if !l.Valid(state) {
				t.Fatalf("not a valid state:\n%s", l.Format(state))
			}
			if again, err := l.Parse(l.Format(state)); err != nil || !slices.Equal(again, state) {
				t.Fatalf("is read as another state, %v:\n%s", err, l.Format(state))
			}
			if l.fields.ended(state) {
				continue
			}
			l.fields.unpack(w.at, state)
			for id := range l.layout.Moves {
				if l.step(w, id) && !l.fields.ended(w.key[:words]) && !slices.Equal(w.key[:words], l.start) &&
					(!l.fields.unpack(back, w.key[:words]) || !slices.Equal(back.Cells(), w.after.Cells())) {
					t.Fatalf("after %s from\n%s\nthe key stands for another level", inputNames[id], l.Format(state))
				}
			}
		}
		if s, err := l.Symmetries("on"); err == nil && puzzle.Err(l) == nil {
			if what := asymmetry(l, s, 10); what != "" {
				t.Fatal(what)
			}
		}
	})
}
