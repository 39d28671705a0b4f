// Package rules holds what a sweep of Rush Hour boards enumerates, and its text.
//
// It knows nothing of how boards are enumerated, and must never do I/O.
package rules

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Rules defines which boards are enumerated, and which clusters are kept. The zero
// Rules, with defaults filled in, are those of the reference: the 6x6 boards without
// walls of M. Fogleman's database.
type Rules struct {
	// Size is the number of rows and of columns, each 3 to 8. Zero means 6x6.
	Size Size
	// ExitRow is the row of the primary vehicle, from 0 at the top, whose exit is to
	// the right. Negative means the middle row, or the one above the middle.
	ExitRow int
	// Lengths are the lengths of the vehicles, each less than the longer side; the
	// primary's is 2. None means 2 and 3, as far as they are.
	Lengths []int
	// Step counts a vehicle's move of several cells as several moves.
	Step bool
	// WallsMin and WallsMax bound the number of walls.
	WallsMin, WallsMax int
	// Limits bound the numbers of vehicles other than the primary, by kind.
	Limits []Limit
	// FullRows and FullColumns include boards with a row or column filled by its
	// pieces.
	FullRows, FullColumns bool
	// PrimaryRowShared includes boards with other horizontal vehicles in the
	// primary's row, to the left of it: to the right they would block the exit
	// forever.
	PrimaryRowShared bool
	// Everything keeps all solvable clusters, not only the minimal ones.
	Everything bool
	// MirrorsMerged keeps one of each two clusters that are mirror images of each
	// other, top to bottom: the one that is a puzzle, or if both are, or neither, the
	// one whose representative comes first. It requires an exit in the middle row.
	MirrorsMerged bool
	// MergedBefore is set in databases of earlier versions, which kept the one whose
	// representative comes first, even if only the other was a puzzle. They can be
	// read, but not continued.
	MergedBefore bool
	// Reduced visits only what can hold a puzzle, as far as that is known beforehand.
	// Records and the counts of puzzles are the same; the other counts cover only
	// what is visited.
	Reduced bool
	// ReducedAs is set with Reduced in databases of earlier versions, which left out less: it
	// numbers them from 1, and is 0 for the present one. Such a sweep is continued as it began.
	ReducedAs int
	// MinDistance is the least distance of the clusters kept.
	MinDistance int
	// Sample enumerates one family in Sample, chosen by its number. Zero means 1,
	// all.
	Sample int
	// Family restricts the sweep to the boards with the same vehicles line by line,
	// and the same walls, as this board: its cells row by row, in the letters of a
	// record. Size, walls and limits follow from it.
	Family string
}

// reductions names what a reduced sweep leaves out, the present version last. There must be
// another whenever more or less is left out, as findings depend on the text of the rules
// alone. The first did without vehicles that step aside. The second judged no single boards
// and did not know that lines always cover some of their cells.
var reductions = [...]string{"reduced-1", "reduced-2", "reduced-3"}

// reducedNow is the place of the present version.
const reducedNow = len(reductions) - 1

// How mirror images are merged, in the text of the rules.
const (
	merged       = "merged-2"
	mergedBefore = "merged"
)

// A Limit bounds the number of vehicles of a kind.
type Limit struct {
	Vertical bool
	Length   int
	Most     int
}

func (l Limit) String() string {
	way := "h"
	if l.Vertical {
		way = "v"
	}
	return fmt.Sprintf("%s%d=%d", way, l.Length, l.Most)
}

// SizeMin and SizeMax bound the sides of a board, and PrimaryLength is the primary
// vehicle's number of cells.
const (
	SizeMin       = 3
	SizeMax       = 8
	PrimaryLength = 2
)

// A Size is the size of a board, the rows first.
type Size struct{ Rows, Columns int }

// Square returns the size of a square board.
func Square(side int) Size { return Size{side, side} }

func (s Size) String() string { return fmt.Sprintf("%dx%d", s.Rows, s.Columns) }

// Cells returns the number of cells.
func (s Size) Cells() int { return s.Rows * s.Columns }

func (s Size) longer() int { return max(s.Rows, s.Columns) }

