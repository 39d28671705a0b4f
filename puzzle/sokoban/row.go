package sokoban

import (
	"strings"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
)

// Bounds of what is read.
const (
	levelSquaresMax = 1 << 14 // of one level
	inputSquaresMax = 8 << 20
	levelsMax       = 10_000
)

// squareOf returns the square that a symbol means, or 0. As in some collections, a box
// is also b and B, the player p and P, a target o.
func squareOf(symbol byte) byte {
	switch symbol {
	case wall, target, box, boxOn, player, playerOn:
		return symbol
	case floor, '-', '_':
		return floor
	case 'b':
		return box
	case 'B':
		return boxOn
	case 'p':
		return player
	case 'P':
		return playerOn
	case 'o':
		return target
	}
	return 0
}

func digit(symbol byte) bool { return symbol >= '0' && symbol <= '9' }

// rowsEnd reports whether a byte ends a row of a one-line level.
func rowsEnd(symbol byte) bool { return symbol == '|' || symbol == '/' }

// badSymbol returns the index of the first byte that no level contains, or -1.
func badSymbol(text string) int {
	for i := range len(text) {
		if squareOf(text[i]) == 0 && !digit(text[i]) && !rowsEnd(text[i]) {
			return i
		}
	}
	return -1
}

// rowPart returns the part of a line that is rows of a level, or nothing if the line
// is text. Inside a level a line is more readily taken for a row, so that errors in it
// are reported.
func rowPart(l boardfile.Piece, inside bool) (boardfile.Piece, *puzzle.InputError) {
	none := boardfile.Piece{}
	first := strings.IndexFunc(l.Text, func(r rune) bool { return !strings.ContainsRune(" -_0123456789", r) })
	if first < 0 {
		return none, nil
	}
	walls := strings.Count(l.Text, "#")
	bad := badSymbol(l.Text)
	if bad < 0 {
		trails := digit(l.Text[len(l.Text)-1])
		switch {
		case trails && walls > 1:
			return none, l.From(len(l.Text) - 1).Faultf("a number without a symbol after it: 3# is three walls")
		case !trails && (walls > 0 || inside && strings.ContainsAny(l.Text, "@$*+.")):
			return l, nil
		}
		return none, nil
	}
	if l.Text[first] != wall || walls < 2 {
		return none, nil
	}
	part := l
	part.Text = l.Text[:strings.LastIndexByte(l.Text, wall)+1]
	switch {
	case bad >= len(part.Text):
		if inside || len(part.Text) > 2 {
			return part, nil
		}
	case inside:
		return none, l.From(bad).Faultf("%s is not part of a level: # is a wall, @ the player, $ a box, . a target, * a box on a target, + the player on one, and - or a blank is floor", symbolAt(l.Text[bad:]))
	}
	return none, nil
}

// symbolAt quotes the first character of a text.
func symbolAt(text string) string {
	for _, r := range text {
		return boardfile.Quote(string(r))
	}
	return boardfile.Quote(text)
}

// add adds the rows of a line to a drawing. A number before a symbol repeats it;
// before the end of a row it has no effect.
func (d *drawing) add(l boardfile.Piece, left *int) *puzzle.InputError {
	single := strings.IndexFunc(l.Text, func(r rune) bool { return rowsEnd(byte(r)) }) >= 0
	var row []square
	end := func() {
		d.rows = append(d.rows, row)
		d.lines = append(d.lines, l.Line)
		row = nil
	}
	count, counted := 1, false
	for i := 0; i < len(l.Text); i++ {
		symbol := l.Text[i]
		switch {
		case digit(symbol):
			if !counted {
				count, counted = 0, true
			}
			if count = 10*count + int(symbol-'0'); count > levelSquaresMax {
				return l.From(i).Faultf("a run of more than %d squares", levelSquaresMax)
			}
			continue
		case rowsEnd(symbol) && counted:
			return l.From(i).Faultf("a number without a symbol after it: 3# is three walls")
		case rowsEnd(symbol):
			end()
			if symbol == '/' && strings.HasPrefix(l.Text[i+1:], " ") {
				i++ // of " / "
			}
		default:
			if symbol == ' ' && single && strings.HasPrefix(l.Text[i+1:], "/") {
				continue
			}
			if count == 0 {
				return l.From(i).Faultf("a run of no squares: a number before a symbol is at least 1")
			}
			d.squares += count
			if *left -= count; *left < 0 || d.squares > levelSquaresMax {
				return l.From(i).Faultf("a level of more than %d squares", levelSquaresMax)
			}
			for range count {
				row = append(row, square{squareOf(symbol), l.Column + i})
			}
		}
		count, counted = 1, false
	}
	if len(row) > 0 {
		end()
	}
	return nil
}
