package rushhour

import (
	"fmt"
	"strconv"
	"strings"
)

// Kind is the kind of sweep that the first line of rules names.
const Kind = "rush-hour"

// rulesBytesMax bounds the text of rules.
const rulesBytesMax = 4096

// Parse reads rules as String writes them.
func Parse(text string) (Rules, error) {
	var r Rules
	if len(text) > rulesBytesMax {
		return r, fmt.Errorf("rules of %d bytes: at most %d", len(text), rulesBytesMax)
	}
	for line := range strings.Lines(text) {
		key, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if !ok {
			return Rules{}, fmt.Errorf("rules: %q is no line KEY: VALUE", strings.TrimSpace(line))
		}
		if err := r.set(key, value); err != nil {
			return Rules{}, fmt.Errorf("rules: %s: %w", key, err)
		}
	}
	if written := r.String(); written != text {
		return Rules{}, fmt.Errorf("rules: not as they are written: %q", written)
	}
	return r, nil
}

// set takes a line of rules.
func (r *Rules) set(key, value string) (err error) {
	switch key {
	case "sweep":
		if value != Kind {
			err = fmt.Errorf("%q is no %s", value, Kind)
		}
	case "size":
		side, _, _ := strings.Cut(value, "x")
		r.Size, err = strconv.Atoi(side)
	case "exit-row":
		r.ExitRow, err = strconv.Atoi(value)
	case "lengths":
		for _, word := range strings.Fields(value) {
			n, fault := strconv.Atoi(word)
			if fault != nil {
				return fault
			}
			r.Lengths = append(r.Lengths, n)
		}
	case "metric":
		r.Step = value == "step"
	case "walls":
		least, most, _ := strings.Cut(value, "..")
		if r.WallsMin, err = strconv.Atoi(least); err == nil {
			r.WallsMax, err = strconv.Atoi(most)
		}
	case "limits":
		for _, word := range strings.Fields(value) {
			limit, fault := parseLimit(word)
			if fault != nil {
				return fault
			}
			r.Limits = append(r.Limits, limit)
		}
	case "full-rows":
		r.FullRows = true
	case "full-columns":
		r.FullColumns = true
	case "keep":
		r.Everything = true
	case "min-distance":
		r.MinDistance, err = strconv.Atoi(value)
	case "sample":
		r.Sample, err = strconv.Atoi(strings.TrimPrefix(value, "1/"))
	case "family":
		r.Family = value
	default:
		err = fmt.Errorf("there is no such rule")
	}
	return err
}

// parseLimit reads a limit as its String writes it.
func parseLimit(text string) (l Limit, err error) {
	way, most, _ := strings.Cut(text, "=")
	if l.Most, err = strconv.Atoi(most); err != nil {
		return l, err
	}
	l.Vertical = strings.HasPrefix(way, "v")
	l.Length, err = strconv.Atoi(strings.TrimLeft(way, "hv"))
	return l, err
}
