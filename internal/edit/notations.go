package edit

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
	"github.com/everystate/everystate/puzzle/rushhour"
	"github.com/everystate/everystate/puzzle/sokoban"
	"github.com/everystate/everystate/puzzle/tiles"
)

// Text writes a state of a board with the headers of the board: as rows of cells, below
// one blank line. Rush Hour is written in letters, whatever the board's own notation.
func Text(b *puzzle.Board, state string) string {
	headers, _, _ := strings.Cut(b.Text, "\n\n")
	lines := strings.Split(headers, "\n")
	if b.Family == rushhour.Family {
		for i, line := range lines {
			if strings.HasPrefix(line, "notation: types") {
				lines[i] = "notation: letters"
			}
			if strings.HasPrefix(lines[i], "notation: ") && strings.IndexFunc(state, extended) >= 0 {
				lines[i] = "notation: letters-extended"
			}
		}
	}
	return strings.Join(lines, "\n") + "\n\n" + state + "\n"
}

// extended reports whether a symbol is one of the vehicles that only the notation
// letters-extended has.
func extended(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' && r != 'o' && r != 'x'
}

// Start returns the text of a board's first start.
func Start(b *puzzle.Board) string {
	return Text(b, b.Puzzle.Format(b.Puzzle.Starts()[:b.Puzzle.Layout().Words()]))
}

// Notation is a board in one notation.
type Notation struct{ Name, Text string }

// Notations writes a board in each notation of its family that can express it. Each text
// is read again: one that is another board is left out.
func Notations(b *puzzle.Board) []Notation {
	rows := Start(b)
	headers, body, _ := strings.Cut(strings.TrimSuffix(rows, "\n"), "\n\n")
	all := []Notation{{"as a file for explore", rows}}
	add := func(name, text string) { all = append(all, Notation{name, text}) }
	if b.Text != rows {
		add("as it was given", b.Text)
	}
	oneLine := strings.ReplaceAll(body, "\n", " / ")
	switch b.Family {
	case rushhour.Family:
		v := vehiclesOf(b)
		add("letters", body)
		add("letters on one line", oneLine)
		add("line", strings.ReplaceAll(body, "\n", ""))
		add("types", v.types())
		add("pairs", v.pairs())
	case sokoban.Family:
		add("xsb", body)
		add("rle", runs(body))
	case tiles.Family:
		add("rows", body)
		add("one line", strings.ReplaceAll(body, "\n", " "))
	default:
		add("one line", oneLine)
	}
	var good []Notation
	for _, n := range all {
		if n.Text = complete(b, n.Text, headers); n.Text != "" {
			good = append(good, n)
		}
	}
	return good
}

// complete adds to a text as few headers as make it the board, "" if none do.
func complete(b *puzzle.Board, text, headers string) string {
	if text == "" || same(b, text) {
		return text
	}
	lines := strings.Split(headers, "\n")
	pic := looks(b)
	sized := append([]string{fmt.Sprintf("size: %dx%d", pic.Rows, pic.Cols)}, lines...)
	plain := func(line string) bool { return strings.HasPrefix(line, "notation: ") }
	game := func(line string) bool {
		return !strings.HasPrefix(line, "puzzle: ") && !strings.HasPrefix(line, "metric: ")
	}
	for _, some := range [][]string{slices.DeleteFunc(slices.Clone(lines), game), slices.DeleteFunc(slices.Clone(lines), plain), lines, sized} {
		if whole := strings.Join(some, "\n") + "\n\n" + text + "\n"; same(b, whole) {
			return whole
		}
	}
	return ""
}

// same reports whether a text is the board: one with the same pieces at the same places
// and the same rules, whatever the names of the pieces.
func same(b *puzzle.Board, text string) bool {
	again, err := families.Read([]byte(text), puzzle.ReadOptions{})
	if err != nil || len(again) != 1 || again[0].Family != b.Family || again[0].Metric != b.Metric || rules(b) != rules(&again[0]) {
		return false
	}
	x, y := looks(b), looks(&again[0])
	return x.Rows == y.Rows && x.Cols == y.Cols && slices.Equal(x.Ground, y.Ground) && slices.Equal(x.Exit, y.Exit) && slices.Equal(placed(x), placed(y))
}

