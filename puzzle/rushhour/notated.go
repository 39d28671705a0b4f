package rushhour

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/everystate/everystate/puzzle"
)

// Notations implements [puzzle.Notated].
func (g *game) Notations(state []uint64) []puzzle.Notation {
	rows := g.Format(state)
	all := []puzzle.Notation{
		{Name: "letters", Text: rows},
		{Name: "letters on one line", Text: puzzle.OneLine(rows)},
		{Name: "line", Text: strings.ReplaceAll(rows, "\n", "")},
	}
	vehicles := g.placed(state)
	if types := writeTypes(g.setup, vehicles); types != "" {
		all = append(all, puzzle.Notation{Name: "types", Text: types})
	}
	if pairs := writePairs(g.setup, vehicles); pairs != "" {
		all = append(all, puzzle.Notation{Name: "pairs", Text: pairs})
	}
	return all
}

// writeTypes writes vehicles as their kinds; "" if a kind has no symbol.
func writeTypes(s *setup, vehicles []vehicle) string {
	const longest = 9
	kinds := slices.Clone(vehicles)
	for i := range kinds {
		switch v := &kinds[i]; {
		case v.length < 2 || v.length > longest:
			return ""
		case i == s.goal:
			v.symbol = 'X'
		case v.vertical:
			v.symbol = byte('A' + v.length - 1)
		default:
			v.symbol = byte('0' + v.length)
		}
	}
	return string(draw(&s.board, kinds))
}

// writePairs writes the end cells of each vehicle, the goal vehicle first; "" if the board
// is not the one of the pairs notation.
func writePairs(s *setup, vehicles []vehicle) string {
	if s.rows != pairsSide || s.cols != pairsSide || slices.Contains(s.walls, true) {
		return ""
	}
	order := []int{s.goal}
	for i := range vehicles {
		if i != s.goal {
			order = append(order, i)
		}
	}
	slices.SortFunc(order[1:], func(i, j int) int {
		return cmp.Or(cmp.Compare(vehicles[i].row, vehicles[j].row), cmp.Compare(vehicles[i].col, vehicles[j].col))
	})
	var list []string
	for _, i := range order {
		v := vehicles[i]
		rear, step := (pairsSide+1)*v.row+v.col+1, 1
		if v.vertical {
			step = pairsSide + 1
		}
		list = append(list, fmt.Sprintf("(%d,%d)", rear, rear+step*(v.length-1)))
	}
	return "[" + strings.Join(list, ",") + "]"
}
