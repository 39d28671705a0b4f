package blocks_test

import (
	"strings"
	"testing"

	"github.com/everystate/everystate/internal/test/puzzletest"
	"github.com/everystate/everystate/puzzle/blocks"
)

const truthFile = "klotski.json"

// walledStatesMax is the largest space that is explored on a large board as well.
const walledStatesMax = 10_000

func TestTruth(t *testing.T) {
	puzzletest.Truth(t, truthFile, 78, blocks.Read, bounds())
}

func bounds() puzzletest.Bounds {
	b := puzzletest.Usual()
	b.Short, b.Part = walledStatesMax, 2
	return b
}

func TestShippedPuzzles(t *testing.T) { puzzletest.Shipped(t, "blocks", blocks.Read, bounds()) }

// TestTruthOnLargeBoards puts walls around the small spaces until the boards have
// more cells than a word has bits: their keys are made in another way then, and the
// numbers are the same.
func TestTruthOnLargeBoards(t *testing.T) {
	for _, r := range puzzletest.Records(t, truthFile) {
		if *r.Reachable > walledStatesMax {
			continue
		}
		t.Run(r.ID, func(t *testing.T) {
			t.Parallel()
			r.Input = walled(r.Input)
			if r.Hardest != nil {
				example := walled(*r.Hardest.Example)
				r.Hardest.Example = &example
			}
			text, err := r.Text()
			if err != nil {
				t.Fatal(err)
			}
			puzzletest.Check(t, &r, puzzletest.ReadRecord(t, &r, text, blocks.Read), bounds())
		})
	}
}

// walled adds walls to the right and below, to 6 rows and 16 columns.
func walled(text string) string {
	rows := strings.Split(text, "\n")
	for i, row := range rows {
		rows[i] = row + strings.Repeat("#", 16-len(row))
	}
	for len(rows) < 6 {
		rows = append(rows, strings.Repeat("#", 16))
	}
	return strings.Join(rows, "\n")
}
