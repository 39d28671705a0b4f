package hanoi

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
)

// Format writes the peg of each disc, the largest first.
func (g *game) Format(state []uint64) string { return formatPegs(g.arrangement(state[0])) }

func formatPegs(pegs []uint8) string {
	var text strings.Builder
	for i, peg := range pegs {
		if i > 0 {
			text.WriteByte(' ')
		}
		text.WriteString(strconv.Itoa(int(peg) + 1))
	}
	return text.String()
}

// Draw shows the discs of each peg, one line per peg, the lowest disc first. Discs are
// numbered from the smallest.
func (g *game) Draw(state []uint64) string {
	lines := make([]string, g.pegs)
	for peg := range lines {
		lines[peg] = strconv.Itoa(peg+1) + ":"
	}
	for i, peg := range g.arrangement(state[0]) {
		lines[peg] += " " + strconv.Itoa(g.discs-i)
	}
	return strings.Join(lines, "\n")
}

// FormatMove writes a move as the pegs between which a disc moves.
func (g *game) FormatMove(move puzzle.Move) string {
	if int(move) >= len(g.moves) {
		return fmt.Sprintf("no move %d", move)
	}
	m := g.moves[move]
	return fmt.Sprintf("%d-%d", m.from+1, m.to+1)
}

// Parse reads an arrangement.
func (g *game) Parse(text string) ([]uint64, error) {
	f, fault := boardfile.Parse([]byte(text))
	if fault != nil {
		return nil, fault
	}
	line, fault := onlyLine(f)
	if fault != nil {
		return nil, fault
	}
	pegs, fault := readPegs(line, g.pegs)
	if fault != nil {
		return nil, fault
	}
	if len(pegs) != g.discs {
		return nil, line.Faultf("%s, but the puzzle has %d: write the peg of each disc, the largest first", plural(len(pegs), "disc"), g.discs)
	}
	return []uint64{g.key(pegs)}, nil
}

// Picture shows the towers side by side. Each disc is two cells wider than the next
// smaller one.
func (g *game) Picture(state []uint64) *puzzle.Picture {
	tower := 2*g.discs - 1
	p := &puzzle.Picture{Rows: g.discs, Cols: g.pegs*(tower+1) - 1}
	p.Ground = make([]puzzle.Ground, p.Rows*p.Cols)
	for i := range p.Ground {
		if i%p.Cols%(tower+1) == tower {
			p.Ground[i] = puzzle.GroundNone
		}
	}
	height := make([]int, g.pegs)
	for i, peg := range g.arrangement(state[0]) {
		size := g.discs - i
		height[peg]++
		row, col := g.discs-height[peg], int(peg)*(tower+1)+g.discs-size
		disc := puzzle.Piece{Kind: puzzle.PieceDisc, Label: strconv.Itoa(size), Colour: size - 1}
		for n := range 2*size - 1 {
			disc.Cells = append(disc.Cells, puzzle.Cell{Row: row, Col: col + n})
		}
		p.Pieces = append(p.Pieces, disc)
	}
	return p
}
