package rushhour

import (
	"strconv"

	"github.com/everystate/everystate/puzzle"
)

// databaseFields returns the three fields of a line "moves board states", if it
// looks like one: two numbers around one word.
func databaseFields(l textLine) ([]textLine, bool) {
	fields := l.fields(4)
	if len(fields) != 3 || !number(fields[0].text) || !number(fields[2].text) {
		return nil, false
	}
	return fields, true
}

// number reports whether a text is decimal digits.
func number(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != ""
}

// readDatabase takes a database line apart: the board's picture and what the
// line promises. Its moves are counted in slides.
func readDatabase(l textLine, size *boardSize) (*picture, puzzle.Expect, *puzzle.InputError) {
	expect := puzzle.ExpectNothing()
	fields, ok := databaseFields(l)
	if !ok {
		return nil, expect, faultAt(l.place, "no database line: it is moves, board and number of states, as in \"60 IBBxoo... 2332\"")
	}
	moves, fault := countOf(fields[0])
	if fault == nil {
		expect.SolutionLength = int(moves)
		expect.States, fault = countOf(fields[2])
	}
	if fault != nil {
		return nil, expect, fault
	}
	p, fault := pictureOfLine(fields[1], size)
	return p, expect, fault
}

// countOf reads a number that a file promises.
func countOf(l textLine) (int64, *puzzle.InputError) {
	n, err := strconv.ParseInt(l.text, 10, 64)
	if err != nil || !number(l.text) || n > countMax {
		return 0, faultAt(l.place, "%s is no number from 0 to %d", quote(l.text), int64(countMax))
	}
	return n, nil
}

// countMax bounds the numbers that a file promises: more states than any
// machine enumerates, few enough for exact arithmetic everywhere.
const countMax = 1 << 53
