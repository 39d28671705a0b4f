package rushhour

import (
	"fmt"
	"strconv"

	"github.com/everystate/everystate/puzzle"
)

// position is a position in the input; line and column count from 1, columns in bytes.
type position struct{ line, column int }

// faultf makes an input error without a position.
func faultf(format string, args ...any) *puzzle.InputError {
	return &puzzle.InputError{What: fmt.Sprintf(format, args...)}
}

// faultAt makes an input error at a position.
func faultAt(at position, format string, args ...any) *puzzle.InputError {
	return &puzzle.InputError{Line: at.line, Column: at.column, What: fmt.Sprintf(format, args...)}
}

// quoteBytesMax bounds how much of the input an error repeats.
const quoteBytesMax = 40

// quote shows a piece of the input on one line, whatever it contains.
func quote(text string) string {
	if len(text) > quoteBytesMax {
		return strconv.Quote(text[:quoteBytesMax]) + "..."
	}
	return strconv.Quote(text)
}