// EnsureDefaults fills in defaults.
func (r *Rules) EnsureDefaults() {
	if r.Size == (Size{}) {
		r.Size = Square(6)
	}
	if r.ExitRow < 0 {
		r.ExitRow = (r.Size.Rows - 1) / 2
	}
	if len(r.Lengths) == 0 {
		r.Lengths = []int{2, 3}
		if r.Size.longer() <= SizeMin {
			r.Lengths = []int{2} // 3 would fill a row or column
		}
	}
	r.Lengths = slices.Clone(r.Lengths)
	slices.Sort(r.Lengths)
	r.Limits = slices.Clone(r.Limits)
	slices.SortFunc(r.Limits, func(a, b Limit) int { return cmp.Compare(a.String(), b.String()) })
	if r.Sample == 0 {
		r.Sample = 1
	}
}

// Validate reports every fault of the rules.
func (r *Rules) Validate() error {
	var faults []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	check(min(r.Size.Rows, r.Size.Columns) >= SizeMin && r.Size.longer() <= SizeMax, "size %v: must be %v to %v", r.Size, Square(SizeMin), Square(SizeMax))
	check(r.ExitRow < r.Size.Rows, "exit row %d: a board of %d rows has rows 0 to %d", r.ExitRow, r.Size.Rows, r.Size.Rows-1)
	for i, n := range r.Lengths {
		check(n >= 1 && n < r.Size.longer(), "length %d: must be 1 to %d", n, r.Size.longer()-1)
		check(i == 0 || r.Lengths[i-1] != n, "length %d is given twice", n)
	}
	check(r.WallsMin >= 0 && r.WallsMax >= r.WallsMin, "walls %d to %d: must be 0 or more, the smaller number first", r.WallsMin, r.WallsMax)
	check(r.WallsMax <= r.Size.Cells(), "%d walls: a board has %d cells", r.WallsMax, r.Size.Cells())
	for i, l := range r.Limits {
		check(slices.Contains(r.Lengths, l.Length), "limit %v: no vehicle has length %d", l, l.Length)
		check(l.Most >= 0, "limit %v: must be 0 or more", l)
		check(i == 0 || r.Limits[i-1].Vertical != l.Vertical || r.Limits[i-1].Length != l.Length, "limit %v: two limits for this kind", l)
	}
	check(r.MinDistance >= 0, "least distance %d: must be 0 or more", r.MinDistance)
	check(!r.MirrorsMerged || 2*r.ExitRow == r.Size.Rows-1,
		"mirrors merged: the exit must be in the middle row, such as row 2 of 5x5: top to bottom, row %d of %v becomes row %d", r.ExitRow, r.Size, r.Size.Rows-1-r.ExitRow)
	check(!r.MirrorsMerged || r.Family == "", "mirrors merged: cannot be combined with a family, whose mirror image is another family")
	check(!r.Reduced || !r.Everything, "visits %s: keeping all clusters requires visiting all", reductions[reducedNow])
	check(r.Sample >= 1, "sample 1/%d: must be 1/1 or less", r.Sample)
	return errors.Join(faults...)
}

// String returns the canonical text of the rules, one per line.
func (r *Rules) String() string {
	var b strings.Builder
	line := func(key string, value any) { fmt.Fprintf(&b, "%s: %v\n", key, value) }
	join := func(list any) string { return strings.Trim(fmt.Sprint(list), "[]") }
	metric := "slide"
	if r.Step {
		metric = "step"
	}
	line("sweep", "rush-hour")
	line("size", r.Size)
	line("exit-row", r.ExitRow)
	line("lengths", join(r.Lengths))
	line("metric", metric)
	line("walls", fmt.Sprintf("%d..%d", r.WallsMin, r.WallsMax))
	if len(r.Limits) > 0 {
		line("limits", join(r.Limits))
	}
	if r.FullRows {
		line("full-rows", true)
	}
	if r.FullColumns {
		line("full-columns", true)
	}
	if r.PrimaryRowShared {
		line("primary-row", "shared")
	}
	switch {
	case r.MirrorsMerged:
		line("mirrors", merged)
	case r.MergedBefore:
		line("mirrors", mergedBefore)
	}
	if r.Everything {
		line("keep", "everything")
	}
	if r.Reduced {
		as := reducedNow
		if r.ReducedAs > 0 {
			as = r.ReducedAs - 1
		}
		line("visits", reductions[as])
	}
	if r.MinDistance > 0 {
		line("min-distance", r.MinDistance)
	}
	if r.Sample > 1 {
		line("sample", fmt.Sprintf("1/%d", r.Sample))
	}
	if r.Family != "" {
		line("family", r.Family)
	}
	return b.String()
}
