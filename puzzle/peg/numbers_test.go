package peg_test

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/peg"
)

// Stored tables depend on how boards are numbered: a change needs another format version.
func TestNumbering(t *testing.T) {
	var got strings.Builder
	for _, name := range []string{"triangle-15", "triangle-21", "rectangle-4x6", "english-centre", "french"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "puzzles", "peg", name+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		boards, err := peg.Read(text, puzzle.ReadOptions{})
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
			key := n.AppendKeys(nil, []uint64{number})
			if back, ok := n.Number(key[0]); !ok || back != number {
				t.Fatalf("%s: number %d leads back to %d", name, number, back)
			}
			fmt.Fprintln(sum, key)
		}
		fmt.Fprintf(&got, "%s: %d boards, the start is %d, some keys %08x\n", name, n.Count(), start, sum.Sum32())
	}
	const want = `triangle-15: 8192 boards, the start is 4095, some keys ff0b2958
triangle-21: 524288 boards, the start is 524286, some keys 2505cdf4
rectangle-4x6: 1048576 boards, the start is 1044479, some keys d6391908
english-centre: 536870912 boards, the start is 536870655, some keys 7e2739f1
french: 8589934592 boards, the start is 8589933567, some keys f7bcfbeb
`
	if got.String() != want {
		t.Errorf("got\n%s", got.String())
	}
}
