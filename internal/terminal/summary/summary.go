package summary

import (
	"fmt"
	"io"
	"strings"

	"github.com/everystate/everystate/internal/engine"
	"github.com/everystate/everystate/internal/quantity"
	"github.com/everystate/everystate/internal/terminal/paint"
	"github.com/everystate/everystate/internal/terminal/picture"
	"github.com/everystate/everystate/internal/terminal/table"
)

// Summary is the report on one run.
type Summary struct {
	engine.Summary
	// Stopped is why the run is not complete, empty if it is.
	Stopped string
	// Promise is what the input promised and, if that differs, what was found
	// instead; empty if it promised nothing.
	Promise     string
	PromiseKept bool
	// Next holds commands to run next.
	Next []string
}

// Write writes the summary as labelled lines.
func (s *Summary) Write(w io.Writer, pen picture.Painter) {
	line := func(label, format string, args ...any) {
		fmt.Fprintf(w, "%s  %s\n", pen.Paint.Faint(fmt.Sprintf("%-11s", label)), fmt.Sprintf(format, args...))
	}
	if s.Complete {
		line("states", "%s, %s", pen.Paint.Bold(quantity.Count(s.States)), pen.Paint.Good("complete"))
	} else {
		line("states", "%s, %s", pen.Paint.Bold(quantity.Count(s.States)), pen.Paint.Bad(s.Stopped))
	}
	if s.RepresentedStates != nil {
		line("stand for", "%s with their symmetric images", quantity.Counted(*s.RepresentedStates, "state"))
	}
	line("depth", "%s", quantity.Count(int64(s.Depth)))
	line("generated", "%s, %s of them duplicates", quantity.Counted(s.Generated, "successor"), quantity.Count(s.Duplicates))
	if s.PrunedMoves != nil {
		line("pruned", "%s pruned: no goal can be reached after them", quantity.Counted(*s.PrunedMoves, "move"))
	}
	line("goal states", "%s", goals(&s.Summary))
	s.writeDistances(line)
	line("time", "%s", quantity.Spent(s.Seconds, s.States, s.StatesPerSecond))
	if s.PeakMemoryBytes > 0 { // unknown for a run on a coordinator
		line("memory", "%s at the peak", quantity.Bytes(s.PeakMemoryBytes))
	}
	line("disk", "%s, %s per state", quantity.Bytes(s.DiskBytes), bytesEach(s.DiskBytes, s.States))
	if s.DroppedLayers > 0 {
		line("kept", "%s of %s, the others dropped: their counts stay", quantity.Count(int64(len(s.Layers)-s.DroppedLayers)), quantity.Counted(int64(len(s.Layers)), "layer"))
	}
	line("digest", "%s", s.Digest)
	line("run", "%s", s.Run)
	if s.Bucket != "" {
		line("bucket", "%s", s.Bucket)
	}
	switch {
	case s.Promise == "":
	case s.PromiseKept:
		line("as promised", "%s", s.Promise)
	default:
		line("promised", "%s", pen.Paint.Bad(s.Promise))
	}
	if s.Hardest != nil {
		fmt.Fprintf(w, "\n%s\n", strings.Join(pen.Draw(s.Hardest.Example).Lines, "\n"))
	}
	for i, command := range s.Next {
		if i == 0 {
			fmt.Fprintln(w)
		}
		label := ""
		if i == 0 {
			label = "next"
		}
		line(label, "%s", command)
	}
}

func goals(s *engine.Summary) string {
	if s.SolutionLength == nil {
		if s.Complete {
			return "none: no goal can be reached"
		}
		return "none so far"
	}
	return fmt.Sprintf("%s, the first at depth %d", quantity.Count(s.GoalStates), *s.SolutionLength)
}

func (s *Summary) writeDistances(line func(label, format string, args ...any)) {
	if s.Hardest != nil {
		line("hardest", "%s to the nearest goal: %s drawn below",
			quantity.Counted(int64(s.Hardest.Distance), "move"), oneOf(s.Hardest.Count))
	}
	if s.UnsolvableStates != nil {
		line("unsolvable", "%s", quantity.Counted(*s.UnsolvableStates, "state"))
	}
}

func oneOf(states int64) string {
	if states == 1 {
		return "1 state,"
	}
	return quantity.Count(states) + " states, the first"
}

func bytesEach(bytes, states int64) string {
	if states == 0 {
		return "0 bytes"
	}
	each := float64(bytes) / float64(states)
	if each >= 100 {
		return quantity.Counted(int64(each), "byte")
	}
	return fmt.Sprintf("%.1f bytes", each)
}

// Table writes one row per run.
func Table(w io.Writer, all []engine.Summary, p paint.Paint) {
	t := table.Table{Columns: []table.Column{
		{Title: "name", Left: true}, {Title: "states"}, {Title: "depth"}, {Title: "goals"}, {Title: "first goal"},
		{Title: "hardest"}, {Title: "time"}, {Title: "run", Left: true},
	}}
	for i := range all {
		s := &all[i]
		first, hardest := "-", "-"
		if s.SolutionLength != nil {
			first = fmt.Sprint(*s.SolutionLength)
		}
		if s.Hardest != nil {
			hardest = fmt.Sprint(s.Hardest.Distance)
		}
		states := quantity.Count(s.States)
		if !s.Complete {
			states = "> " + states
		}
		t.Add(s.Name, states, fmt.Sprint(s.Depth), quantity.Count(s.GoalStates), first, hardest, quantity.Seconds(s.Seconds), s.Run)
	}
	t.Write(w, p)
}
