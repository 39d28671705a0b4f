package peg

import (
	"strings"

	"github.com/everystate/everystate/puzzle/boardfile"
)

// Looks reports whether a file without a header "puzzle:" looks like a board of pegs:
// only o and . with blanks or # around them, and both of those.
func Looks(f *boardfile.File) bool {
	seen := [2]bool{}
	for _, line := range f.Body {
		if strings.Trim(line.Text, "o.# \t/") != "" {
			return false
		}
		seen[0] = seen[0] || strings.Contains(line.Text, "o")
		seen[1] = seen[1] || strings.Contains(line.Text, ".")
	}
	return seen[0] && seen[1]
}
