package display

import "strconv"

// Waiting is the view of a command that waits for another process; it is shown after a
// second. It says what for, as in "the coordinator at 10.0.0.1:7000".
type Waiting string

// Frame implements View.
func (w Waiting) Frame(width int) []string {
	return []string{Clip("waiting for "+string(w), width-1)}
}

// Line implements View.
func (w Waiting) Line() string { return "waiting=" + strconv.Quote("for "+string(w)) }
