package permutation

import (
	"slices"
	"strconv"
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
	"github.com/everystate/everystate/puzzle/permutation/flat"
	"github.com/everystate/everystate/puzzle/permutation/source"
)

// notation reads and writes the states and moves of a puzzle.
type notation interface {
	// words writes an arrangement, one word per piece.
	words(a arrangement) []string
	// line writes an arrangement on one line.
	line(a arrangement) string
	// read reads what words writes, and other forms that people may write.
	read(line boardfile.Piece) (arrangement, *puzzle.InputError)
	// moveName names a move.
	moveName(id int) string
	// draw draws an arrangement for people.
	draw(a arrangement) string
	picture(a arrangement) *puzzle.Picture
}

func (g *game) Format(state []uint64) string { return g.line(g.decoded(state)) }

func (g *game) Draw(state []uint64) string { return g.draw(g.decoded(state)) }

func (g *game) FormatMove(move puzzle.Move) string {
	if int(move) >= g.Layout().Moves {
		return "no move " + strconv.Itoa(int(move))
	}
	return g.moveName(int(move))
}

func (g *game) Picture(state []uint64) *puzzle.Picture { return g.picture(g.decoded(state)) }

func (g *game) Parse(text string) ([]uint64, error) {
	f, fault := boardfile.Parse([]byte(text))
	if fault != nil {
		return nil, fault
	}
	line, fault := source.OnlyLine(f)
	if fault != nil {
		return nil, fault
	}
	a, fault := g.read(line)
	if fault != nil {
		return nil, fault
	}
	g.settle(a)
	if place := g.misplaced(a); place >= 0 {
		return nil, line.Faultf("not a state of this puzzle: no move brings the piece at place %d there", place+1)
	}
	return g.encoded(a), nil
}

// labelled is the notation that lists the labels of the pieces by place.
type labelled struct {
	labels []string // by piece
	moduli []uint8
	names  []string // of the moves
	signed bool     // a turned piece is written with a minus
	shape  *flat.Shape
}

func (n *labelled) words(a arrangement) []string {
	words := make([]string, len(a.pieces))
	for i, piece := range a.pieces {
		words[i] = n.labels[piece]
		switch {
		case a.orients[i] == 0:
		case n.signed:
			words[i] = "-" + words[i]
		default:
			words[i] += "+" + strconv.Itoa(int(a.orients[i]))
		}
	}
	return words
}

func (n *labelled) line(a arrangement) string { return strings.Join(n.words(a), " ") }

func (n *labelled) read(line boardfile.Piece) (arrangement, *puzzle.InputError) {
	words := line.Fields()
	a := newArrangement(len(n.moduli))
	if len(words) != len(n.moduli) {
		return a, line.Faultf("%s, but the puzzle has %s", plural(len(words), "piece"), plural(len(n.moduli), "place"))
	}
	for i, w := range words {
		label, by, fault := n.split(w, int(n.moduli[i]))
		if fault != nil {
			return a, fault
		}
		piece := slices.Index(n.labels, label)
		if piece < 0 {
			return a, w.Faultf("unknown piece %s; the pieces are %s", boardfile.Quote(label), strings.Join(n.labels, " "))
		}
		a.pieces[i], a.orients[i] = uint8(piece), uint8(by)
	}
	return a, nil
}

// split splits a word into label and turn.
func (n *labelled) split(w boardfile.Piece, modulus int) (label string, by int, fault *puzzle.InputError) {
	if n.signed {
		label, minus := strings.CutPrefix(w.Text, "-")
		if minus {
			return label, 1, nil
		}
		return strings.TrimPrefix(w.Text, "+"), 0, nil
	}
	label, by, fault = splitTurn(w, modulus)
	return label, by, fault
}

// splitTurn splits a word such as 3+1.
func splitTurn(w boardfile.Piece, modulus int) (label string, by int, fault *puzzle.InputError) {
	i := strings.IndexByte(w.Text, '+')
	if i < 0 {
		return w.Text, 0, nil
	}
	by, fault = w.From(i+1).Number("turn", 0, modulus-1)
	return w.Text[:i], by, fault
}

func (n *labelled) moveName(id int) string { return n.names[id] }

func (n *labelled) draw(a arrangement) string { return strings.Join(n.words(a), " ") }

func (n *labelled) picture(a arrangement) *puzzle.Picture {
	return n.shape.Picture(n.words(a), a.pieces)
}

// counted returns the labels 1 to n.
func counted(n int) []string {
	labels := make([]string, n)
	for i := range labels {
		labels[i] = strconv.Itoa(i + 1)
	}
	return labels
}

// ordered returns the arrangement of different pieces in order, none turned.
func ordered(n int) arrangement {
	a := newArrangement(n)
	for i := range a.pieces {
		a.pieces[i] = uint8(i)
	}
	return a
}

// repeated returns a place that holds the same piece as one before it, or -1.
func (a arrangement) repeated() int {
	for i, piece := range a.pieces {
		if slices.Contains(a.pieces[:i], piece) {
			return i
		}
	}
	return -1
}

// plural formats a count of things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}
