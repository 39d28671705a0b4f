package peg

import (
	"fmt"
	"slices"
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
)

// draw returns the rows of a board.
func (s *shape) draw(pegs []bool) []string {
	var rows []string
	for row := range s.rows {
		var line []byte
		if s.geometry == geometryTri {
			line = append(line, strings.Repeat(" ", s.rows-1-row)...)
		}
		for col := range s.cols {
			i, hole := s.index[cell{row, col}]
			symbol := byte(' ')
			switch {
			case hole && pegs[i]:
				symbol = 'o'
			case hole:
				symbol = '.'
			case s.geometry == geometryTri:
				symbol = '#'
			}
			if s.geometry == geometrySquare {
				line = append(line, symbol)
			} else if col <= row {
				line = append(line, symbol, ' ')
			}
		}
		rows = append(rows, strings.TrimRight(string(line), " "))
	}
	return rows
}

// Format draws a state in the notation of the board.
func (g *game) Format(state []uint64) string {
	return strings.Join(g.draw(g.pegsOf(state[0])), "\n")
}

// Draw draws a state for people; it is Format, as pegs have no names.
func (g *game) Draw(state []uint64) string { return g.Format(state) }

// FormatMove names a jump by its first and its last hole.
func (g *game) FormatMove(move puzzle.Move) string {
	if int(move) >= len(g.rules) {
		return "?"
	}
	r := &g.rules[move]
	return g.hole(r.from) + "-" + g.hole(r.to)
}

// Parse reads a state: rows with as many holes as the board's.
func (g *game) Parse(text string) ([]uint64, error) {
	pegs, fault := g.parse(text)
	if fault != nil {
		return nil, fault
	}
	b := g.boardOf(pegs)
	if !g.coset.contains(b) {
		return nil, boardfile.Piece{}.Faultf("not reachable: the arrangement is not in the start's position class")
	}
	return []uint64{g.coset.key(b)}, nil
}

// parse reads the pegs of a state.
func (g *game) parse(text string) ([]bool, *puzzle.InputError) {
	f, fault := boardfile.Parse([]byte(text))
	if fault != nil {
		return nil, fault
	}
	p, fault := readPicture(f.Body, g.geometry)
	if fault != nil {
		return nil, fault
	}
	var want []int // holes by row
	for i, c := range g.holes {
		if i == 0 || c.row != g.holes[i-1].row {
			want = append(want, 0)
		}
		want[len(want)-1]++
	}
	var pegs []bool
	var got []int
	for _, row := range p.rows {
		if len(row) > 0 {
			got = append(got, len(row))
		}
		for _, h := range row {
			pegs = append(pegs, h.peg)
		}
	}
	if !slices.Equal(got, want) {
		return nil, p.place.Faultf("the rows have %s holes, but those of the board have %s", numbers(got), numbers(want))
	}
	return pegs, nil
}

// numbers formats a list of numbers.
func numbers(list []int) string {
	return strings.Trim(fmt.Sprint(list), "[]")
}

// Picture draws a state. The holes of a triangle's row are two columns apart, those of
// the next row between them.
func (g *game) Picture(state []uint64) *puzzle.Picture {
	p := &puzzle.Picture{Rows: g.rows, Cols: g.cols}
	if g.geometry == geometryTri {
		p.Cols = 2*g.rows - 1
	}
	p.Ground = make([]puzzle.Ground, p.Rows*p.Cols)
	for i := range p.Ground {
		p.Ground[i] = puzzle.GroundNone
	}
	pegs := g.pegsOf(state[0])
	for i, c := range g.holes {
		if g.geometry == geometryTri {
			c.col = 2*c.col + g.rows - 1 - c.row
		}
		p.Ground[c.row*p.Cols+c.col] = puzzle.GroundHole
		if pegs[i] {
			p.Pieces = append(p.Pieces, puzzle.Piece{
				Kind:  puzzle.PiecePeg,
				Cells: []puzzle.Cell{{Row: c.row, Col: c.col}},
				Goal:  i < len(g.goal.pegs) && g.goal.pegs[i],
			})
		}
	}
	return p
}

// canonicalText writes a setup with every header that it depends on.
func (g *game) canonicalText() string {
	var text strings.Builder
	fmt.Fprintf(&text, "puzzle: %s\nmetric: %s\n", g.geometry, Metric)
	if g.goal.pegs != nil {
		fmt.Fprintf(&text, "goal: %s\n", g.goalText())
	}
	fmt.Fprintf(&text, "\n%s\n", strings.Join(g.draw(g.pegs), "\n"))
	return text.String()
}

// goalText writes a goal: the hole of its only peg, or the rows.
func (g *game) goalText() string {
	if pegCount(g.goal.pegs) == 1 {
		return g.hole(slices.Index(g.goal.pegs, true))
	}
	rows := g.draw(g.goal.pegs)
	for i, row := range rows {
		rows[i] = strings.NewReplacer(" ", "", "#", "").Replace(row)
	}
	return strings.Join(rows, " / ")
}

// note describes a setup in one line.
func (g *game) note() string {
	kind := "square"
	if g.geometry == geometryTri {
		kind = "triangular"
	}
	text := fmt.Sprintf("%s on a %s board of %s; goal ", plural(pegCount(g.pegs), "peg"), kind, plural(len(g.holes), "hole"))
	switch n := pegCount(g.goal.pegs); {
	case g.goal.pegs == nil:
		text += "one peg"
	case n == 1:
		text += "one peg in " + g.goalText()
	default:
		text += g.goalText()
	}
	if g.goal.pegs != nil && len(g.goals) == 0 {
		text += ", which is in a different position class and never reached"
	}
	return text
}

// pegCount returns the number of pegs.
func pegCount(pegs []bool) int {
	n := 0
	for _, peg := range pegs {
		if peg {
			n++
		}
	}
	return n
}

// plural formats a count of things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
