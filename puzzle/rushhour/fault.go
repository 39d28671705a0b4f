package rushhour

import (
	"fmt"
	"strconv"

	"github.com/everystate/everystate/puzzle"
)

// position is a place in the input; both count from 1, columns in bytes.
type position struct{ line, column int }

// faultf makes an input error without a place.
func faultf(format string, args ...any) *puzzle.InputError {
	return &puzzle.InputError{What: fmt.Sprintf(format, args...)}
}

// faultAt makes an input error at a place.
func faultAt(at position, format string, args ...any) *puzzle.InputError {
	return &puzzle.InputError{Line: at.line, Column: at.column, What: fmt.Sprintf(format, args...)}
}

// quoteBytesMax bounds how much of the input an error repeats.
const quoteBytesMax = 40

// quote shows a piece of the input on one line, whatever it holds.
func quote(text string) string {
	if len(text) > quoteBytesMax {
		return strconv.Quote(text[:quoteBytesMax]) + "..."
	}
	return strconv.Quote(text)
}
