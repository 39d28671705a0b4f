package rushhour

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/everystate/everystate/puzzle"
)

// Bounds of one input.
const (
	textBytesMax = 16 << 20
	boardsMax    = 100_000
)

// textLine is a part of one line of the input, with its position.
type textLine struct {
	text  string
	place position
}

// trim returns the piece without the blanks around it.
func (l textLine) trim() textLine {
	text := strings.TrimLeft(l.text, " \t\r")
	l.place.column += len(l.text) - len(text)
	l.text = strings.TrimRight(text, " \t\r")
	return l
}

// split returns the trimmed pieces between separators.
func (l textLine) split(separator byte) []textLine {
	var pieces []textLine
	for {
		i := strings.IndexByte(l.text, separator)
		if i < 0 {
			return append(pieces, l.trim())
		}
		pieces = append(pieces, textLine{l.text[:i], l.place}.trim())
		l.text, l.place.column = l.text[i+1:], l.place.column+i+1
	}
}

// fields returns the pieces between blanks, up to piecesMax.
func (l textLine) fields(piecesMax int) []textLine {
	var pieces []textLine
	for l = l.trim(); l.text != "" && len(pieces) < piecesMax; l = l.trim() {
		end := strings.IndexAny(l.text, " \t")
		if end < 0 {
			end = len(l.text)
		}
		pieces = append(pieces, textLine{l.text[:end], l.place})
		l.text, l.place.column = l.text[end:], l.place.column+end
	}
	return pieces
}

// eachLine checks that an input is text within bounds, and calls visit with each of
// its lines, trimmed.
func eachLine(text []byte, visit func(textLine) *puzzle.InputError) *puzzle.InputError {
	if len(text) > textBytesMax {
		return faultf("the input is larger than %d MiB", textBytesMax>>20)
	}
	column := 1
	if bytes.HasPrefix(text, []byte(byteOrderMark)) {
		column += len(byteOrderMark)
		text = text[len(byteOrderMark):]
	}
	for number := 1; len(text) > 0; number++ {
		raw, rest, _ := bytes.Cut(text, []byte("\n"))
		if i := badByte(raw); i >= 0 {
			return faultAt(position{number, column + i}, "byte 0x%02x: the input is not text", raw[i])
		}
		if fault := visit(textLine{string(raw), position{number, column}}.trim()); fault != nil {
			return fault
		}
		text, column = rest, 1
	}
	return nil
}

// byteOrderMark may begin a text; it has no meaning in UTF-8.
const byteOrderMark = "\uFEFF"

// badByte returns the index of the first byte that is not valid text, or -1.
func badByte(raw []byte) int {
	for i := 0; i < len(raw); {
		r, size := utf8.DecodeRune(raw[i:])
		if raw[i] == 0 || r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}
