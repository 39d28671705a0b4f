package sokoban

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/everystate/everystate/internal/sweep"
)

// Kind is the value of the first line of the rules.
const Kind = "sokoban"

// Rules defines which goal sets are enumerated, and which are kept.
type Rules struct {
	// Room is the rows of the room from the top, separated by slashes: # is a wall, -
	// is floor, @ the first cell of it. Other notations of a level are read as well.
	Room string
	// Boxes is the number of boxes, and of targets.
	Boxes int
	// Merged counts goal sets that are mirror images or rotations of one another in
	// the room only once, as the one with the least number.
	Merged bool
	// MinDistance is the least distance of the records kept.
	MinDistance int
	// Sample enumerates one goal set in Sample. Zero means 1, all.
	Sample int
}

// String returns the canonical text of the rules, one per line.
func (r *Rules) String() string {
	text := fmt.Sprintf("sweep: %s\nroom: %s\nboxes: %d\n", Kind, r.Room, r.Boxes)
	if r.Merged {
		text += "mirrors: merged\n"
	}
	if r.MinDistance > 0 {
		text += fmt.Sprintf("min-distance: %d\n", r.MinDistance)
	}
	if r.Sample > 1 {
		text += fmt.Sprintf("sample: 1/%d\n", r.Sample)
	}
	return text
}

// Parse reads what [Rules.String] wrote.
func Parse(text string) (r Rules, err error) {
	err = sweep.ReadRules(text, func(key, value string) (err error) {
		switch key {
		case "sweep":
			if value != Kind {
				err = fmt.Errorf("%q is not %s", value, Kind)
			}
		case "room":
			r.Room = value
		case "boxes":
			r.Boxes, err = strconv.Atoi(value)
		case "mirrors":
			r.Merged, err = ParseMirrors(value)
		case "min-distance":
			r.MinDistance, err = strconv.Atoi(value)
		case "sample":
			r.Sample, err = sweep.ParseSample(value)
		default:
			err = errors.New("unknown rule")
		}
		return err
	})
	return r, err
}

// ParseMirrors reads whether mirror images are merged.
func ParseMirrors(text string) (merged bool, err error) {
	if text != "apart" && text != "merged" {
		return false, errors.New("must be apart or merged")
	}
	return text == "merged", nil
}

// oneLine writes a level on one line.
func oneLine(level string) string { return strings.NewReplacer("\n", "/", " ", "-").Replace(level) }
