package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/everystate/everystate/tools/measure"
)

// report is what is printed.
type report struct {
	machine measure.Machine
	rounds  int
	tools   []*toolThere
	boards  []*boardResult
}

func (r *report) String() string {
	var text strings.Builder
	text.WriteString(r.machine.String())
	versions := map[*kind]bool{}
	for _, t := range r.tools {
		if !versions[t.kind] {
			versions[t.kind] = true
			fmt.Fprintf(&text, "%-7s  %s\n", t.kind.needs[0], t.version)
		}
	}
	fmt.Fprintf(&text, "rounds   %d; medians; times compares with %s in the same round\n\n", r.rounds, everystate2)
	for _, t := range r.tools {
		fmt.Fprintf(&text, "%-10s  %s: %s\n", t.name, t.comment, strings.Join(t.flags, " "))
	}
	if len(r.tools) > 0 {
		text.WriteString("\n")
	}
	rows := [][]string{{"puzzle", "tool", "states", "seconds", "M states/s", "times", "least", "most", "peak MiB", "B/state", "disk MiB", "compile s"}}
	var failures strings.Builder
	for i, b := range r.boards {
		if i > 0 {
			rows = append(rows, nil)
		}
		for _, x := range b.rows {
			rows = append(rows, x.cells(b))
			if x.err != nil {
				fmt.Fprintf(&failures, "%s, %s: %v\n", b.name, x.tool, x.err)
			}
		}
	}
	measure.Table(&text, rows)
	if failures.Len() > 0 {
		text.WriteString("\n" + failures.String())
	}
	return text.String()
}

// cells returns a row of the table.
func (x *row) cells(b *boardResult) []string {
	if x.err != nil {
		what := "error"
		if errors.Is(x.err, errUnfinished) {
			what = "unfinished"
		}
		return []string{b.name, x.tool, what}
	}
	seconds := medianOf(x.samples, func(s sample) float64 { return s.seconds })
	peak := medianOf(x.samples, func(s sample) float64 { return float64(s.peakBytes) })
	times := b.times(x)
	disk, compile := "-", "-"
	if n := medianOf(x.samples, func(s sample) float64 { return float64(s.diskBytes) }); n > 0 {
		disk = fmt.Sprintf("%.1f", n/(1<<20))
	}
	if x.build > 0 {
		compile = fmt.Sprintf("%.1f", x.build)
	}
	return []string{
		b.name, x.tool, measure.Grouped(b.states), measure.Seconds(seconds),
		fmt.Sprintf("%.2f", float64(b.states)/seconds/1e6),
		fmt.Sprintf("%.2f", measure.Median(times)), fmt.Sprintf("%.2f", slices.Min(times)), fmt.Sprintf("%.2f", slices.Max(times)),
		fmt.Sprintf("%.0f", peak/(1<<20)), fmt.Sprintf("%.1f", peak/float64(b.states)), disk, compile,
	}
}

// times returns, for each round, the ratio of a row's time to Everystate's.
func (b *boardResult) times(x *row) []float64 {
	i := slices.IndexFunc(b.rows, func(r *row) bool { return r.tool == everystate2 })
	var all []float64
	for round, s := range x.samples {
		all = append(all, s.seconds/b.rows[i].samples[round].seconds)
	}
	return all
}

func medianOf(samples []sample, value func(sample) float64) float64 {
	var all []float64
	for _, s := range samples {
		all = append(all, value(s))
	}
	return measure.Median(all)
}

// errors returns the rows that are wrong. Running out of time or memory is not wrong.
func (r *report) errors() error {
	var errs []error
	for _, b := range r.boards {
		for _, x := range b.rows {
			if x.err != nil && !errors.Is(x.err, errUnfinished) {
				errs = append(errs, fmt.Errorf("%s, %s: %w", b.name, x.tool, x.err))
			}
		}
	}
	return errors.Join(errs...)
}
