package portrait

import (
	"fmt"
	"strings"
	"testing"

	"github.com/everystate/everystate/puzzle"
)

// texts is a puzzle whose states are texts: the number of a key.
type texts struct {
	puzzle.Puzzle
	states []string
}

func (p *texts) Layout() puzzle.Layout { return puzzle.Layout{KeyBits: 8, Moves: 1} }

func (p *texts) Starts() []uint64 { return []uint64{0} }

func (p *texts) Draw(state []uint64) string { return p.states[state[0]] }

// TestText makes pictures of texts: cells are words in columns, or characters.
func TestText(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		start, state string
		want         string // rows of cells: what is written, # for a wall, _ for nothing
	}{
		{"8 0 0", "3 5 0", "3|5|0"},
		{"10 11\n 1  0", " 1 11\n10  0", "1|11\n10|0"},
		{"wolf goat", "goat .", "goat|_"},
		{"#.@ \n#$ #", "#.@ \n#$ #", "#|_|@|_\n#|$|_|#"},
		{"ab|", "longer|", "l|o|n|g|e|r||"},
		{"two words\nalone", "a\nb", "a|_|_|_|_|_|_|_|_\nb|_|_|_|_|_|_|_|_"},
		{"", "", "_"},
		{strings.Repeat("x", 1000), strings.Repeat("y\n", 1000), strings.TrimSuffix(strings.Repeat("y"+strings.Repeat("|_", textColsMax-1)+"\n", textRowsMax), "\n")},
	} {
		p := &texts{states: []string{test.start, test.state}}
		pic := Look(puzzle.Board{Puzzle: p}).Picture([]uint64{1})
		cells := make([][]string, pic.Rows)
		for i := range cells {
			cells[i] = strings.Split(strings.Repeat("_", pic.Cols), "")
			for j := range cells[i] {
				if pic.Ground[i*pic.Cols+j] == puzzle.GroundWall {
					cells[i][j] = "#"
				}
			}
		}
		for _, piece := range pic.Pieces {
			cells[piece.Cells[0].Row][piece.Cells[0].Col] = piece.Label
		}
		rows := make([]string, 0, len(cells))
		for _, row := range cells {
			rows = append(rows, strings.Join(row, "|"))
		}
		if got := strings.Join(rows, "\n"); got != test.want {
			t.Errorf("%.40q after %.40q: %s\nwant %s", test.state, test.start, fmt.Sprintf("%.200s", got), test.want)
		}
	}
}
