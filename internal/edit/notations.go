package edit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/families"
	"github.com/everystate/everystate/puzzle/rushhour"
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

// Notations writes a board in each notation of its family that can express it. Each text
// is read again: one that is another board is left out.
func Notations(b *puzzle.Board) []puzzle.Notation {
	rows := Start(b)
	headers, body, _ := strings.Cut(strings.TrimSuffix(rows, "\n"), "\n\n")
	all := []puzzle.Notation{{Name: "as a file for explore", Text: rows}}
	if b.Text != rows {
		all = append(all, puzzle.Notation{Name: "as it was given", Text: b.Text})
	}
	if notated, ok := b.Puzzle.(puzzle.Notated); ok {
		all = append(all, notated.Notations(b.Puzzle.Starts()[:b.Puzzle.Layout().Words()])...)
	} else {
		all = append(all, puzzle.Notation{Name: "one line", Text: puzzle.OneLine(body)})
	}
	var good []puzzle.Notation
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
