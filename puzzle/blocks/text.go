package blocks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// draw draws pieces on the board. Those whose symbol is 0 get letters in the order of
// their first cells.
func (s *setup) draw(pieces []piece) string {
	pieces = slices.Clone(pieces)
	slices.SortFunc(pieces, func(p, q piece) int { return cmp.Compare(p.first, q.first) })
	letters := s.freeSymbols()
	stride := s.cols + 1
	text := make([]byte, s.rows*stride)
	for i := range text {
		switch {
		case i%stride == s.cols:
			text[i] = '\n'
		case s.walls[i/stride*s.cols+i%stride]:
			text[i] = wallSymbol
		default:
			text[i] = emptySymbol
		}
	}
	for _, p := range pieces {
		if p.symbol == 0 {
			p.symbol, letters = letters[0], letters[1:]
		}
		for _, c := range p.shape.at(p.first, s.cols) {
			text[c.row*stride+c.col] = p.symbol
		}
	}
	return string(text[:len(text)-1])
}

// freeSymbols returns the letters of the interchangeable pieces: B and on, except
// those of distinct pieces. A would make a piece distinct, so it comes last: it is
// reached only if the goal names the distinct pieces.
func (s *setup) freeSymbols() string {
	free := func(r rune) rune {
		if s.isOwn(byte(r)) {
			return -1
		}
		return r
	}
	return strings.Map(free, symbols[1:]+symbols[:1])
}

// anonymous returns the pieces, with interchangeable ones stripped of their symbols.
func (s *setup) anonymous(pieces []piece) []piece {
	pieces = slices.Clone(pieces)
	for i, p := range pieces {
		if !s.isOwn(p.symbol) {
			pieces[i].symbol = 0
		}
	}
	return pieces
}

// canonicalText writes a setup with every header that it depends on. It omits what
// does not change the puzzle: the name and what the file promised.
func canonicalText(s *setup) string {
	var text strings.Builder
	fmt.Fprintf(&text, "puzzle: %s\nmetric: %s\n", Family, s.metric)
	if s.distinct {
		text.WriteString("interchangeable: no\n")
	}
	if len(s.goal) > 0 {
		fmt.Fprintf(&text, "goal: %s\n", s.goalText(s.storedPlace))
	}
	fmt.Fprintf(&text, "\n%s\n", s.draw(s.anonymous(s.pieces)))
	return text.String()
}

// note describes a setup in one line, including what was assumed.
func note(s *setup) string {
	free, walls := s.rows*s.cols, 0
	for _, wall := range s.walls {
		if wall {
			walls++
		}
	}
	for _, p := range s.pieces {
		free -= len(p.shape.cells)
	}
	text := "no goal (a goal is a header like goal: A at r4c2)"
	if len(s.goal) > 0 {
		text = "goal " + s.goalText(s.name)
	}
	text += fmt.Sprintf("; %s on %dx%d, %d empty", plural(len(s.pieces), "piece"), s.rows, s.cols, free-walls)
	if walls > 0 {
		text += ", " + plural(walls, "wall")
	}
	switch {
	case s.distinct:
		text += "; every piece is distinct"
	case len(s.counts()) < len(s.pieces):
		text += "; pieces of one shape are interchangeable"
		if s.own != "" {
			text += " but for " + strings.Join(strings.Split(s.own, ""), ", ")
		}
	}
	return text
}

// plural formats a count of things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
