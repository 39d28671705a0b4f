package rushhour_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/rushhour"
)

// Stored tables depend on how boards are numbered: a change needs another format version.
func TestNumbering(t *testing.T) {
	var got strings.Builder
	for _, name := range []string{"small-5x5", "jam-93", "walls", "medium-8x8", "deep-8x8", "large-8x8", "huge-8x8"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "puzzles", "rushhour", name+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		boards, err := rushhour.Read(text, puzzle.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		p := boards[0].Puzzle
		numbered, ok := p.(puzzle.Numbered)
		if !ok {
			t.Fatal("boards have no numbers")
		}
		n := numbered.Numbering()
		start, ok := n.Number(p.Starts()[0])
		fmt.Fprintf(&got, "%s: %d boards, the start is %d, %v\n", name, n.Count(), start, ok)
	}
	const want = `small-5x5: 340 boards, the start is 299, true
jam-93: 24401 boards, the start is 793, true
walls: 9298 boards, the start is 6988, true
medium-8x8: 1237014 boards, the start is 937088, true
deep-8x8: 3696857 boards, the start is 2700867, true
large-8x8: 16408800 boards, the start is 12034808, true
huge-8x8: 59061541 boards, the start is 26513884, true
`
	if got.String() != want {
		t.Errorf("got\n%s", got.String())
	}
}
