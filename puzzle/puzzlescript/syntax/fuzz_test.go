package syntax_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/everystate/everystate/puzzle/puzzlescript/game"
	"github.com/everystate/everystate/puzzle/puzzlescript/machine"
	"github.com/everystate/everystate/puzzle/puzzlescript/syntax"
)

// FuzzRead reads any text as a game, and plays a few turns of what is one.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("../../../puzzles/puzzlescript/*.txt")
	if err != nil || len(files) == 0 {
		f.Fatalf("%d games, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		_, source, _ := strings.Cut(string(text), "\n\n")
		f.Add(source)
		f.Add(strings.ReplaceAll(source, " -> ", " ... -> "))
		f.Add(strings.NewReplacer("late [", "random [", "[ > ", "rigid [ randomdir ", "|", "| ... |").Replace(source))
	}
	f.Fuzz(func(t *testing.T, text string) {
		var log syntax.Log
		g := game.Read(text, &log)
		if g == nil {
			if log.Errors == 0 {
				t.Fatal("there is no game, and no error says why")
			}
			return
		}
		for i, l := range g.Levels {
			if l.IsMessage || l.Width*l.Height > 1000 {
				continue
			}
			s, err := machine.NewSession(g, i, "seed")
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range []game.Direction{game.Right, game.Up, game.Action} {
				if s.Input(d); s.Fault() != nil {
					break
				}
			}
			s.Undo()
			s.Restart()
			if s.Text() == "" {
				t.Error("the level is gone")
			}
			break
		}
	})
}
