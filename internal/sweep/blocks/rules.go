package blocks

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/everystate/everystate/internal/sweep"
)

// Kind is the value of the first line of the rules.
const Kind = "blocks"

// Rules defines which pieces are placed where, and which clusters are kept.
type Rules struct {
	// Board is the text of a board. Its headers define the goal and what counts as a
	// move; where its pieces are does not matter.
	Board string
	// MinDistance is the least distance of the clusters kept.
	MinDistance int
}

// String returns the canonical text of the rules, one per line, if the board's text
// is canonical.
func (r *Rules) String() string {
	headers, rows, _ := strings.Cut(r.Board, "\n\n")
	var text strings.Builder
	fmt.Fprintf(&text, "sweep: %s\n", Kind)
	for line := range strings.Lines(headers + "\n") {
		if !strings.HasPrefix(line, "puzzle: ") {
			text.WriteString(line)
		}
	}
	fmt.Fprintf(&text, "board: %s\n", oneLine(strings.TrimSuffix(rows, "\n")))
	if r.MinDistance > 0 {
		fmt.Fprintf(&text, "min-distance: %d\n", r.MinDistance)
	}
	return text.String()
}

// oneLine writes a board on one line.
func oneLine(board string) string { return strings.ReplaceAll(board, "\n", "/") }

// Parse reads what [Rules.String] wrote.
func Parse(text string) (r Rules, err error) {
	headers, board := "", ""
	err = sweep.ReadRules(text, func(key, value string) (err error) {
		switch key {
		case "sweep":
			if value != Kind {
				err = fmt.Errorf("%q is not %s", value, Kind)
			}
		case "board":
			board = strings.ReplaceAll(value, "/", "\n")
		case "min-distance":
			r.MinDistance, err = strconv.Atoi(value)
		case "metric", "goal", "interchangeable":
			headers += key + ": " + value + "\n"
		default:
			err = errors.New("unknown rule")
		}
		return err
	})
	r.Board = headers + "\n" + board + "\n"
	return r, err
}
