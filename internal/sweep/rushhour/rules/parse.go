package rules

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/everystate/everystate/internal/sweep"
	"github.com/everystate/everystate/puzzle/boardfile"
)

// Parse reads what [Rules.String] wrote, with defaults for missing lines.
func Parse(text string) (Rules, error) {
	r := Rules{ExitRow: -1}
	if err := sweep.ReadRules(text, r.set); err != nil {
		return r, err
	}
	r.EnsureDefaults()
	err := r.Validate()
	return r, err
}

func (r *Rules) set(key, value string) (err error) {
	switch key {
	case "sweep":
		if value != "rush-hour" {
			err = fmt.Errorf("%q is not rush-hour", value)
		}
	case "size":
		r.Size, err = ParseSize(value)
	case "exit-row":
		r.ExitRow, err = strconv.Atoi(value)
	case "lengths":
		r.Lengths, err = ParseLengths(value)
	case "metric":
		r.Step = value == "step"
		if !r.Step && value != "slide" {
			err = fmt.Errorf("%q: must be slide or step", value)
		}
	case "walls":
		r.WallsMin, r.WallsMax, err = ParseRange(value)
	case "limits":
		r.Limits, err = ParseLimits(value)
	case "full-rows":
		r.FullRows, err = strconv.ParseBool(value)
	case "full-columns":
		r.FullColumns, err = strconv.ParseBool(value)
	case "primary-row":
		r.PrimaryRowShared, err = ParseChoice(value, "alone", "shared")
	case "mirrors":
		r.MirrorsMerged = value == merged
		r.MergedBefore = value == mergedBefore
		if !r.MirrorsMerged && !r.MergedBefore {
			err = fmt.Errorf("%q: this program knows %s", value, merged)
		}
	case "keep":
		r.Everything = value == "everything"
	case "visits":
		at := slices.Index(reductions[:], value)
		if at < 0 {
			err = fmt.Errorf("%q: this program knows %s to %s", value, reductions[0], reductions[reducedNow])
		}
		if r.Reduced = true; at < reducedNow {
			r.ReducedAs = at + 1
		}
	case "min-distance":
		r.MinDistance, err = strconv.Atoi(value)
	case "sample":
		r.Sample, err = sweep.ParseSample(value)
	case "family":
		r.Family = value
	default:
		err = errors.New("unknown rule")
	}
	return err
}

// ParseChoice reads one of two words, and reports whether it is other rather than the
// reference's.
func ParseChoice(text, reference, other string) (bool, error) {
	if text != reference && text != other {
		return false, fmt.Errorf("must be %s or %s", reference, other)
	}
	return text == other, nil
}

// ParseSize reads the size of a board, rows first, such as 5x6.
func ParseSize(text string) (Size, error) {
	size, ok := boardfile.ParseSize(text, SizeMax)
	if !ok || min(size.Rows, size.Cols) < SizeMin { // 0, the default of Rules, is rejected too
		return Size{}, fmt.Errorf("must be rows x columns, each from %d to %d, as in 6x6", SizeMin, SizeMax)
	}
	return Size{size.Rows, size.Cols}, nil
}

// ParseRange reads a number, or two such as 0..2.
func ParseRange(text string) (least, most int, err error) {
	a, b, two := strings.Cut(text, "..")
	if !two {
		b = a
	}
	least, err1 := strconv.Atoi(a)
	most, err2 := strconv.Atoi(b)
	if err1 != nil || err2 != nil {
		return 0, 0, errors.New("must be a number or a range such as 0..2")
	}
	return least, most, nil
}

// ParseLengths reads lengths separated by commas or blanks.
func ParseLengths(text string) ([]int, error) {
	var lengths []int
	for _, f := range list(text) {
		n, err := strconv.Atoi(f)
		if err != nil {
			return nil, errors.New("must be numbers separated by commas, such as 2,3")
		}
		lengths = append(lengths, n)
	}
	return lengths, nil
}

func list(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// ParseLimits reads limits such as h2=4 v3=2, separated by commas or blanks.
func ParseLimits(text string) ([]Limit, error) {
	var limits []Limit
	for _, f := range list(text) {
		kind, most, ok := strings.Cut(f, "=")
		n, err := strconv.Atoi(most)
		if !ok || err != nil || len(kind) != 2 || kind[0] != 'h' && kind[0] != 'v' || kind[1] < '1' || kind[1] > '9' {
			return nil, fmt.Errorf("%q: must be h or v, a length, = and a maximum, such as h3=2", f)
		}
		limits = append(limits, Limit{Vertical: kind[0] == 'v', Length: int(kind[1] - '0'), Most: n})
	}
	return limits, nil
}