// rules returns the headers of a board that its picture does not show.
func rules(b *puzzle.Board) string {
	var kept []string
	headers, _, _ := strings.Cut(b.Text, "\n\n")
	for line := range strings.Lines(headers) {
		key, _, _ := strings.Cut(line, ":")
		switch {
		case slices.Contains([]string{"puzzle", "metric", "notation", "size", "name", "moves", "states"}, key):
		case b.Family == rushhour.Family && (key == "goal" || key == "exit"):
		default:
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

func looks(b *puzzle.Board) *puzzle.Picture {
	pictured, ok := b.Puzzle.(puzzle.Pictured)
	if !ok {
		panic(b.Family + " has no pictures, and cannot be edited")
	}
	return pictured.Picture(b.Puzzle.Starts()[:b.Puzzle.Layout().Words()])
}

// placed lists the pieces of a picture by their places.
func placed(p *puzzle.Picture) []string {
	var all []string
	for i := range p.Pieces {
		piece := &p.Pieces[i]
		text := fmt.Sprintf("%v %d %t", piece.Cells, piece.Kind, piece.Goal)
		if piece.Kind == puzzle.PieceTile {
			text += piece.Label
		}
		all = append(all, text)
	}
	slices.Sort(all)
	return all
}

// runs writes rows with numbers for repeated symbols, as in 6#|#-@$.#|6#.
func runs(rows string) string {
	var out strings.Builder
	for i, row := range strings.Split(rows, "\n") {
		if i > 0 {
			out.WriteByte('|')
		}
		row = strings.ReplaceAll(row, " ", "-")
		for len(row) > 0 {
			n := len(row) - len(strings.TrimLeft(row, row[:1]))
			if n > 1 {
				out.WriteString(strconv.Itoa(n))
			}
			out.WriteByte(row[0])
			row = row[n:]
		}
	}
	return out.String()
}

// vehicles are those of a Rush Hour board, in reading order.
type vehicles struct {
	*puzzle.Picture
	walls bool
}

func vehiclesOf(b *puzzle.Board) vehicles {
	v := vehicles{looks(b), false}
	slices.SortFunc(v.Pieces, func(x, y puzzle.Piece) int {
		return cmp.Or(cmp.Compare(x.Cells[0].Row, y.Cells[0].Row), cmp.Compare(x.Cells[0].Col, y.Cells[0].Col))
	})
	v.walls = slices.Contains(v.Ground, puzzle.GroundWall)
	return v
}

// types writes the board in kinds of vehicles; "" if one of them has none.
func (v vehicles) types() string {
	const longest = 9
	cells := []byte(strings.Repeat(".", v.Rows*v.Cols))
	for i, ground := range v.Ground {
		if ground == puzzle.GroundWall {
			cells[i] = 'x'
		}
	}
	for i := range v.Pieces {
		p := &v.Pieces[i]
		n := len(p.Cells)
		symbol := byte('0' + n)
		switch {
		case n < 2 || n > longest:
			return ""
		case p.Goal:
			symbol = 'X'
		case p.Cells[0].Col == p.Cells[1].Col:
			symbol = byte('A' + n - 1)
		}
		for _, c := range p.Cells {
			cells[c.Row*v.Cols+c.Col] = symbol
		}
	}
	rows := make([]string, v.Rows)
	for r := range rows {
		rows[r] = string(cells[r*v.Cols : (r+1)*v.Cols])
	}
	return strings.Join(rows, "\n")
}

// pairs writes the end cells of each vehicle of a 6x6 board without walls, the goal
// vehicle first; "" for another.
func (v vehicles) pairs() string {
	const size, pitch = 6, 7 // cells are numbered from 1, seven more in each row
	if v.Rows != size || v.Cols != size || v.walls {
		return ""
	}
	var list []string
	for i := range v.Pieces {
		p := &v.Pieces[i]
		last := p.Cells[len(p.Cells)-1]
		pair := fmt.Sprintf("(%d,%d)", 1+p.Cells[0].Row*pitch+p.Cells[0].Col, 1+last.Row*pitch+last.Col)
		if p.Goal {
			list = slices.Insert(list, 0, pair)
		} else {
			list = append(list, pair)
		}
	}
	return "[" + strings.Join(list, ",") + "]"
}
