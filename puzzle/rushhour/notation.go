package rushhour

import (
	"strings"

	"github.com/everystate/everystate/puzzle"
)

// notation is a way to write a board.
type notation uint8

const (
	notationAny notation = iota // to be recognised
	notationLetters
	notationExtended
	notationLine
	notationDatabase
	notationTypes
	notationPairs
)

const notationList = "letters, letters-extended, line, database, types or pairs"

func (n notation) String() string {
	return [...]string{"any", "letters", "letters-extended", "line", "database", "types", "pairs"}[n]
}

// parseNotation reads a notation's name; an empty name means that it is to be
// recognised. Its error has no position.
func parseNotation(name string) (notation, *puzzle.InputError) {
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "":
		return notationAny, nil
	case "letters", "rush-letters":
		return notationLetters, nil
	case "letters-extended":
		return notationExtended, nil
	case "line", "rush36":
		return notationLine, nil
	case "database":
		return notationDatabase, nil
	case "types", "rush-types":
		return notationTypes, nil
	case "pairs", "rush-bird":
		return notationPairs, nil
	}
	return notationAny, faultf("unknown notation %s: must be %s", quote(name), notationList)
}

// emptyCell reports whether a symbol is an empty cell in any notation.
func emptyCell(symbol byte) bool {
	return symbol == '.' || symbol == 'o' || symbol == '-' || symbol == '_'
}

// wallCell reports whether a symbol is a wall in any notation.
func wallCell(symbol byte) bool { return symbol == 'x' || symbol == '#' }

// drawn is the content of a picture or list of pairs: a board, and what it shows of
// the goal vehicle.
type drawn struct {
	board
	notation notation   // how its states are drawn
	places   []position // of each vehicle's first cell
	goal     int        // index of the goal vehicle, -1 if the notation does not say
	name     string     // what errors call the notation
}

// directions settles which way single-cell vehicles move, which no picture of letters
// shows.
type directions struct {
	vertical   map[byte]position // letters under the header vertical
	horizontal map[byte]position // letters under the header horizontal
	exit       side              // if exitKnown; for a single-cell goal vehicle
	exitKnown  bool
}

// readPicture reads a picture in the given notation, or in the one that it fits. A
// picture with a digit is never plain letters; one without is types only if it does
// not fit letters and fits types.
func readPicture(p *picture, n notation, dir *directions) (*drawn, *puzzle.InputError) {
	switch n {
	case notationTypes:
		return readTypes(p, dir)
	case notationExtended:
		return readLetters(p, true)
	case notationAny:
		if p.hasTypeDigit() {
			return readTypes(p, dir)
		}
		letters, fault := readLetters(p, false)
		if fault == nil {
			return letters, nil
		}
		if types, err := readTypes(p, dir); err == nil {
			return types, nil
		}
		return nil, fault
	default:
		return readLetters(p, false)
	}
}
