package rushhour

import (
	"strconv"

	"github.com/everystate/everystate/puzzle"
)

// databaseLine reports whether a line is meant as "moves board states", complete or
// not: a number and then a word. A slash after the number makes it a row, and many
// single symbols are cells separated by blanks.
func databaseLine(l textLine) bool {
	fields := l.fields(4)
	return len(fields) > 1 && number(fields[0].text) && fields[1].text[0] != '/' &&
		(len(fields) < 4 || len(fields[1].text) > 1)
}

// databaseFields returns the three fields of a database line.
func databaseFields(l textLine) ([]textLine, *puzzle.InputError) {
	fields := l.fields(4)
	names := []string{"MOVES", "BOARD", "SIZE"}
	for i, name := range names {
		switch {
		case i == len(fields):
			end := position{l.place.line, l.place.column + len(l.text)}
			return nil, faultAt(end, "database line: expected MOVES BOARD SIZE, found no %s", name)
		case name != "BOARD" && !number(fields[i].text):
			return nil, faultAt(fields[i].place, "database line: expected MOVES BOARD SIZE, found %s for %s", quote(fields[i].text), name)
		}
	}
	if len(fields) > len(names) {
		extra := fields[len(names)]
		return nil, faultAt(extra.place, "database line: expected MOVES BOARD SIZE, found %s after them", quote(extra.text))
	}
	return fields, nil
}

// number reports whether a text consists of decimal digits.
func number(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != ""
}

// readDatabase splits a database line into the board's picture and what the line
// promises. Its moves are counted in slides.
func readDatabase(l textLine, size *boardSize) (*picture, puzzle.Expect, *puzzle.InputError) {
	expect := puzzle.ExpectNothing()
	fields, fault := databaseFields(l)
	if fault != nil {
		return nil, expect, fault
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
		return 0, faultAt(l.place, "%s is not a number from 0 to %d", quote(l.text), int64(countMax))
	}
	return n, nil
}

// countMax bounds the numbers that a file promises: more states than any machine
// enumerates, and few enough for exact arithmetic everywhere.
const countMax = 1 << 53
