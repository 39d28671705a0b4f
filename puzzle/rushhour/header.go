package rushhour

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/everystate/everystate/puzzle"
	"github.com/everystate/everystate/puzzle/boardfile"
)

const headerKeys = "puzzle, name, metric, exit, goal, notation, size, vertical, horizontal, moves, states"

// boardSize is the value of the header size.
type boardSize struct{ rows, cols int }

// headers holds the header lines that apply to the boards after them.
type headers struct {
	metric   metric
	notation notation
	size     *boardSize

	exit      side
	exitKnown bool
	exitAt    position

	goal   byte // 0: not given
	goalAt position

	boardHeaders
}

// boardHeaders is the part of the headers that applies to one board only.
type boardHeaders struct {
	name                 string
	vertical, horizontal map[byte]position
	moves, states        int64 // -1: not promised
}

func noBoardHeaders() boardHeaders { return boardHeaders{moves: -1, states: -1} }

// headerLine reports whether a line is a header: it has a colon, which no board has.
func headerLine(l textLine) bool { return strings.Contains(l.text, ":") }

// headerParts splits a header line into key and value.
func headerParts(l textLine) (key, value textLine) {
	i := strings.IndexByte(l.text, ':')
	key = textLine{l.text[:i], l.place}.trim()
	value = textLine{l.text[i+1:], position{l.place.line, l.place.column + i + 1}}.trim()
	return key, value
}

// set applies one header.
func (h *headers) set(key, value textLine) *puzzle.InputError {
	var fault *puzzle.InputError
	switch strings.ToLower(key.text) {
	case "puzzle":
		if !knownPuzzle(value.text) {
			fault = faultf("puzzle %s is not rush-hour", quote(value.text))
		}
	case "name":
		h.name, fault = parseName(value)
	case "metric":
		h.metric, fault = parseMetric(value.text)
	case "notation":
		h.notation, fault = parseNotation(value.text)
	case "exit":
		h.exitKnown, h.exitAt = true, value.place
		h.exit, fault = parseSide(value.text)
	case "goal":
		h.goalAt = value.place
		h.goal, fault = parseLetter(value.text)
	case "size":
		h.size, fault = parseSize(value.text)
	case "vertical":
		h.vertical, fault = parseLetters(value)
	case "horizontal":
		h.horizontal, fault = parseLetters(value)
	case "moves":
		h.moves, fault = countOf(value)
	case "states":
		h.states, fault = countOf(value)
	default:
		return faultAt(key.place, "unknown header %s; the headers are %s", quote(key.text), headerKeys)
	}
	if fault != nil && fault.Line == 0 {
		fault.Line, fault.Column = value.place.line, value.place.column
	}
	return fault
}

// knownPuzzle reports whether a name means this family.
func knownPuzzle(name string) bool {
	switch strings.ToLower(name) {
	case "rush-hour", "rushhour", "rush hour", "rush-letters", "rush36", "rush-types", "rush-bird":
		return true
	}
	return false
}

// nameBytesMax bounds a board's name, which is printed in lines and tables.
const nameBytesMax = 100

// parseName reads a name. Names are printed to terminals, so they must not contain
// control characters.
func parseName(value textLine) (string, *puzzle.InputError) {
	if i := strings.IndexFunc(value.text, controls); i >= 0 {
		r, _ := utf8.DecodeRuneInString(value.text[i:])
		return "", faultAt(position{value.place.line, value.place.column + i}, "a name must not contain control characters: %U", r)
	}
	if len(value.text) > nameBytesMax {
		return "", faultf("a name of %d bytes: at most %d are allowed", len(value.text), nameBytesMax)
	}
	return value.text, nil
}

// controls reports whether a character moves the cursor, changes the direction of
// writing or ends a line.
func controls(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp)
}

func parseSide(name string) (side, *puzzle.InputError) {
	for s := sideLeft; s <= sideBottom; s++ {
		if strings.EqualFold(name, s.String()) {
			return s, nil
		}
	}
	return 0, faultf("unknown exit %s: must be left, right, top or bottom", quote(name))
}

func parseLetter(text string) (byte, *puzzle.InputError) {
	if len(text) != 1 || !vehicleLetter(text[0], true) {
		return 0, faultf("%s is not a vehicle: a vehicle is named by one letter", quote(text))
	}
	return text[0], nil
}

// parseLetters reads letters separated by blanks or commas; there may be none.
func parseLetters(value textLine) (map[byte]position, *puzzle.InputError) {
	letters := map[byte]position{}
	for i := range len(value.text) {
		symbol, at := value.text[i], position{value.place.line, value.place.column + i}
		switch {
		case symbol == ' ', symbol == ',', symbol == '\t':
		case vehicleLetter(symbol, true):
			letters[symbol] = at
		default:
			return nil, faultAt(at, "%s is not a list of vehicles: must be letters separated by blanks", quote(value.text))
		}
	}
	return letters, nil
}

func parseSize(text string) (*boardSize, *puzzle.InputError) {
	size, ok := boardfile.ParseSize(text, sideMax)
	if !ok {
		return nil, faultf("size %s: must be rows x columns, each from 1 to %d, as in 6x6", quote(text), sideMax)
	}
	return &boardSize{size.Rows, size.Cols}, nil
}
