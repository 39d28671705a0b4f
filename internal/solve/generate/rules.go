package generate

import (
	"errors"
	"fmt"
	"slices"

	"github.com/everystate/everystate/puzzle/boardfile"
)

// sideMin and sideMax bound the number of rows and columns.
const (
	sideMin = 3
	sideMax = 16
)

// ParseSize reads the size of a board, rows first, as in 5x6.
func ParseSize(text string) (rows, cols int, err error) {
	size, ok := boardfile.ParseSize(text, sideMax)
	if !ok || min(size.Rows, size.Cols) < sideMin { // 0, the default of Rules, is rejected too
		return 0, 0, fmt.Errorf("must be rows x columns, each from %d to %d, as in 6x6", sideMin, sideMax)
	}
	return size.Rows, size.Cols, nil
}

// Rules define which boards to choose from.
type Rules struct {
	// Rows and Cols are the size of the board, 3 to 16 each. Zero means 6.
	Rows, Cols int

	// ExitRow is the goal vehicle's row, from 0; its exit is on the right. Negative
	// means the middle row, or the one above the middle.
	ExitRow int

	// Lengths are the lengths of the other vehicles, 1 to 15. None means 2 and 3.
	Lengths []int

	// VehiclesMin and VehiclesMax bound the number of vehicles besides the goal
	// vehicle. VehiclesMax 0 means as many as fit and can be named.
	VehiclesMin, VehiclesMax int

	// WallsMin and WallsMax bound the number of walls.
	WallsMin, WallsMax int

	// Metric is what counts as a move. Empty means slide, as published records do.
	Metric string

	// StatesMax is how many states may be reachable from a board. Zero means 5,000:
	// the hardest boards known have fewer, and a larger one costs the time of many.
	StatesMax int
}

const statesMaxUsual = 5_000

func (r *Rules) ensureDefaults() {
	if r.Rows == 0 {
		r.Rows = 6
	}
	if r.Cols == 0 {
		r.Cols = 6
	}
	if r.ExitRow < 0 {
		r.ExitRow = (r.Rows - 1) / 2
	}
	if len(r.Lengths) == 0 {
		r.Lengths = []int{2, 3}
	}
	if r.VehiclesMax == 0 {
		r.VehiclesMax = min(vehiclesMax-1, r.Rows*r.Cols)
	}
	if r.Metric == "" {
		r.Metric = "slide"
	}
	if r.StatesMax == 0 {
		r.StatesMax = statesMaxUsual
	}
}

// validate reports every fault of the rules.
func (r *Rules) validate() error {
	var errs []error
	must := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	must(r.Rows >= sideMin && r.Rows <= sideMax && r.Cols >= sideMin && r.Cols <= sideMax, "--size %dx%d: from %d to %d rows and columns", r.Rows, r.Cols, sideMin, sideMax)
	must(r.ExitRow < r.Rows, "--exit-row %d: rows are 0 to %d", r.ExitRow, r.Rows-1)
	must(!slices.ContainsFunc(r.Lengths, func(n int) bool { return n < 1 || n >= sideMax }), "--lengths %v: each must be from 1 to %d", r.Lengths, sideMax-1)
	must(r.VehiclesMin >= 0 && r.VehiclesMin <= r.VehiclesMax && r.VehiclesMax < vehiclesMax,
		"--vehicles %d: must be from 0 to %d, besides the goal vehicle", max(r.VehiclesMin, r.VehiclesMax), vehiclesMax-1)
	most := r.Rows * r.Cols
	must(r.WallsMin >= 0 && r.WallsMin <= r.WallsMax && r.WallsMax <= most, "--walls %d: must be from 0 to %d", max(r.WallsMin, r.WallsMax), most)
	must(r.Metric == "slide" || r.Metric == "step", "metric %q: step or slide", r.Metric)
	must(r.StatesMax > 0, "at most %d states: 1 or more", r.StatesMax)
	return errors.Join(errs...)
}

// fit returns an error if what the rules ask for is more than the board has room for.
func (r *Rules) fit() error {
	const goal = 2 // cells of the goal vehicle
	longest := max(r.Rows, r.Cols)
	if i := slices.IndexFunc(r.Lengths, func(n int) bool { return n > longest }); i >= 0 {
		return fmt.Errorf("--lengths %d: a vehicle of this length does not fit on %dx%d", r.Lengths[i], r.Rows, r.Cols)
	}
	room := r.Rows*r.Cols - goal
	least := slices.Min(r.Lengths)
	switch vehicles := r.VehiclesMin * least; {
	case vehicles > room:
		return fmt.Errorf("--vehicles %d: at most %d fit on %dx%d beside the goal vehicle", r.VehiclesMin, room/least, r.Rows, r.Cols)
	case r.WallsMin > room:
		return fmt.Errorf("--walls %d: at most %d fit on %dx%d beside the goal vehicle", r.WallsMin, room, r.Rows, r.Cols)
	case vehicles+r.WallsMin > room:
		return fmt.Errorf("--vehicles %d and --walls %d do not both fit on %dx%d beside the goal vehicle", r.VehiclesMin, r.WallsMin, r.Rows, r.Cols)
	}
	return nil
}
