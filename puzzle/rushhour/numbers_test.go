package rushhour_test

import (
	"fmt"
	"hash/fnv"
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
		start, _ := n.Number(p.Starts()[0])
		sum, step := fnv.New32a(), n.Count()/1000+1
		for number := uint64(0); number < n.Count(); number += step {
			fmt.Fprintln(sum, n.AppendKeys(nil, []uint64{number}))
		}
		fmt.Fprintf(&got, "%s: %d boards, the start is %d, some keys %08x\n", name, n.Count(), start, sum.Sum32())
	}
	const want = `small-5x5: 340 boards, the start is 299, some keys a65fea03
jam-93: 24401 boards, the start is 793, some keys 45f00dc3
walls: 9298 boards, the start is 6988, some keys f7ca33e7
medium-8x8: 1237014 boards, the start is 937088, some keys 74d2e0e8
deep-8x8: 3696857 boards, the start is 2700867, some keys 28d301c6
large-8x8: 16408800 boards, the start is 12034808, some keys 955b0cab
huge-8x8: 59061541 boards, the start is 26513884, some keys bc18d196
`
	if got.String() != want {
		t.Errorf("got\n%s", got.String())
	}
}
